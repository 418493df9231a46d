//! Which annotations are the steps of a trace.

use super::annotation::{StepShape, parse};
use crate::analysis::matcher::PatternError;
use crate::analysis::torch::View;
use crate::analysis::torch::core::class::Class;
use crate::base::Order as _;
use crate::base::{StrId, TrackId};
use regex_lite::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;

/// A step's annotation.
#[derive(Debug, Clone, Copy)]
pub struct Marked {
    /// Its slice.
    pub slice: u32,
    /// Start, nanoseconds.
    pub start: i64,
    /// End, nanoseconds.
    pub end: i64,
    /// Data in its name; `None` for a step found by its plain name.
    pub shape: Option<StepShape>,
}

/// The annotations, by start, and what they are.
#[derive(Debug, Default)]
pub struct Found {
    /// Not nested within a thread.
    pub marks: Vec<Marked>,
    /// Names of engines, `ProfilerStep`, `model_inference`, or the pattern.
    pub source: String,
}

/// The annotation of one generation by xDiT (`xfuser/model_executor/models/runner_models/base_model.py`) and of one call of a model in PyTorch's tutorials.
const ITERATION: &str = "model_inference";
/// Bytes that the program of a pattern may take.
const PATTERN_BYTES: usize = 1 << 20;
/// Names of annotations that are proposed.
const CANDIDATES_MAX: usize = 20;

fn compiled(pattern: &str) -> Result<Regex, PatternError> {
    let built = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build();
    built.map_err(|e| PatternError { pattern: pattern.into(), why: e.to_string() })
}

/// The steps by `pattern`; for an empty one those of serving engines, else of the profiler, else of xDiT.
pub fn find(view: &View<'_>, pattern: &str) -> Result<Found, PatternError> {
    let name_of = |slice: u32| view.profile.slices.name[slice as usize];
    if !pattern.is_empty() {
        let regex = compiled(pattern)?;
        let mut known: FxHashMap<StrId, bool> = FxHashMap::default();
        let mut is_match = |name: StrId| *known.entry(name).or_insert_with(|| regex.is_match(view.profile.strings.get(name)));
        let marks: Vec<u32> = view.model.events.host.iter().copied().filter(|&s| is_match(name_of(s))).collect();
        let shape = |slice: u32| parse(view.profile.strings.get(name_of(slice)));
        return Ok(Found { marks: outermost(view, marks, shape), source: format!("annotations that match `{pattern}`") });
    }
    let is_named = |slice: &u32| matches!(view.model.class[*slice as usize], Class::Annotation | Class::Operator | Class::Python);
    let mut shapes: FxHashMap<StrId, Option<StepShape>> = FxHashMap::default();
    let mut of_name = |name: StrId| *shapes.entry(name).or_insert_with(|| parse(view.profile.strings.get(name)));
    let serving: Vec<(u32, StepShape)> =
        view.model.events.host.iter().copied().filter(is_named).filter_map(|s| Some((s, of_name(name_of(s))?))).collect();
    // A step may have annotations of two engines: the one with more data is used, else the first in the list of engines.
    let Some(best) = serving.iter().map(|(_, s)| (!s.is_detailed, s.engine)).min() else {
        let marks: Vec<u32> = view.model.steps.marks.iter().map(|m| m.slice).collect();
        if !marks.is_empty() {
            return Ok(Found { marks: outermost(view, marks, |_| None), source: "ProfilerStep".into() });
        }
        let is_iteration =
            |s: &u32| view.model.class[*s as usize] == Class::Annotation && view.profile.strings.get(name_of(*s)) == ITERATION;
        let marks = view.model.events.host.iter().copied().filter(is_iteration).collect();
        return Ok(Found { marks: outermost(view, marks, |_| None), source: ITERATION.into() });
    };
    let marks: Vec<u32> = serving.iter().filter(|(_, s)| (!s.is_detailed, s.engine) == best).map(|s| s.0).collect();
    let shape = |slice: u32| parse(view.profile.strings.get(name_of(slice)));
    Ok(Found { marks: outermost(view, marks, shape), source: best.1.label().into() })
}

/// Slices that are not inside another one of the same thread, by start.
fn outermost(view: &View<'_>, mut slices: Vec<u32>, shape: impl Fn(u32) -> Option<StepShape>) -> Vec<Marked> {
    let all = &view.profile.slices;
    let span = |slice: u32| (all.start[slice as usize], all.end(slice as usize));
    slices.order_by_key(|&s| (span(s).0, std::cmp::Reverse(span(s).1)));
    let track_of = crate::analysis::torch::core::events::tracks_by_slice(view.profile);
    let mut ends: FxHashMap<TrackId, i64> = FxHashMap::default();
    let mut out = Vec::with_capacity(slices.len());
    for slice in slices {
        let (start, end) = span(slice);
        let last = ends.entry(track_of(slice)).or_insert(i64::MIN);
        if end > *last || start >= *last {
            *last = end.max(*last);
            out.push(Marked { slice, start, end, shape: shape(slice) });
        }
    }
    out
}

/// Names of annotations that occur at least twice, digits as `#`: (regular expression, how many), most time first.
pub fn candidates(view: &View<'_>) -> Vec<(String, u64)> {
    let slices = &view.profile.slices;
    let mut by_name: FxHashMap<StrId, (u64, i64)> = FxHashMap::default();
    for &slice in &view.model.events.host {
        if matches!(view.model.class[slice as usize], Class::Annotation | Class::Step) {
            let sum = by_name.entry(slices.name[slice as usize]).or_default();
            *sum = (sum.0 + 1, sum.1.saturating_add(slices.duration[slice as usize]));
        }
    }
    let mut by_form: FxHashMap<String, (u64, i64)> = FxHashMap::default();
    for (name, (n, time)) in by_name {
        let sum = by_form.entry(form(view.profile.strings.get(name))).or_default();
        *sum = (sum.0 + n, sum.1.saturating_add(time));
    }
    let mut out: Vec<(String, u64, i64)> = by_form.into_iter().filter(|f| f.1.0 > 1).map(|(form, (n, time))| (form, n, time)).collect();
    out.order_by(|a, b| (b.2, &a.0).cmp(&(a.2, &b.0)));
    out.truncate(CANDIDATES_MAX);
    out.into_iter().map(|(form, n, _)| (form, n)).collect()
}

/// A regular expression for a name and all that differ from it in numbers alone.
fn form(name: &str) -> String {
    let mut out = String::from("^");
    let mut is_number = false;
    for c in name.chars().take(200) {
        if c.is_ascii_digit() {
            if !is_number {
                out.push_str(r"\d+");
            }
            is_number = true;
            continue;
        }
        is_number = false;
        if !c.is_alphanumeric() && !matches!(c, '_' | ' ' | ':' | '#' | ',' | '/' | '=') {
            out.push('\\');
        }
        out.push(c);
    }
    if name.chars().count() <= 200 {
        out.push('$');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_match_their_names() {
        for (name, want) in
            [("denoise step 12", r"^denoise step \d+$"), ("fwd[bs=3] (a.b)", r"^fwd\[bs=\d+\] \(a\.b\)$"), ("é-1", r"^é\-\d+$")]
        {
            assert_eq!(form(name), want);
            assert!(compiled(want).unwrap().is_match(name), "{name}");
        }
        assert!(compiled(&form(&"x".repeat(500))).unwrap().is_match(&"x".repeat(500)));
        assert!(compiled("(").unwrap_err().to_string().contains("is not a valid regular expression"));
    }
}
