//! Boxes across rows: a collective operation over the rows of the CC-cores that carry it out, a core barrier over the engine it holds up.

use crate::base::TrackId;
use crate::engine::TrackKind;
use crate::engine::page_columns::PageColumns;

/// Rows whose slices are drawn as boxes on other rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boxes {
    /// The rows with the boxes' times.
    pub of: TrackId,
    /// The rows that they lie over.
    pub over: Vec<TrackId>,
    /// Whether they are barriers, which are grey.
    pub is_barrier: bool,
}

/// The boxes of a device profile: among the rows of each core.
pub fn boxes(columns: &PageColumns) -> Vec<Boxes> {
    let info = &columns.info;
    let name = |t: usize| info.strings.get(info.tracks[t].name);
    let beside = |t: usize, is: &dyn Fn(&str) -> bool| -> Vec<TrackId> {
        let others = (0..info.tracks.len()).filter(|o| *o != t && info.tracks[*o].parent == info.tracks[t].parent && is(name(*o)));
        others.map(|o| TrackId(o as u32)).collect()
    };
    let one = |t: usize| {
        let is_barrier = info.tracks[t].kind == TrackKind::Wait && name(t).starts_with("Core barriers");
        let over = match name(t) {
            text if is_barrier => {
                // `TimelineState barriers gpsimd` is drawn on that engine, without an engine name on GpSimd, which records them.
                let engine = text.trim_start_matches("Core barriers").trim().to_string();
                let engine = if engine.is_empty() || engine.bytes().all(|c| c.is_ascii_digit()) { "GpSimd".to_string() } else { engine };
                beside(t, &|other| other.eq_ignore_ascii_case(&engine))
            }
            text if text.starts_with("Collectives") => beside(t, &|other| other.starts_with("CC-core")),
            _ => return None,
        };
        (!over.is_empty()).then_some(Boxes { of: TrackId(t as u32), over, is_barrier })
    };
    (0..info.tracks.len()).filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::sample::sample;

    #[test]
    fn collectives_lie_over_cc_cores_and_barriers_over_their_engine() {
        let mut columns = sample();
        rename(&mut columns, 1, "Collectives stream 0");
        rename(&mut columns, 2, "Core barriers vector");
        rename(&mut columns, 3, "CC-core 8");
        rename(&mut columns, 5, "CC-core 9");
        let got = boxes(&columns);
        // The other core's rows are not its own, and there is no engine Vector.
        assert_eq!(got, [Boxes { of: TrackId(1), over: vec![TrackId(3)], is_barrier: false }]);
        rename(&mut columns, 3, "Vector");
        assert_eq!(boxes(&columns), [Boxes { of: TrackId(2), over: vec![TrackId(3)], is_barrier: true }]);
    }

    fn rename(columns: &mut PageColumns, t: usize, name: &str) {
        let name = columns.info.strings.push(name);
        columns.info.tracks[t].name = name;
    }
}
