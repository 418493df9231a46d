//! What the figures of a view are about: the whole profile or a range of it.

use crate::base::{TimeRange, text};

/// In a sentence.
pub fn sentence(range: Option<TimeRange>) -> String {
    match range {
        None => "Whole profile".into(),
        Some(r) => format!("Selected range {} – {} ({})", text::time(r.start), text::time(r.end), text::duration(r.duration())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    #[test]
    fn the_scope_is_said() {
        assert_eq!(sentence(None), "Whole profile");
        let range = TimeRange::new(TimeNs(1_000_000), TimeNs(3_500_000));
        assert_eq!(sentence(Some(range)), "Selected range 1.00 ms – 3.50 ms (2.50 ms)");
    }
}
