//! Feeds an importer that reads block by block.

use super::gzip::{GzipIndex, INFLATED_MAX, InflatedSource, Inflater, Stop, is_gzip};
use super::heads::BLOCK;
use super::{Claim, Companion, Format, ImportError, Imported, Piece, Progress, Split, Streamed};
use crate::base::phases::{self, Phase};
use crate::base::{Ledger, Member, Severity, text};
use std::ops::Range;

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
    /// A feeder of `claim`; `None` when the format is read at random access, by [`super::import::import_claim`].
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

    /// Advances by `n_bytes` of the file after their text was fed.
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
