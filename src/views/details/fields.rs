//! The fields of the record in named groups, with a switch for advanced ones.

use crate::base::text;
use crate::engine::query::{Details, Field};
use crate::state::choices::Choice;
use crate::ui::controls::CopyButton;
use crate::views::wording;
use leptos::prelude::*;

/// Groups of ids, checksums, raw bytes, and unknown keys.
const ADVANCED: [&str; 4] = ["Links", "Check", "Raw", "Other keys"];

/// Such fields in other groups.
const ADVANCED_KEYS: [&str; 12] =
    ["id", "pc", "compiler_pc", "ph", "pid", "tid", "ts", "bp", "External id", "external id", "correlation", "Ev Idx"];

/// One field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    key: String,
    value: String,
    help: String,
    is_advanced: bool,
}

/// Fields under one heading.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    title: String,
    rows: Vec<Row>,
}

/// When and where; never hidden.
pub(super) fn times(details: &Details) -> Group {
    let row = |key: &str, value: String, help: &str| Row { key: key.into(), value, help: help.into(), is_advanced: false };
    if details.item.slice().is_none() {
        // A moment has no duration, which is not a duration of 0.
        let rows = vec![row("time", text::time_exact(details.start.0), wording::SINCE_ORIGIN), row("track", details.track.clone(), "")];
        return Group { title: "Instant".into(), rows };
    }
    let mut rows = vec![
        row("start", text::time_exact(details.start.0), wording::SINCE_ORIGIN),
        row("duration", text::time_exact(details.duration.0), ""),
    ];
    rows.extend(details.self_time.map(|t| row("self time", text::time_exact(t.0), "Duration minus the time of its child slices.")));
    rows.push(row("track", details.track.clone(), ""));
    Group { title: "Slice".into(), rows }
}

/// The fields by group, in the order of the file; empty ones are omitted.
pub(super) fn groups(fields: &[Field]) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    for field in fields.iter().filter(|f| !f.value.trim().is_empty()) {
        let unit = if field.unit.is_empty() { String::new() } else { format!(" {}", field.unit) };
        // The second record of a slice has its own headings.
        let group = field.group.strip_prefix("End: ").unwrap_or(&field.group);
        let is_advanced = ADVANCED.contains(&group) || ADVANCED_KEYS.contains(&field.key.as_str());
        let row = Row { key: field.key.clone(), value: format!("{}{unit}", field.value), help: field.help.clone(), is_advanced };
        match out.iter_mut().find(|g| g.title == field.group) {
            Some(group) => group.rows.push(row),
            None => out.push(Group { title: field.group.clone(), rows: vec![row] }),
        }
    }
    out
}

/// Whether any field is an advanced one.
pub(super) fn has_advanced(groups: &[Group]) -> bool {
    groups.iter().flat_map(|g| &g.rows).any(|r| r.is_advanced)
}

/// The groups without such fields, and without groups that have no other.
fn plain(groups: &[Group]) -> Vec<Group> {
    let keep = |g: &Group| Group { title: g.title.clone(), rows: g.rows.iter().filter(|r| !r.is_advanced).cloned().collect() };
    groups.iter().map(keep).filter(|g| !g.rows.is_empty()).collect()
}

/// The switch.
#[component]
pub(super) fn AdvancedSwitch(advanced: Choice<bool>) -> impl IntoView {
    let (is_on, set) = advanced;
    view! {
        <label class="drawer__advanced" title="Show ids, checksums, raw bytes, and undocumented keys">
            <input type="checkbox" data-advanced="" prop:checked=move || is_on.get() on:change:target=move |e| set.set(e.target().checked()) />
            "Advanced"
        </label>
    }
}

/// All groups, or the plain ones.
#[component]
pub(super) fn Fields(groups: Vec<Group>, advanced: Option<Choice<bool>>) -> impl IntoView {
    let has_all = move || advanced.is_none_or(|a| a.0.get());
    move || {
        let shown = if has_all() { groups.clone() } else { plain(&groups) };
        shown.into_iter().map(|group| view! { <FieldGroup group /> }).collect_view()
    }
}

/// The fields under one heading.
#[component]
pub(super) fn FieldGroup(group: Group) -> impl IntoView {
    let rows = group.rows.into_iter().filter(|r| !r.value.trim().is_empty()).map(|Row { key, value, help, .. }| {
        view! { <dt title=help>{key}</dt><dd class="mono"><span class="facts__value">{text::brief(&value)}</span><CopyButton text=value /></dd> }
    });
    let title = group.title.clone();
    view! { <section class="facts" data-fields=title><h3>{group.title}</h3><dl class="facts__list">{rows.collect_view()}</dl></section> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_raw_bytes_can_be_left_out() {
        let field = |group: &str, key: &str, value: &str| Field {
            group: group.into(),
            key: key.into(),
            value: value.into(),
            unit: String::new(),
            help: String::new(),
        };
        let fields = [
            field("Instruction", "opcode", "MATMUL"),
            field("Instruction", "pc", "7"),
            field("Links", "bir_id", "I-1"),
            field("Memory", "semaphore_id", "5"),
            field("End: Event", "ph", "E"),
            field("Check", "crc", " "),
        ];
        let all = groups(&fields);
        let listed = |groups: &[Group]| groups.iter().map(|g| format!("{} {}", g.title, g.rows.len())).collect::<Vec<_>>();
        assert_eq!(listed(&all), ["Instruction 2", "Links 1", "Memory 1", "End: Event 1"]);
        assert_eq!(listed(&plain(&all)), ["Instruction 1", "Memory 1"]);
        assert!(has_advanced(&all) && !has_advanced(&plain(&all)));
    }
}
