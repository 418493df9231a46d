//! From a trace, and its NEFF where there is one, to a profile.

use super::activity::{self, Activity};
use super::info::{Info, Region, read_info};
use super::job::Job;
use super::operand_fields::SEMAPHORES;
use super::programs::Programs;
use super::records::{self, RECORD};
use super::totals::Totals;
use super::window::window;
use super::words::Words;
use super::{events, instructions, limits, regions, report, transfers, usage};
use crate::base::{InputSet, Ledger, Member, Severity};
use crate::formats::file_name::file_name;
use crate::formats::neff::{self, Neff, hex};
use crate::formats::neuron_json::tables::Tables;
use crate::formats::neuron_json::timeline::{Curve, Timeline};
use crate::formats::read_ahead::ReadAhead;
use crate::formats::{ImportError, ProgressReporter};
use crate::model::{Cell, NeuronDevice, Profile, RecordRef};
use rustc_hash::FxHashMap;

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
    job.watch.expect_slices(n_slices);
    let regions = job.info.regions.clone();
    let is_read = |region: &&Region| region.span.n_bytes >= RECORD && job.subgraph(region.nc).is_some();
    let spans = regions.iter().filter(is_read).map(|r| r.span.offset..r.span.offset.saturating_add(r.span.n_bytes)).collect();
    job.reader.plan(spans)?;
    for region in &regions {
        job.region(region).await?;
    }
    job.watch.end(&job.timeline.builder);
    instructions::link(&mut job);
    let has_usage = job.usage();
    Ok(job.finish(neff.as_ref(), rows, has_usage))
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
            (records::EVENTS, 0) => events::read(self, core, region).await,
            (records::TRANSFERS, 1) => transfers::read(self, core, region).await,
            (records::THROTTLES, 0) => limits::read(self, core, region).await,
            (records::ERRORS, _) => self.for_each(region.span, &mut |job, record| job.unknown(core, "error record", &record)).await,
            (trace, block) => {
                let what = format!("record of trace kind {trace}, block {block}");
                self.for_each(region.span, &mut |job, record| job.unknown(core, &what, &record)).await
            }
        }
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
