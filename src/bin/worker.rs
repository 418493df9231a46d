//! The worker: serve. The host installs its own panic hook, which also states the page.

fn main() {
    #[cfg(target_arch = "wasm32")]
    axonscope::worker::host::serve();
}
