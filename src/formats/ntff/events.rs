//! Semaphores: each record says a new value of one.

use super::info::Region;
use super::job::Job;
use super::records::Record;
use crate::base::{Severity, StrId};
use crate::formats::ImportError;
use crate::formats::neff::hex;
use rustc_hash::FxHashMap;

/// Values below this have their names in a list, by value: a long run has millions of records, and few values.
const FEW: i64 = 1 << 10;

/// Names of the values of semaphores that were met.
#[derive(Default)]
struct Names {
    /// By semaphore, then by value; the empty text's id where the value was not met.
    small: Vec<Vec<StrId>>,
    others: FxHashMap<(u8, i64), StrId>,
}

impl Names {
    /// The place of a value's name.
    #[inline]
    fn place(&mut self, id: u8, value: i64) -> &mut StrId {
        if !(0..FEW).contains(&value) {
            return self.others.entry((id, value)).or_default();
        }
        let (id, value) = (usize::from(id), value as usize);
        if self.small.len() <= id {
            self.small.resize(id + 1, Vec::new());
        }
        let names = &mut self.small[id];
        if names.len() <= value {
            names.resize(value + 1, StrId::default());
        }
        &mut names[value]
    }
}

/// Reads a region of semaphore records.
pub(super) async fn read(job: &mut Job<'_, '_>, core: usize, region: &Region) -> Result<(), ImportError> {
    let mut names = Names::default();
    job.for_each(region.span, &mut |job, record| event(job, core, &record, &mut names)).await
}

fn event(job: &mut Job<'_, '_>, core: usize, record: &Record, names: &mut Names) {
    let time = record.time();
    let Some((id, value)) = record.semaphore() else {
        let reason = "Event notifications are not shown: their meaning is not documented, and the profiler skips them too.";
        return job.ledger.skip(Severity::Info, "event", reason, record.offset, || hex(&record.bytes));
    };
    if !job.is_inside(time) {
        return job.outside(1, record.offset);
    }
    let ns = job.ns(time);
    let name = names.place(id, value);
    if *name == StrId::default() {
        *name = job.timeline.semaphore_name(&id.to_string(), value);
    }
    job.timeline.semaphore_value(core, *name, (ns, record.place()));
    job.ledger.shown += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_of_each_semaphore_has_a_name_of_its_own() {
        let (mut names, values) = (Names::default(), [0, 1, FEW - 1, FEW, i64::from(u32::MAX), -1]);
        let all = [0u8, 7, 255].into_iter().flat_map(|id| values.map(|value| (id, value)));
        for (n, (id, value)) in (1..).zip(all.clone()) {
            let place = names.place(id, value);
            assert_eq!(*place, StrId::default(), "S[{id}] = {value} is new");
            *place = StrId(n);
        }
        assert!((1..).zip(all).all(|(n, (id, value))| *names.place(id, value) == StrId(n)));
    }
}
