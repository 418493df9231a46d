//! The elements of a list, 64 bytes at a time, and what to do with damaged ones.

use super::{Damage, LONG, Mode, RECORD_MAX, RootKeyAction, Sink, Splitter};
use crate::formats::json::resync;
use crate::formats::json::scan::STEP;

/// Why the scan of elements stopped.
enum Stopped {
    /// The block is used up.
    BlockEnd,
    /// The list, or the single value, ended before this position.
    Closed(usize),
    /// An open record is suspiciously long; scanned up to here.
    Long(usize),
    /// Go on at this position with fresh state.
    Restart(usize),
}

impl Splitter {
    /// Scans elements from `at`; returns where to go on.
    pub(super) fn elements(&mut self, block: &[u8], at: usize, base: u64, sink: &mut dyn Sink) -> usize {
        // Where in the block the open record's text begins.
        let mut from = at;
        match self.scan(block, at, &mut from, base, sink) {
            Stopped::BlockEnd => {
                self.carry_over(&block[from.min(block.len())..]);
                block.len()
            }
            Stopped::Closed(next) => {
                self.mode = if self.is_list_root { Mode::End } else { Mode::Entries };
                next
            }
            Stopped::Restart(next) => next,
            Stopped::Long(scanned) => {
                self.carry_over(&block[from..scanned]);
                self.look_again(sink);
                scanned
            }
        }
    }

    /// Keeps a part of the open record.
    fn carry_over(&mut self, part: &[u8]) {
        if self.is_open && self.is_buffered {
            let room = RECORD_MAX.saturating_sub(self.carry.len());
            self.carry.extend_from_slice(&part[..part.len().min(room)]);
        }
    }

    /// The open record is long: cuts it where the next one begins, if it does.
    fn look_again(&mut self, sink: &mut dyn Sink) {
        self.look_at = self.carry.len().saturating_mul(2);
        if self.take != RootKeyAction::Records {
            return;
        }
        let Some(cut) = self.boundary(&self.carry) else {
            return;
        };
        let text = std::mem::take(&mut self.carry);
        self.is_open = false;
        self.split_at(text, cut, self.open_at, sink);
    }

    /// Where the next record begins in the text of a damaged one; `None` when there is none or too much was read twice already.
    pub(super) fn boundary(&self, text: &[u8]) -> Option<usize> {
        let allowed = (64 << 20) + self.n_read * 2;
        if self.n_rescanned + text.len() as u64 > allowed { None } else { resync::next_record(text) }
    }

    /// `text` is a damaged record up to `cut`, and others after it: reads those again.
    pub(super) fn split_at(&mut self, text: Vec<u8>, cut: usize, offset: u64, sink: &mut dyn Sink) {
        sink.damaged(&text[..cut], offset, Damage::Unreadable);
        self.n_rescanned += (text.len() - cut) as u64;
        let look_at = self.look_at;
        self.begin_elements();
        self.look_at = look_at.max(LONG);
        self.run(&text[cut..], offset + cut as u64, sink);
    }

    /// The loop over 64 bytes at a time. `from` is where the open record's text begins in the block.
    fn scan(&mut self, block: &[u8], mut at: usize, from: &mut usize, base: u64, sink: &mut dyn Sink) -> Stopped {
        let mut gap = at;
        while at < block.len() {
            let part = &block[at..];
            let (brackets, n) = match part.first_chunk::<STEP>() {
                Some(whole) => (self.strings.step(whole), STEP),
                None => (self.strings.tail(part), part.len()),
            };
            let n_closes = u64::from(brackets.closes.count_ones());
            if self.is_open && n_closes < self.depth {
                self.depth = self.depth + u64::from(brackets.opens.count_ones()) - n_closes;
                at += n;
                if self.carry.len() + (at - *from) > self.look_at && self.is_buffered && self.carry.len() < RECORD_MAX {
                    return Stopped::Long(at);
                }
                continue;
            }
            let mut bits = brackets.opens | brackets.closes;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                let here = at + bit as usize;
                if brackets.opens >> bit & 1 == 1 {
                    if !self.is_open {
                        self.open(block, gap, here, base, sink);
                        *from = here;
                    }
                    self.depth += 1;
                } else if !self.is_open {
                    // The list's own closing bracket.
                    stray(block, gap, here, base, sink);
                    return Stopped::Closed(here + 1);
                } else {
                    self.depth -= 1;
                    if self.depth == 0 {
                        gap = here + 1;
                        if let Some(stopped) = self.close(&block[*from..gap], base, gap, sink) {
                            return stopped;
                        }
                        *from = gap;
                    }
                }
                bits &= bits - 1;
            }
            at += n;
        }
        if !self.is_open {
            stray(block, gap, block.len(), base, sink);
        }
        Stopped::BlockEnd
    }

    #[inline]
    fn open(&mut self, block: &[u8], gap: usize, here: usize, base: u64, sink: &mut dyn Sink) {
        if self.take == RootKeyAction::Records {
            stray(block, gap, here, base, sink);
            self.is_buffered = true;
        }
        self.is_open = true;
        self.open_at = base + here as u64;
        self.look_at = LONG;
    }

    /// The record or value that ends with `part` is complete.
    #[inline]
    fn close(&mut self, part: &[u8], base: u64, next: usize, sink: &mut dyn Sink) -> Option<Stopped> {
        self.is_open = false;
        if self.take != RootKeyAction::Records {
            self.is_open = true;
            self.carry_over(part);
            self.is_open = false;
            self.end_value(sink);
            return Some(Stopped::Closed(next));
        }
        if self.carry.is_empty() {
            if sink.record(part, self.open_at) {
                return None;
            }
            return self.close_damaged(part, base, sink);
        }
        let mut text = std::mem::take(&mut self.carry);
        if text.len() + part.len() > RECORD_MAX {
            sink.damaged(&text, self.open_at, Damage::TooLong);
            return None;
        }
        text.extend_from_slice(part);
        if sink.record(&text, self.open_at) {
            text.clear();
            self.carry = text;
            return None;
        }
        match self.boundary(&text) {
            Some(cut) => {
                self.split_at(text, cut, self.open_at, sink);
                Some(Stopped::Restart(next))
            }
            None => {
                sink.damaged(&text, self.open_at, Damage::Unreadable);
                None
            }
        }
    }

    /// A record within the block that cannot be read: continues where the next one begins in it.
    fn close_damaged(&mut self, part: &[u8], base: u64, sink: &mut dyn Sink) -> Option<Stopped> {
        let cut = self.boundary(part);
        sink.damaged(&part[..cut.unwrap_or(part.len())], self.open_at, Damage::Unreadable);
        let next = (self.open_at - base) as usize + cut?;
        self.n_rescanned += (part.len() - cut?) as u64;
        self.begin_elements();
        Some(Stopped::Restart(next))
    }
}

/// Reports what is between two records beside commas.
#[inline(always)]
fn stray(block: &[u8], from: usize, to: usize, base: u64, sink: &mut dyn Sink) {
    let gap = &block[from..to];
    if let Some(at) = gap.iter().position(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t' | b',')) {
        sink.damaged(&gap[at..], base + (from + at) as u64, Damage::Stray);
    }
}
