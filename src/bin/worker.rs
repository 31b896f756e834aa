//! The worker's entry; nothing on native builds.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        diagonal::worker::start();
    }
}
