//! `execution_details.json`: which file holds the capture of which batch size.

use serde::Deserialize;

/// One entry. The mode (`FULL`, `PIECEWISE`) is not read: the kernels show it.
#[derive(Deserialize)]
struct Entry {
    file: String,
    #[serde(default)]
    batch_size: Option<u64>,
}

/// (file name, batch size) of the entries that name both; `None` where the text is something else.
pub(super) fn read(bytes: &[u8]) -> Option<Vec<(String, u64)>> {
    let entries: Vec<Entry> = serde_json::from_slice(bytes).ok()?;
    Some(entries.into_iter().filter_map(|e| Some((e.file, e.batch_size?))).collect())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn entries_are_read() {
        let text = br#"[{"file": "a.json.gz", "batch_size": 32, "mode": "FULL"}, {"file": "b", "batch_size": null}]"#;
        assert_eq!(read(text), Some(vec![("a.json.gz".to_string(), 32)]));
        assert_eq!(read(b"{}"), None);
        assert_eq!(read(b"[{\"file\": 3}]"), None);
    }
}
