//! Drives an importer over its input: heads, claims, blocks, gzip. Shared by the command line and the worker.

use super::gzip::{GzipIndex, INFLATED_MAX, InflatedSource, Inflater, Stop, is_gzip};
use super::inspect::{self, Found};
use super::parallel::{self, Plan};
use super::read_ahead::{ReadAhead, Timed};
use super::{Claim, Companion, Format, ImportError, Imported, Piece, Progress, ProgressReporter, Split, Streamed, archive, by_id};
use crate::base::input::HEAD_LEN;
use crate::base::phases::{self, Phase};
use crate::base::{InputError, InputSet, Ledger, Member, MemberHead, Severity, text};
use crate::formats::wording;
use std::ops::Range;

/// Bytes of one block.
pub(super) const BLOCK: u64 = 8 << 20;
/// Largest expected heap of an import, bytes: a 32-bit WebAssembly memory with some reserve.
pub const HEAP_MAX: u64 = 3_500_000_000;

/// Heap of a worker before an import, with its blocks, bytes: measured with small files.
const HEAP_BASE: u64 = 48 << 20;

/// What `claim` looks at: the first bytes of each member, inflated where it is gzip.
pub fn heads(input: &InputSet) -> Result<Vec<MemberHead>, InputError> {
    input.members.iter().map(head).collect()
}

fn head(member: &Member) -> Result<MemberHead, InputError> {
    let raw = member.read_up_to(0, HEAD_LEN as u64)?;
    let is_gzip = is_gzip(&raw);
    let head = if is_gzip { inflated_head(&raw) } else { raw };
    Ok(MemberHead { name: member.name.clone(), len: member.len(), head, is_gzip })
}

/// The first [`HEAD_LEN`] bytes of text in the beginning of a gzip file; fewer where it is damaged.
fn inflated_head(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut receive = |text: &[u8]| {
        out.extend_from_slice(&text[..text.len().min(HEAD_LEN - out.len())]);
        if out.len() == HEAD_LEN { Err(()) } else { Ok(()) }
    };
    // The first error is that there is enough; a damaged file shows when it is read.
    let _ = Inflater::default().push(raw, &mut receive);
    out
}

/// Feeds one streamed claim, block by block.
pub struct Feeder {
    importer: Box<dyn Streamed>,
    ledger: Ledger,
    inflater: Option<Inflater>,
    bytes: u64,
    total: u64,
    is_truncated: bool,
    is_first: bool,
}

impl Feeder {
    /// A feeder of `claim`; `None` when the format is read at random access, by [`import_claim`].
    /// `path` is the file's below the drop, `total_bytes` and `is_gzip` are of the raw file.
    pub fn new(format: &'static dyn Format, claim: &Claim, path: &str, total_bytes: u64, is_gzip: bool) -> Option<Feeder> {
        let importer = format.streamed(claim, path)?;
        Some(Feeder::of(importer, claim, path, total_bytes, is_gzip))
    }

    fn of(importer: Box<dyn Streamed>, claim: &Claim, path: &str, total_bytes: u64, is_gzip: bool) -> Feeder {
        let ledger = Ledger { recognised: claim.recognised.clone(), members: vec![path.into()], ..Ledger::default() };
        let inflater = is_gzip.then(Inflater::default);
        Feeder { importer, ledger, inflater, bytes: 0, total: total_bytes, is_truncated: false, is_first: true }
    }

    /// Takes the next bytes of the raw file.
    pub fn feed(&mut self, raw_block: &[u8]) -> Result<(), ImportError> {
        self.importer.expect(self.bytes, self.total);
        let offset = self.bytes;
        self.bytes += raw_block.len() as u64;
        let Feeder { importer, ledger, inflater, is_first, .. } = self;
        let Some(inflater) = inflater.as_mut().filter(|_| !self.is_truncated) else {
            return if self.is_truncated { Ok(()) } else { phases::time(Phase::Parse, || importer.feed(raw_block, ledger)) };
        };
        let (began, mut parsed_ms) = (phases::begin(), 0.0);
        let stop = inflater.push(raw_block, &mut |text| {
            if std::mem::take(is_first) && is_gzip(text) {
                return Err(twice_packed());
            }
            let began = phases::begin();
            let fed = importer.feed(text, ledger);
            parsed_ms += began.elapsed_ms();
            began.end(Phase::Parse);
            fed
        });
        began.end_without(Phase::Inflate, parsed_ms);
        stop.or_else(|stop| self.stopped(offset, stop))
    }

    /// Inflating stopped in the block that begins at `offset` of the file.
    fn stopped(&mut self, offset: u64, stop: Stop<ImportError>) -> Result<(), ImportError> {
        match stop {
            Stop::Receiver(error) => Err(error),
            Stop::TooLong => Err(ImportError::Unsupported(format!(
                "The gzip file inflates to more than {}; expected at most this size. Record fewer steps or split the file.",
                text::bytes(INFLATED_MAX)
            ))),
            Stop::Damaged { offset: at, why } => {
                if self.inflater.as_ref().is_none_or(|inflater| inflater.n_out() == 0) {
                    return Err(ImportError::Invalid(format!("Expected gzip data, but at byte {at} of the file {why}.")));
                }
                self.is_truncated = true;
                let reason = "The gzip data is damaged; data after the damage is not read.";
                self.ledger.skip(Severity::DataLoss, "damaged_gzip", reason, offset.max(at), || format!("at byte {at} of the file {why}"));
                Ok(())
            }
        }
    }

    /// Whether the file is gzip.
    pub fn is_gzip(&self) -> bool {
        self.inflater.is_some()
    }

    /// Takes the next text of a gzip file that is inflated elsewhere.
    pub fn feed_inflated(&mut self, text: &[u8]) -> Result<(), ImportError> {
        if std::mem::take(&mut self.is_first) && is_gzip(text) {
            return Err(twice_packed());
        }
        phases::time(Phase::Parse, || self.importer.feed(text, &mut self.ledger))
    }

    /// Advances by `n_bytes` of that file, whose text was fed.
    pub fn pass(&mut self, n_bytes: u64) {
        self.bytes += n_bytes;
        self.importer.expect(self.bytes, self.total);
    }

    /// Takes back the inflater of the file; `stop`: where it stopped (offset of the block) and why.
    pub fn end_inflating(&mut self, inflater: Inflater, stop: Option<(u64, Stop<ImportError>)>) -> Result<(), ImportError> {
        self.inflater = Some(inflater);
        stop.map_or(Ok(()), |(offset, stop)| self.stopped(offset, stop))
    }

    /// The splitter of the file; `None` if it can only be read in order.
    pub fn split(&self) -> Option<&'static dyn Split> {
        self.importer.split().filter(|_| self.inflater.is_none())
    }

    /// The splitter of the text of a gzip file; `None` if it can only be read in order, or the file is not gzip.
    pub fn split_of_text(&self) -> Option<&'static dyn Split> {
        self.importer.split().filter(|_| self.inflater.is_some())
    }

    /// Adds a piece instead of feeding the next `n_bytes`. `false`: it was rejected, feed the bytes.
    pub fn absorb(&mut self, piece: Box<dyn Piece>, n_bytes: u64) -> bool {
        let is_added = phases::time(Phase::Merge, || self.importer.absorb(piece, &mut self.ledger));
        self.bytes += if is_added { n_bytes } else { 0 };
        is_added
    }

    /// Adds a note to the ledger.
    pub fn note(&mut self, text: &str) {
        self.ledger.note(text);
    }

    /// Reads the further members of the claim, after the first one. Returns them inflated, for reading records again.
    pub fn join(&mut self, claim: &Claim, members: &[Member]) -> Vec<Member> {
        let mut readable = Vec::with_capacity(members.len());
        for (i, member) in members.iter().enumerate() {
            let (companion, member_now) = match self.importer.companion(&member.name) {
                Some(importer) => match whole(importer, claim, member) {
                    Ok((imported, index)) => {
                        let now = index.map_or_else(|| member.clone(), |index| InflatedSource::member(member, index));
                        (Companion::Trace(Box::new(imported)), now)
                    }
                    Err(error) => (Companion::Failed(error), member.clone()),
                },
                None => match member.read_up_to(0, COMPANION_MAX) {
                    Ok(bytes) => (Companion::Bytes(bytes), member.clone()),
                    Err(error) => (Companion::Failed(error.into()), member.clone()),
                },
            };
            self.importer.join(i + 1, &member.name, companion, &mut self.ledger);
            readable.push(member_now);
        }
        readable
    }

    /// Progress, with the preview slices since the last call.
    pub fn progress(&mut self) -> Progress {
        Progress { bytes: self.bytes, total: self.total, records: self.importer.n_records(), preview: self.importer.preview() }
    }

    /// The profile, and the access points when the file is gzip.
    pub fn finish(mut self) -> Result<(Imported, Option<GzipIndex>), ImportError> {
        let mut index = None;
        if let Some(inflater) = self.inflater.take() {
            let (points, is_whole) = inflater.finish();
            if !is_whole && !self.is_truncated {
                self.is_truncated = true;
                if points.len == 0 {
                    return Err(ImportError::Invalid(format!(
                        "Expected gzip data, found the end of the file after {} bytes without any text. The file is truncated.",
                        self.bytes
                    )));
                }
                let reason = "The gzip file ends early; everything before its end was read.";
                self.ledger.skip(Severity::DataLoss, "truncated_gzip", reason, points.len, || {
                    format!("the file ends after {} bytes ({} of text)", self.bytes, text::bytes(points.len))
                });
            }
            index = Some(points);
        }
        let mut ledger = self.ledger;
        let profile = phases::time(Phase::Freeze, || self.importer.finish(self.is_truncated, &mut ledger))?;
        Ok((Imported { profile, ledger }, index))
    }
}

/// Largest further member that is read at once, bytes.
const COMPANION_MAX: u64 = 1 << 20;

/// Feeds the bytes of a member in `range`.
pub(super) fn feed_range(feeder: &mut Feeder, member: &Member, range: Range<u64>) -> Result<(), ImportError> {
    let mut offset = range.start;
    while offset < range.end {
        let block = phases::time(Phase::Read, || member.read_up_to(offset, BLOCK.min(range.end - offset)))?;
        offset += block.len() as u64;
        feeder.feed(&block)?;
    }
    Ok(())
}

/// Feeds all of a member.
fn whole(importer: Box<dyn Streamed>, claim: &Claim, member: &Member) -> Result<(Imported, Option<GzipIndex>), ImportError> {
    let is_gzip = is_gzip(&member.read_up_to(0, 2)?);
    let mut feeder = Feeder::of(importer, claim, &member.name, member.len(), is_gzip);
    feed_range(&mut feeder, member, 0..member.len())?;
    feeder.finish()
}

fn twice_packed() -> ImportError {
    ImportError::Unsupported(
        "The file is gzip inside gzip; expected one level of compression. Unpack it once (`gunzip FILE`) and open the result.".into(),
    )
}

/// Imports one claim. `report` receives the progress of formats that are read at random access. Also returns the members for [`Format::record`]: in the
/// claim's order, inflated.
pub fn import_claim(input: &InputSet, claim: &Claim, report: &mut dyn FnMut(Progress)) -> Result<(Imported, InputSet), ImportError> {
    import_with(input, claim, report, Plan::usual())
}

/// As [`import_claim`] with the threads and piece sizes of `plan`.
pub fn import_with(
    input: &InputSet,
    claim: &Claim,
    report: &mut dyn FnMut(Progress),
    plan: Plan,
) -> Result<(Imported, InputSet), ImportError> {
    let format =
        by_id(&claim.format).ok_or_else(|| ImportError::Unrecognised(format!("There is no importer named `{}`.", claim.format)))?;
    let members = claim.members.iter().filter_map(|&m| input.members.get(m).cloned()).collect();
    let picked = InputSet { members };
    let Some(main) = picked.members.first() else {
        return Err(ImportError::Unrecognised(wording::NO_FILE.into()));
    };
    let is_gzip = is_gzip(&main.read_up_to(0, 2)?);
    if let Some(mut feeder) = Feeder::new(format, claim, &main.name, main.len(), is_gzip) {
        parallel::feed(&mut feeder, main, plan)?;
        let joined = feeder.join(claim, &picked.members[1..]);
        let (mut imported, index) = feeder.finish()?;
        imported.ledger.members = picked.members.iter().map(|m| m.name.clone()).collect();
        let readable = index.map_or_else(|| main.clone(), |index| InflatedSource::member(main, index));
        return Ok((imported, InputSet { members: std::iter::once(readable).chain(joined).collect() }));
    }
    let readable = InputSet { members: picked.members.iter().map(inflated).collect::<Result<_, _>>()? };
    let mut ledger = Ledger { recognised: claim.recognised.clone(), ..Ledger::default() };
    ledger.members = readable.members.iter().map(|m| m.name.clone()).collect();
    // Read at random access: bytes are waited for while they are parsed.
    let profile =
        phases::time(Phase::Parse, || format.import(&readable, claim, &mut ledger, &mut ProgressReporter::new(&readable, report)))?;
    Ok((Imported { profile, ledger }, readable))
}

/// As [`import_claim`] with the bytes of the main member from `reader`; `None` where the format does not read ahead, or that member is gzip.
pub async fn import_ahead(
    input: &InputSet,
    claim: &Claim,
    tell: &mut dyn FnMut(Progress),
    reader: &mut dyn ReadAhead,
) -> Result<Option<(Imported, InputSet)>, ImportError> {
    let members = claim.members.iter().filter_map(|&m| input.members.get(m).cloned()).collect();
    let picked = InputSet { members };
    let (Some(format), Some(main)) = (by_id(&claim.format), picked.members.first()) else { return Ok(None) };
    if is_gzip(&main.read_up_to(0, 2)?) {
        return Ok(None);
    }
    let main = std::iter::once(Ok(main.clone()));
    let readable = InputSet { members: main.chain(picked.members[1..].iter().map(inflated)).collect::<Result<_, _>>()? };
    let mut ledger = Ledger { recognised: claim.recognised.clone(), ..Ledger::default() };
    ledger.members = readable.members.iter().map(|m| m.name.clone()).collect();
    let (began, mut timed) = (phases::begin(), Timed::new(reader));
    let mut watch = ProgressReporter::new(&readable, tell);
    let Some(importing) = format.import_ahead(&readable, &mut ledger, &mut watch, &mut timed) else { return Ok(None) };
    let profile = importing.await?;
    began.end_without(Phase::Parse, timed.waited_ms);
    Ok(Some((Imported { profile, ledger }, readable)))
}

/// The member itself, or its inflated text when it is gzip.
pub fn inflated(member: &Member) -> Result<Member, ImportError> {
    if !is_gzip(&member.read_up_to(0, 2)?) {
        return Ok(member.clone());
    }
    let mut inflater = Inflater::default();
    let mut offset = 0;
    while offset < member.len() {
        let block = member.read_up_to(offset, BLOCK)?;
        offset += block.len() as u64;
        inflater.push(&block, &mut |_| Ok::<_, ()>(())).map_err(|stop| match stop {
            Stop::Damaged { offset, why } => ImportError::Invalid(format!("`{}`: at byte {offset} {why}.", member.name)),
            _ => ImportError::Unsupported(format!("`{}` inflates to more than {}.", member.name, text::bytes(INFLATED_MAX))),
        })?;
    }
    match inflater.finish() {
        (index, true) => Ok(InflatedSource::member(member, index)),
        (_, false) => Err(ImportError::Invalid(format!("`{}` is gzip data that ends early; expected a complete file.", member.name))),
    }
}

/// One profile of a drop: its claim and the result of its import.
pub type Outcome = (Claim, Result<(Imported, InputSet), ImportError>);

/// Imports every profile of a drop, archives included. Without any profile: an error with a sentence on each file.
pub fn import(input: &InputSet) -> Result<Vec<Outcome>, ImportError> {
    import_planned(input, Plan::usual())
}

/// As [`import`] with the threads and piece sizes of `plan`.
pub fn import_planned(input: &InputSet, plan: Plan) -> Result<Vec<Outcome>, ImportError> {
    let expanded = archive::expand(input, None);
    let found = inspect::sort(&expanded)?.found;
    let outcome = |f: Found| {
        let done = inspect::select(&expanded, &f.claim, &f.paths).and_then(|picked| import_with(&picked, &f.claim, &mut |_| (), plan));
        (f.claim, done)
    };
    Ok(found.into_iter().map(outcome).collect())
}

/// Name of the file without the directories it was dropped with.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Expected heap of the import of a claim, bytes, from the sizes of its files.
pub fn estimate_heap(input: &InputSet, heads: &[MemberHead], claim: &Claim) -> u64 {
    let text: u64 = claim.members.iter().filter_map(|&m| Some(text_len(heads.get(m)?, input.members.get(m)?))).sum();
    let format = by_id(&claim.format);
    if format.is_some_and(|f| f.streamed(claim, "").is_some()) {
        return text / 5 * 3 + HEAP_BASE;
    }
    let main = claim.members.first().and_then(|&m| heads.get(m));
    let own = format.zip(main).and_then(|(f, main)| f.heap_bytes(main, text));
    own.unwrap_or(text.saturating_mul(4)).saturating_add(HEAP_BASE)
}

/// Refuses a claim whose import would not fit in memory, before anything is read.
pub fn check_heap(input: &InputSet, heads: &[MemberHead], claim: &Claim) -> Result<(), ImportError> {
    let heap = estimate_heap(input, heads, claim);
    if heap <= HEAP_MAX {
        return Ok(());
    }
    let name = claim.members.first().and_then(|&m| heads.get(m)).map_or("", |h| &h.name);
    Err(ImportError::Unsupported(format!(
        "`{name}` needs about {} of memory; a browser tab has at most {}. Record fewer steps or split the file.",
        text::bytes(heap),
        text::bytes(HEAP_MAX)
    )))
}

/// Bytes of text in a member: its length, or what its gzip trailer says (modulo 2³², so the wrap nearest to a usual ratio is taken).
fn text_len(head: &MemberHead, member: &Member) -> u64 {
    const USUAL_RATIO: u64 = 8;
    if !head.is_gzip {
        return head.len;
    }
    let guess = head.len.saturating_mul(USUAL_RATIO);
    let Some(&[a, b, c, d]) = member.read(head.len.saturating_sub(4), 4).ok().as_deref() else {
        return guess;
    };
    let stated = u64::from(u32::from_le_bytes([a, b, c, d]));
    let wraps = (guess.saturating_sub(stated) + (1 << 31)) >> 32;
    (stated + (wraps << 32)).max(head.len)
}
