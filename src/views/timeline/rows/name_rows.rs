//! A row above the engines of each core that names what they work at. Its bars are no slices of the profile: they stand behind all others in
//! the columns ([`crate::views::timeline::state::timeline_state::TimelineState::is_made`]), and each leads to its first instruction.

use super::arrange::{Bars, SliceIdMap};
use super::choices::Settings;
use crate::analysis::device::NameRows;
use crate::base::TrackId;
use crate::engine::page_columns::{PageColumns, PageMeta};
use crate::engine::query::NameRowsQuery;
use crate::engine::{Lane, Track, TrackKind};
use crate::ui::effect::effect;
use crate::worker::client::Ask;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

type Columns = Signal<Option<Arc<PageColumns>>>;
/// Profile and rows.
type Key = (u32, String);

/// `columns` (as in [`super::dma::in_rows`], with its ids) with the row of names that was chosen. `groups` are the columns as they came: rows
/// say by their groups where they belong.
pub fn with_names(
    device: Signal<Option<(u32, Ask)>>,
    settings: Settings,
    groups: Columns,
    (columns, ids): (Columns, Signal<Arc<SliceIdMap>>),
) -> (Columns, Signal<Arc<SliceIdMap>>) {
    let wanted = Memo::new(move |_| device.with(|d| d.as_ref().map(|d| d.0)).zip(settings.names()));
    let found = RwSignal::new(None::<(Key, Arc<NameRows>)>);
    effect(move || {
        let (Some(key), Some((_, ask))) = (wanted.get(), device.get_untracked()) else {
            found.set(None);
            return;
        };
        spawn_local(async move {
            let answer = ask.ask(NameRowsQuery { by: key.1.clone() }).await;
            if let (Ok(Some(rows)), true) = (answer, wanted.try_get_untracked() == Some(Some(key.clone()))) {
                found.set(Some((key, Arc::new(rows))));
            }
        });
    });
    let label = move |by: &str| {
        let by = by.split('@').next().unwrap_or(by);
        groups
            .with(|h| h.as_ref().and_then(|h| h.info.colourings.iter().find(|c| c.0 == by).map(|c| c.1.clone())))
            .unwrap_or_else(|| by.into())
    };
    let both = Memo::new_with_compare(
        move |_| {
            let (columns, ids) = (columns.get()?, ids.get());
            Some(match (found.get().filter(|f| wanted.get().as_ref() == Some(&f.0)), groups.get()) {
                (Some((key, rows)), Some(groups)) => {
                    let columns = insert(&columns, &groups.info, &rows, &label(&key.1));
                    let ids = SliceIdMap::clone(&ids).with_bars(&columns, rows.bars.iter().map(|b| b.first));
                    (Arc::new(columns), Arc::new(ids))
                }
                _ => (columns, ids),
            })
        },
        |a, b| !matches!((a, b), (Some(Some(a)), Some(Some(b))) if Arc::ptr_eq(&a.0, &b.0)) && (a.is_some() || b.is_some()),
    );
    let drawn = Signal::derive(move || both.with(|b| b.as_ref().map(|b| b.0.clone())));
    (drawn, Signal::derive(move || both.with(|b| b.as_ref().map(|b| b.1.clone()).unwrap_or_default())))
}

/// The group in `columns` for the group `id` of the original columns. Rows never leave a group, so groups keep their order.
fn same_group(columns: &PageMeta, before: &PageMeta, id: TrackId) -> Option<TrackId> {
    let is_group = |t: &Track| t.kind == TrackKind::Group;
    let place = before.tracks.iter().take(id.index()).filter(|t| is_group(t)).count();
    columns.tracks.iter().enumerate().filter(|(_, t)| is_group(t)).nth(place).map(|(at, _)| TrackId(at as u32))
}

/// The columns with a row of that name above the first engine of each group that has one.
fn insert(columns: &PageColumns, before: &PageMeta, rows: &NameRows, name: &str) -> PageColumns {
    let mut info = PageMeta { n_slices: columns.start.len() as u64, ..columns.info.clone() };
    let name = info.strings.push(name);
    let names: Vec<u32> = rows.names.iter().map(|n| info.strings.push(&n.0).0).collect();
    let bars = Bars {
        start: rows.bars.iter().map(|bar| bar.start).collect(),
        duration: rows.bars.iter().map(|bar| bar.duration).collect(),
        name: rows.bars.iter().map(|bar| names.get(bar.name as usize).copied().unwrap_or(name.0)).collect(),
        colour: rows.bars.iter().map(|bar| rows.names.get(bar.name as usize).map_or(0, |n| n.1)).collect(),
    };
    let mut first = columns.start.len() as u32;
    for row in &rows.rows {
        let group = row.group.and_then(|g| same_group(&info, before, g));
        let first_lane = info.lanes.len() as u32;
        let is_place = |t: &Track| t.kind == TrackKind::Engine && t.parent == group;
        let place = info.tracks.iter().position(is_place).filter(|_| group.is_some() == row.group.is_some());
        let at = place.unwrap_or(info.tracks.len());
        for (depth, n) in row.lanes.iter().enumerate() {
            let lane = Lane { track: TrackId(at as u32), depth: depth as u16, first, end: first + n };
            first += n;
            info.lanes.push(lane);
        }
        if place.is_some() {
            make_room(&mut info, at as u32, first_lane);
        }
        let level = info.tracks.get(at).map_or(0, |t| t.level);
        let lanes = first_lane..info.lanes.len() as u32;
        info.tracks.insert(at, Track { parent: group, level, name, kind: TrackKind::Other, lanes });
    }
    let order = columns.start.order_with(bars.start.len());
    bars.among(columns, info, order)
}

/// Renumbers the tracks from `at` on by one everywhere, except in the lanes from `but` on, which belong to the new track.
fn make_room(info: &mut PageMeta, at: u32, but: u32) {
    let shift = |t: &mut TrackId| t.0 += u32::from(t.0 >= at);
    info.tracks.iter_mut().filter_map(|t| t.parent.as_mut()).for_each(shift);
    info.lanes.iter_mut().take(but as usize).for_each(|l| shift(&mut l.track));
    info.counters.iter_mut().for_each(|c| shift(&mut c.track));
    info.instants.track = info.instants.track.map(|mut t| {
        shift(&mut t);
        t
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::device::name_rows::{NameBar, NameRow};
    use crate::base::{SliceId, TimeNs, TimeRange};
    use crate::views::timeline::lookup::drawn::BarId;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::state::timeline_state::TimelineState;

    /// Stream 7, with slices 6 and 7, is used as an engine.
    fn page_columns() -> PageColumns {
        let mut columns = sample();
        columns.info.tracks[5].kind = TrackKind::Engine;
        columns
    }

    fn rows() -> NameRows {
        let bar = |start, duration, name| NameBar { start, duration, name, first: SliceId(6), n: 1 };
        NameRows {
            rows: vec![NameRow { group: Some(TrackId(4)), lanes: vec![2] }],
            bars: vec![bar(300, 700, 0), bar(1010, 30, 1)],
            names: vec![("m/attention".into(), 3), ("m/mlp".into(), 4)],
        }
    }

    #[test]
    fn a_row_of_names_stands_above_the_engines() {
        let columns = page_columns();
        let got = insert(&columns, &columns.info, &rows(), "Layer");
        let names: Vec<&str> = got.info.tracks.iter().map(|t| got.info.strings.get(t.name)).collect();
        assert_eq!(names[4..], ["device", "Layer", "stream 7"]);
        assert_eq!((got.info.tracks[5].parent, got.info.tracks[6].parent), (Some(TrackId(4)), Some(TrackId(4))));
        let lanes: Vec<_> = got.info.lanes.iter().map(|l| (l.track.0, l.first, l.end)).collect();
        assert_eq!(lanes[3..], [(6, 6, 8), (5, 8, 10)], "the slices of the profile keep their places");
        assert_eq!(got.info.counters[0].track, columns.info.counters[0].track, "above the new row nothing moves");
        assert_eq!((got.start.len(), got.colour_of(8), got.info.n_slices), (10, Some(3), 8));
    }

    #[test]
    fn a_bar_is_no_slice_and_a_short_one_can_be_hidden() {
        let columns = page_columns();
        let drawn = insert(&columns, &columns.info, &rows(), "Layer");
        let ids = SliceIdMap::default().with_bars(&drawn, rows().bars.iter().map(|b| b.first));
        assert_eq!((ids.slice_of(BarId(8)), ids.slice_of(BarId(3)), ids.bar_of(SliceId(6))), (SliceId(6), SliceId(3), BarId(6)));
        let mut core = TimelineState::new(Arc::new(drawn), 1000.0, 400.0);
        assert!(core.is_made(BarId(8)) && !core.is_made(BarId(7)));
        let y = f64::from(core.rows.find(TrackId(5)).expect("the row").y) + 5.0;
        let (long, short) = (core.view.px_from_time(600), core.view.px_from_time(1020));
        let hit = |core: &TimelineState, x| core.hit(x, y).and_then(|h| h.bar);
        assert_eq!((hit(&core, long), hit(&core, short)), (Some(BarId(8)), Some(BarId(9))));
        core.hides_tiny = true;
        assert_eq!((hit(&core, long), hit(&core, short)), (Some(BarId(8)), None));
        assert_eq!(core.span_of(BarId(8)), Some(TimeRange::new(TimeNs(300), TimeNs(1000))));
    }

    #[test]
    fn names_stand_above_merged_transfers_too() {
        use super::super::arrange::arrange;
        use crate::analysis::device::transfers::dma_rows::{DmaRow, DmaRows};
        let mut columns = page_columns();
        columns.info.tracks[1].kind = TrackKind::Queue;
        let row = DmaRow { group: Some(TrackId(0)), name: "Q".into(), lanes: vec![2, 1] };
        let members = [0, 2, 3, 4, 1].map(SliceId).to_vec();
        let (merged, ids) = arrange(&columns, &DmaRows { rows: vec![row], n_of: vec![2, 2, 1], members });
        let drawn = insert(&merged, &columns.info, &rows(), "Layer");
        let ids = ids.with_bars(&drawn, rows().bars.iter().map(|b| b.first));
        // Two bars for four transfers, one transfer, three other slices, two names.
        let leads: Vec<u32> = (0..8).map(|i| ids.slice_of(BarId(i)).0).collect();
        assert_eq!(leads, [0, 3, 1, 5, 6, 7, 6, 6]);
        let places: Vec<u32> = (0..8).map(|i| ids.bar_of(SliceId(i)).0).collect();
        assert_eq!(places, [0, 2, 0, 1, 1, 3, 4, 5]);
        let text = |i: usize| drawn.info.strings.get(crate::base::StrId(drawn.name.value_at(i))).to_string();
        assert_eq!([0, 1, 2, 6].map(text), ["Q × 2", "relu × 2", "step", "m/attention"]);
        assert_eq!((drawn.start.value_at(1), drawn.duration.value_at(1), drawn.start.value_at(7)), (500, 3, 1010));
        assert!(drawn.duration.is_same_in(&merged.duration, 0..6), "what was there stays");
    }

    #[test]
    fn rows_of_a_group_that_is_gone_are_at_the_end() {
        let columns = page_columns();
        let odd = NameRows { rows: vec![NameRow { group: Some(TrackId(99)), lanes: vec![2] }], ..rows() };
        let got = insert(&columns, &columns.info, &odd, "Layer");
        assert_eq!(got.info.tracks.len(), 7);
        assert_eq!(got.info.lanes.last().map(|l| l.track), Some(TrackId(6)));
    }
}
