//! Slices of a Neuron device's timeline, and their columns.

use super::{Attr, Extra, Instruction, ReadOperands, Ring, SharedRing, SharedWord, Span, Timeline, Transfer, Work};
use crate::base::StrId;
use crate::model::builder::{ColumnId, SharedRow};
use crate::model::domain::HbmTraffic;
use crate::model::{NeuronDevice, RawSlice, RawSliceId};

impl Timeline {
    /// Adds an instruction; it is named by its opcode.
    pub fn instruction(&mut self, i: &Instruction<'_>) -> RawSliceId {
        self.instructions(std::slice::from_ref(i))
    }

    /// Adds instructions; returns the first, which the others follow.
    pub fn instructions(&mut self, all: &[Instruction<'_>]) -> RawSliceId {
        let mut tracks = std::mem::take(&mut self.tracks);
        tracks.clear();
        tracks.extend(all.iter().map(|i| self.row(i.core, i.label)));
        let row = |k: usize| {
            let i = &all[k];
            RawSlice { track: tracks[k], start: i.start, duration: i.duration, name: i.opcode, record: i.record }
        };
        let first = self.builder.slices(all.len(), row);
        self.set_ids(first, Attr::Engine, all.len(), |k| all[k].engine);
        self.set_ids(first, Attr::Opcode, all.len(), |k| all[k].opcode);
        let [pc, _, wait_ns, elements, sbuf_bytes, ..] = self.numbers;
        self.set_numbers(pc, first, all.len(), |k| all[k].pc);
        self.set_numbers(wait_ns, first, all.len(), |k| all[k].wait_ns);
        self.set_numbers(elements, first, all.len(), |k| all[k].work.elements);
        self.set_numbers(sbuf_bytes, first, all.len(), |k| all[k].work.sbuf_bytes);
        for (slice, work) in (first..).zip(all.iter().map(|i| i.work)) {
            if work.hbm_read.is_some() || work.hbm_written.is_some() {
                let (read, written) = (work.hbm_read.unwrap_or(0), work.hbm_written.unwrap_or(0));
                self.hbm.push(HbmTraffic { slice, read, written, spilled: work.spilled });
            }
        }
        self.tracks = tracks;
        first
    }

    /// Adds a DMA transfer, named by the moved tensor or by its engine.
    pub fn transfer(&mut self, t: &Transfer) -> RawSliceId {
        self.transfers(std::slice::from_ref(t))
    }

    /// Adds DMA transfers; returns the first, which the others follow.
    pub fn transfers(&mut self, all: &[Transfer]) -> RawSliceId {
        let row = |k: usize| {
            let t = &all[k];
            let name = if t.variable == StrId(0) { t.ring.engine } else { t.variable };
            RawSlice { track: t.ring.track, start: t.start, duration: t.duration, name, record: t.record }
        };
        let first = self.builder.slices(all.len(), row);
        self.set_ids(first, Attr::Engine, all.len(), |k| all[k].ring.engine);
        self.set_ids(first, Attr::Queue, all.len(), |k| all[k].ring.queue);
        self.set_ids(first, Attr::Variable, all.len(), |k| all[k].variable);
        self.set_ids(first, Attr::QueueType, all.len(), |k| all[k].queue_type);
        self.set_numbers(self.numbers[1], first, all.len(), |k| all[k].bytes);
        for (slice, t) in (first..).zip(all) {
            self.duplicates.extend(t.is_duplicate.then_some(slice));
            self.collective.extend(t.is_collective.then_some(slice));
        }
        first
    }

    /// Notes what all executions of an instruction word have in common: `i` without times and records, its operands, and further texts.
    pub fn word(&mut self, i: &Instruction<'_>, operands: ReadOperands, variable: Option<StrId>, texts: &[(Attr, &str)]) -> SharedWord {
        let track = self.row(i.core, i.label);
        let [pc, _, _, elements, sbuf_bytes, accesses, _, sets] = self.numbers;
        let set = self.operand_sets.len() as u32;
        let (attrs, mut values) = (&self.attrs, Vec::new());
        values.extend([(Attr::Engine, i.engine), (Attr::Opcode, i.opcode)].map(|(attr, id)| (attrs[attr as usize], id.0)));
        for (attr, text) in texts {
            values.push((attrs[*attr as usize], self.builder.strings.intern(text).0));
        }
        let numbers =
            [(pc, i.pc), (elements, i.work.elements), (sbuf_bytes, i.work.sbuf_bytes), (accesses, operands.accesses), (sets, Some(set))];
        values.extend(numbers.into_iter().filter_map(|(column, value)| Some((column, value?))));
        let Work { hbm_read: read, hbm_written: written, spilled, .. } = i.work;
        let hbm = (read.is_some() || written.is_some()).then(|| HbmTraffic {
            slice: 0,
            read: read.unwrap_or(0),
            written: written.unwrap_or(0),
            spilled,
        });
        self.operand_sets.push((operands, 0));
        SharedWord { row: self.builder.shared_row((track, i.opcode), &values, self.numbers[2]), hbm, operands: set, variable }
    }

    /// Adds an execution of a word.
    pub fn execution(&mut self, word: &SharedWord, span: Span, wait_ns: u32) -> RawSliceId {
        let slice = self.span(word.row, span, wait_ns);
        self.hbm.extend(word.hbm.map(|hbm| HbmTraffic { slice, ..hbm }));
        self.moved.extend(word.variable.map(|variable| (slice, variable)));
        if let Some((operands, n_runs)) = self.operand_sets.get_mut(word.operands as usize) {
            *n_runs += 1;
            self.starters.extend(operands.starts_transfer().then_some(slice));
        }
        slice
    }

    /// Notes what all packets of a ring have in common.
    pub fn shared_ring(&mut self, ring: Ring, queue_type: StrId) -> SharedRing {
        let texts = [(Attr::Engine, ring.engine), (Attr::Queue, ring.queue), (Attr::QueueType, queue_type)];
        let values = texts.map(|(attr, id)| (self.attrs[attr as usize], id.0));
        SharedRing { row: self.builder.shared_row((ring.track, ring.engine), &values, self.numbers[1]) }
    }

    /// Adds a packet of a ring.
    #[inline]
    pub fn packet(&mut self, ring: &SharedRing, span: Span, bytes: Option<u32>) -> RawSliceId {
        self.span(ring.row, span, bytes.unwrap_or(NeuronDevice::ABSENT))
    }

    #[inline]
    fn span(&mut self, row: SharedRow, span: Span, own: u32) -> RawSliceId {
        let Span { start, duration, record, end_distance, rest } = span;
        let slice = self.builder.shared_slice(row, (start, duration), own, record);
        self.precise.push(&mut self.builder, self.numbers[6], slice, (rest, end_distance));
        slice
    }

    /// Adds a slice to a row of its own kind.
    pub fn extra(&mut self, e: &Extra<'_>) -> RawSliceId {
        let track = self.row(e.core, e.label);
        let spec = self.builder.track_mut(track);
        (spec.kind, spec.sort) = (e.kind, e.sort);
        let name = self.builder.strings.intern(e.name);
        self.builder.slice(RawSlice { track, start: e.start, duration: e.duration, name, record: e.record })
    }

    fn set_numbers(&mut self, column: ColumnId, first: RawSliceId, n: usize, value: impl Fn(usize) -> Option<u32>) {
        self.builder.set_all(column, first, n, |k| value(k).unwrap_or(NeuronDevice::ABSENT));
    }

    /// Sets a string column of the `n` slices from `first` on; the empty text's id is "not available".
    pub fn set_ids(&mut self, first: RawSliceId, attr: Attr, n: usize, id: impl Fn(usize) -> StrId) {
        self.builder.set_all(self.attrs[attr as usize], first, n, |k| id(k).0);
    }

    /// Sets a string column of a slice; empty text is "not available".
    pub fn set_text(&mut self, slice: RawSliceId, attr: Attr, text: &str) {
        let id = self.builder.strings.intern(text);
        self.set_id(slice, attr, id);
    }

    /// The same with the text's id.
    pub fn set_id(&mut self, slice: RawSliceId, attr: Attr, id: StrId) {
        if id != StrId(0) {
            self.builder.set(self.attrs[attr as usize], slice, id.0);
        }
    }
}
