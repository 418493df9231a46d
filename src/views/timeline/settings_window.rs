//! The part of the panel of choices that says which window is in view: two times, or two markers.

use super::marking::Marking;
use super::stage::Stage;
use crate::base::Order as _;
use crate::base::{TimeNs, TimeRange, text};
use crate::state::annotations::AnnotationSet;
use leptos::prelude::*;

/// From when to when, to the nanosecond.
#[component]
pub(super) fn Window(stage: Stage, marking: Marking) -> impl IntoView {
    let edge = move |is_end: bool| {
        let window = stage.shown.window.get().unwrap_or_default();
        if is_end { window.end.0 } else { window.start.0 }
    };
    let change = move |is_end: bool, text: String| {
        let Ok(at) = text.replace([' ', ',', '_'], "").parse::<i64>() else { return };
        stage.change(|core| {
            let (mut start, mut end) = (core.view.window().start, core.view.window().end);
            *(if is_end { &mut end } else { &mut start }) = TimeNs(at);
            if start < end {
                core.view.show(TimeRange::new(start, end));
            }
        });
    };
    let field = move |is_end: bool, label: &'static str, id: &'static str| {
        view! {
            <label class="flows__item">
                {label}
                <input
                    class="input mono settings-panel__time" inputmode="numeric" data-setting=id prop:value=move || edge(is_end).to_string()
                    on:change:target=move |e| change(is_end, e.target().value())
                />
            </label>
        }
    };
    view! {
        <fieldset class="flows">
            <legend class="flows__title">"Window (ns)"</legend>
            <div class="settings-panel__window">{field(false, "From", "from")}{field(true, "To", "to")}</div>
            <Between stage marking />
        </fieldset>
    }
}

/// Markers, and both ends of regions: (what names it, label, when), by time.
fn moments(set: &AnnotationSet) -> Vec<(String, String, TimeNs)> {
    let mut out = Vec::new();
    for a in &set.items {
        let name = text::middle_ellipsis(&a.name, 40);
        match a.end {
            None => out.push((a.id.to_string(), name, a.start)),
            Some(end) => {
                out.push((format!("{} start", a.id), format!("{name}, start"), a.start));
                out.push((format!("{} end", a.id), format!("{name}, end"), end));
            }
        }
    }
    out.order_by_key(|m| m.2);
    out
}

/// What lies between two of them, in either order; where one is not there (any more) or not chosen, the first and the last are meant. `None`
/// when nothing lies between.
fn between(moments: &[(String, String, TimeNs)], chosen: &(String, String)) -> Option<(usize, usize, TimeRange)> {
    let place = |id: &str| moments.iter().position(|m| m.0 == id);
    let (a, b) = (place(&chosen.0).unwrap_or(0), place(&chosen.1).or(moments.len().checked_sub(1))?);
    let (from, to) = (moments.get(a)?.2, moments.get(b)?.2);
    Some((a, b, TimeRange::new(from.min(to), from.max(to))))
}

/// Two markers as the edges of the window; absent while there are fewer.
#[component]
fn Between(stage: Stage, marking: Marking) -> impl IntoView {
    let known = Memo::new(move |_| marking.book.with(|b| moments(&b.current)));
    let chosen = RwSignal::new((String::new(), String::new()));
    let found = Memo::new(move |_| known.with(|k| between(k, &chosen.get())));
    let show = move |_| {
        if let Some((.., range)) = found.get_untracked().filter(|f| f.2.start < f.2.end) {
            stage.change(|core| core.view.show(range));
        }
    };
    let select = move |is_end: bool, label: &'static str| {
        let options = move || {
            let at = found.get().map(|f| if is_end { f.1 } else { f.0 });
            let option =
                |(i, (id, name, _)): (usize, (String, String, TimeNs))| view! { <option value=id selected=at == Some(i)>{name}</option> };
            known.get().into_iter().enumerate().map(option).collect_view()
        };
        let choose = move |id: String| chosen.update(|c| *(if is_end { &mut c.1 } else { &mut c.0 }) = id);
        view! {
            <select
                class="select settings-panel__marker" aria-label=label data-setting=if is_end { "marker-to" } else { "marker-from" }
                on:change:target=move |e| choose(e.target().value())
            >
                {options}
            </select>
        }
    };
    view! {
        <Show when=move || { known.with(Vec::len) > 1 }>
            <div class="flows__item settings-panel__between">
                "From"
                {select(false, "Marker where the window begins")}
                "to"
                {select(true, "Marker where the window ends")}
                <button
                    type="button" class="button" data-setting="between" title="The window begins at the one and ends at the other, to the nanosecond"
                    disabled=move || found.get().is_none_or(|f| f.2.start >= f.2.end) on:click=show
                >
                    "Show"
                </button>
            </div>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_and_ends_of_regions_are_edges() {
        let mut set = AnnotationSet::default();
        assert_eq!(between(&moments(&set), &Default::default()), None);
        set.add_marker(TimeNs(500));
        set.add_region(TimeRange::new(TimeNs(100), TimeNs(900)));
        set.add_marker(TimeNs(200));
        let all = moments(&set);
        let told: Vec<(&str, &str, i64)> = all.iter().map(|m| (m.0.as_str(), m.1.as_str(), m.2.0)).collect();
        let want = [("2 start", "Region 1, start", 100), ("3", "Marker 2", 200), ("1", "Marker 1", 500), ("2 end", "Region 1, end", 900)];
        assert_eq!(told, want);
        let check = |a: &str, b: &str, want: (usize, usize, i64, i64)| {
            let got = between(&all, &(a.into(), b.into())).map(|f| (f.0, f.1, f.2.start.0, f.2.end.0));
            assert_eq!(got, Some(want), "{a} {b}");
        };
        check("", "", (0, 3, 100, 900));
        check("3", "1", (1, 2, 200, 500));
        check("1", "3", (2, 1, 200, 500));
        check("gone", "1", (0, 2, 100, 500));
        check("1", "1", (2, 2, 500, 500));
    }
}
