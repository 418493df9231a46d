//! From a trace, and its NEFF where there is one, to a profile.

use super::activity::{self, Activity};
use super::info::{self, HEADER, Info, Region, Span as Bytes};
use super::instructions::Words;
use super::operand_fields::SEMAPHORES;
use super::programs::Programs;
use super::records::{self, RECORD, Record, Step};
use super::totals::Totals;
use super::{instructions, limits, regions, report, transfers, usage};
use crate::base::{InputSet, Ledger, Member, Severity, StrId, for_each_chunk};
use crate::formats::neff::{self, Neff, Program, hex};
use crate::formats::neuron_json::tables::Tables;
use crate::formats::neuron_json::timeline::{Curve, Span, Timeline};
use crate::formats::read_ahead::ReadAhead;
use crate::formats::{ImportError, ProgressReporter, import::file_name};
use crate::model::{Cell, NeuronDevice, Profile, RecordRef};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How much is read at a time where records are read out of their order.
const BLOCK: u64 = 8 << 20;
/// More physical cores than any trace has.
const MAX_SUBGRAPHS: usize = 256;
/// One cycle at 1.2 GHz: the window ends that long after its last record.
pub(super) const CYCLE_PS: u64 = 833;

/// An import in progress.
pub(super) struct Job<'a, 'b> {
    pub member: &'a Member,
    pub info: Info,
    pub timeline: Timeline,
    pub ledger: &'a mut Ledger,
    /// Picoseconds on the device clock.
    pub window: (u64, u64),
    /// What was loaded, and what its words say.
    pub words: Words,
    /// Names of the compiler's programs, by (core, engine).
    pub named: FxHashMap<(u64, usize), Rc<Program>>,
    /// Slices by (core, BIR id).
    pub executions: FxHashMap<(u64, u64), Vec<u32>>,
    /// Instructions that read or write on the chip, by core; `None` where not all are known, or where they are too many.
    pub runs: FxHashMap<usize, Option<Vec<usage::Run>>>,
    /// What the executed words read and wrote; `None` where not all are decoded.
    pub totals: Option<Totals>,
    /// When engines and queues ran.
    pub activity: Activity,
    /// Records without their partner within the window: (ends, starts) of instructions and of transfers.
    pub unpaired: [(u64, u64); 2],
    pub watch: &'a mut ProgressReporter<'b>,
    reader: &'a mut dyn ReadAhead,
}

impl Job<'_, '_> {
    /// Nanoseconds since the window's start, whole ones.
    pub fn ns(&self, time: u64) -> i64 {
        match time.checked_sub(self.window.0) {
            Some(since) => (since / 1000) as i64,
            None => -((self.window.0 - time).div_ceil(1000) as i64),
        }
    }

    /// An execution or a packet between two records, whose times are in the execution window.
    pub fn span(&self, start: &Record, end: &Record) -> Span {
        let from = start.time();
        let (since, duration) = (from.saturating_sub(self.window.0), end.time().saturating_sub(from));
        let (since_ns, duration_ns) = (since / 1000, duration / 1000);
        Span {
            start: since_ns as i64,
            duration: duration_ns as i64,
            record: start.place(),
            end_distance: start.distance(end),
            rest: ((since - since_ns * 1000) as u16, (duration - duration_ns * 1000) as u16),
        }
    }

    /// Whether a moment lies in the execution window.
    pub fn is_inside(&self, time: u64) -> bool {
        (self.window.0..=self.window.1).contains(&time)
    }

    /// Counts records that the execution window leaves out.
    pub fn outside(&mut self, n: u64, offset: u64) {
        let reason = "Records before or after the execution window belong to setup or another run; the profiler skips them too.";
        self.ledger.skip_n(Severity::Info, "outside_window", reason, n, offset, String::new);
    }

    /// Shows a record of a kind we do not know, and counts it.
    pub fn unknown(&mut self, core: usize, what: &str, record: &Record) {
        let reason = "A record of an unknown kind: shown as an instant in the row `Other records`.";
        let text = || format!("{what}: {}", hex(&record.bytes));
        self.ledger.skip(Severity::Warning, "unknown_record", reason, record.offset, text);
        if self.is_inside(record.time()) {
            let time = self.ns(record.time());
            self.timeline.other(core, what, (time, record.place()));
        }
    }

    /// The subgraph on a core.
    pub fn subgraph(&self, nc: u64) -> Option<Rc<info::Subgraph>> {
        self.info.subgraphs.iter().find(|s| s.nc == nc).cloned()
    }
}

/// The trace is the first member of `input`, and what `reader` reads.
pub(super) async fn import(
    input: &InputSet,
    ledger: &mut Ledger,
    watch: &mut ProgressReporter<'_>,
    reader: &mut dyn ReadAhead,
) -> Result<Profile, ImportError> {
    let member = input.members.first().ok_or_else(|| ImportError::Invalid("Expected a trace, found no file.".into()))?;
    let mut info = read_info(member)?;
    if info.n_unread > 0 {
        let reason = "The description at the start of the file ends with bytes that are not protobuf.";
        ledger
            .skip(Severity::DataLoss, "broken_description", reason, info.raw - info.n_unread as u64, || format!("{} bytes", info.n_unread));
    }
    let neff = input.members.get(1).map(|program| open_neff(member, &info, program, ledger)).transpose()?;
    regions::check(&member.name, member.len(), &mut info, ledger)?;
    let window = window(member, &info, ledger)?;
    let mut job = Job {
        member,
        info,
        timeline: Timeline::new(),
        ledger,
        window,
        words: Words::default(),
        named: FxHashMap::default(),
        executions: FxHashMap::default(),
        runs: FxHashMap::default(),
        totals: Some(Totals::default()),
        activity: Activity::default(),
        unpaired: [(0, 0); 2],
        watch,
        reader,
    };
    job.timeline.has_exact_transfers = true;
    let mut rows = Tables::default();
    job.prepare(neff.as_ref())?;
    if let Some(neff) = &neff {
        super::compiled_transfers::read(&mut job, neff, &mut rows);
    }
    let n_records = |kind| job.info.regions.iter().filter(|r| r.trace == kind).map(|r| (r.span.n_bytes / RECORD) as usize).sum::<usize>();
    // An instruction has two records, a transfer two or three.
    let n_slices = (n_records(records::INSTRUCTIONS) + n_records(records::TRANSFERS)) / 2;
    job.timeline.builder.expect_shared(n_slices, n_records(records::EVENTS));
    let regions = job.info.regions.clone();
    let is_read = |region: &&Region| region.span.n_bytes >= RECORD && job.subgraph(region.nc).is_some();
    let spans = regions.iter().filter(is_read).map(|r| r.span.offset..r.span.offset.saturating_add(r.span.n_bytes)).collect();
    job.reader.plan(spans)?;
    for region in &regions {
        job.region(region).await?;
    }
    instructions::link(&mut job);
    let has_usage = job.usage();
    Ok(job.finish(neff.as_ref(), rows, has_usage))
}

/// The description at the head of a trace.
pub(super) fn read_info(member: &Member) -> Result<Info, ImportError> {
    let name = file_name(&member.name);
    let header = member.read_up_to(0, HEADER)?;
    let n = info::message_len(name, member.len(), &header)?;
    let info = info::read(header[0], &member.read(HEADER, n)?);
    if info.subgraphs.len() > MAX_SUBGRAPHS {
        let found = info.subgraphs.len();
        return Err(ImportError::Unsupported(format!("Expected at most {MAX_SUBGRAPHS} subgraphs, found {found} in `{name}`.")));
    }
    Ok(info)
}

fn open_neff(trace: &Member, info: &Info, program: &Member, ledger: &mut Ledger) -> Result<Neff, ImportError> {
    let neff = neff::open(program, ledger)?;
    if neff.header.uuid == info.uuid {
        return Ok(neff);
    }
    let (trace, program) = (file_name(&trace.name), file_name(&program.name));
    let (wanted, found) = (hex(&info.uuid), hex(&neff.header.uuid));
    Err(ImportError::Invalid(format!(
        "`{trace}` and `{program}` do not belong together: expected the NEFF with uuid {wanted}, found uuid {found}. \
         Open the trace alone, or with the NEFF that was run (`{}`).",
        info.neff_name
    )))
}

/// Calls `each` with the bytes of a range, block by block, and where they stand.
pub(super) fn blocks(member: &Member, span: Bytes, each: &mut dyn FnMut(&[u8], u64)) -> Result<(), ImportError> {
    let end = span.offset.saturating_add(span.n_bytes);
    let (mut at, mut block) = (span.offset, Vec::new());
    while at < end {
        member.read_into(at, BLOCK.min(end - at), &mut block)?;
        each(&block, at);
        at += block.len() as u64;
    }
    Ok(())
}

/// The execution window as stored, or as far as records tell.
pub(super) fn window(member: &Member, info: &Info, ledger: &mut Ledger) -> Result<(u64, u64), ImportError> {
    if let Some(window) = info.window {
        return Ok(window);
    }
    let (mut first, mut last, mut run_end) = (u64::MAX, 0, None);
    let main = info.subgraphs.first();
    for region in info.regions.iter().filter(|r| r.trace == records::INSTRUCTIONS && r.block == 0) {
        let mut each = |record: Record| {
            let Some(step) = Step::read(&record) else {
                return;
            };
            (first, last) = (first.min(record.time()), last.max(record.time()));
            if step.is_end && step.is_last && step.engine == 2 && main.is_some_and(|m| m.nc == region.nc) {
                run_end = run_end.max(Some(record.time().saturating_add(CYCLE_PS)));
            }
        };
        blocks(member, region.span, &mut |block, at| Record::all(block, at).for_each(&mut each))?;
    }
    if first > last {
        return Ok((0, 0));
    }
    let duration = info.subgraphs.iter().map(|s| s.duration_ps).max().unwrap_or(0);
    let Some(end) = run_end.filter(|_| duration > 0) else {
        ledger.note("The execution window is not recorded in this file; all records from the first instruction on are shown.");
        return Ok((first, last));
    };
    ledger.note(
        "The start of the execution window is not recorded in this file: it is computed from the end of the last run and the recorded duration.",
    );
    Ok((end.saturating_sub(duration), end))
}

impl Job<'_, '_> {
    /// Cores, names of queues, the loaded programs and the names of their words.
    fn prepare(&mut self, neff: Option<&Neff>) -> Result<(), ImportError> {
        self.words.loaded = Programs::read(self.member, &self.info, self.ledger)?;
        let mut reader = neff.map(|neff| neff::Reader::new(&neff.archive));
        for subgraph in self.info.subgraphs.clone() {
            self.timeline.set_nc(&subgraph.name, subgraph.nc as i64);
            for queue in &subgraph.queues {
                let (name, purpose) = (super::opcodes::queue(&queue.name), super::opcodes::queue_purpose(queue.purpose));
                self.timeline.queue_names.add(&subgraph.name, &queue.index.to_string(), &name, &purpose);
            }
            for image in &subgraph.images {
                let engine = image.engine as usize;
                if self.named.contains_key(&(subgraph.nc, engine)) {
                    continue;
                }
                if let Some(program) = reader.as_mut().and_then(|r| r.program(&subgraph.name, engine)) {
                    let n_loaded = self.words.loaded.program(subgraph.nc, image.engine).map_or(0, |p| p.n_words());
                    instructions::check_program(self.ledger, &subgraph, engine, &program, n_loaded);
                    self.named.insert((subgraph.nc, engine), program);
                }
            }
        }
        if !self.words.loaded.is_verified {
            let found = self.info.architecture;
            self.ledger.note(format!(
                "Operands are not decoded: instruction words are verified on trn2 (architecture 2) only, and the file says architecture {found}."
            ));
        }
        Ok(())
    }

    /// Calls `each` for every record of a range, which is the next one that was planned.
    pub async fn for_each(&mut self, span: Bytes, each: &mut dyn FnMut(&mut Self, Record)) -> Result<(), ImportError> {
        let (mut n_left, mut block) = (span.n_bytes, Vec::new());
        while n_left > 0 {
            let Some(at) = self.reader.next(&mut block).await? else {
                let name = file_name(&self.member.name);
                return Err(ImportError::Invalid(format!(
                    "Expected {n_left} more bytes of records in `{name}`, found the end of what was read."
                )));
            };
            for_each_chunk(block.len() / RECORD as usize, &mut |part| {
                let bytes = part.start * RECORD as usize..part.end * RECORD as usize;
                Record::all(&block[bytes], at + part.start as u64 * RECORD).for_each(|record| each(self, record));
            });
            self.watch.read(block.len() as u64, block.len() as u64 / RECORD, &mut self.timeline.builder);
            n_left = n_left.saturating_sub(block.len() as u64);
        }
        Ok(())
    }

    async fn region(&mut self, region: &Region) -> Result<(), ImportError> {
        let n_records = region.span.n_bytes / RECORD;
        self.ledger.read += n_records;
        if !region.span.n_bytes.is_multiple_of(RECORD) {
            let reason = "A range of records ends within a record.";
            self.ledger.skip(Severity::Warning, "partial_record", reason, region.span.offset + n_records * RECORD, String::new);
        }
        if n_records == 0 {
            return Ok(());
        }
        let Some(name) = self.subgraph(region.nc).map(|s| s.name.clone()) else {
            let reason = "Records of a core that the description does not list.";
            let example = || format!("core {}, trace kind {}", region.nc, region.trace);
            self.ledger.skip_n(Severity::DataLoss, "unknown_core", reason, n_records, region.span.offset, example);
            return Ok(());
        };
        let core = self.timeline.core(&name);
        self.timeline.builder.record_run(RecordRef::new(0, region.span.offset, RECORD), n_records);
        match (region.trace, region.block) {
            (records::INSTRUCTIONS, 0) => instructions::read(self, core, region).await,
            (records::EVENTS, 0) => {
                let mut names = FxHashMap::default();
                self.for_each(region.span, &mut |job, record| job.event(core, &record, &mut names)).await
            }
            (records::TRANSFERS, 1) => transfers::read(self, core, region).await,
            (records::THROTTLES, 0) => limits::read(self, core, region).await,
            (records::ERRORS, _) => self.for_each(region.span, &mut |job, record| job.unknown(core, "error record", &record)).await,
            (trace, block) => {
                let what = format!("record of trace kind {trace}, block {block}");
                self.for_each(region.span, &mut |job, record| job.unknown(core, &what, &record)).await
            }
        }
    }

    /// Shows a new value of a semaphore; `names` are those of values that were met.
    fn event(&mut self, core: usize, record: &Record, names: &mut FxHashMap<(u8, i64), StrId>) {
        let time = record.time();
        let Some((id, value)) = record.semaphore() else {
            let reason = "Event notifications are not shown: their meaning is not documented, and the profiler skips them too.";
            return self.ledger.skip(Severity::Info, "event", reason, record.offset, || hex(&record.bytes));
        };
        if !self.is_inside(time) {
            return self.outside(1, record.offset);
        }
        let ns = self.ns(time);
        let name = *names.entry((id, value)).or_insert_with(|| self.timeline.semaphore_name(&id.to_string(), value));
        self.timeline.semaphore_value(core, name, (ns, record.place()));
        self.ledger.shown += 1;
    }

    /// The curves of each core's State Buffer and PSUM. Returns whether each core has them.
    fn usage(&mut self) -> bool {
        let mut is_complete = true;
        for (core, runs) in std::mem::take(&mut self.runs) {
            let Some(runs) = runs else {
                is_complete = false;
                continue;
            };
            for (curve, samples) in [(Curve::StateBuffer, usage::state_buffer(&runs)), (Curve::Psum, usage::psum(&runs))] {
                for (time, values) in samples {
                    let ns = self.ns(time);
                    self.timeline.sample(core, curve, ns, &values);
                }
            }
        }
        is_complete
    }

    fn finish(mut self, neff: Option<&Neff>, mut rows: Tables, has_usage: bool) -> Profile {
        report::tables(&self.info, &mut rows);
        for subgraph in &self.info.subgraphs {
            for (id, owner) in self.words.loaded.owners(subgraph.nc) {
                let cells = [subgraph.name.clone(), id.to_string(), owner.to_string()].map(Cell::Text);
                rows.row(SEMAPHORES.0, SEMAPHORES.1.into_iter().zip(cells));
            }
        }
        for (kind, (ends, starts)) in ["instructions", "DMA transfers"].into_iter().zip(self.unpaired) {
            rows.row("record_pairs", report::unpaired(kind, ends, starts).into_iter());
        }
        if let Some(totals) = self.totals.filter(|t| t.n_words > 0) {
            rows.row("instruction_totals", totals.row().into_iter());
        }
        // The spans of a long run take as much memory as a column: freed before the columns are sorted.
        let times = std::mem::take(&mut self.activity).row();
        if !times.is_empty() {
            rows.row(activity::TABLE, times.into_iter());
        }
        let has_constants = super::hardware::write(&self.info, self.window, &mut rows);
        if let Some(neff) = neff {
            neff::write(neff, false, &mut rows, self.ledger);
        }
        rows.finish().into_iter().for_each(|table| self.timeline.builder.table(table));
        let window_ns = self.ns(self.window.1);
        let mut meta = report::meta(&self.info, file_name(&self.member.name), window_ns, neff.is_some());
        let lacks = report::not_decoded(self.words.loaded.is_verified, has_constants, has_usage);
        meta.not_available = [lacks, meta.not_available].concat();
        meta.facts.extend(neff.map(|neff| neff::facts(neff, self.ledger)).unwrap_or_default());
        self.ledger.note("Experimental: the format is not documented; this reader is based on public files.");
        let domain = NeuronDevice {
            instance_type: self.info.instance_type.clone(),
            n_cores: self.info.subgraphs.len() as u32,
            window_ns,
            ..NeuronDevice::default()
        };
        self.timeline.finish(meta, domain, self.ledger).0
    }
}
