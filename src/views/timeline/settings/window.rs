//! The part of the settings panel for the visible window: two times, or two markers.

use crate::base::Order as _;
use crate::base::{TimeNs, TimeRange, text};
use crate::state::annotations::{AnnotationSet, TimeUnit};
use crate::ui::controls::unique;
use crate::views::timeline::handle::TimelineHandle;
use crate::views::timeline::lookup::viewport::Viewport;
use crate::views::timeline::marking::Marking;
use leptos::prelude::*;

/// Typed text that is not a valid edge: from, to.
type Typed = [Option<String>; 2];

/// What the typed edges come to.
#[derive(Debug, Clone, Default, PartialEq)]
struct Reading {
    /// The window to show, where there is one.
    view: Option<Viewport>,
    /// Which edges are wrong.
    is_wrong: [bool; 2],
    /// What is wrong, or shown otherwise than asked for.
    message: Option<String>,
}

/// A time in nanoseconds, or in the unit after the number.
fn parsed_time(typed: &str) -> Option<TimeNs> {
    let plain = typed.replace([' ', ',', '_', '\u{202f}'], "").replace('−', "-");
    let with_unit = || TimeUnit::Ns.read(typed).filter(|_| typed.contains(char::is_alphabetic));
    plain.parse().ok().map(TimeNs).or_else(with_unit)
}

/// The window between the typed edges. An edge that was not typed or is invalid does not change.
fn reading(typed: &Typed, view: Viewport) -> Reading {
    let (now, data) = (view.window(), view.data);
    let read = typed.each_ref().map(|t| t.as_deref().map(parsed_time));
    let unread = read.map(|r| r == Some(None));
    let [from, to] = read.map(Option::flatten);
    let (from, to) = (from.unwrap_or(now.start), to.unwrap_or(now.end));
    if unread != [false; 2] {
        let bad = typed.iter().zip(unread).find_map(|(t, is_bad)| t.as_deref().filter(|_| is_bad)).unwrap_or_default();
        let bad = text::middle_ellipsis(bad, 40);
        let message =
            Some(format!("Expected whole nanoseconds, or a time with its unit such as 1.5 ms, found {bad}. This edge is unchanged."));
        let view = (from < to && from < data.end && to > data.start && unread != [true; 2]).then(|| shown(view, from, to));
        return Reading { view, is_wrong: unread, message };
    }
    let ns = |t: TimeNs| format!("{} ns", t.0).replace('-', "−");
    let refused =
        |is_wrong, message: String| Reading { view: None, is_wrong, message: Some(format!("{message} The window is unchanged.")) };
    if from >= to {
        return refused([true; 2], format!("From must be before To, found {} and {}.", ns(from), ns(to)));
    }
    if from >= data.end || to <= data.start {
        let span = format!("Outside the profile, which covers {} to {}.", ns(data.start), ns(data.end));
        return refused([from >= data.end, to <= data.start], span);
    }
    let view = shown(view, from, to);
    let is_exact = view.window() == TimeRange::new(from, to);
    let message = format!("Clipped to the profile, which covers {} to {}.", ns(data.start), ns(data.end));
    Reading { view: Some(view), is_wrong: [false; 2], message: (!is_exact).then_some(message) }
}

fn shown(mut view: Viewport, from: TimeNs, to: TimeNs) -> Viewport {
    view.show(TimeRange::new(from, to));
    view
}

/// Start and end of the window, to the nanosecond.
#[component]
pub fn Window(stage: TimelineHandle, marking: Marking) -> impl IntoView {
    // With the window it belongs to: it is dropped when the window changes.
    let last_reading = RwSignal::new(None::<(TimeRange, Typed, Reading)>);
    let window = move || stage.shown.window.get().unwrap_or_default();
    let current = move || last_reading.get().filter(|k| k.0 == window());
    let edge = move |at: usize| {
        let typed = current().and_then(|(_, mut typed, _)| typed[at].take());
        let window = window();
        typed.unwrap_or_else(|| if at == 1 { window.end.0 } else { window.start.0 }.to_string())
    };
    let change = move |at: usize, input: web_sys::HtmlInputElement| {
        let mut typed = untrack(current).map(|k| k.1).unwrap_or_default();
        typed[at] = Some(input.value());
        let Some(read) = stage.look(|core| reading(&typed, core.view)) else { return };
        stage.change(|core| core.view = read.view.unwrap_or(core.view));
        // What was taken reads as the window from now on.
        let is_refused = read.view.is_none();
        let typed = [0, 1].map(|i| typed[i].take().filter(|_| is_refused || read.is_wrong[i]));
        let window = stage.look(|core| core.view.window()).unwrap_or_default();
        last_reading.set((read.message.is_some()).then_some((window, typed, read)));
        input.set_value(&untrack(|| edge(at)));
    };
    let note = format!("window-{}", unique());
    let field = |at: usize, label: &'static str, id: &'static str| {
        view! {
            <label class="flows__item">
                {label}
                <input
                    class="input mono settings-panel__time" inputmode="numeric" data-setting=id prop:value=move || edge(at)
                    aria-invalid=move || current().is_some_and(|k| k.2.is_wrong[at]).to_string() aria-describedby=note.clone()
                    on:change:target=move |e| change(at, e.target())
                />
            </label>
        }
    };
    view! {
        <fieldset class="flows">
            <legend class="flows__title">"Window (ns)"</legend>
            <div class="settings-panel__window">{field(0, "From", "from")}{field(1, "To", "to")}</div>
            <p class="flows__wrong" role="status" id=note.clone() data-wrong="window">{move || current().and_then(|k| k.2.message)}</p>
            <Between stage marking />
        </fieldset>
    }
}

/// Markers, and both ends of regions: (what names it, label, when), by time.
fn marked_times(set: &AnnotationSet) -> Vec<(String, String, TimeNs)> {
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
fn between(marked_times: &[(String, String, TimeNs)], chosen: &(String, String)) -> Option<(usize, usize, TimeRange)> {
    let place = |id: &str| marked_times.iter().position(|m| m.0 == id);
    let (a, b) = (place(&chosen.0).unwrap_or(0), place(&chosen.1).or(marked_times.len().checked_sub(1))?);
    let (from, to) = (marked_times.get(a)?.2, marked_times.get(b)?.2);
    Some((a, b, TimeRange::new(from.min(to), from.max(to))))
}

/// Two markers as the edges of the window; absent while there are fewer.
#[component]
fn Between(stage: TimelineHandle, marking: Marking) -> impl IntoView {
    let known = Memo::new(move |_| marking.book.with(|b| marked_times(&b.current)));
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
                {select(false, "Marker at the start of the window")}
                "to"
                {select(true, "Marker at the end of the window")}
                <button
                    type="button" class="button" data-setting="between" title="Show exactly the time from marker A to marker B"
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
    fn an_impossible_window_is_reported_and_the_rest_is_used() {
        let data = TimeRange::new(TimeNs(0), TimeNs(1_000_000));
        let check = |from: Option<&str>, to: Option<&str>, want: (Option<(i64, i64)>, [bool; 2], &str)| {
            let got = reading(&[from.map(Into::into), to.map(Into::into)], Viewport::whole(data, 1000.0));
            let window = got.view.map(|v| (v.window().start.0, v.window().end.0));
            assert_eq!((window, got.is_wrong), (want.0, want.1), "{from:?} {to:?}");
            assert!(got.message.as_deref().unwrap_or_default().contains(want.2), "{:?}", got.message);
            assert_eq!(got.message.is_none(), want.2.is_empty(), "{:?}", got.message);
        };
        check(Some("1 000"), Some("2,000"), (Some((1_000, 2_000)), [false; 2], ""));
        check(Some("1.5 us"), None, (Some((1_500, 1_000_000)), [false; 2], ""));
        check(Some("1e99"), Some("2000"), (Some((0, 2_000)), [true, false], "found 1e99"));
        check(None, Some("soon"), (Some((0, 1_000_000)), [false, true], "found soon"));
        check(Some("now"), Some("soon"), (None, [true; 2], "found now"));
        check(Some("3000"), Some("2000"), (None, [true; 2], "From must be before To, found 3000 ns and 2000 ns"));
        check(Some("2000000"), Some("3000000"), (None, [true, false], "Outside the profile"));
        check(Some("-50"), Some("-20"), (None, [false, true], "Outside the profile"));
        check(None, Some("99999999999"), (Some((0, 1_000_000)), [false; 2], "Clipped to the profile"));
        check(Some("5"), Some("6"), (Some((5, 25)), [false; 2], "Clipped to the profile"));
    }

    #[test]
    fn markers_and_ends_of_regions_are_edges() {
        let mut set = AnnotationSet::default();
        assert_eq!(between(&marked_times(&set), &Default::default()), None);
        set.add_marker(TimeNs(500));
        set.add_region(TimeRange::new(TimeNs(100), TimeNs(900)));
        set.add_marker(TimeNs(200));
        let all = marked_times(&set);
        let listed: Vec<(&str, &str, i64)> = all.iter().map(|m| (m.0.as_str(), m.1.as_str(), m.2.0)).collect();
        let want = [("2 start", "Region 1, start", 100), ("3", "Marker 2", 200), ("1", "Marker 1", 500), ("2 end", "Region 1, end", 900)];
        assert_eq!(listed, want);
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
