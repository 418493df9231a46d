//! Efficiency of a PyTorch trace: how fast operators computed and moved data, under the roof of their device, and what could be won.

pub mod rows;

use super::headline::{self, Headline};
use super::peaks::{self, PeaksEditor};
use super::query::{QueryState, use_query};
use super::scope;
use crate::analysis::torch::efficiency::{Efficiency, EfficiencyQuery, KnownPeaks};
use crate::analysis::torch::inference::{StepRow, StepTable, StepsQuery};
use crate::base::{SliceId, TimeNs, TimeRange, text};
use crate::state::choices::{Choice, ViewState};
use crate::ui::chart::figures::Figures;
use crate::ui::controls::{Help, Notes, Problem};
use crate::ui::effect::effect;
use crate::ui::scatter::{Mark, Scatter};
use crate::ui::table::Table;
use crate::worker::client::Ask;
use leptos::prelude::*;
use std::sync::Arc;

/// Steps that can be chosen.
const STEPS_MAX: usize = 1_000;

#[derive(Clone, Copy)]
struct State {
    range: Signal<Option<TimeRange>>,
    /// Name of a module; empty is all.
    module: Choice<String>,
    /// Start of a step, ns; empty is the range of the page.
    step: Choice<String>,
    /// `gemm`, or anything else for all shapes.
    show: Choice<String>,
    table: Choice<String>,
    gemm_table: Choice<String>,
    found: QueryState<Efficiency>,
    steps: QueryState<StepTable>,
    on_slice: Callback<SliceId>,
}

impl State {
    /// The chosen step. Tracked.
    fn chosen_step(&self) -> Option<StepRow> {
        let start: i64 = self.step.0.get().parse().ok()?;
        self.steps.value.with(|s| s.as_ref()?.steps.iter().find(|s| s.start.0 == start).cloned())
    }
}

/// Rates of operators, for the run, a range, a step or a module.
#[component]
pub fn EfficiencyView(
    /// Answers for the open profile.
    ask: Ask,
    /// Only this range; `None` is the entire trace.
    range: Signal<Option<TimeRange>>,
    /// Show a slice in the timeline.
    on_slice: Callback<SliceId>,
    /// Module, step, and choices of the tables.
    #[prop(default = ViewState::detached("efficiency"))]
    choices: ViewState,
) -> impl IntoView {
    let (module, step) = (choices.choice("module", String::new()), choices.choice("step", String::new()));
    let device = RwSignal::new(None::<String>);
    let own = RwSignal::new(None);
    effect(move || {
        if let Some(device) = device.get() {
            own.set(peaks::entered(&device));
        }
    });
    let steps_query = Signal::derive(move || Some(StepsQuery { peaks: own.get(), ..StepsQuery::default() }));
    let steps = use_query(ask.clone(), steps_query);
    let chosen_range = Memo::new(move |_| {
        let start: Option<i64> = step.0.get().parse().ok();
        let of_step = start.and_then(|start| {
            steps.value.with(|s| {
                let all = &s.as_ref()?.steps;
                let at = all.iter().position(|s| s.start.0 == start)?;
                // Work of graph replays begins when the device runs it: up to the end of the step's last work, not into the next step's.
                let end = all[at].start.0.saturating_add(all[at].duration.0);
                Some(TimeRange::new(TimeNs(start), TimeNs(end)))
            })
        });
        of_step.or_else(|| range.get())
    });
    let query = Signal::derive(move || {
        let module = Some(module.0.get()).filter(|m| !m.is_empty());
        Some(EfficiencyQuery { range: chosen_range.get(), module, peaks: own.get() })
    });
    let found = use_query(ask, query);
    effect(move || {
        let name = found.value.with(|f| f.as_ref().map(|f| f.device.clone()));
        if name.is_some() && device.with_untracked(|known| *known != name) {
            device.set(name);
        }
    });
    let show = choices.choice("show", String::new());
    let (table, gemm_table) = (choices.choice("shapes", String::new()), choices.choice("gemms", String::new()));
    let state = State { range, module, step, show, table, gemm_table, found, steps, on_slice };
    let is_there = Memo::new(move |_| found.value.with(Option::is_some));
    let known: Signal<Option<KnownPeaks>> = Memo::new(move |_| found.value.with(|f| f.as_ref().and_then(|f| f.peaks.clone()))).into();
    let device_name = Signal::derive(move || device.get().unwrap_or_default());
    view! {
        <section class="torch efficiency" data-view="efficiency" class:is-waiting=move || found.is_waiting.get() aria-busy=move || found.is_waiting.get().to_string()>
            <Head state />
            <Problem text=found.problem />
            <Show when=move || found.is_first()><p class="waiting" role="status">"Computing FLOPs and bytes…"</p></Show>
            <Headline line=found.derive(headline::efficiency) />
            <Show when=move || is_there.get()>
                <Totals found />
                <p class="torch__hint" data-peaks-source>{move || source(device_name.get(), known.get(), own.with(Option::is_some))}</p>
                <PeaksEditor device=device_name known own />
                <Notes notes=found.derive(|f| f.notes.clone()) />
                <Parts state />
            </Show>
        </section>
    }
}

/// What the shares are of, in a sentence.
fn source(device: String, known: Option<KnownPeaks>, is_own: bool) -> String {
    let device = if device.is_empty() { "a device without a recorded name".to_string() } else { device };
    match known {
        Some(_) if is_own => format!("% of peak and % of bandwidth use the peaks entered on this page for {device}."),
        Some(peaks) => {
            format!("% of peak uses the {} of {device} ({}) for each type. Source: {}.", peaks.label, peaks.device, peaks.source)
        }
        None => format!("No published dense peaks are known for {device}: enter them to see % of peak."),
    }
}

#[component]
fn Head(state: State) -> impl IntoView {
    let modules = state.found.derive(|f| f.modules.clone());
    let module_options = move || {
        let chosen = state.module.0.get();
        let mut names: Vec<String> = modules.get().to_vec();
        if !chosen.is_empty() && !names.contains(&chosen) {
            names.push(chosen.clone());
        }
        let option =
            |name: &String| view! { <option value=name.clone() selected=*name == chosen>{text::middle_ellipsis(name, 60)}</option> };
        names.iter().map(option).collect_view()
    };
    let step_options = move || {
        let chosen = state.step.0.get();
        let option = |step: &StepRow| {
            let value = step.start.0.to_string();
            let label = format!("{} · {}", text::middle_ellipsis(&step.name, 40), text::duration(step.duration));
            view! { <option value=value.clone() selected=value == chosen>{label}</option> }
        };
        state.steps.value.with(|s| s.as_ref().map(|s| s.steps.iter().take(STEPS_MAX).map(option).collect_view()))
    };
    let has_steps = move || state.steps.value.with(|s| s.as_ref().is_some_and(|s| s.steps.len() > 1));
    let has_modules = move || modules.with(|m| !m.is_empty()) || !state.module.0.get().is_empty();
    let description = move || match state.chosen_step() {
        Some(step) => format!("Step {} ({})", text::middle_ellipsis(&step.name, 40), text::duration(step.duration)),
        None => scope::sentence(state.range.get()),
    };
    view! {
        <header class="torch__head">
            <h1>"Efficiency"</h1>
            <span class="torch__scope" data-scope>{description}</span>
            <Show when=has_steps>
                <label class="field">
                    "Step"
                    <select class="select" data-field="step" on:change:target=move |e| state.step.1.set(e.target().value())>
                        <option value="" selected=move || state.step.0.get().is_empty()>"All steps"</option>
                        {step_options}
                    </select>
                </label>
            </Show>
            <Show when=has_modules>
                <label class="field">
                    "Module"
                    <select class="select" data-field="module" on:change:target=move |e| state.module.1.set(e.target().value())>
                        <option value="" selected=move || state.module.0.get().is_empty()>"All modules"</option>
                        {module_options}
                    </select>
                </label>
            </Show>
            <Help text="Work of an operator follows from its name and recorded inputs. Rates are work over kernel time. Recoverable time is kernel time above the roof: the longer of operations over peak and bytes over bandwidth." />
        </header>
    }
}

#[component]
fn Totals(found: QueryState<Efficiency>) -> impl IntoView {
    let totals = found.derive(rows::totals);
    let one = |(label, value, help): &(&'static str, String, &'static str)| {
        view! { <div class="totals__one" title=*help><dt>{*label}</dt><dd class="figure">{value.clone()}</dd></div> }
    };
    move || view! { <dl class="totals" data-totals>{totals.get().iter().map(one).collect_view()}</dl> }
}

#[component]
fn Parts(state: State) -> impl IntoView {
    let found = state.found;
    let columns = |is_gemm: bool| Signal::stored(Arc::new(rows::columns(is_gemm)));
    let (shapes, gemms) = (found.derive(|f| rows::rows(f, false)), found.derive(|f| rows::rows(f, true)));
    let slope = Signal::derive(move || found.value.with(|f| f.as_ref().and_then(|f| rows::slope(f))));
    let go = move |slice: Option<SliceId>| slice.into_iter().for_each(|slice| state.on_slice.run(slice));
    let on_dot = Callback::new(move |at: usize| {
        go(found.value.with_untracked(|f| f.as_ref().and_then(|f| rows::dotted(f).get(at).map(|r| r.longest))));
    });
    let on_row = move |is_gemm: bool| {
        Callback::new(move |at: usize| {
            go(found.value.with_untracked(|f| f.as_ref().and_then(|f| rows::listed(f, is_gemm).get(at).map(|r| r.longest))));
        })
    };
    let is_gemm = Memo::new(move |_| state.show.0.with(|s| s == "gemm"));
    let switch = move |(id, label): (&'static str, &'static str)| {
        view! { <button type="button" data-show=id aria-pressed=move || (is_gemm.get() == (id == "gemm")).to_string() on:click=move |_| state.show.1.set(id.into())>{label}</button> }
    };
    let table = move || {
        if is_gemm.get() {
            view! { <Table id="efficiency-gemms" label="GEMMs by recoverable time" columns=columns(true) rows=gemms on_row=on_row(true) saved=state.gemm_table empty="No matrix product with recorded shapes ran here." /> }.into_any()
        } else {
            view! { <Table id="efficiency-shapes" label="Shapes by recoverable time" columns=columns(false) rows=shapes on_row=on_row(false) saved=state.table empty="No operator with a model of its work ran here." /> }.into_any()
        }
    };
    let mark: Signal<Option<Mark>> = Signal::stored(None);
    view! {
        <Scatter
            id="efficiency-roofline" title="FLOP/s against arithmetic intensity" titles=("Arithmetic intensity, FLOP/byte", "FLOP/s") dots=found.derive(rows::dots)
            ceilings=found.derive(rows::ceilings) slope mark figures=Figures { columns: columns(false), rows: shapes } on_dot
            empty="No operator with a model of its work ran here."
        />
        <div class="torch__part">
            <h2>"Shapes by recoverable time"</h2>
            <span class="segmented" role="group" aria-label="Rows">{[("all", "All shapes"), ("gemm", "GEMMs")].map(switch).collect_view()}</span>
            <p class="torch__hint">"Click a row to show its longest call in the timeline."</p>
            {table}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_of_the_peaks_is_said() {
        let peaks = KnownPeaks {
            device: "MI300X".into(),
            label: "published dense peak".into(),
            source: "a data sheet".into(),
            tflops: Vec::new(),
            bandwidth: None,
        };
        assert_eq!(
            source("AMD Instinct MI300X".into(), Some(peaks.clone()), false),
            "% of peak uses the published dense peak of AMD Instinct MI300X (MI300X) for each type. Source: a data sheet."
        );
        assert!(source("X".into(), Some(peaks), true).contains("entered on this page for X"));
        assert!(source(String::new(), None, false).contains("a device without a recorded name"));
    }
}
