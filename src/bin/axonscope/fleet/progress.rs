//! A bar on standard error with rate and time left; nothing where standard error is no terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of bytes.
pub fn bytes(total: u64, what: &'static str) -> ProgressBar {
    bar(total, what, "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left")
}

/// A bar of files.
pub fn files(total: u64, what: &'static str) -> ProgressBar {
    bar(total, what, "{msg} {wide_bar} {pos}/{len} {per_sec}, {eta} left")
}

fn bar(total: u64, what: &'static str, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style).with_message(what)
}
