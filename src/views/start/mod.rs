//! The start page: what opens, how to capture it, samples, the library.

pub mod library;
pub mod log_directories;

use crate::state::library::Entry;
use crate::state::log_directory::LogDirectory;
use crate::state::url::UrlState;
use crate::ui::controls::{CopyButton, with_code};
use crate::worker::protocol::FormatInfo;
use leptos::prelude::*;
use library::{Action, Library};
use log_directories::{DirectoryAction, LogDirectories};

/// Name of the file below `samples/`, and its description.
pub const SAMPLES: [(&str, &str); 5] = [
    ("cpu_single.pt.trace.json.gz", "PyTorch: training on a CPU"),
    ("gloo_ddp_rank0.pt.trace.json.gz", "PyTorch: one rank of a distributed run"),
    ("synthetic-gpu.pt.trace.json.gz", "PyTorch: training on a GPU (synthetic)"),
    ("synthetic-neuron.json", "Neuron: a device profile (synthetic)"),
    ("synthetic-attention-fused.json.gz", "Neuron: two versions of a kernel (synthetic)"),
];

/// Shown while no profile is open.
#[component]
pub fn Start(
    /// What opens.
    #[prop(into)]
    formats: Signal<Vec<FormatInfo>>,
    /// What was opened before.
    #[prop(into)]
    entries: Signal<Vec<Entry>>,
    /// Use of the browser's storage, a sentence.
    #[prop(into)]
    storage: Signal<Option<String>>,
    /// Whether a profile of that content hash is open.
    is_open: Callback<String, bool>,
    /// A link to a profile that is not open.
    #[prop(into)]
    wanted: Signal<Option<UrlState>>,
    /// Asks for files (false) or a directory (true).
    on_pick: Callback<bool>,
    /// Opens a sample by its name.
    on_sample: Callback<String>,
    /// Names of profiles that were open before a reload and need the user's permission.
    #[prop(into)]
    resumable: Signal<Vec<String>>,
    /// Opens them.
    on_resume: Callback<()>,
    /// Log directories that the user added.
    #[prop(into)]
    directories: Signal<Vec<LogDirectory>>,
    /// A directory's id, and what to do with it.
    on_directory: Callback<(String, DirectoryAction)>,
    /// An entry's hash, and what to do with it.
    on_action: Callback<(String, Action)>,
) -> impl IntoView {
    let samples = SAMPLES.into_iter().map(|(file, what)| {
        view! {
            <li><button type="button" class="link" data-sample=file title=file on:click=move |_| on_sample.run(file.into())>{what}</button></li>
        }
    });
    let titles = Signal::derive(move || formats.with(|all| all.iter().map(|f| (f.id.clone(), f.title.clone())).collect()));
    let has_entries = Memo::new(move |_| entries.with(|e| !e.is_empty()));
    view! {
        <main class="start" data-view="start">
            {move || wanted.get().map(|wanted| view! { <Wanted wanted on_pick /> })}
            <section class="start__drop">
                <h1>"Where did the time go?"</h1>
                <p class="start__lead">"Drop an AWS Neuron or PyTorch profile anywhere on this page: one file, several files, or a directory."</p>
                <p class="start__buttons">
                    <button type="button" class="button button--primary" on:click=move |_| on_pick.run(false)>"Open files"</button>
                    <button type="button" class="button" on:click=move |_| on_pick.run(true)>"Open a directory"</button>
                </p>
                // Handled by `public/early.js`, as before the program is there.
                <form class="start__address">
                    <label class="start__label" for="address">"Open an address"</label>
                    <input id="address" name="address" class="input" type="text" inputmode="url" autocomplete="off" spellcheck="false" placeholder="https://… or s3://bucket/run/" />
                    <button type="submit" class="button">"Open address"</button>
                </form>
                <p class="start__promise">"Your files stay on this machine: nothing is uploaded."</p>
            </section>
            <Show when=move || resumable.with(|names| !names.is_empty())>
                <section class="start__wanted notice" role="status" data-resume="">
                    <p class="notice__text">{move || format!("Open before the reload: {}.", resumable.get().join(", "))}</p>
                    <button type="button" class="button button--primary" on:click=move |_| on_resume.run(())>"Open again"</button>
                </section>
            </Show>
            <Show when=move || has_entries.get()><Library entries storage is_open on_action /></Show>
            <div class="start__columns">
                <section class="start__samples">
                    <h2>"Try a sample"</h2>
                    <ul class="start__list">{samples.collect_view()}</ul>
                </section>
            </div>
            <LogDirectories directories titles on_action=on_directory />
            <Formats formats />
        </main>
    }
}

/// A link to a file that is not open.
#[component]
fn Wanted(wanted: UrlState, on_pick: Callback<bool>) -> impl IntoView {
    let name = if wanted.name.is_empty() { "the original profile".to_string() } else { wanted.name };
    view! {
        <section class="start__wanted notice" role="status">
            <p class="notice__text">
                "This link shows a view of " <strong class="mono">{name}</strong> ". Open that file to see it. Content hash: "
                <code>{wanted.hash}</code> "."
            </p>
            <button type="button" class="button button--primary" on:click=move |_| on_pick.run(false)>"Open it"</button>
        </section>
    }
}

#[component]
fn Formats(formats: Signal<Vec<FormatInfo>>) -> impl IntoView {
    let rows = move || formats.get().into_iter().map(|format| view! { <FormatRow format /> }).collect_view();
    view! {
        <section class="start__formats">
            <h2>"Supported profiles"</h2>
            <div class="table-box">
                <table class="table start__table">
                    <thead><tr><th>"Profile"</th><th>"Files"</th><th>"Views"</th><th>"How to capture it"</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

#[component]
fn FormatRow(format: FormatInfo) -> impl IntoView {
    let capture = (!format.capture.is_empty()).then(|| {
        view! { <div class="start__capture"><pre class="mono">{format.capture.clone()}</pre><CopyButton text=format.capture.clone() /></div> }
    });
    let caveats = (!format.caveats.is_empty()).then(|| view! { <p class="start__kind">{with_code(&format.caveats)}</p> });
    view! {
        <tr>
            <td data-format=format.id>{format.title}</td>
            <td class="mono">{format.files}</td>
            <td>{with_code(&format.shows)}</td>
            <td>{capture}{caveats}</td>
        </tr>
    }
}
