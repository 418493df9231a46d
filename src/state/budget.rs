//! How many profiles are read at once: as many as there are cores, while their estimated memory and that of the open ones stay in a budget.

use crate::base::{Order as _, text};

/// What there is to work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Profiles read at the same time, at most.
    pub n_cores: usize,
    /// Memory of all profiles together, bytes.
    pub bytes: u64,
    /// Workers that read one profile, at most.
    pub readers_max: usize,
}

/// Browsers that do not say how much memory there is.
const USUAL_MEMORY_GIB: f64 = 4.0;

/// What the program of the page can have, whatever the machine has, bytes.
const PAGE_BYTES: u64 = 4 << 30;

/// Workers that read one profile at most, however many cores there are: what adds their columns has one thread.
const READERS_MAX: usize = 4;

/// One for every two cores: the page, the worker that reads blocks ahead and the browser need some too. On two cores a helper makes nothing faster
/// (`docs/performance.md`).
const CORES_PER_READER: usize = 2;

/// What a helper takes: its blocks, and the columns of two pieces of 32 MiB at most, bytes.
const HELPER_BYTES: u64 = 64 << 20;

impl Budget {
    /// Half of the machine's memory. `memory_gib` is the browser's value, which is at most 8.
    pub fn new(n_cores: usize, memory_gib: Option<f64>) -> Self {
        let gib = memory_gib.filter(|gib| gib.is_finite() && *gib > 0.0).unwrap_or(USUAL_MEMORY_GIB);
        let readers_max = (n_cores / CORES_PER_READER).clamp(1, READERS_MAX);
        Budget { n_cores: n_cores.max(1), bytes: (gib / 2.0 * f64::from(1 << 30)) as u64, readers_max }
    }

    /// What becomes of the next profile: `open` bytes are taken by open ones, `running` by each that is being read.
    pub fn next(&self, open: u64, running: &[u64], heap: u64) -> Next {
        let used = running.iter().fold(open, |sum, bytes| sum.saturating_add(*bytes));
        match used.saturating_add(heap) <= self.bytes {
            true if running.len() < self.n_cores => Next::Start,
            false if running.is_empty() => Next::Ask,
            _ => Next::Wait,
        }
    }

    /// How many workers may read one profile side by side: the cores are shared with `n_imports` profiles that are being read or wait, this one
    /// among them; `used` bytes are taken or promised.
    pub fn n_readers(&self, n_imports: usize, used: u64) -> usize {
        let by_memory = self.bytes.saturating_sub(used) / HELPER_BYTES;
        let n_cores = (self.n_cores / n_imports.max(1)).min(self.readers_max);
        n_cores.min(1 + usize::try_from(by_memory).unwrap_or(usize::MAX)).max(1)
    }

    /// The open profiles to put to sleep so that `more` bytes fit: least recently used first, not busy ones. If that cannot suffice, all that are
    /// not busy. `other` bytes are taken by what cannot sleep.
    pub fn to_sleep(&self, open: &[Awake], other: u64, more: u64) -> Vec<u32> {
        let mut used = open.iter().fold(other.saturating_add(more), |sum, p| sum.saturating_add(p.bytes));
        let mut idle: Vec<&Awake> = open.iter().filter(|p| !p.is_busy).collect();
        idle.order_by_key(|p| p.used);
        let mut out = Vec::new();
        for profile in idle {
            if used <= self.bytes {
                break;
            }
            used = used.saturating_sub(profile.bytes);
            out.push(profile.id);
        }
        out
    }

    /// Why copies of columns that take `bytes` are not made, if so. They are made in the page's program, beside the columns. Of a stack these are colours;
    /// what else it needs to be drawn, the pyramids of its lanes, takes about half as much again.
    pub fn refused_copies(&self, bytes: u64) -> Option<String> {
        let most = self.bytes.min(PAGE_BYTES) / 4;
        (bytes > most).then(|| {
            let (needed, most) = (text::bytes(bytes), text::bytes(most));
            format!("Too large for one clock: it needs copies of {needed}, and this page's limit for them is {most}.")
        })
    }

    /// How many of them, in order, can be read at the same time.
    pub fn n_at_once(&self, open: u64, heaps: &[u64]) -> usize {
        let starts = |n: &usize| self.next(open, &heaps[..*n], heaps[*n]) == Next::Start;
        (0..heaps.len()).take_while(starts).count().max(1)
    }

    /// "8 profiles, about 1.2 GiB of memory, 2 at a time".
    pub fn plan(&self, open: u64, heaps: &[u64]) -> String {
        let total = heaps.iter().fold(0u64, |sum, bytes| sum.saturating_add(*bytes));
        format!("{} profiles, about {} of memory, {} at a time", heaps.len(), text::bytes(total), self.n_at_once(open, heaps))
    }

    /// Why the next profile is held back, and what would fit.
    pub fn held(&self, open: u64, heap: u64) -> String {
        let left = self.bytes.saturating_sub(open);
        let advice = if open == 0 { "Record fewer steps, or open it anyway." } else { "Close a profile, or open it anyway." };
        format!(
            "Needs about {} of memory. The open profiles use {}; {} are left of this page's limit of {}. {advice}",
            text::bytes(heap),
            text::bytes(open),
            text::bytes(left),
            text::bytes(self.bytes)
        )
    }
}

/// An open profile that is ready, as the budget counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Awake {
    /// Id of its tab.
    pub id: u32,
    /// Memory of its worker, bytes.
    pub bytes: u64,
    /// When it was shown or asked last; a later use has a larger number.
    pub used: u64,
    /// Whether it is in front or has questions to answer.
    pub is_busy: bool,
}

/// What becomes of the next profile that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It is read now.
    Start,
    /// It waits for another one to end.
    Wait,
    /// It would pass the budget whatever ends: the user decides.
    Ask,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn cores_and_memory_limit_what_is_read_at_once() {
        let budget = Budget::new(2, Some(1.0));
        assert_eq!(budget.bytes, 512 * MIB);
        assert_eq!(budget.next(0, &[], 100 * MIB), Next::Start);
        assert_eq!(budget.next(0, &[MIB, MIB], 100 * MIB), Next::Wait);
        assert_eq!(budget.next(200 * MIB, &[300 * MIB], 100 * MIB), Next::Wait);
        assert_eq!(budget.next(500 * MIB, &[], 100 * MIB), Next::Ask);
        assert_eq!(budget.next(0, &[], u64::MAX), Next::Ask);
        assert_eq!(budget.n_at_once(0, &[100 * MIB; 8]), 2);
        assert_eq!(Budget::new(8, Some(1.0)).n_at_once(100 * MIB, &[200 * MIB; 8]), 2);
        assert_eq!(budget.n_at_once(0, &[600 * MIB]), 1);
    }

    #[test]
    fn copies_take_a_quarter_at_most() {
        let budget = |gib| Budget::new(2, Some(gib));
        assert_eq!(budget(1.0).refused_copies(128 * MIB), None);
        let why = budget(1.0).refused_copies(129 * MIB).expect("a reason");
        assert_eq!(why, "Too large for one clock: it needs copies of 129 MiB, and this page's limit for them is 128 MiB.");
        assert_eq!([1024, 1025].map(|mib| budget(64.0).refused_copies(mib * MIB).is_some()), [false, true]);
    }

    #[test]
    fn cores_are_shared_by_what_is_read() {
        let budget = Budget { readers_max: 8, ..Budget::new(8, Some(8.0)) };
        assert_eq!([1, 2, 3, 8, 9].map(|n| budget.n_readers(n, 0)), [8, 4, 2, 1, 1]);
        assert_eq!(budget.n_readers(1, budget.bytes - 130 * MIB), 3);
        assert_eq!(budget.n_readers(1, u64::MAX), 1);
    }

    #[test]
    fn every_other_core_reads() {
        assert_eq!([1, 2, 3, 4, 7, 8, 64].map(|n| Budget::new(n, Some(8.0)).n_readers(1, 0)), [1, 1, 1, 2, 3, 4, 4]);
    }

    #[test]
    fn the_least_used_sleep_and_no_more_than_must() {
        let budget = Budget::new(2, Some(1.0));
        let profile = |id, used, is_busy| Awake { id, bytes: 200 * MIB, used, is_busy };
        let open = [profile(1, 9, false), profile(2, 3, false), profile(3, 5, true), profile(4, 4, false)];
        assert_eq!(budget.to_sleep(&open, 0, 0), [2, 4]);
        assert!(budget.to_sleep(&open[..2], 0, 0).is_empty());
        assert_eq!(budget.to_sleep(&open[..2], 0, 200 * MIB), [2]);
        assert_eq!(budget.to_sleep(&open[..2], 200 * MIB, 0), [2]);
        assert_eq!(budget.to_sleep(&open, 0, u64::MAX), [2, 4, 1]);
        assert!(budget.to_sleep(&open[2..3], 0, u64::MAX).is_empty());
    }

    #[test]
    fn the_plan_is_said_in_words() {
        let budget = Budget::new(2, Some(8.0));
        assert_eq!(budget.plan(0, &[150 * MIB; 8]), "8 profiles, about 1.17 GiB of memory, 2 at a time");
        let held = Budget::new(2, Some(1.0)).held(400 * MIB, 200 * MIB);
        assert!(held.contains("about 200 MiB") && held.contains("112 MiB are left") && held.contains("Close a profile"), "{held}");
    }

    #[test]
    fn a_browser_that_tells_nothing_has_a_budget_too() {
        assert_eq!(Budget::new(0, None), Budget { n_cores: 1, bytes: 2 << 30, readers_max: 1 });
        assert_eq!(Budget::new(4, Some(f64::NAN)).bytes, 2 << 30);
    }
}
