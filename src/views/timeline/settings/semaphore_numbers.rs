//! Semaphores by number, as the user types them. Knows no browser.

use crate::engine::page_columns::PageMeta;

/// The number of the semaphore that a moment `S[5] = 3` sets.
fn semaphore(name: &str) -> Option<&str> {
    name.strip_prefix("S[")?.split_once(']').map(|p| p.0)
}

/// Numbers of the semaphores of a profile, in ascending order.
pub fn semaphores(info: &PageMeta) -> Vec<String> {
    let mut out: Vec<(usize, String)> =
        info.strings.iter().filter_map(|(_, text)| semaphore(text)).map(|id| (id.len(), id.to_string())).collect();
    out.sort();
    out.dedup();
    out.into_iter().map(|s| s.1).collect()
}

/// The numbers that were typed: `5, 24`.
pub fn numbers(typed: &str) -> impl Iterator<Item = &str> {
    typed.split([',', ';', ' ']).filter(|w| !w.is_empty())
}

/// Ordered by string: whether moments of that name are drawn; `None` when all are. What the profile does not know picks nothing.
pub fn picked(info: &PageMeta, typed: &str) -> Option<Vec<bool>> {
    let known = semaphores(info);
    let wanted: Vec<&str> = numbers(typed).filter(|w| known.iter().any(|k| k == w)).collect();
    let keeps = |text: &str| semaphore(text).is_none_or(|id| wanted.contains(&id));
    (!wanted.is_empty()).then(|| info.strings.iter().map(|(_, text)| keeps(text)).collect())
}
