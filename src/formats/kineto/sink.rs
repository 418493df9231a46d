//! What the splitter finds, and where it goes.

use super::content::Pass;
use super::event::Event;
use crate::base::Severity;
use crate::formats::json::split::Damage;
use crate::formats::json::{RootKeyAction, Sink};
use crate::formats::wording;

impl Sink for Pass<'_> {
    fn key(&mut self, key: &[u8], begins: u8, offset: u64) -> RootKeyAction {
        if key == b"traceEvents" || key.is_empty() && begins == b'[' {
            if begins == b'[' {
                self.content.has_events = true;
            }
            return RootKeyAction::Records;
        }
        match &mut self.content.deferred {
            Some(deferred) => deferred.roots.push((key.to_vec(), None)),
            None => self.content.facts.key(key),
        }
        // Large tables of other tools; not shown.
        if matches!(key, b"stackFrames" | b"samples") {
            self.ledger.skip(Severity::Info, "root_key_ignored", "A root key that is not shown on the timeline.", offset, || {
                String::from_utf8_lossy(key).into_owned()
            });
            return RootKeyAction::Skip;
        }
        RootKeyAction::Value
    }

    #[inline]
    fn record(&mut self, text: &[u8], offset: u64) -> bool {
        let Ok(event) = Event::read(text, &mut self.content.known) else {
            return false;
        };
        self.event(&event, text, offset);
        true
    }

    fn value(&mut self, key: &[u8], text: &[u8], _offset: u64) {
        match &mut self.content.deferred {
            Some(deferred) => deferred.roots.push((key.to_vec(), Some(text.to_vec()))),
            None => self.content.facts.value(key, text),
        }
    }

    fn damaged(&mut self, text: &[u8], offset: u64, damage: Damage) {
        let example = || String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned();
        let (kind, reason) = match damage {
            Damage::Unreadable => {
                let end = text.iter().rposition(|&b| b == b'}').map_or(0, |at| at + 1);
                if let Ok(event) = Event::read(&text[..end], &mut self.content.known) {
                    return self.event(&event, &text[..end], offset);
                }
                ("unreadable_record", "The record is invalid JSON and cannot be repaired.")
            }
            Damage::Truncated => ("truncated_record", wording::RECORD_TRUNCATED),
            Damage::TooLong => ("long_record", wording::RECORD_TOO_LONG),
            Damage::Stray => ("stray_text", "Text between the records that is not a record."),
        };
        self.content.n_records += 1;
        self.ledger.read += 1;
        self.ledger.skip(Severity::DataLoss, kind, reason, offset, example);
    }
}
