//! The views of the page, each a line: its id, its name, its group in the side bar, its drawing, and how it is made for the profile in front.
//! [`crate::engine::views`] says which of them a profile can fill.

use crate::app::open::sources;
use crate::app::shell::profile_views;
use crate::app::shell::search;
use crate::app::wiring::chunks::{self, Later, LoadError, Mount, chunk};
use crate::app::wiring::device_views;
use crate::app::wiring::fleet;
use crate::app::wiring::front::Front;
use crate::app::wiring::program_views;
use crate::app::wiring::report_views;
use crate::app::wiring::sql;
use crate::app::wiring::system;
use crate::app::wiring::time_views;
use crate::app::wiring::torch_views;
use leptos::prelude::*;

/// A group of the side bar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Group {
    Time,
    NeuronLog,
    Memory,
    Program,
    Compare,
    Run,
    Support,
    File,
}

impl Group {
    /// In the order shown.
    pub const ALL: [(Group, &str); 8] = [
        (Group::Time, "Time"),
        (Group::NeuronLog, "Neuron log"),
        (Group::Memory, "Memory"),
        (Group::Program, "Program"),
        (Group::Compare, "Compare"),
        (Group::Run, "Run"),
        (Group::Support, "Support"),
        (Group::File, "File"),
    ];
}

/// A view of the page.
pub(in crate::app) struct ViewDef {
    /// Its id, as in links.
    pub id: &'static str,
    /// Its name in the side bar.
    pub title: &'static str,
    /// Where it is in the side bar.
    pub group: Group,
    /// The path of its drawing, 16 × 16.
    pub icon: &'static str,
    /// How it is made.
    pub mount: Mount,
}

const fn view(id: &'static str, title: &'static str, group: Group, icon: &'static str, mount: Mount) -> ViewDef {
    ViewDef { id, title, group, icon, mount }
}

// What shows PyTorch's files.
chunk! { torch:
    overview_view OVERVIEW = time_views::overview;
    steps_view STEPS = torch_views::steps;
    kernels_view KERNELS = time_views::kernels;
    efficiency_view EFFICIENCY = torch_views::efficiency;
    memory_view MEMORY = torch_views::memory;
    modules_view MODULES = torch_views::modules;
    distributed_view DISTRIBUTED = torch_views::distributed;
    diff_view DIFF = torch_views::diff;
    snapshot_view SNAPSHOT = torch_views::snapshot;
}

// What shows Neuron's profiles, and what compares profiles.
chunk! { neuron:
    summary_view SUMMARY = program_views::summary;
    bounds_view BOUNDS = program_views::bounds;
    gaps_view GAPS = time_views::gaps;
    advice_view ADVICE = time_views::advice;
    tensors_view TENSORS = device_views::tensors;
    layers_view LAYERS = program_views::layers;
    source_view SOURCE = sources::view;
    program_view PROGRAM = program_views::program;
    roofline_view ROOFLINE = program_views::roofline;
    compare_view COMPARE = device_views::compare;
    variants_view VARIANTS = device_views::variants;
    system_view SYSTEM = system::system;
    serving_view SERVING = system::serving;
    operator_timeline_view OPERATOR_TIMELINE = report_views::log_timeline;
    operator_framework_view OPERATOR_FRAMEWORK = report_views::log_framework;
    operator_hlo_view OPERATOR_HLO = report_views::log_hlo;
    trace_view TRACE = report_views::log_trace;
    support_view SUPPORT = report_views::support;
}

// What few visits need.
chunk! { rest:
    fleet_view FLEET = fleet::fleet;
    sql_view SQL = sql::view;
}

// What shows any profile.
chunk! { every:
    search_view SEARCH = search::view;
    operators_view OPERATORS = profile_views::operators;
    tables_view TABLES = profile_views::tables;
    profile_view PROFILE = profile_views::profile;
    ledger_view LEDGER = profile_views::ledger;
}

/// In the order of the side bar.
#[rustfmt::skip]
pub(in crate::app) const VIEWS: &[ViewDef] = &[
    view("timeline", "Timeline", Group::Time, "M2 4h7M5 8h9M3 12h6", Mount::Here(profile_views::timeline)),
    view("summary", "Summary", Group::Time, "M2.5 2.5h5v5h-5zM9.5 2.5h4v3h-4zM9.5 8h4v5.5h-4zM2.5 10h5v3.5h-5z", Mount::Later(&SUMMARY)),
    view("system", "System", Group::Time, "M2.5 3h11v7h-11zM6 13.5h4M8 10v3.5", Mount::Later(&SYSTEM)),
    view("bounds", "Bounds", Group::Time, "M2 3h12M2 6.5h8M2 10h5M2 13.5h3M14 5v9M12 12l2 2 2-2", Mount::Later(&BOUNDS)),
    view("serving", "Serving", Group::Time, "M2 12.5h2v-5h2v5h2v-9h2v9h2v-3h2", Mount::Later(&SERVING)),
    view("gaps", "Gaps", Group::Time, "M2 4h4M10 4h4M2 8h2M8 8h6M2 12h6M12 12h2", Mount::Later(&GAPS)),
    view("advice", "Advice", Group::Time, "M8 1.5a4.5 4.5 0 0 1 2.5 8.2v1.8h-5v-1.8a4.5 4.5 0 0 1 2.5-8.2M6 14h4", Mount::Later(&ADVICE)),
    view("overview", "Overview", Group::Time, "M8 2v6l4.5 4M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13", Mount::Later(&OVERVIEW)),
    view("steps", "Steps", Group::Time, "M2 13.5h3v-3h3v-3h3v-3h3", Mount::Later(&STEPS)),
    view("search", "Search", Group::Time, "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9M10.3 10.3l3.7 3.7", Mount::Later(&SEARCH)),
    view("operators", "Operators", Group::Time, "M2.5 13.5v-5M6.2 13.5v-11M9.8 13.5v-7M13.5 13.5v-3", Mount::Later(&OPERATORS)),
    view("kernels", "Kernels", Group::Time, "M4 4h8v8H4zM6 1.5V4M10 1.5V4M6 12v2.5M10 12v2.5M1.5 6H4M1.5 10H4M12 6h2.5M12 10h2.5", Mount::Later(&KERNELS)),
    view("efficiency", "Efficiency", Group::Time, "M2 2v12h12M4 11.5l4-5h6M6 12h.1M10 9h.1M12 10.5h.1", Mount::Later(&EFFICIENCY)),
    view("operator-timeline", "Op timeline", Group::NeuronLog, "M2 3.5h5M5 6.5h7M9 9.5h5M3 12.5h8", Mount::Later(&OPERATOR_TIMELINE)),
    view("operator-framework", "Framework", Group::NeuronLog, "M8 2a6 6 0 1 0 6 6h-6z", Mount::Later(&OPERATOR_FRAMEWORK)),
    view("operator-hlo", "HLO ops", Group::NeuronLog, "M2.5 4.5l5.5-2.5l5.5 2.5l-5.5 2.5zM2.5 8l5.5 2.5l5.5-2.5M2.5 11.5l5.5 2.5l5.5-2.5", Mount::Later(&OPERATOR_HLO)),
    view("trace", "Host and device", Group::NeuronLog, "M2 3h12v4h-12zM4 10h8v3.5h-8z", Mount::Later(&TRACE)),
    view("memory", "Memory", Group::Memory, "M2 13.5h12M3 11l2.5-5 3 3 4.5-6.5", Mount::Later(&MEMORY)),
    view("snapshot", "Snapshot", Group::Memory, "M2 13.5v-4h3v-3h3v-3h3v6h3v4z", Mount::Later(&SNAPSHOT)),
    view("tensors", "Tensors", Group::Memory, "M2.5 2.5h5v5h-5zM8.5 2.5h5v5h-5zM2.5 8.5h5v5h-5zM8.5 8.5h5v5h-5z", Mount::Later(&TENSORS)),
    view("layers", "Layers", Group::Program, "M2 3h12v3h-12zM2 7.5h7v3h-7zM2 12h4v2h-4z", Mount::Later(&LAYERS)),
    view("source", "Source", Group::Program, "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5", Mount::Later(&SOURCE)),
    view("program", "Program", Group::Program, "M2 3.5h3M7 3.5h7M2 6.5h3M7 6.5h5M2 9.5h3M7 9.5h7M2 12.5h3M7 12.5h4", Mount::Later(&PROGRAM)),
    view("roofline", "Roofline", Group::Program, "M2 13.5l6-8h6M2 2v12h12M8 10h.1M11 8h.1", Mount::Later(&ROOFLINE)),
    view("modules", "Modules", Group::Program, "M2 3h12M2 6.5h8M2 10h5M2 13.5h3", Mount::Later(&MODULES)),
    view("distributed", "Distributed", Group::Program, "M8 2.5v4M3.5 13.5v-3.5h9v3.5M8 6.5v3.5M2 13.5h3M6.5 2.5h3M11 13.5h3", Mount::Later(&DISTRIBUTED)),
    view("diff", "Diff", Group::Compare, "M3 5h10M3 5l2.5-2.5M3 5l2.5 2.5M13 11H3M13 11l-2.5-2.5M13 11l-2.5 2.5", Mount::Later(&DIFF)),
    view("compare", "Compare", Group::Compare, "M3 13.5v-6M6 13.5v-11M10 13.5v-8M13 13.5v-4", Mount::Later(&COMPARE)),
    view("variants", "Variants", Group::Compare, "M2 3h12M2 6.5h12M2 10h12M2 13.5h12M6 3v10.5", Mount::Later(&VARIANTS)),
    view("fleet", "Fleet", Group::Run, "M2 2.5h3v3h-3zM6.5 2.5h3v3h-3zM11 2.5h3v3h-3zM2 7h3v3h-3zM6.5 7h3v3h-3zM11 7h3v3h-3zM2 11.5h3v2h-3zM6.5 11.5h3v2h-3zM11 11.5h3v2h-3z", Mount::Later(&FLEET)),
    view("support", "Support", Group::Support, "M2.5 8.5l3.5 3.5l7.5-8", Mount::Later(&SUPPORT)),
    view("tables", "Tables", Group::File, "M2 3h12v10H2zM2 6.5h12M6.5 3v10", Mount::Later(&TABLES)),
    view("sql", "SQL", Group::File, "M2.5 3.5h11v9h-11zM5 6.5l2 1.5-2 1.5M8.5 10h3", Mount::Later(&SQL)),
    view("profile", "Profile", Group::File, "M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M8 7.5v3.5M8 5v.1", Mount::Later(&PROFILE)),
    view("ledger", "Ledger", Group::File, "M3.5 2h9v12h-9zM6 5.5h4M6 8h4M6 10.5h2", Mount::Later(&LEDGER)),
];

/// Loads what the views of a profile need, ahead of the first click.
pub(in crate::app) fn prefetch(offered: &[String]) {
    let is_offered = |def: &&ViewDef| offered.iter().any(|id| id == def.id);
    let later = |def: &ViewDef| match def.mount {
        Mount::Later(view) => Some(view),
        Mount::Here(_) => None,
    };
    chunks::prefetch(VIEWS.iter().filter(is_offered).filter_map(later).collect());
}

/// The view of that id.
pub(in crate::app) fn of(id: &str) -> Option<&'static ViewDef> {
    VIEWS.iter().find(|v| v.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct_and_groups_are_together() {
        for (at, view) in VIEWS.iter().enumerate() {
            assert!(VIEWS[..at].iter().all(|v| v.id != view.id && v.icon != view.icon), "{}", view.id);
            let place = |v: &ViewDef| Group::ALL.iter().position(|g| g.0 == v.group);
            assert!(VIEWS[..at].iter().all(|v| place(v) <= place(view)), "{}", view.id);
        }
    }
}
