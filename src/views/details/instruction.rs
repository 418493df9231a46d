//! What a device's instruction means: its operands in words, its semaphores with what raised them, and where it comes from.

use crate::analysis::device::instructions::grammar::Operand;
use crate::analysis::device::instructions::origin::{Frame, Loop, Origin, SourceLocation};
use crate::analysis::device::waiting::waits::SemaphoreFact;
use crate::base::{DurationNs, SliceId, text};
use crate::engine::query::{InstructionFacts, Neighbour};
use crate::ui::controls::CopyButton;
use leptos::prelude::*;

/// The sections of an instruction; empty ones are absent.
#[component]
pub(super) fn Instruction(facts: InstructionFacts, on_go: Callback<SliceId>, on_place: Option<Callback<SourceLocation>>) -> impl IntoView {
    let InstructionFacts { operands, semaphores, origin } = facts;
    let (waits, sets): (Vec<_>, Vec<_>) = semaphores.into_iter().partition(|s| s.is_wait);
    view! {
        <Semaphores title="Waits for" id="waits" rows=waits on_go />
        <Semaphores title="Sets" id="sets" rows=sets on_go />
        <Operands rows=operands />
        <Source origin on_place />
    }
}

/// The text after the condition in a semaphore's line.
fn sentence(fact: &SemaphoreFact) -> String {
    // An instruction that does nothing but wait ends when the condition holds; all others begin then.
    let then = if fact.is_pure_wait { "ended" } else { "began" };
    let ago = |ns: i64| {
        if ns == 0 { format!("at the same time as it {then}") } else { format!("{} before it {then}", text::duration(DurationNs(ns))) }
    };
    match (fact.is_wait, fact.reached, fact.slack_ns) {
        (true, Some(time), Some(slack)) => format!("true from {}, {}", text::time_exact(time.0), ago(slack)),
        (true, ..) => "when it became true is not available".into(),
        (false, ..) if fact.is_transfer => "by the transfer it starts".into(),
        (false, ..) => String::new(),
    }
}

#[component]
fn Semaphores(title: &'static str, id: &'static str, rows: Vec<SemaphoreFact>, on_go: Callback<SliceId>) -> impl IntoView {
    if rows.is_empty() {
        return ().into_any();
    }
    let link = move |n: Neighbour, before: &'static str, after: String| {
        view! {
            <li class="drawer__sub">
                <span class="drawer__gap">{before}</span>
                <button class="link mono" data-signal=n.slice.0.to_string() title=n.track.clone() on:click=move |_| on_go.run(n.slice)>
                    {text::brief(&n.name)}
                </button>
                <span class="drawer__gap">{after}</span>
            </li>
        }
    };
    let item = move |fact: SemaphoreFact| {
        let note = sentence(&fact);
        let before = match (fact.is_wait, fact.is_transfer) {
            (true, true) => "by a transfer of",
            (true, false) => "by",
            (false, _) => "next wait",
        };
        let after = |n: &Neighbour| {
            let row = n.track.rsplit(" / ").next().unwrap_or_default().to_string();
            if fact.is_wait { row } else { format!("{row} · {} · {} later", n.kind, text::duration(DurationNs(n.gap_ns))) }
        };
        let other = fact.other.clone().map(|n| {
            let after = after(&n);
            link(n, before, after)
        });
        let transfer = fact.transfer.clone().map(|n| {
            let row = n.track.rsplit(" / ").next().unwrap_or_default().to_string();
            link(n, "last to end", row)
        });
        view! {
            <li class="drawer__fact"><span class="mono">{fact.what.clone()}</span><span class="drawer__gap">{note}</span></li>
            {other}
            {transfer}
        }
    };
    view! { <section class="facts" data-part=id><h3>{title}</h3><ul class="drawer__list">{rows.into_iter().map(item).collect_view()}</ul></section> }
        .into_any()
}

#[component]
fn Operands(rows: Vec<Operand>) -> impl IntoView {
    if rows.is_empty() {
        return ().into_any();
    }
    let item = |o: Operand| view! { <li class="drawer__operand"><span class="mono">{o.text}</span><span class="drawer__gap">{o.meaning}</span></li> };
    view! {
        <section class="facts" data-part="operands">
            <h3>"Operands"</h3>
            <ul class="drawer__list">{rows.into_iter().map(item).collect_view()}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn Source(origin: Origin, on_place: Option<Callback<SourceLocation>>) -> impl IntoView {
    let Origin { places, stacks, loops } = origin;
    if places.is_empty() && stacks.is_empty() && loops.is_empty() {
        return ().into_any();
    }
    let places = places.into_iter().map(|p| view! { <li><PlaceText place=p on_place /></li> }).collect_view();
    let n = stacks.len();
    let stack = move |(i, frames): (usize, Vec<Frame>)| {
        let title = if n > 1 { format!("Stack {} of {n}", i + 1) } else { "Stack, innermost first".into() };
        view! { <h4 class="drawer__subtitle">{title}</h4><ol class="drawer__list drawer__stack">{frames.into_iter().map(|f| frame(f, on_place)).collect_view()}</ol> }
    };
    let loops = (!loops.is_empty()).then(|| {
        view! { <h4 class="drawer__subtitle">"Loops, innermost first"</h4><ul class="drawer__list" data-part="loops">{loops.into_iter().map(|l| loop_(l, on_place)).collect_view()}</ul> }
    });
    view! {
        <section class="facts" data-part="source">
            <h3>"Source"</h3>
            <ul class="drawer__list">{places}</ul>
            {stacks.into_iter().enumerate().map(stack).collect_view()}
            {loops}
        </section>
    }
    .into_any()
}

fn frame(frame: Frame, on_place: Option<Callback<SourceLocation>>) -> impl IntoView {
    let is_definition = frame.is_definition;
    let defined = frame.place.is_some().then_some(if is_definition { "defined at" } else { "at" });
    view! {
        <li>
            <span class="mono">{frame.function.clone()}</span>
            <span class="drawer__gap">{defined.filter(|_| !frame.function.is_empty())}</span>
            {frame.place.map(|place| view! { <PlaceText place on_place /> })}
        </li>
    }
}

fn loop_(l: Loop, on_place: Option<Callback<SourceLocation>>) -> impl IntoView {
    view! { <li><span class="mono">{format!("{} = {}", l.name, l.value)}</span>{l.place.map(|place| view! { <PlaceText place on_place /> })}</li> }
}

/// `file.py:42` with the whole path as its title and in what is copied; where the source can be shown, a button that shows it.
#[component]
fn PlaceText(place: SourceLocation, on_place: Option<Callback<SourceLocation>>) -> impl IntoView {
    let whole = place.to_string();
    let short = format!("{}:{}", place.file.rsplit('/').next().unwrap_or_default(), place.line);
    let name = match on_place {
        None => view! { <span class="mono" title=whole.clone()>{short}</span> }.into_any(),
        Some(on_place) => {
            let title = format!("{whole}: click to show the source beside the timeline");
            view! { <button type="button" class="link mono" data-place=whole.clone() title=title on:click=move |_| on_place.run(place.clone())>{short}</button> }
                .into_any()
        }
    };
    view! { <span class="drawer__place">{name}<CopyButton text=whole /></span> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    #[test]
    fn a_wait_says_when_it_ended() {
        let fact = |reached: Option<i64>, slack_ns, is_wait| SemaphoreFact {
            what: String::new(),
            is_wait,
            is_pure_wait: false,
            reached: reached.map(TimeNs),
            slack_ns,
            other: None,
            is_transfer: !is_wait,
            transfer: None,
        };
        assert_eq!(sentence(&fact(Some(1500), Some(40), true)), format!("true from {}, 40 ns before it began", text::time_exact(1500)));
        assert!(sentence(&fact(Some(1500), Some(0), true)).ends_with("at the same time as it began"));
        let pure = SemaphoreFact { is_pure_wait: true, ..fact(Some(1500), Some(24), true) };
        assert!(sentence(&pure).ends_with("24 ns before it ended"));
        assert!(sentence(&fact(None, None, true)).contains("not available"));
        assert!(sentence(&fact(None, None, false)).contains("transfer"));
    }
}
