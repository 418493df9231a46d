//! The worker's side: opens files, answers queries.

/// Serves the page until it terminates the worker.
pub fn serve() {}
