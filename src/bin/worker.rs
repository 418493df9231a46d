//! The worker: serves. The host installs its own panic hook, which also reports to the page.

fn main() {
    #[cfg(target_arch = "wasm32")]
    axonscope::worker::host::serve();
}
