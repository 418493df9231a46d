//! Python stacks that are too deep to be shown in full at first: the levels in which nothing but Python functions ran are collapsed.

use crate::analysis::work_kind::is_python;
use crate::base::TrackId;
use crate::engine::TrackKind;
use crate::engine::page_columns::PageColumns;

/// Threads with more levels than this are collapsed at first.
const LEVELS: usize = 12;

/// The threads whose stacks are that deep, each with the lanes that stay: those with an operator, a call or an annotation, or the first where
/// there is none.
pub fn deep_stacks(columns: &PageColumns) -> Vec<(TrackId, Vec<u32>)> {
    let info = &columns.info;
    let is_deep = |kind: TrackKind, n_lanes: usize| kind == TrackKind::Thread && n_lanes > LEVELS;
    let deep: Vec<usize> = (0..info.tracks.len()).filter(|t| is_deep(info.tracks[*t].kind, info.tracks[*t].lanes.len())).collect();
    if deep.is_empty() {
        return Vec::new();
    }
    let python: Vec<bool> = info.strings.iter().map(|(_, name)| is_python(name)).collect();
    let has_work = |lane: &u32| {
        let slices = info.lanes.get(*lane as usize).and_then(|l| columns.name.run(l.first as usize..l.end as usize)).unwrap_or_default();
        slices.iter().any(|name| python.get(*name as usize) != Some(&true))
    };
    let collapsed = |track: usize| {
        let lanes = info.tracks[track].lanes.clone();
        let mut stay: Vec<u32> = lanes.clone().filter(has_work).collect();
        if stay.is_empty() {
            stay.push(lanes.start);
        }
        (stay.len() < lanes.len()).then_some((TrackId(track as u32), stay))
    };
    deep.into_iter().filter_map(collapsed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::lookup::index::Index;
    use crate::views::timeline::lookup::sample::large;
    use crate::views::timeline::rows::folding::Folding;
    use crate::views::timeline::rows::layout::{LANE, rows};

    /// A thread of `n_lanes` levels. Only those in `work` have more than Python functions.
    fn stack(n_lanes: usize, work: &[usize]) -> PageColumns {
        let mut columns = large(n_lanes * 4, 1, n_lanes);
        let python = columns.info.strings.push("train.py(12): step").0;
        for lane in columns.info.lanes.iter().filter(|l| !work.contains(&usize::from(l.depth))) {
            columns.name.to_mut()[lane.first as usize..lane.end as usize].fill(python);
        }
        columns
    }

    #[test]
    fn levels_of_python_functions_alone_are_collapsed() {
        let found = |n_lanes, work: &[usize]| deep_stacks(&stack(n_lanes, work)).into_iter().map(|f| f.1).collect::<Vec<_>>();
        assert_eq!(found(14, &[0, 5, 13]), [vec![0, 5, 13]]);
        assert_eq!(found(14, &[]), [vec![0]], "a thread is never empty");
        assert!(found(12, &[0]).is_empty(), "a dozen levels are shown");
        assert!(found(13, &(0..13).collect::<Vec<_>>()).is_empty(), "nothing to collapse");
    }

    #[test]
    fn one_click_shows_all_levels() {
        let columns = stack(14, &[0, 5, 13]);
        let index = Index::new(&columns);
        let mut folding = Folding::at_first(&columns);
        let row = rows(&columns, &index, &folding).rows.remove(0);
        assert_eq!((row.height, row.is_open, row.can_fold), (3 * LANE, false, true));
        assert_eq!((0..3).map(|i| row.lane(i)).collect::<Vec<_>>(), [0, 5, 13]);
        assert_eq!([0, 4, 5, 12, 13, 99].map(|lane| row.place_of(lane)), [0, 0, 1, 1, 2, 2]);
        assert_eq!(row.drawn_lanes().collect::<Vec<_>>(), [0, 5, 13]);
        folding.toggle(TrackId(0));
        let row = rows(&columns, &index, &folding).rows.remove(0);
        assert_eq!((row.height, row.is_open, row.drawn_lanes().count()), (14 * LANE, true, 14));
    }
}
