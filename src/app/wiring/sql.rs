//! SQL over the open profiles, joined to the timeline.

use crate::app::open::budget;
use crate::app::wiring::front::Front;
use crate::app::wiring::navigation::scope;
use crate::base::Order as _;
use crate::base::{SliceId, TimeNs, TimeRange};
use crate::state::{App, AppStateStoreFields as _, OpenProfile, actions, slice_set};
use crate::views::sql::engine::{self, BASE, EXPERIMENT, Source};
use crate::views::sql::{Lead, SqlView};
use crate::worker::protocol::{PageColumns, ProfileKind};
use leptos::prelude::*;

/// Tables may take this much, however large the open profiles are.
const LEAST_BYTES: u64 = 256 << 20;

/// Frees the tables of profiles that are closed.
pub(in crate::app) fn follow(app: App) {
    Effect::new(move || engine::keep_only(&app.state.profiles().with(|all| all.iter().map(|p| p.id).collect::<Vec<_>>())));
}

/// The view of the profile in front.
pub(in crate::app) fn view(front: Front) -> AnyView {
    let Front { app, profile, .. } = front;
    let front = profile.id;
    let kind_of_front = profile.columns.info.kind;
    let sources = Signal::derive(move || {
        app.state.profiles().with(|all| {
            let mut out = sources(all);
            out.order_by_key(|s| s.id != front);
            let is_like = |id: u32| all.iter().any(|p| p.id == id && p.columns.info.kind == kind_of_front);
            name_pair(&mut out, is_like);
            out
        })
    });
    let kind = match () {
        () if profile.is_device() => "device",
        () if kind_of_front == ProfileKind::NeuronSystem => "system",
        () if profile.is_torch() => "torch",
        () => "trace",
    };
    let columns = profile.columns.clone();
    let on_lead = Callback::new(move |lead: Lead| match lead {
        Lead::Slice(slice) if (slice as usize) < columns.start.len() => actions::go_to_slice(app, SliceId(slice)),
        Lead::Slice(_) => {}
        Lead::Time(start, duration, name) => match slice_set::at_times(&columns, &[(start, duration, name)])[..] {
            [Some(slice)] => actions::go_to_slice(app, slice),
            _ => {
                let range = TimeRange::new(TimeNs(start), TimeNs(start.saturating_add(duration.max(1))));
                actions::commit_range(app, Some(range));
                app.window.set(Some(range));
                actions::show_view(app, "timeline");
            }
        },
    });
    let marked = profile.columns.clone();
    let on_mark = Callback::new(move |(name, leads): (String, Vec<Lead>)| {
        let slices = slices_of(&marked, leads);
        let first = slices.first().copied();
        slice_set::mark(app, name, slices);
        actions::show_view(app, "timeline");
        actions::select_and_reveal(app, first);
    });
    let bytes_left = Callback::new(move |()| (budget::budget().bytes.saturating_sub(budget::profile_bytes(app))).max(LEAST_BYTES));
    view! { <SqlView sources kind range=scope(app) on_lead on_mark bytes_left choices=app.view_state("sql") /> }.into_any()
}

/// The slices that rows lead to, in the order of the rows.
fn slices_of(columns: &PageColumns, leads: Vec<Lead>) -> Vec<SliceId> {
    let (mut slices, mut times) = (Vec::new(), Vec::new());
    for lead in leads {
        match lead {
            Lead::Slice(slice) if (slice as usize) < columns.start.len() => slices.push(SliceId(slice)),
            Lead::Slice(_) => {}
            Lead::Time(start, duration, name) => times.push((start, duration, name)),
        }
    }
    slices.extend(slice_set::at_times(columns, &times).into_iter().flatten());
    slices
}

/// A schema for each profile, in the order of the tabs.
fn sources(all: &[OpenProfile]) -> Vec<Source> {
    let mut out: Vec<Source> = Vec::new();
    for profile in all {
        let name = schema_name(&profile.title);
        let n = (2..).map(|n| format!("{name}_{n}"));
        let is_new = |name: &String| out.iter().all(|s| s.schema != *name);
        let schema = std::iter::once(name.clone()).chain(n).find(is_new).unwrap_or(name);
        out.push(Source { id: profile.id, schema, alias: None, ask: profile.ask.clone() });
    }
    out
}

/// Names the first profile `experiment` and the next one of the same kind `base`, unless a profile already has that name.
fn name_pair(sources: &mut [Source], is_like: impl Fn(u32) -> bool) {
    let Some(other) = sources.iter().skip(1).position(|s| is_like(s.id)) else { return };
    if sources.iter().all(|s| ![BASE, EXPERIMENT].contains(&s.schema.as_str())) {
        sources[0].alias = Some(EXPERIMENT);
        sources[other + 1].alias = Some(BASE);
    }
}

/// A title as the name of a schema: letters, digits and underscores, beginning with a letter.
fn schema_name(title: &str) -> String {
    const RESERVED: [&str; 5] = ["main", "temp", "system", "pg_catalog", "information_schema"];
    // `run.json`: without its ending.
    let title = title.split_once('.').map_or(title, |parts| parts.0);
    let mut out = String::new();
    for c in title.chars().take(40) {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => out.push(c),
            _ if !out.is_empty() && !out.ends_with('_') => out.push('_'),
            _ => {}
        }
    }
    let name = out.trim_matches('_');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !RESERVED.contains(&name);
    if is_name { name.into() } else { format!("p_{name}").trim_end_matches('_').into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lead_to_slices_by_id_or_by_time_and_name() {
        let mut strings = crate::base::Interner::new();
        let name = ["COPY", "MATMUL"].map(|n| strings.intern(n).0);
        let info = crate::worker::protocol::PageMeta { strings: strings.finish(), ..Default::default() };
        let columns = PageColumns {
            info,
            start: vec![0, 5, 5].into(),
            duration: vec![5, 4, 4].into(),
            name: vec![name[0], name[0], name[1]].into(),
            ..PageColumns::default()
        };
        let time = |start, name: Option<&str>| Lead::Time(start, 4, name.map(String::from));
        let leads = vec![Lead::Slice(0), Lead::Slice(9), time(5, Some("MATMUL")), time(5, None), time(5, Some("other")), time(7, None)];
        assert_eq!(slices_of(&columns, leads), [0, 2, 1, 1].map(SliceId));
    }

    #[test]
    fn two_profiles_of_a_kind_are_base_and_experiment() {
        let source = |id, schema: &str| Source { id, schema: schema.into(), alias: None, ask: crate::worker::client::Ask::channel().0 };
        let named = |schemas: [&str; 3]| {
            let mut all: Vec<Source> = schemas.iter().enumerate().map(|(id, name)| source(id as u32, name)).collect();
            name_pair(&mut all, |id| id != 1);
            all.iter().map(|s| s.alias).collect::<Vec<_>>()
        };
        assert_eq!(named(["fused", "host", "old"]), [Some(EXPERIMENT), None, Some(BASE)]);
        assert_eq!(named(["fused", "base", "old"]), [None; 3], "a profile is called `base`");
    }

    #[test]
    fn titles_become_names() {
        let names = ["Fused attention (run 2)", "base", "7 a.json.gz", "", "main", "ΔΔ"].map(schema_name);
        assert_eq!(names, ["fused_attention_run_2", "base", "p_7_a", "p", "p_main", "p"]);
    }
}
