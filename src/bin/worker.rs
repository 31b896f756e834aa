//! The worker's entry; nothing on native builds.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        diagonal::worker::start();
    }
}
