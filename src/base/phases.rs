//! Phases of opening a file, timed by a clock that the program brings: a browser's, or that of the command line.

use std::sync::OnceLock;

/// A part of the time between a chosen file and its first answer. Phases of one thread do not overlap, except for those of helpers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Waiting for bytes of the file.
    Read,
    /// Decompressing gzip.
    Inflate,
    /// Finding records and reading them into columns, in one pass over each block.
    Parse,
    /// Waiting for a piece that another thread parses.
    Wait,
    /// A piece read and parsed by a helper, a worker of its own: beside the phases of the worker that opens the file.
    Helper,
    /// Decoding the columns of such a piece.
    Unpack,
    /// Adding the columns of a piece.
    Merge,
    /// Sorting, lanes, parents, and what links records: from the last block to the profile.
    Freeze,
    /// Columns copied into buffers that go from the worker to the page.
    Transfer,
    /// The same columns copied out of these buffers on the page.
    Receive,
    /// Rows and indices of the timeline.
    Layout,
    /// The first frame of the timeline.
    Paint,
    /// From the first question of a view to its answer.
    FirstAnswer,
}

impl Phase {
    /// Every phase, in the order of an opening.
    pub const ALL: [Phase; 13] = [
        Phase::Read,
        Phase::Inflate,
        Phase::Parse,
        Phase::Wait,
        Phase::Helper,
        Phase::Unpack,
        Phase::Merge,
        Phase::Freeze,
        Phase::Transfer,
        Phase::Receive,
        Phase::Layout,
        Phase::Paint,
        Phase::FirstAnswer,
    ];

    /// Name in tables; on a browser's performance timeline it follows `axonscope:`.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Read => "read",
            Phase::Inflate => "inflate",
            Phase::Parse => "parse",
            Phase::Wait => "wait",
            Phase::Helper => "helper",
            Phase::Unpack => "unpack",
            Phase::Merge => "merge",
            Phase::Freeze => "freeze",
            Phase::Transfer => "transfer",
            Phase::Receive => "receive",
            Phase::Layout => "layout",
            Phase::Paint => "paint",
            Phase::FirstAnswer => "first answer",
        }
    }
}

/// Receives the phases of a program.
#[derive(Debug, Clone, Copy)]
pub struct Listener {
    /// Milliseconds of a clock that never goes back.
    pub now_ms: fn() -> f64,
    /// A phase lasted from the first time to the second, milliseconds of that clock.
    pub report: fn(Phase, f64, f64),
}

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Sets the listener for phases. Only the first call of a program has an effect.
pub fn listen(listener: Listener) {
    LISTENER.get_or_init(|| listener);
}

/// Runs `work` and reports how long it took.
pub fn time<T>(phase: Phase, work: impl FnOnce() -> T) -> T {
    let began = begin();
    let out = work();
    began.end(phase);
    out
}

/// Reports a phase that ends now and took `ms` milliseconds, measured by another clock.
pub fn took(phase: Phase, ms: f64) {
    if let Some(listener) = LISTENER.get() {
        let now = (listener.now_ms)();
        (listener.report)(phase, now - ms, now);
    }
}

/// A moment from which phases are timed; nothing where nobody listens.
#[derive(Debug, Clone, Copy)]
pub struct Began(Option<f64>);

/// Now.
pub fn begin() -> Began {
    Began(LISTENER.get().map(|l| (l.now_ms)()))
}

impl Began {
    /// Milliseconds since then; 0 where nobody listens.
    pub fn elapsed_ms(self) -> f64 {
        self.elapsed().unwrap_or(0.0)
    }

    /// Milliseconds since then; `None` where nobody listens.
    pub fn elapsed(self) -> Option<f64> {
        self.0.zip(LISTENER.get()).map(|(from, l)| (l.now_ms)() - from)
    }

    /// The phase that began then ends now.
    pub fn end(self, phase: Phase) {
        self.end_without(phase, 0.0);
    }

    /// The same, without `others_ms` milliseconds in which other phases ran.
    pub fn end_without(self, phase: Phase, others_ms: f64) {
        if let (Some(from), Some(listener)) = (self.0, LISTENER.get()) {
            (listener.report)(phase, from, ((listener.now_ms)() - others_ms).max(from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        let names: std::collections::BTreeSet<&str> = Phase::ALL.iter().map(|p| p.name()).collect();
        assert_eq!(names.len(), Phase::ALL.len());
        assert!(Phase::ALL.is_sorted());
    }
}
