//! The scope of a view: the entire trace, the range that is selected in the timeline, or the windows of a region.

use crate::base::{TimeRange, text};
use crate::state::App;
use leptos::prelude::*;

/// In a sentence; of a region also how many windows it has. Tracked inside a page.
pub fn sentence(range: Option<TimeRange>) -> String {
    if let Some(region) = use_context::<App>().and_then(|app| app.region()).filter(|region| Some(region.wall) == range) {
        return region.sentence();
    }
    match range {
        None => "Entire trace".into(),
        Some(r) => format!("Selected range {} – {} ({})", text::time(r.start), text::time(r.end), text::duration(r.duration())),
    }
}

/// The scope text of a view with values of the entire trace only; `None` if no range is selected.
fn entire(has_range: bool, is_of_file: bool, note: &str) -> Option<String> {
    match (has_range, is_of_file) {
        (true, _) => Some(format!("Entire trace: {note}")),
        (false, false) => Some("Entire trace".into()),
        (false, true) => None,
    }
}

/// In the header of a view that does not follow the selected range, or only in part.
#[component]
pub fn EntireTrace(
    /// The parts that do not follow the range, as the end of a sentence.
    #[prop(default = "this view does not follow the selected range")]
    note: &'static str,
    /// Whether the view is about the file: its scope is shown only while a range is selected.
    #[prop(optional)]
    is_of_file: bool,
) -> impl IntoView {
    let range = use_context::<App>().map(|app| app.range);
    let description = move || entire(range.is_some_and(|r| r.with(Option::is_some)), is_of_file, note);
    move || description().map(|description| view! { <span class="scope" data-scope="entire">{description}</span> })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    #[test]
    fn the_scope_is_said() {
        assert_eq!(sentence(None), "Entire trace");
        let range = TimeRange::new(TimeNs(1_000_000), TimeNs(3_500_000));
        assert_eq!(sentence(Some(range)), "Selected range 1.00 ms – 3.50 ms (2.50 ms)");
    }

    #[test]
    fn a_view_that_cannot_follow_a_range_says_so() {
        let note = "this view does not follow the selected range";
        assert_eq!(entire(false, false, note).as_deref(), Some("Entire trace"));
        assert_eq!(entire(false, true, note), None);
        for is_of_file in [false, true] {
            assert_eq!(entire(true, is_of_file, note).as_deref(), Some("Entire trace: this view does not follow the selected range"));
        }
    }
}
