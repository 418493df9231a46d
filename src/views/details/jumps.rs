//! Where to go from a slice: from a launch to its kernel and back, from forward to backward and back.

use crate::analysis::torch::trace::Links;
use crate::base::{SliceId, text};
use crate::engine::query::{Details, LinksQuery, Neighbour};
use crate::ui::effect::effect;
use crate::worker::client::Ask;
use leptos::task::spawn_local;
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;

/// A slice one can go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jump {
    /// Text of the button.
    pub label: String,
    /// The key that does the same, as the browser names it by place.
    pub code: &'static str,
    /// Where it goes.
    pub slice: SliceId,
}

/// Kinds of arrows from a launch to device work.
const LAUNCH: [&str; 3] = ["ac2g", "async", "async_cpu_to_gpu"];
/// Kinds of arrows from a forward operator to its backward one.
const BACKWARD: [&str; 2] = ["fwdbwd", "forward_backward"];

/// The ways out of a slice: by what the trace links it to, else by the arrows that end or begin there.
pub fn jumps(details: &Details, links: Option<&Links>) -> Vec<Jump> {
    let none = Links::default();
    let links = links.unwrap_or(&none);
    let by = |rows: &[Neighbour], kinds: &[&str]| rows.iter().find(|n| kinds.contains(&n.kind.as_str())).map(|n| n.slice);
    let mut out = Vec::new();
    let mut add = |label: String, code, slice: Option<SliceId>| {
        if let Some(slice) = slice.filter(|s| details.item.slice() != Some(*s)) {
            out.push(Jump { label, code, slice });
        }
    };
    let kernel = links.kernels.first().copied().or_else(|| by(&details.successors, &LAUNCH));
    let n = links.n_kernels;
    let label = if n > 1 { format!("First of {} on the device", text::count(n)) } else { "Kernel".into() };
    add(label, "KeyK", kernel);
    add("Launch".into(), "KeyK", links.launch.or_else(|| by(&details.predecessors, &LAUNCH)));
    add("Operator".into(), "KeyO", links.operator);
    let backward = links.backward.first().copied().or_else(|| by(&details.successors, &BACKWARD));
    add("Backward".into(), "KeyB", backward);
    add("Forward".into(), "KeyB", links.forward.or_else(|| by(&details.predecessors, &BACKWARD)));
    out
}

/// Links from the slice whose details are shown, as the answers arrive.
pub fn follow(details: Signal<Option<Details>>, ask: Signal<Option<Ask>>) -> Signal<Vec<Jump>> {
    let links = RwSignal::new(None::<Links>);
    effect(move || {
        links.set(None);
        let (Some(slice), Some(ask)) = (details.with(|d| d.as_ref().and_then(|d| d.item.slice())), ask.get_untracked()) else { return };
        spawn_local(async move {
            let answer = ask.ask(LinksQuery { slice }).await;
            let is_current = details.try_with_untracked(|d| d.as_ref().is_some_and(|d| d.item.slice() == Some(slice))) == Some(true);
            if let (Ok(found), true) = (answer, is_current) {
                links.set(Some(found));
            }
        });
    });
    Signal::derive(move || details.with(|d| d.as_ref().map(|d| links.with(|l| jumps(d, l.as_ref()))).unwrap_or_default()))
}

/// Buttons for the ways out; absent without any.
#[component]
pub fn JumpButtons(
    /// The ways.
    jumps: Signal<Vec<Jump>>,
    /// Go there.
    on_go: Callback<SliceId>,
) -> impl IntoView {
    let button = move |jump: Jump| {
        let key = jump.code.trim_start_matches("Key");
        view! {
            <button type="button" class="button button--quiet" data-jump=jump.label.clone() title=format!("Key {key}") on:click=move |_| on_go.run(jump.slice)>
                {jump.label.clone()}
                <kbd class="drawer__key">{key}</kbd>
            </button>
        }
    };
    view! {
        <Show when=move || jumps.with(|j| !j.is_empty())>
            <div class="drawer__jumps" role="group" aria-label="Go to">
                <span class="drawer__gap">"Go to"</span>
                {move || jumps.get().into_iter().map(button).collect_view()}
            </div>
        </Show>
    }
}

/// Listens for the keys until the owner is disposed.
pub fn listen(jumps: Signal<Vec<Jump>>, on_go: Callback<SliceId>) {
    let handle = window_event_listener(ev::keydown, move |ev| {
        let target = ev.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let is_typing = target.is_some_and(|t| {
            matches!(t.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA") || t.closest("dialog").ok().flatten().is_some()
        });
        if is_typing || ev.default_prevented() || ev.ctrl_key() || ev.meta_key() || ev.alt_key() {
            return;
        }
        let code = ev.code();
        let found = jumps.with_untracked(|all| all.iter().find(|j| j.code == code).map(|j| j.slice));
        if let Some(slice) = found {
            ev.prevent_default();
            on_go.run(slice);
        }
    });
    on_cleanup(move || handle.remove());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{DurationNs, TimeNs};

    fn details(predecessors: &[(u32, &str)], successors: &[(u32, &str)]) -> Details {
        let rows = |rows: &[(u32, &str)]| {
            let row =
                |r: &(u32, &str)| Neighbour { slice: SliceId(r.0), name: String::new(), track: String::new(), kind: r.1.into(), gap_ns: 0 };
            rows.iter().map(row).collect()
        };
        Details {
            item: SliceId(1).into(),
            name: String::new(),
            track: String::new(),
            start: TimeNs(0),
            duration: DurationNs(0),
            self_time: None,
            fields: Vec::new(),
            predecessors: rows(predecessors),
            successors: rows(successors),
            parents: Vec::new(),
            instruction: None,
        }
    }

    fn check(details: &Details, links: Option<&Links>, want: &[(&str, &str, u32)]) {
        let got = jumps(details, links);
        assert_eq!(got.iter().map(|j| (j.label.as_str(), j.code, j.slice.0)).collect::<Vec<_>>(), want);
    }

    #[test]
    fn arrows_lead_to_kernel_and_backward() {
        check(&details(&[(7, "dependence")], &[(5, "ac2g"), (6, "fwdbwd")]), None, &[("Kernel", "KeyK", 5), ("Backward", "KeyB", 6)]);
        check(&details(&[(5, "async"), (6, "fwdbwd")], &[]), None, &[("Launch", "KeyK", 5), ("Forward", "KeyB", 6)]);
    }

    #[test]
    fn links_of_the_trace_come_first_and_none_leads_to_itself() {
        let links = Links {
            operator: Some(SliceId(1)),
            kernels: vec![SliceId(8), SliceId(9)],
            n_kernels: 2,
            forward: Some(SliceId(3)),
            ..Links::default()
        };
        check(&details(&[], &[(5, "ac2g")]), Some(&links), &[("First of 2 on the device", "KeyK", 8), ("Forward", "KeyB", 3)]);
    }
}
