//! Slices and counters that programs print into the kernel's trace (`B|pid|name`, `E|pid`, `C|pid|name|value`).

use super::super::ntff::Message;
use super::content::{Content, Row, Step};
use super::tracks::TrackKey;
use crate::base::{Ledger, Severity, StrId};
use crate::model::RecordRef;

/// `FtraceEvent`: time, thread, printed text.
const TIMESTAMP: u64 = 1;
const THREAD: u64 = 2;
const PRINT: u64 = 3;

impl Content {
    /// Reads an `FtraceEventBundle`. It is shown if all of its events are.
    pub(super) fn ftrace(&mut self, bytes: &[u8], at: u64, ledger: &mut Ledger) {
        let (mut n_shown, mut n_other) = (0u64, 0u64);
        for (_, value) in Message::new(bytes).filter(|(field, _)| *field == 2) {
            let event = value.bytes();
            let text = Message::field(Message::field(event, PRINT).bytes(), 2).bytes();
            let time = i64::try_from(Message::field(event, TIMESTAMP).number());
            let is_read =
                time.is_ok_and(|time| self.printed(time, Message::field(event, THREAD).number() as i64, &String::from_utf8_lossy(text)));
            if is_read { n_shown += 1 } else { n_other += 1 }
        }
        if n_other > 0 || n_shown == 0 {
            let reason = "Kernel events (ftrace) other than printed slices are not shown.";
            ledger.skip(Severity::Info, "ftrace", reason, at, || format!("{n_other} of {} events", n_other + n_shown));
        } else {
            ledger.shown += 1;
        }
    }

    /// Whether `text`, printed by thread `tid`, is a slice or its end.
    fn printed(&mut self, time: i64, tid: i64, text: &str) -> bool {
        let mut parts = text.trim_end().splitn(3, '|');
        let (what, pid, name) = (parts.next(), parts.next().and_then(|p| p.parse::<i64>().ok()), parts.next());
        let (step, name) = match (what, name) {
            (Some("B"), Some(name)) => (Step::Begin, self.builder.strings.intern(name)),
            (Some("E"), _) => (Step::End, StrId(0)),
            _ => return false,
        };
        // The thread of the trace has priority over the one that the program printed.
        let pid = self.tracks.process_of(tid).or(pid.filter(|pid| *pid != 0)).unwrap_or(tid);
        let track = self.track(TrackKey::Thread(pid, tid));
        self.rows.push(Row { time, step, track, name, category: StrId(0), record: RecordRef::default(), arrows: (0, 0), is_record: false });
        true
    }
}
