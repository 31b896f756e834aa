//! Entry point of the page; empty on native builds.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        diagonal::app::show_panics();
        diagonal::app::remove_still();
        leptos::mount::mount_to_body(diagonal::app::App);
    }
}
