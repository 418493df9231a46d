//! The ledger: records read, shown and skipped, with reasons.

pub mod agreement;
pub mod learned;

use crate::base::diagnostics::SkipReason;
use crate::base::{Ledger, Severity, text};
use crate::ui::controls::with_code;
use crate::views::scope::EntireTrace;
use leptos::prelude::*;

/// The account of one import, as a page of its own.
#[component]
pub fn LedgerView(
    /// The account to show.
    #[prop(into)]
    ledger: Signal<Ledger>,
    /// How it agrees with other open files of the same run.
    #[prop(optional, into)]
    checks: Signal<Vec<String>>,
    /// Content below the ledger.
    #[prop(optional, into)]
    below: ViewFn,
) -> impl IntoView {
    view! {
        <section class="ledger" data-view="ledger">
            <header class="torch__head"><h1>"Ledger"</h1><EntireTrace is_of_file=true /></header>
            {move || {
                let ledger = ledger.get();
                view! { <Totals ledger=ledger.clone() /> <Skipped skipped=ledger.skipped.clone() /> <Notes notes=ledger.notes /> }
            }}
            <Show when=move || checks.with(|c| !c.is_empty())>
                <section data-part="agreement">
                    <h2>"Comparison with the profiler"</h2>
                    <ul class="ledger__notes">{move || checks.get().into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}</ul>
                </section>
            </Show>
            {below.run()}
        </section>
    }
}

#[component]
fn Totals(ledger: Ledger) -> impl IntoView {
    let n_skipped: u64 = ledger.skipped.iter().map(|s| s.count).sum();
    view! {
        <dl class="ledger__totals">
            <dt>"Records read"</dt><dd class="figure">{text::count(ledger.read)}</dd>
            <dt>"Shown"</dt><dd class="figure">{text::count(ledger.shown)}</dd>
            <dt>"Skipped or flagged"</dt><dd class="figure">{text::count(n_skipped)}</dd>
            <dt>"Recognised"</dt><dd>{with_code(&ledger.recognised)}</dd>
            <dt>"Files used"</dt><dd class="mono">{ledger.members.join(", ")}</dd>
        </dl>
    }
}

#[component]
fn Skipped(skipped: Vec<SkipReason>) -> impl IntoView {
    if skipped.is_empty() {
        return view! { <p class="ledger__clean">"Nothing was skipped: every record of the file is shown."</p> }.into_any();
    }
    let rows = skipped.into_iter().map(|reason| view! { <SkippedRow reason /> }).collect_view();
    view! {
        <div class="table-box">
            <table class="table" data-table="ledger">
                <thead><tr><th>"Severity"</th><th>"Reason"</th><th class="figure">"Records"</th><th>"Examples: byte offset and text"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn SkippedRow(reason: SkipReason) -> impl IntoView {
    let (word, class) = severity(reason.severity);
    // What is counted at the end of the file has no place in it.
    let shown = reason.examples.into_iter().filter(|e| !e.text.is_empty() || e.offset > 0);
    let examples = shown.map(|e| view! { <li><span class="figure">{text::count(e.offset)}</span>" "<code>{e.text}</code></li> });
    view! {
        <tr>
            <td><span class=class>{word}</span></td>
            <td>{with_code(&reason.reason)}</td>
            <td class="figure">{text::count(reason.count)}</td>
            <td><ul class="ledger__examples">{examples.collect_view()}</ul></td>
        </tr>
    }
}

#[component]
fn Notes(notes: Vec<String>) -> impl IntoView {
    let items = notes.iter().map(|n| view! { <li>{with_code(n)}</li> }).collect_view();
    (!notes.is_empty()).then(|| view! { <h2>"Notes"</h2><ul class="ledger__notes">{items}</ul> })
}

/// Word and class of a severity.
fn severity(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Info => ("note", "badge badge--info"),
        Severity::Warning => ("changed", "badge badge--warn"),
        Severity::DataLoss => ("lost", "badge badge--danger"),
    }
}
