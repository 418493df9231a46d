//! The step of a trace that a run summary names, until the trace is opened.

use crate::base::TimeRange;

/// A trace that is not open yet, and where to go in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WantedStep {
    /// Content hash of the file.
    pub hash: String,
    /// Path of the file, below the directory of the run.
    pub path: String,
    /// Number of the step; `None` for the entire trace.
    pub step: Option<u32>,
}

/// The last part of a path, without `.gz`: a trace may be unpacked after the summary was made.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path).trim_end_matches(".gz")
}

impl WantedStep {
    /// Whether an opened profile is the trace: by content, else by the name of its file.
    pub fn is_of(&self, hash: &str, path: &str) -> bool {
        self.hash == hash || !file_name(path).is_empty() && file_name(path) == file_name(&self.path)
    }

    /// The range of the step among the steps of a trace (name and range, by start); by place where names are no numbers, as parts count them.
    pub fn range<'a>(&self, steps: impl Iterator<Item = (&'a str, TimeRange)> + Clone) -> Option<TimeRange> {
        let step = self.step?;
        let number = |name: &str| name.parse::<u32>().ok();
        let by_place = steps.clone().any(|(name, _)| number(name).is_none());
        let mut found = steps.enumerate().filter(|(at, (name, _))| if by_place { *at as u32 == step } else { number(name) == Some(step) });
        found.next().map(|(_, (_, range))| range)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    fn range(start: i64) -> TimeRange {
        TimeRange { start: TimeNs(start), end: TimeNs(start + 10) }
    }

    #[test]
    fn a_trace_is_known_by_content_or_by_its_file() {
        let wanted = WantedStep { hash: "0f".into(), path: "traces/node1_7.rank3.pt.trace.json.gz".into(), step: Some(11) };
        assert!(wanted.is_of("0f", "renamed.json"));
        assert!(wanted.is_of("aa", "node1_7.rank3.pt.trace.json"));
        assert!(!wanted.is_of("aa", "node1_7.rank4.pt.trace.json"));
        assert!(!WantedStep::default().is_of("aa", ""));
    }

    #[test]
    fn a_step_is_found_by_number_else_by_place() {
        let wanted = WantedStep { step: Some(1), ..WantedStep::default() };
        let numbered = [("1", range(100)), ("2", range(200))];
        assert_eq!(wanted.range(numbered.into_iter()), Some(range(100)));
        let named = [("warm-up", range(100)), ("2", range(200))];
        assert_eq!(wanted.range(named.into_iter()), Some(range(200)));
        assert_eq!(WantedStep::default().range(numbered.into_iter()), None);
    }
}
