//! Entry point of the program that trains; empty on native builds.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        diagonal::trainer::start();
    }
}
