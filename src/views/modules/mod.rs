//! Modules: what each `nn.Module` (or Lightning module) costs, as a table and as a flame graph, and the tree of operators of a thread.

pub mod rows;

use super::query::{QueryState, use_query};
use crate::analysis::torch::modules::{Modules, TreeNode, TreePart, TreeQuery};
use crate::base::{SliceId, TimeRange, text};
use crate::engine::query::ModulesQuery;
use crate::state::choices::{Choice, ViewState};
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::effect::effect;
use crate::ui::flame::Flame;
use crate::ui::table::Kind;
use crate::ui::tree::TreeTable;
use crate::views::scope::EntireTrace;
use crate::worker::client::Ask;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// Nodes of the tree that are loaded at once.
const PAGE: u32 = 2_000;

#[derive(Clone, Copy)]
struct State {
    modules: QueryState<Modules>,
    range: Signal<Option<TimeRange>>,
    thread: Choice<String>,
    on_slice: Callback<SliceId>,
    on_scope: Callback<(String, SliceId)>,
}

/// Modules and the tree of operators.
#[component]
pub fn ModulesView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range of the tree; modules are of the whole trace.
    range: Signal<Option<TimeRange>>,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
    /// Make the calls of a module the scope of every view: its name, and one of its calls.
    on_scope: Callback<(String, SliceId)>,
    /// The thread.
    #[prop(default = ViewState::detached("modules"))]
    choices: ViewState,
) -> impl IntoView {
    let query = Signal::stored(Some(ModulesQuery));
    let modules: QueryState<Modules> = use_query(ask.clone(), query);
    let state = State { modules, range, thread: choices.choice("thread", String::new()), on_slice, on_scope };
    let has = move |test: fn(&Modules) -> bool| modules.value.with(|m| m.as_ref().is_some_and(|m| test(m)));
    let ask = StoredValue::new(ask);
    let scope = move || modules.value.with(|m| m.as_ref().map(|m| rows::scope(m)));
    view! {
        <section class="torch modules" data-view="modules">
            <header class="torch__head">
                <h1>{move || if has(|m| m.is_lightning) { "Lightning" } else { "Modules" }}</h1>
                <span class="torch__scope">{scope}</span>
                <EntireTrace note="only the tree of operators follows the selected range" is_of_file=true />
                <Help text="A module is listed under each module that calls it. Its values cover all its calls in the trace, so they repeat under each parent." />
            </header>
            <Problem text=modules.problem />
            <Show when=move || modules.is_first()><p class="waiting" role="status">"Computing modules…"</p></Show>
            <Notes notes=modules.derive(|m| m.notes.clone()) />
            <Show when=move || has(|m| !m.rows.is_empty())><ModuleParts state /></Show>
            <Show when=move || has(|m| !m.threads.is_empty())><Tree state ask=ask.get_value() /></Show>
        </section>
    }
}

#[component]
fn ModuleParts(state: State) -> impl IntoView {
    let nodes = state.modules.derive(rows::flame);
    let columns = state.modules.derive(|m| rows::columns(m.has_device));
    let branches = state.modules.derive(rows::branches);
    let ordered = state.modules.derive(rows::ordered);
    let chosen = RwSignal::new(None::<usize>);
    let by = move || if state.modules.value.with(|m| m.as_ref().is_some_and(|m| m.has_device)) { "device" } else { "host" };
    let choose = Callback::new(move |at| chosen.set(Some(at)));
    let actions = move || {
        let (row, _) = chosen.get().and_then(|at| ordered.with(|o| o.get(at).cloned()))?;
        let go = |label: &'static str, id: &'static str, slice: Option<SliceId>| {
            slice.map(|slice| view! { <button type="button" class="button" data-go=id on:click=move |_| state.on_slice.run(slice)>{label}</button> })
        };
        let is_nowhere = row.first.is_none() && row.longest.is_none();
        let name = row.name.clone();
        let scope = row.first.or(row.longest).map(|slice| {
            let title = "Every view then covers the time of all calls of this module on the host; kernels count as far as they run in it";
            view! { <button type="button" class="button" data-go="scope" title=title on:click=move |_| state.on_scope.run((name.clone(), slice))>"Use as scope"</button> }
        });
        Some(view! {
            <strong class="mono">{row.name.clone()}</strong>
            {go("Show the first call in the timeline", "first", row.first)}
            {go("Show the longest call in the timeline", "longest", row.longest)}
            {scope}
            <Show when=move || is_nowhere><span class="torch__hint">"Its calls are not in the call tree of a thread, so they are not on the timeline."</span></Show>
        })
    };
    let hint = move || {
        chosen.with(Option::is_none).then(|| view! { <span class="torch__hint">"Select a module in the flame graph or the table to show its calls in the timeline."</span> })
    };
    view! {
        {move || {
            let title = format!("Modules by mean {} time per call", by());
            view! { <Flame id="modules" title what="Module" kind=Kind::Duration nodes on_node=choose empty="No module has a duration." /> }
        }}
        <div class="torch__choices" data-chosen-module>{hint}{actions}</div>
        <TreeTable id="modules" label="Modules" columns branches levels=3 selected=chosen on_row=choose />
    }
}

/// What is loaded of the tree.
#[derive(Debug, Clone, Default)]
struct Loaded {
    parts: Vec<Vec<TreeNode>>,
    n_more: u64,
}

#[component]
fn Tree(state: State, ask: Ask) -> impl IntoView {
    let threads = state.modules.derive(|m| m.threads.clone());
    let thread =
        Memo::new(move |_| state.thread.0.get().parse::<u32>().ok().filter(|t| threads.with(|all| all.iter().any(|a| a.thread == *t))));
    let query =
        Signal::derive(move || Some(TreeQuery { thread: thread.get(), range: state.range.get(), limit: PAGE, ..TreeQuery::default() }));
    let top: QueryState<TreePart> = use_query(ask.clone(), query);
    let loaded = RwSignal::new(Loaded::default());
    let (chosen, problem) = (RwSignal::new(None::<usize>), RwSignal::new(None::<String>));
    effect(move || {
        if let Some(part) = top.value.get() {
            chosen.set(None);
            loaded.set(Loaded { parts: vec![part.nodes.clone()], n_more: part.n_more });
        }
    });
    let nodes = Memo::new(move |_| Arc::new(loaded.with(|l| rows::merged(&l.parts))));
    let has_device = move || state.modules.value.with(|m| m.as_ref().is_some_and(|m| m.has_device));
    let columns = Memo::new(move |_| Arc::new(rows::tree_columns(has_device())));
    let branches = Memo::new(move |_| Arc::new(nodes.with(|n| rows::tree_branches(n, has_device()))));
    let load = Callback::new(move |below: u32| {
        let (ask, query) = (
            ask.clone(),
            TreeQuery { thread: thread.get_untracked(), below: Some(below), range: state.range.get_untracked(), limit: PAGE, levels: 0 },
        );
        spawn_local(async move {
            match ask.ask(query).await {
                Ok(part) => loaded.update(|l| l.parts.push(part.nodes)),
                Err(error) => problem.set(Some(error.to_string())),
            }
        });
    });
    let options = move || {
        let chosen = thread.get();
        let option = |t: &crate::analysis::torch::modules::TreeThread| {
            let label = format!("{} ({} nodes)", t.name, text::count(t.n_nodes));
            view! { <option value=t.thread.to_string() selected=chosen == Some(t.thread)>{label}</option> }
        };
        threads.get().iter().map(option).collect_view()
    };
    view! {
        <section class="torch__part">
            <h2>"Tree of operators"</h2>
            <div class="torch__choices">
                <label class="field">
                    "Thread"
                    <select class="select" data-field="thread" on:change:target=move |e| state.thread.1.set(e.target().value())>{options}</select>
                </label>
                <NodeActions state nodes chosen load />
                <span class="torch__hint" role="status">{move || loaded.with(|l| more_sentence(l, nodes.with(|n| n.len())))}</span>
            </div>
            <Problem text=top.problem />
            <Problem text=problem />
            <TreeTable
                id="operator-tree" label="Tree of operators" columns branches selected=chosen on_row=Callback::new(move |at| chosen.set(Some(at)))
                empty="Nothing ran on this thread in this range."
            />
        </section>
    }
}

fn more_sentence(loaded: &Loaded, n: usize) -> Option<String> {
    (loaded.n_more > 0)
        .then(|| format!("{} nodes are loaded, upper levels first. Select a row to load its children.", text::count(n as u64)))
}

/// What can be done with the chosen node.
#[component]
fn NodeActions(state: State, nodes: Memo<Arc<Vec<rows::Placed>>>, chosen: RwSignal<Option<usize>>, load: Callback<u32>) -> impl IntoView {
    move || {
        let at = chosen.get()?;
        let (node, missing) = nodes.with(|n| Some((n.get(at)?.0.clone(), rows::n_missing(n, at))))?;
        let number = node.node;
        Some(view! {
            <strong class="mono">{node.name.clone()}</strong>
            {node.slice.map(|slice| view! { <button type="button" class="button" data-go="node" on:click=move |_| state.on_slice.run(slice)>"Show in the timeline"</button> })}
            {(missing > 0).then(|| view! {
                <button type="button" class="button" data-load on:click=move |_| load.run(number)>{format!("Load {} children", text::count(u64::from(missing)))}</button>
            })}
        })
    }
}
