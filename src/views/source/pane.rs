//! The code beside the timeline: a margin with what each line costs, and the lines of the selected instruction marked.

use super::files::SourceText;
use super::rows;
use crate::analysis::device::instructions::source::SourceLine;
use crate::analysis::device::{Source, SourceLocation};
use crate::base::text;
use crate::ui::effect::effect;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// Lines of a file that are shown; no source is longer.
const MOST_LINES: usize = 20_000;

/// The pane.
#[component]
pub fn SourcePane(
    /// What lines cost, once known.
    source: Signal<Option<Arc<Source>>>,
    /// Files that were given, in the order of the profile's.
    texts: Signal<Arc<Vec<SourceText>>>,
    /// Lines of the selected instruction.
    marked: Signal<Vec<SourceLocation>>,
    /// Show the instructions of a line.
    on_place: Callback<SourceLocation>,
    /// Close the pane.
    on_close: Callback<()>,
) -> impl IntoView {
    let chosen = RwSignal::new(None::<String>);
    // The file of the selected instruction comes to front.
    let wanted = Memo::new(move |_| marked.with(|m| m.first().map(|p| p.file.clone())));
    effect(move || {
        // Also when it is read only then.
        if let Some(file) = wanted.get().filter(|f| texts.with(|t| t.iter().any(|t| t.file == *f))) {
            chosen.set(Some(file));
        }
    });
    let shown = Memo::new(move |_| {
        let file = chosen.get();
        texts.with(|t| t.iter().find(|t| Some(&t.file) == file.as_ref()).or(t.first()).cloned())
    });
    let options = move || {
        let here = shown.with(|s| s.as_ref().map(|s| s.file.clone()));
        let option = |t: &SourceText| {
            let name = t.file.rsplit('/').next().unwrap_or_default().to_string();
            view! { <option value=t.file.clone() selected=here.as_ref() == Some(&t.file) title=t.file.clone()>{name}</option> }
        };
        texts.with(|t| t.iter().map(option).collect_view())
    };
    let missing = move || {
        let named = source.with(|s| s.as_ref().map(|s| rows::files(s)).unwrap_or_default());
        texts.with(|texts| missing(texts, &named, wanted.get().as_deref()))
    };
    view! {
        <aside class="source" data-view="source-pane" aria-label="Source of the selected profile">
            <header class="source__head">
                <h2 class="source__title">"Source"</h2>
                <select class="select" aria-label="File" data-field="source-file" on:change:target=move |e| chosen.set(Some(e.target().value()))>{options}</select>
                <span class="drawer__gap">{missing}</span>
                <button type="button" class="button button--quiet source__close" aria-label="Close the source" title="Close" on:click=move |_| on_close.run(())>"×"</button>
            </header>
            <div class="source__legend" aria-hidden="true"><span>"Instr."</span><span>"Time"</span><span>"FLOPs"</span></div>
            {move || shown.get().map(|file| view! { <Code file source marked on_place /> })}
            <Show when=move || shown.with(Option::is_none)>
                <p class="waiting source__empty">
                    "Drop the source folder on the page. Its files are read on this machine only and are matched by the end of their path."
                </p>
            </Show>
        </aside>
    }
}

/// The missing source file, otherwise some of the files that instructions refer to.
fn missing(texts: &[SourceText], named: &[String], wanted: Option<&str>) -> Option<String> {
    let is_given = |file: &str| texts.iter().any(|t| t.file == file);
    if let Some(file) = wanted.filter(|file| !texts.is_empty() && !is_given(file)) {
        return Some(format!("{} is not among the loaded files", file.rsplit('/').next().unwrap_or(file)));
    }
    let given = named.iter().filter(|file| is_given(file)).count();
    (named.len() > given).then(|| format!("{given} of {} files loaded", named.len()))
}

#[component]
fn Code(
    file: SourceText,
    source: Signal<Option<Arc<Source>>>,
    marked: Signal<Vec<SourceLocation>>,
    on_place: Callback<SourceLocation>,
) -> impl IntoView {
    let SourceText { file: name, path, lines } = file;
    let of = name.clone();
    let margin = Memo::new(move |_| source.with(|s| s.as_ref().map(|s| rows::margin(s, &of)).unwrap_or_default()));
    let of = name.clone();
    let here = Memo::new(move |_| marked.with(|m| m.iter().filter(|p| p.file == of).map(|p| p.line).collect::<Vec<_>>()));
    let list = NodeRef::<leptos::html::Ol>::new();
    effect(move || {
        margin.track();
        if let (Some(list), Some(line)) = (list.get(), here.with(|h| h.first().copied())) {
            // After the lines are there.
            request_animation_frame(move || centre(&list, line));
        }
    });
    let cut =
        (lines.len() > MOST_LINES).then(|| format!("{} further lines are not shown.", text::count((lines.len() - MOST_LINES) as u64)));
    let label = name.clone();
    let all = move || {
        let (of, longest) = margin.get();
        let line = |(i, code): (usize, &String)| {
            let number = i as u32 + 1;
            let totals = of.get(&number).cloned();
            let place = SourceLocation { file: name.clone(), line: number };
            view! { <CodeLine place code=code.clone() totals longest here on_place /> }
        };
        lines.iter().take(MOST_LINES).enumerate().map(line).collect_view()
    };
    view! {
        <ol class="source__code mono" node_ref=list data-source-file=path tabindex="0" aria-label=label>{all}</ol>
        {cut.map(|c| view! { <p class="waiting">{c}</p> })}
    }
}

/// Scrolls a line into the middle.
fn centre(list: &web_sys::HtmlElement, line: u32) {
    let found = list.query_selector(&format!("[data-line=\"{line}\"]")).ok().flatten();
    if let Some(line) = found.and_then(|l| l.dyn_into::<web_sys::HtmlElement>().ok()) {
        list.set_scroll_top(line.offset_top() - list.offset_top() - list.client_height() / 2);
    }
}

#[component]
fn CodeLine(
    place: SourceLocation,
    code: String,
    totals: Option<SourceLine>,
    longest: i64,
    here: Memo<Vec<u32>>,
    on_place: Callback<SourceLocation>,
) -> impl IntoView {
    let number = place.line;
    let Some(totals) = totals else {
        return view! {
            <li class="source__line" class:source__line--here=move || here.with(|h| h.contains(&number)) data-line=number.to_string()>
                <span class="source__figure"></span><span class="source__figure"></span><span class="source__figure"></span>
                <span class="source__number">{number}</span><code class="source__text">{code}</code>
            </li>
        }
        .into_any();
    };
    let share = totals.time.0 as f64 / longest.max(1) as f64 * 100.0;
    let flops = totals.flops.map_or("FLOPs not available".to_string(), |f| format!("{} FLOPs", text::count(f)));
    let (n, time) = (text::count(totals.instructions), text::duration(totals.time));
    let title = format!("{n} instructions, {time}, {flops}. Click to show them in the timeline.");
    view! {
        <li
            class="source__line source__line--has" class:source__line--here=move || here.with(|h| h.contains(&number)) data-line=number.to_string()
            title=title on:click=move |_| on_place.run(place.clone())
        >
            <span class="source__figure" style=format!("--share:{share:.1}%")>{n}</span>
            <span class="source__figure">{time}</span>
            <span class="source__figure">{totals.flops.map(rows::flops)}</span>
            <span class="source__number">{number}</span>
            <code class="source__text">{code}</code>
        </li>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_not_given_is_named() {
        let text = |file: &str| SourceText { file: file.into(), ..SourceText::default() };
        let named = ["/src/a.py", "/src/b.py"].map(String::from);
        assert_eq!(missing(&[], &named, Some("/src/a.py")).as_deref(), Some("0 of 2 files loaded"));
        let given = [text("/src/a.py"), text("/lib/frame.py")];
        assert_eq!(missing(&given, &named, Some("/lib/frame.py")).as_deref(), Some("1 of 2 files loaded"));
        assert_eq!(missing(&given, &named, Some("/src/b.py")).as_deref(), Some("b.py is not among the loaded files"));
        assert_eq!(missing(&given, &named[..1], None), None);
    }
}
