//! Saving all rows: part by part, whatever their number, while the page stays awake.

use crate::base::text;
use crate::engine::query::{ExportQuery, Exported};
use crate::ui::dom;
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Buttons that save instructions, transfers, semaphore updates and the chosen table.
#[component]
pub(super) fn Exports(
    /// Answers for the open profile.
    ask: Ask,
    /// The chosen table.
    table: Memo<Option<String>>,
    /// Whether the profile has slices to save.
    has_timeline: bool,
    /// What went wrong.
    problem: RwSignal<Option<String>>,
) -> impl IntoView {
    // What is being saved, and how far it is.
    let running = RwSignal::new(None::<(String, u64)>);
    let ask = StoredValue::new(ask);
    let save = move |what: Exported, name: String| {
        if running.get_untracked().is_some() {
            return;
        }
        running.set(Some((name.clone(), 0)));
        problem.set(None);
        spawn_local(async move {
            let result = collect(ask.get_value(), what, &name, running).await;
            if let Err(error) = result {
                let _ = problem.try_set(Some(format!("{name} was not saved: {error}")));
            }
            let _ = running.try_set(None);
        });
    };
    let kind = move |(what, id, label): (Exported, &'static str, &'static str)| {
        view! { <button type="button" class="link" data-export=id on:click=move |_| save(what.clone(), id.into())>{label}</button> }
    };
    let of_timeline = [
        (Exported::Instructions, "instructions", "Instructions"),
        (Exported::Transfers, "dma", "DMA transfers"),
        (Exported::Semaphores, "semaphores", "Semaphore updates"),
    ];
    let timeline = has_timeline.then(|| of_timeline.map(kind).collect_view());
    let whole = move || {
        table.get().map(|id| {
            let label = format!("All of {id}");
            view! { <button type="button" class="link" data-export="table" on:click=move |_| save(Exported::Table(id.clone()), id.clone())>{label}</button> }
        })
    };
    let state = move || running.get().map(|(name, n)| format!("Saving {name}: {} rows…", text::count(n)));
    view! {
        <div class="tables__exports" role="group" aria-label="Save all rows as CSV">
            <span>"All rows as CSV:"</span>
            {timeline}
            {whole}
            <span class="waiting" role="status" data-exporting=move || running.with(Option::is_some).to_string()>{state}</span>
        </div>
    }
}

/// Fetches part after part into a file, then offers it.
async fn collect(ask: Ask, what: Exported, name: &str, running: RwSignal<Option<(String, u64)>>) -> Result<(), EngineError> {
    let mut file = dom::Parts::default();
    let (mut next, mut n_rows) = (Some(0), 0);
    while let Some(cursor) = next {
        let part = ask.ask(ExportQuery { what: what.clone(), cursor }).await?;
        n_rows += part.n_rows;
        next = part.next;
        file.push(&part.text);
        // The view was closed: the file is not needed.
        if running.try_set(Some((name.into(), n_rows))).is_some() {
            return Ok(());
        }
    }
    file.save(&dom::file_name(name, "csv"), "text/csv");
    Ok(())
}
