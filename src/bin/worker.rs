//! The worker: panic hook, serve.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        axonscope::worker::host::serve();
    }
}
