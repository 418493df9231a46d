//! Export and import of annotations, and the question before existing ones are replaced.

use super::Panel;
use crate::base::text::{counted, middle_ellipsis};
use crate::state::annotations::text::{Found, Of};
use crate::state::annotations::{AnnotationSet, MOST, text};
use crate::ui::dom;
use crate::ui::effect::effect;
use leptos::task::spawn_local;
use leptos::{ev, html, prelude::*};
use wasm_bindgen_futures::JsFuture;

/// Files longer than this hold no annotations, bytes.
const LONGEST_FILE: f64 = 4e6;

/// A file that was read, and waits for what is to become of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Incoming {
    set: AnnotationSet,
    /// What is to be known before it is taken.
    question: String,
}

/// Files: JSON and CSV, out and in.
#[component]
pub(super) fn Files(panel: Panel) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    let save = move |ending: &'static str, kind: &'static str, write: fn(&AnnotationSet, &Of) -> String| {
        move |_| {
            let content = panel.book.with_untracked(|b| panel.of_profile.with_value(|of| write(&b.current, of)));
            dom::save_text(&dom::file_name("annotations", ending), kind, &content);
        }
    };
    let picked = move |_| {
        let Some(input) = input.get_untracked() else { return };
        let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
        input.set_value("");
        spawn_local(read(panel, file));
    };
    view! {
        <span class="annotations__group" role="group" aria-label="Files">
            <button type="button" class="button" title="Save as JSON, which this page can import" on:click=save("json", "application/json", text::to_json)>"JSON"</button>
            <button type="button" class="button" title="Save as CSV, times in nanoseconds" on:click=save("csv", "text/csv;charset=utf-8", |set, _| text::to_csv(set))>"CSV"</button>
            <button
                type="button" class="button" title="Import annotations from a JSON or CSV file"
                on:click=move |_| if let Some(input) = input.get_untracked() { input.click() }
            >
                "Import"
            </button>
            <input
                class="visually-hidden" type="file" accept=".json,.csv" tabindex="-1" aria-label="Import annotations" data-import="annotations" node_ref=input
                on:change=picked
            />
        </span>
    }
}

/// Takes annotations from a file, or asks first; what is on the timeline stays if they cannot be read.
async fn read(panel: Panel, file: web_sys::File) {
    panel.incoming.set(None);
    if file.size() > LONGEST_FILE {
        panel.problem.set(Some(format!(
            "Expected an annotation file of at most {LONGEST_FILE} bytes, found {} bytes: `{}`.",
            file.size(),
            file.name()
        )));
        return;
    }
    let content = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string()).unwrap_or_default();
    match text::from_file(&content) {
        Ok(found) => {
            panel.problem.set(None);
            let n_there = panel.book.with_untracked(|b| b.current.items.len());
            match panel.of_profile.try_with_value(|of| question(&file.name(), &found, n_there, of)) {
                Some(Some(question)) => panel.incoming.set(Some(Incoming { set: found.set, question })),
                Some(None) => take(panel, found.set, false),
                // The panel was closed meanwhile.
                None => {}
            }
        }
        Err(error) => panel.problem.set(Some(format!("`{}` was not imported. {error}", file.name()))),
    }
}

/// The question before an import: whether to replace the existing annotations, and whether a file of another profile is meant. `None` where
/// neither is the case.
fn question(file: &str, found: &Found, n_there: usize, here: &Of) -> Option<String> {
    let other = found.of.as_ref().filter(|of| of.hash != here.hash);
    if n_there == 0 && other.is_none() {
        return None;
    }
    let mut out = format!("`{}` contains {}", middle_ellipsis(file, 60), counted(found.set.items.len() as u64, "annotation"));
    if let Some(other) = other {
        let name = if other.name.is_empty() { String::new() } else { format!(", `{}`", middle_ellipsis(&other.name, 60)) };
        out += &format!(" of another profile{name}: their times may not match this profile");
    }
    out += ".";
    if n_there > 0 {
        let are = if n_there == 1 { "is" } else { "are" };
        out += &format!(" {} {are} already on the timeline.", counted(n_there as u64, "annotation"));
    }
    Some(out)
}

/// Puts a set on the timeline, added to the existing annotations or replacing them.
fn take(panel: Panel, set: AnnotationSet, is_added: bool) {
    panel.incoming.set(None);
    panel.chosen.set(None);
    if !is_added {
        panel.book.update(|b| b.current = set);
        return;
    }
    let n_left = panel.book.try_update(|b| b.current.append(set)).unwrap_or(0);
    let left = || format!("{} were not added: the limit is {} annotations.", counted(n_left as u64, "annotation"), MOST);
    panel.problem.set((n_left > 0).then(left));
}

/// What to do with a file that was read; absent while there is none.
#[component]
pub(super) fn Question(panel: Panel) -> impl IntoView {
    let cancel = NodeRef::<html::Button>::new();
    effect(move || {
        if let Some(button) = cancel.get() {
            // On what changes nothing; where it cannot be focused, it can still be reached.
            let _ = button.focus();
        }
    });
    let has_some = move || panel.book.with(|b| !b.current.items.is_empty());
    let answer = move |is_added: bool| {
        move |_: ev::MouseEvent| {
            if let Some(incoming) = panel.incoming.get_untracked() {
                take(panel, incoming.set, is_added);
            }
        }
    };
    let on_key = move |e: ev::KeyboardEvent| {
        if e.key() == "Escape" {
            e.stop_propagation();
            panel.incoming.set(None);
        }
    };
    let question = move || panel.incoming.with(|i| i.as_ref().map(|i| i.question.clone()));
    view! {
        <Show when=move || panel.incoming.with(Option::is_some)>
            <div class="notice notice--warn annotations__ask" role="group" aria-label="How to import the file" data-import-ask="" on:keydown=on_key>
                <span role="alert">{question}</span>
                <Show when=has_some>
                    <button type="button" class="button" data-import-as="add" title="Keep the current annotations and add the imported ones" on:click=answer(true)>"Add"</button>
                </Show>
                <button
                    type="button" class="button" data-import-as="replace"
                    title=move || if has_some() { "Replace the current annotations" } else { "Add the annotations to the timeline" } on:click=answer(false)
                >
                    {move || if has_some() { "Replace" } else { "Import" }}
                </button>
                <button type="button" class="button button--quiet" data-import-as="" node_ref=cancel on:click=move |_| panel.incoming.set(None)>"Cancel"</button>
            </div>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    #[test]
    fn a_file_is_asked_about_where_it_takes_a_place_or_is_of_another_profile() {
        let of = |hash: &str, name: &str| Of { hash: hash.into(), name: name.into() };
        let mut set = AnnotationSet::default();
        set.add_marker(TimeNs(5));
        let check = |from: Option<Of>, n_there: usize, want: Option<&str>| {
            let got = question("a.json", &Found { set: set.clone(), of: from }, n_there, &of("1", "here"));
            assert_eq!(got.as_deref(), want);
        };
        check(None, 0, None);
        check(Some(of("1", "here")), 0, None);
        check(None, 2, Some("`a.json` contains 1 annotation. 2 annotations are already on the timeline."));
        let foreign = "`a.json` contains 1 annotation of another profile, `there`: their times may not match this profile.";
        check(Some(of("2", "there")), 0, Some(foreign));
        check(Some(of("2", "there")), 1, Some(&format!("{foreign} 1 annotation is already on the timeline.")));
    }
}
