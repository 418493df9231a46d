//! Log directories on the start page: what is in them, to be opened and compared.

use crate::base::text;
use crate::state::log_directory::{LogDirectory, LogProfile};
use leptos::prelude::*;
use std::collections::BTreeSet;

/// What the user does with a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectoryAction {
    /// Chooses one more.
    Add,
    /// Lists it, or lists it again.
    List,
    /// Takes it out of the list.
    Remove,
    /// Opens these profiles of it, by position.
    Open(Vec<usize>),
    /// Opens these two and shows what differs.
    Compare(Vec<usize>),
}

/// Directories with their profiles.
#[component]
pub fn LogDirectories(
    /// As the user chose them.
    directories: Signal<Vec<LogDirectory>>,
    /// (id, title) of formats.
    titles: Signal<Vec<(String, String)>>,
    /// A directory's id, and what to do with it.
    on_action: Callback<(String, DirectoryAction)>,
) -> impl IntoView {
    view! {
        <section class="start__directories" data-directories="">
            <h2>"Log directories"</h2>
            <p class="start__kind">"A directory of profiles is listed without opening them: logs of TensorBoard, sessions of Neuron Explorer, traces by rank."</p>
            {move || directories.get().into_iter().map(|directory| view! { <Directory directory titles on_action /> }).collect_view()}
            <p><button type="button" class="button" on:click=move |_| on_action.run((String::new(), DirectoryAction::Add))>"Add a log directory"</button></p>
        </section>
    }
}

#[component]
fn Directory(
    directory: LogDirectory,
    titles: Signal<Vec<(String, String)>>,
    on_action: Callback<(String, DirectoryAction)>,
) -> impl IntoView {
    let LogDirectory { id, name, profiles, problem, is_busy } = directory;
    let chosen = RwSignal::new(BTreeSet::<usize>::new());
    let act = move |action| on_action.run((id.clone(), action));
    let (list, remove, open, compare, row) = (act.clone(), act.clone(), act.clone(), act.clone(), act);
    let state = match &profiles {
        _ if is_busy => "Listing…".to_string(),
        None => String::new(),
        Some(all) => {
            let n_new = all.iter().filter(|p| p.is_new).count() as u64;
            let new = if n_new > 0 { format!(", {} new", text::count(n_new)) } else { String::new() };
            format!("{}{new}", text::counted(all.len() as u64, "profile"))
        }
    };
    let button = if profiles.is_some() { "Refresh" } else { "List" };
    let n = move || chosen.with(BTreeSet::len);
    let positions = move || chosen.with_untracked(|c| c.iter().copied().collect::<Vec<_>>());
    let rows = profiles.filter(|all| !all.is_empty()).map(|all| {
        let rows = all.into_iter().map(|profile| view! { <Row profile titles chosen on_open=row.clone() /> }).collect_view();
        view! {
            <div class="table-box">
                <table class="table" data-table="log-directory">
                    <thead><tr><th><span class="visually-hidden">"Choose"</span></th><th>"Run"</th><th>"Worker or file"</th><th>"Span"</th><th>"Kind"</th><th class="figure">"Size"</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="directory__buttons">
                <button type="button" class="button" disabled=move || n() == 0 on:click=move |_| open(DirectoryAction::Open(positions()))>"Open chosen"</button>
                <button type="button" class="button" title="Choose two profiles of the same kind" disabled=move || n() != 2 on:click=move |_| compare(DirectoryAction::Compare(positions()))>"Compare two"</button>
            </p>
        }
    });
    view! {
        <article class="directory" data-directory=name.clone()>
            <p class="directory__head">
                <strong class="mono">{name.clone()}</strong>
                <span class="start__kind" role="status">{state}</span>
                <button type="button" class="link" disabled=is_busy aria-label=format!("{button} {name}") on:click=move |_| list(DirectoryAction::List)>{button}</button>
                <button type="button" class="link" title="The directory itself stays" aria-label=format!("Remove {name}") on:click=move |_| remove(DirectoryAction::Remove)>"Remove"</button>
            </p>
            {(!problem.is_empty()).then(|| view! { <p class="notice notice--warn" role="alert">{problem}</p> })}
            {rows}
        </article>
    }
}

#[component]
fn Row(
    profile: LogProfile,
    titles: Signal<Vec<(String, String)>>,
    chosen: RwSignal<BTreeSet<usize>>,
    on_open: impl Fn(DirectoryAction) + Clone + Send + 'static,
) -> impl IntoView {
    let (at, format) = (profile.at, profile.format);
    let kind = move || titles.with(|all| all.iter().find(|t| t.0 == format).map_or_else(|| format.clone(), |t| t.1.clone()));
    let toggle = move |_| {
        chosen.update(|c| {
            if !c.remove(&at) {
                c.insert(at);
            }
        })
    };
    view! {
        <tr data-row="">
            <td><input type="checkbox" aria-label=format!("Choose {}", profile.path) prop:checked=move || chosen.with(|c| c.contains(&at)) on:change=toggle /></td>
            <td>{profile.place.run}</td>
            <td>
                <button type="button" class="link mono" title=profile.path on:click=move |_| on_open(DirectoryAction::Open(vec![at]))>{profile.place.worker}</button>
                {profile.is_new.then(|| view! { " "<span class="library__tag">"new"</span> })}
            </td>
            <td>{profile.place.span.map(|s| s.to_string())}</td>
            <td>{kind}</td>
            <td class="figure">{text::bytes(profile.n_bytes)}</td>
        </tr>
    }
}
