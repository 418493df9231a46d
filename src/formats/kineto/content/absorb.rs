//! Adds the content of the next piece of the file. The result equals that of reading its records here.

use super::super::counters::Counters;
use super::super::deferred::{Deferred, Opener};
use super::super::flows::FlowEnd;
use super::super::table_rows::Tables;
use super::{Content, Pass};
use crate::base::{Ledger, StrId, TrackId};
use crate::model::torch::{Collective, Kernel, MemoryEvent, OperatorInputs};
use crate::model::{RawSliceId, Renamed, TrackSpec};

/// Whose events a track of a piece holds.
#[derive(Clone, Copy)]
enum Owner {
    Process(usize),
    Thread(usize),
    Async((usize, StrId)),
    Counter(usize),
}

/// Ids of a piece in the whole.
struct Known {
    strings: Vec<StrId>,
    /// Ids of processes and threads as text.
    ids: Vec<StrId>,
    tracks: Vec<TrackId>,
    processes: Vec<usize>,
    threads: Vec<usize>,
}

impl Known {
    fn renamed(&self) -> Renamed<'_> {
        Renamed { strings: &self.strings, tracks: &self.tracks }
    }

    /// An id of a flow or an asynchronous event: texts are interned, numbers are not.
    fn id(&self, id: u64) -> u64 {
        const IS_TEXT: u64 = 1 << 63;
        if id & IS_TEXT == 0 { id } else { IS_TEXT | u64::from(self.ids[(id & !IS_TEXT) as usize].0) }
    }

    fn key(&self, (process, category, id): (usize, StrId, u64)) -> (usize, StrId, u64) {
        (self.processes[process], self.strings[category.index()], self.id(id))
    }
}

impl Content {
    /// Whether `piece` can be added: what depends on the text before it is little.
    pub fn can_absorb(&self, piece: &Content) -> bool {
        let n_slices = self.builder.n_slices() + piece.builder.n_slices();
        let is_small = piece.deferred.as_ref().is_some_and(Deferred::is_small);
        is_small && self.counters.is_small(&piece.counters) && u32::try_from(n_slices).is_ok()
    }

    /// Adds `piece`, the records after those read so far. `account` is its ledger.
    ///
    /// Strings, processes, threads and tracks get their ids in the order in which they are first seen in the file: those of a piece in the order
    /// of the piece, after all before it.
    pub fn absorb(&mut self, mut piece: Content, mut account: Ledger, ledger: &mut Ledger) {
        let strings = self.builder.strings.absorb(piece.builder.strings.table());
        let ids = self.lanes.ids.absorb(piece.lanes.ids.table());
        let known = self.place_tracks(&mut piece, strings, ids);
        self.settle_deferred(piece.deferred.take().unwrap_or_default(), &known, &mut account);
        let first = self.builder.append(piece.builder, &known.renamed());
        for (at, process) in piece.lanes.processes.into_iter().enumerate() {
            self.lanes.rename_process(known.processes[at], process);
        }
        for (at, thread) in piece.lanes.threads.into_iter().enumerate() {
            self.lanes.rename_thread(known.threads[at], thread, first);
        }
        for (key, slices) in piece.asyncs.open {
            self.asyncs.open.entry(known.key(key)).or_default().extend(slices.into_iter().map(|slice| slice + first));
        }
        self.flows.append(piece.flows, |end| {
            FlowEnd::new(known.strings[end.kind.index()], known.id(end.id), known.tracks[end.track().index()], end.time, end.phase())
        });
        self.tables.absorb(piece.tables, &known.renamed(), first);
        self.has_events |= piece.has_events;
        self.has_torch_marks |= piece.has_torch_marks;
        self.n_records += piece.n_records;
        self.n_used += piece.n_used;
        self.last = self.last.max(piece.last);
        ledger.absorb(account);
    }

    /// Finds or creates the tracks of `piece` in its order, with their processes, threads, counters and samples.
    fn place_tracks(&mut self, piece: &mut Content, strings: Vec<StrId>, ids: Vec<StrId>) -> Known {
        let lanes = &piece.lanes;
        let (processes, threads) = (vec![0; lanes.processes.len()], vec![0; lanes.threads.len()]);
        let specs: Vec<TrackSpec> = piece.builder.track_specs().to_vec();
        let mut owners: Vec<Option<Owner>> = vec![None; specs.len()];
        lanes.processes.iter().enumerate().for_each(|(at, p)| owners[p.track.index()] = Some(Owner::Process(at)));
        lanes.threads.iter().enumerate().for_each(|(at, t)| owners[t.track.index()] = Some(Owner::Thread(at)));
        piece.asyncs.tracks.iter().for_each(|(key, track)| owners[track.index()] = Some(Owner::Async(*key)));
        let counter_keys: Vec<_> = piece.counters.tracks().collect();
        counter_keys.iter().enumerate().for_each(|(at, (_, track))| owners[track.index()] = Some(Owner::Counter(at)));
        let mut counters: Counters = std::mem::take(&mut piece.counters);
        let mut known = Known { strings, ids, tracks: Vec::with_capacity(specs.len()), processes, threads };
        for (spec, owner) in specs.into_iter().zip(owners) {
            let parent = spec.parent.map(|parent| known.tracks[parent.index()]);
            let track = match owner {
                Some(Owner::Process(at)) => {
                    let process = self.lanes.process_of_id(known.ids[lanes.processes[at].pid.index()], &mut self.builder);
                    known.processes[at] = process;
                    self.lanes.processes[process].track
                }
                Some(Owner::Thread(at)) => {
                    let (process, id) = (known.processes[lanes.threads[at].process], known.ids[lanes.threads[at].tid.index()]);
                    let thread = self.lanes.thread_of_id(process, id, &mut self.builder);
                    known.threads[at] = thread;
                    self.lanes.threads[thread].track
                }
                Some(Owner::Async((process, category))) => {
                    let key = (known.processes[process], known.strings[category.index()]);
                    let builder = &mut self.builder;
                    *self.asyncs.tracks.entry(key).or_insert_with(|| builder.track(TrackSpec { parent, ..spec }))
                }
                Some(Owner::Counter(at)) => {
                    let (process, name, id) = counter_keys[at].0;
                    let key = (known.processes[process], known.strings[name.index()], known.strings[id.index()]);
                    self.counters.absorb(key, parent.unwrap_or_default(), &mut counters, at, &mut self.builder)
                }
                // No track is made otherwise.
                None => self.builder.track(TrackSpec { parent, ..spec }),
            };
            known.tracks.push(track);
        }
        known
    }

    /// What depends on the text before the piece.
    fn settle_deferred(&mut self, deferred: Deferred, known: &Known, account: &mut Ledger) {
        let mut later = Ledger::default();
        // Where each reason of `later` was first seen.
        let mut first_met = Vec::new();
        let mut pass = Pass { content: self, ledger: &mut later };
        for mut end in deferred.ends {
            end.opener = match end.opener {
                Opener::Thread(thread) => Opener::Thread(known.threads[thread]),
                Opener::Async(key) => Opener::Async(known.key(key)),
            };
            pass.late_end(&end);
            first_met.resize(pass.ledger.skipped.len(), end.offset);
        }
        for (track, time, name, record, text) in deferred.window_ends {
            pass.window_end((known.tracks[track.index()], time, known.strings[name.index()], record), &text);
            first_met.resize(pass.ledger.skipped.len(), record.offset());
        }
        if !later.skipped.is_empty() {
            account.interleave(later, &first_met);
        }
        for (key, value) in deferred.roots {
            match value {
                Some(text) => self.facts.value(&key, &text),
                None => self.facts.key(&key),
            }
        }
    }
}

impl Tables {
    fn absorb(&mut self, later: Tables, renamed: &Renamed<'_>, first: RawSliceId) {
        let string = |id| renamed.string(id);
        self.kernels.append(later.kernels, |k| Kernel { slice: k.slice + first, grid: string(k.grid), block: string(k.block), ..k });
        self.memory.append(later.memory, |m| MemoryEvent { track: renamed.track(m.track), ..m });
        self.collectives.append(later.collectives, |c| Collective {
            slice: c.slice + first,
            name: string(c.name),
            dtype: string(c.dtype),
            group: string(c.group),
            input_types: string(c.input_types),
            ..c
        });
        self.functions.append(later.functions, |mut f| {
            f.slice += first;
            f
        });
        self.stacks.append(later.stacks, |(slice, stack)| (slice + first, string(stack)));
        self.inputs.append(later.inputs, |i| OperatorInputs {
            slice: i.slice + first,
            types: string(i.types),
            concrete: string(i.concrete),
        });
        self.launch_kernels.append(later.launch_kernels, |(slice, kernel)| (slice + first, string(kernel)));
        self.has_text_thread_ids |= later.has_text_thread_ids;
    }
}
