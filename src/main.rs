//! The page's entry; nothing on native builds.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        diagonal::app::show_panics();
        leptos::mount::mount_to_body(diagonal::app::App);
    }
}
