//! The physical cores of a logical core in one group: for each row name the rows of all cores, one below the other.
//! A device profile is of one logical core.

use super::choices::Settings;
use super::regroup::regroup;
use crate::analysis::system::RowOf;
use crate::base::TrackId;
use crate::engine::TrackKind;
use crate::engine::page_columns::{PageColumns, PageMeta};
use leptos::prelude::*;
use std::sync::Arc;

type Columns = Signal<Option<Arc<PageColumns>>>;

/// The physical cores: groups at the top that hold engines.
fn cores(info: &PageMeta) -> Vec<TrackId> {
    let holds = |core: TrackId| info.tracks.iter().any(|t| t.parent == Some(core) && t.kind == TrackKind::Engine);
    let is_core = |(at, name): (usize, &str)| name.starts_with("NC ") && holds(TrackId(at as u32));
    let tops = info.tracks.iter().enumerate().filter(|t| t.1.parent.is_none() && t.1.kind == TrackKind::Group);
    tops.map(|(at, t)| (at, info.strings.get(t.name))).filter(|t| is_core(*t)).map(|t| TrackId(t.0 as u32)).collect()
}

/// Whether there are several cores to put together.
pub(crate) fn is_offered(info: &PageMeta) -> bool {
    cores(info).len() > 1
}

/// The columns with the rows of all cores in one group, where that was chosen. Slices keep their ids.
pub fn in_rows(settings: Settings, columns: Columns) -> Columns {
    let is_one = settings.cores.0;
    Memo::new_with_compare(
        move |_| {
            let columns = columns.get()?;
            let is_one = is_one.with(|c| c == "logical") && is_offered(&columns.info);
            Some(if is_one { Arc::new(regroup(&columns, &order(&columns.info))) } else { columns })
        },
        |a, b| !matches!((a, b), (Some(Some(a)), Some(Some(b))) if Arc::ptr_eq(a, b)) && (a.is_some() || b.is_some()),
    )
    .into()
}

/// The rows in their new order.
fn order(info: &PageMeta) -> Vec<RowOf> {
    let cores = cores(info);
    let names: Vec<&str> = cores.iter().map(|c| info.strings.get(info.tracks[c.index()].name)).collect();
    let mut out = vec![RowOf { parent: None, name: format!("Logical core of {}", names.join(", ")), track: None }];
    let of: Vec<(&str, TrackId)> = names.iter().copied().zip(cores.iter().copied()).collect();
    add_merged(info, &of, 0, &mut out);
    for at in (0..info.tracks.len()).map(|at| TrackId(at as u32)) {
        if info.tracks[at.index()].parent.is_none() && !cores.contains(&at) {
            add_as_it_is(info, at, None, &mut out);
        }
    }
    out
}

/// The children of groups of one name, of several cores, below the row `parent`.
fn add_merged(info: &PageMeta, groups: &[(&str, TrackId)], parent: u32, out: &mut Vec<RowOf>) {
    let name_of = |t: TrackId| info.strings.get(info.tracks[t.index()].name);
    // Names in the order of the cores. A name that only a later core has follows the name before it in that core.
    let mut rows: Vec<(&str, Vec<(&str, TrackId)>)> = Vec::new();
    for (core, group) in groups {
        let mut at = 0;
        for child in children(info, *group) {
            let known = rows.iter().position(|r| r.0 == name_of(child));
            let place = known.unwrap_or_else(|| {
                rows.insert(at, (name_of(child), Vec::new()));
                at
            });
            rows[place].1.push((*core, child));
            at = place + 1;
        }
    }
    for (name, of) in rows {
        let (groups, own): (Vec<_>, Vec<_>) = of.into_iter().partition(|(_, t)| info.tracks[t.index()].kind == TrackKind::Group);
        out.extend(own.iter().map(|(core, t)| RowOf { parent: Some(parent), name: format!("{name} · {core}"), track: Some(*t) }));
        if let Some((_, first)) = groups.first() {
            out.push(RowOf { parent: Some(parent), name: name.into(), track: Some(*first) });
            add_merged(info, &groups, out.len() as u32 - 1, out);
        }
    }
}

/// A row and what is below it.
fn add_as_it_is(info: &PageMeta, track: TrackId, parent: Option<u32>, out: &mut Vec<RowOf>) {
    out.push(RowOf { parent, name: info.strings.get(info.tracks[track.index()].name).into(), track: Some(track) });
    let at = out.len() as u32 - 1;
    children(info, track).for_each(|child| add_as_it_is(info, child, Some(at), out));
}

fn children(info: &PageMeta, group: TrackId) -> impl Iterator<Item = TrackId> + '_ {
    let of = move |t: &usize| info.tracks[*t].parent == Some(group);
    (0..info.tracks.len()).filter(of).map(|t| TrackId(t as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Track;
    use crate::views::timeline::lookup::sample::sample;
    use crate::views::timeline::rows::kinds::own_name;

    /// Two cores, the second with a row that the first has not; an other row at the top.
    fn page_columns() -> PageColumns {
        let mut columns = sample();
        let info = &mut columns.info;
        let lanes: Vec<_> = info.tracks.iter().map(|t| t.lanes.clone()).collect();
        info.tracks.clear();
        let rows = [
            (None, "NC 4", TrackKind::Group, 0..0),
            (Some(0), "Vector", TrackKind::Engine, lanes[1].clone()),
            (Some(0), "DMA", TrackKind::Group, 0..0),
            (Some(2), "Q0", TrackKind::Queue, lanes[2].clone()),
            (None, "NC 5", TrackKind::Group, 0..0),
            (Some(4), "Sync", TrackKind::Engine, 0..0),
            (Some(4), "Vector", TrackKind::Engine, lanes[5].clone()),
            (Some(4), "DMA", TrackKind::Group, 0..0),
            (Some(7), "Q0", TrackKind::Queue, 0..0),
            (None, "Host", TrackKind::Other, 0..0),
        ];
        for (parent, name, kind, lanes) in rows {
            let name = info.strings.push(name);
            info.tracks.push(Track { parent: parent.map(TrackId), level: u16::from(parent.is_some()), name, kind, lanes });
        }
        let track_of = |lane: usize| info.tracks.iter().position(|t| t.lanes.contains(&(lane as u32))).unwrap_or(9);
        let tracks: Vec<usize> = (0..info.lanes.len()).map(track_of).collect();
        info.lanes.iter_mut().zip(tracks).for_each(|(l, t)| l.track = TrackId(t as u32));
        info.counters.clear();
        info.instants = Default::default();
        columns
    }

    #[test]
    fn rows_of_all_cores_stand_below_each_other() {
        let columns = page_columns();
        assert!(is_offered(&columns.info) && !is_offered(&sample().info));
        let got = regroup(&columns, &order(&columns.info));
        let names: Vec<&str> = got.info.tracks.iter().map(|t| got.info.strings.get(t.name)).collect();
        let wanted =
            ["Logical core of NC 4, NC 5", "Sync · NC 5", "Vector · NC 4", "Vector · NC 5", "DMA", "Q0 · NC 4", "Q0 · NC 5", "Host"];
        assert_eq!(names, wanted);
        assert_eq!(got.info.tracks.iter().map(|t| t.level).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 2, 2, 0]);
        assert_eq!(
            (&got.start, &got.name, got.info.lanes.len()),
            (&columns.start, &columns.name, columns.info.lanes.len()),
            "slices keep their ids"
        );
        assert_eq!(got.info.tracks[2].lanes, columns.info.tracks[1].lanes);
        assert_eq!((own_name("Vector · NC 4"), own_name("Pending DMA")), ("Vector", "Pending DMA"));
    }
}
