//! Entry point of the worker; empty on native builds.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        diagonal::worker::start();
    }
}
