//! Which table is being read: the library panics on some damaged files, and the error must name the file.

use crate::formats::ImportError;
use futures_util::FutureExt as _;
use std::cell::RefCell;
use std::panic::AssertUnwindSafe;

thread_local! {
    static NOW: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Names the file that is read until it is dropped. After a panic the name stays.
pub struct Now;

impl Now {
    /// The file of that name.
    pub fn reading(name: &str) -> Now {
        set(name);
        Now
    }
}

impl Drop for Now {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            set("");
        }
    }
}

fn set(name: &str) {
    NOW.with_borrow_mut(|now| {
        now.clear();
        now.push_str(name);
    });
}

/// A sentence that the library failed on the file being read; `None` if none is being read.
pub fn gave_up() -> Option<String> {
    let name = NOW.try_with(|now| now.try_borrow().map(|now| now.clone()).unwrap_or_default()).unwrap_or_default();
    (!name.is_empty()).then(|| sentence(&format!("`{name}`")))
}

/// Calls the library, which panics on some damaged files: natively that becomes an error, in the browser it ends this worker.
pub fn caught<T>(work: impl FnOnce() -> Result<T, ImportError>) -> Result<T, ImportError> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(given_up()))
}

/// The same for work that waits.
pub async fn caught_while<T>(work: impl Future<Output = Result<T, ImportError>>) -> Result<T, ImportError> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| Err(given_up()))
}

fn given_up() -> ImportError {
    ImportError::Invalid(gave_up().unwrap_or_else(|| sentence("one")))
}

/// The sentence on a file that the Parquet library gave up on.
pub fn sentence(file: &str) -> String {
    format!("Expected Parquet tables, found {file}, which is damaged beyond what the Parquet library can read. Export the profile again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_panic_the_table_is_known() {
        let done = std::panic::catch_unwind(|| {
            let _now = Now::reading("T.parquet");
            panic!("as the library does");
        });
        assert!(done.is_err());
        assert!(gave_up().is_some_and(|sentence| sentence.contains("found `T.parquet`, which is damaged")));
        assert!(
            crate::formats::neuron_parquet::gave_up("cargo/parquet/src/page.rs").is_some()
                && crate::formats::neuron_parquet::gave_up("src/base/mod.rs").is_none()
        );
        drop(Now::reading("U.parquet"));
        assert_eq!(gave_up(), None);
    }
}
