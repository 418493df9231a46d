//! A bar on standard error with rate and time left; nothing where standard error is no terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;

/// A bar of bytes.
pub fn bytes(total: u64, what: &'static str) -> ProgressBar {
    bar(total, what, "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left")
}

/// A bar of files.
pub fn files(total: u64, what: &'static str) -> ProgressBar {
    bar(total, what, "{msg} {wide_bar} {pos}/{len} {rate}, {eta} left")
}

fn bar(total: u64, what: &'static str, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    // Without decimals: of thousands of files a second they say nothing.
    let rate = |state: &ProgressState, out: &mut dyn Write| {
        // What a bar cannot show it omits.
        let _ = write!(out, "{:.0}/s", state.per_sec());
    };
    bar.with_style(style.with_key("rate", rate)).with_message(what)
}
