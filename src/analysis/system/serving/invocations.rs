//! Invocations: executions of a model on a logical core, those of its physical cores joined.

use crate::base::Order as _;
use crate::base::{SliceId, StrId, TrackId};
use crate::model::{NeuronSystem, Profile};
use std::collections::BTreeMap;

/// A logical core: server, process, core. Where the core is not recorded, the row of the execution is one by itself.
pub(in crate::analysis::system) type CoreKey = (StrId, StrId, StrId, Option<TrackId>);

/// An execution of a model on a logical core.
#[derive(Debug, Clone, Copy)]
pub(in crate::analysis::system) struct Invocation {
    /// Where it ran.
    pub core: CoreKey,
    /// Earliest start and latest end of its physical cores, nanoseconds.
    pub span: (i64, i64),
    /// The model; `StrId(0)` where none is recorded.
    pub model: StrId,
    /// The id of the execution; `StrId(0)` where none is recorded.
    pub execution: StrId,
    /// The execution of the physical core that starts first.
    pub slice: SliceId,
    /// Physical cores that ran it.
    pub n_physical: u32,
}

impl Invocation {
    /// Duration, nanoseconds.
    pub fn duration(&self) -> i64 {
        self.span.1.saturating_sub(self.span.0)
    }
}

/// Invocations that may still be joined by another physical core. No device has more cores; hostile files have no more to search.
const MOST_OPEN: usize = 16;

/// All invocations, by start.
///
/// Executions of one logical core on different physical ones are one invocation where they are of the same model and overlap by at least half of
/// the shorter. Back-to-back invocations overlap by less, however the physical cores are apart.
pub(in crate::analysis::system) fn invocations(profile: &Profile, system: &NeuronSystem) -> Vec<Invocation> {
    let mut by_core: BTreeMap<CoreKey, Vec<(Invocation, TrackId)>> = BTreeMap::new();
    for execution in &system.executions {
        let at = execution.slice.index();
        let Some(track) = profile.track_of(execution.slice) else { continue };
        let row = system.rows[track.index()];
        let core = (row.instance, row.process, row.core, (row.core == StrId(0)).then_some(track));
        let span = (profile.slices.start[at], profile.slices.end(at));
        let one = Invocation { core, span, model: execution.model, execution: execution.execution, slice: execution.slice, n_physical: 1 };
        by_core.entry(core).or_default().push((one, track));
    }
    let mut out = Vec::with_capacity(system.executions.len());
    for mut all in by_core.into_values() {
        all.order_by_key(|(one, track)| (one.span, *track));
        let mut open: Vec<(usize, Vec<TrackId>)> = Vec::new();
        for (one, track) in all {
            open.retain(|(at, _): &(usize, _)| out.get(*at).is_some_and(|i: &Invocation| i.span.1 > one.span.0));
            let fitting = open.iter_mut().filter(|(at, tracks)| !tracks.contains(&track) && is_same(&out[*at], &one));
            match fitting.max_by_key(|(at, _)| overlap(&out[*at], &one)) {
                Some((at, tracks)) => {
                    let whole: &mut Invocation = &mut out[*at];
                    whole.span.1 = whole.span.1.max(one.span.1);
                    whole.n_physical += 1;
                    tracks.push(track);
                }
                None => {
                    open.truncate(MOST_OPEN - 1);
                    open.insert(0, (out.len(), vec![track]));
                    out.push(one);
                }
            }
        }
    }
    out.order_by_key(|i| (i.span, i.core));
    out
}

fn overlap(a: &Invocation, b: &Invocation) -> i64 {
    a.span.1.min(b.span.1).saturating_sub(a.span.0.max(b.span.0))
}

fn is_same(a: &Invocation, b: &Invocation) -> bool {
    let common = overlap(a, b);
    a.model == b.model && common > 0 && common.saturating_mul(2) >= a.duration().min(b.duration())
}
