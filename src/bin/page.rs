//! The page: panic hook, mount.

fn main() {
    console_error_panic_hook::set_once();
    axonscope::app::open::early::mount();
}
