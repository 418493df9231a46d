//! Which semaphores are drawn, by number.

use crate::engine::hot::HotMeta;

/// The number of the semaphore that a moment `S[5] = 3` sets.
fn semaphore(name: &str) -> Option<&str> {
    name.strip_prefix("S[")?.split_once(']').map(|p| p.0)
}

/// Numbers of the semaphores of a profile, in ascending order.
pub fn semaphores(info: &HotMeta) -> Vec<String> {
    let mut out: Vec<(usize, String)> =
        info.strings.iter().filter_map(|(_, text)| semaphore(text)).map(|id| (id.len(), id.to_string())).collect();
    out.sort();
    out.dedup();
    out.into_iter().map(|s| s.1).collect()
}

/// By string: whether moments of that name are drawn; `None` when all are.
pub(super) fn picked(info: &HotMeta, wanted: &str) -> Option<Vec<bool>> {
    let wanted: Vec<&str> = wanted.split([',', ' ']).filter(|w| !w.is_empty()).collect();
    let keeps = |text: &str| semaphore(text).is_none_or(|id| wanted.contains(&id));
    (!wanted.is_empty()).then(|| info.strings.iter().map(|(_, text)| keeps(text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semaphores_are_picked_by_number() {
        let mut info = HotMeta::default();
        for text in ["S[24] = 1", "S[5] = 2", "S[5] = 3", "mark"] {
            info.strings.push(text);
        }
        assert_eq!(semaphores(&info), ["5", "24"]);
        assert_eq!(picked(&info, ""), None);
        let picked = picked(&info, "5, 7").expect("some");
        assert_eq!(picked[picked.len() - 4..], [false, true, true, true]);
    }
}
