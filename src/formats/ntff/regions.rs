//! The ranges of the raw area: whether they fit the file and each other.

use super::info::{Info, Span};
use crate::base::Order as _;
use crate::base::{Ledger, Severity, text};
use crate::formats::ImportError;
use std::rc::Rc;

/// Checks every range against the file's length. Ranges that a cut file no longer holds in full are shortened, if they tile the area
/// without gaps, as the runtime writes them; anything else is refused.
pub(super) fn check(name: &str, len: u64, info: &mut Info, ledger: &mut Ledger) -> Result<(), ImportError> {
    let images = info.subgraphs.iter().flat_map(|s| s.images.iter().map(|i| i.span));
    let mut spans: Vec<Span> = images.chain(info.regions.iter().map(|r| r.span)).filter(|s| s.n_bytes > 0).collect();
    spans.order_by_key(|s| (s.offset, s.n_bytes));
    let (mut end, mut is_tiled) = (info.raw, true);
    for span in &spans {
        let Some(span_end) = span.offset.checked_add(span.n_bytes) else {
            return Err(ImportError::Invalid(format!(
                "Expected a range inside `{name}`, found {} bytes at byte {}.",
                span.n_bytes, span.offset
            )));
        };
        if span.offset < end {
            return Err(ImportError::Invalid(format!(
                "Expected ranges that do not overlap, found one of {} bytes at byte {} of `{name}` that starts before byte {end}, the end of another range.",
                span.n_bytes, span.offset
            )));
        }
        is_tiled &= span.offset == end;
        end = span_end;
    }
    if end <= len {
        return Ok(());
    }
    if !is_tiled {
        return Err(ImportError::Invalid(format!("Expected a range inside `{name}` of {len} bytes, found one that ends at byte {end}.")));
    }
    let missing = end - len;
    let reason = "The file is truncated: records at its end are missing.";
    ledger.skip(Severity::DataLoss, "truncated", reason, len, || format!("{} missing", text::bytes(missing)));
    let images = info.subgraphs.iter_mut().flat_map(|s| Rc::make_mut(s).images.iter_mut().map(|i| &mut i.span));
    for span in images.chain(info.regions.iter_mut().map(|r| &mut r.span)) {
        span.n_bytes = span.n_bytes.min(len.saturating_sub(span.offset));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::info::Region;
    use super::*;

    fn check_spans(spans: &[(u64, u64)], len: u64) -> Result<Vec<u64>, String> {
        let region = |&(offset, n_bytes): &(u64, u64)| Region { span: Span { offset, n_bytes }, ..Region::default() };
        let mut info = Info { raw: 10, regions: spans.iter().map(region).collect(), ..Info::default() };
        check("x", len, &mut info, &mut Ledger::default()).map_err(|e| e.to_string())?;
        Ok(info.regions.iter().map(|r| r.span.n_bytes).collect())
    }

    #[test]
    fn ranges_must_fit() {
        assert_eq!(check_spans(&[(10, 10), (20, 5)], 25), Ok(vec![10, 5]));
        assert_eq!(check_spans(&[(10, 10), (20, 5)], 18), Ok(vec![8, 0]));
        assert!(check_spans(&[(10, 10), (19, 5)], 25).is_err_and(|e| e.contains("overlap")));
        assert!(check_spans(&[(10, 10), (40, 5)], 25).is_err_and(|e| e.contains("ends at byte 45")));
        assert!(check_spans(&[(u64::MAX, 2)], 25).is_err());
    }
}
