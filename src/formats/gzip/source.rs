//! Random access: inflates from the nearest access point before the offset.

use super::{GzipIndex, GzipState};
use crate::base::{ByteSource, Member, SourceError};
use std::sync::{Arc, Mutex};

const IN_BLOCK: u64 = 256 << 10;

/// Random access to the inflated text of a gzip file.
pub struct InflatedSource {
    member: Member,
    index: GzipIndex,
    /// Cache of the last text between two access points: (index of the access point, text).
    last: Mutex<(usize, Vec<u8>)>,
}

impl InflatedSource {
    /// A source over the compressed `member`.
    pub fn new(member: Member, index: GzipIndex) -> Self {
        InflatedSource { member, index, last: Mutex::new((usize::MAX, Vec::new())) }
    }

    /// A member with the inflated text.
    #[allow(clippy::arc_with_non_send_sync, reason = "a member is shared within one thread; `Member` wants an `Arc`")]
    pub fn member(member: &Member, index: GzipIndex) -> Member {
        Member::new(member.name.clone(), Arc::new(InflatedSource::new(member.clone(), index)))
    }

    fn start(&self, i: usize) -> u64 {
        self.index.points.get(i).map_or(self.index.len, |p| p.n_out)
    }

    /// The text from access point `i` to the next one.
    fn segment(&self, i: usize) -> Result<Vec<u8>, SourceError> {
        let mut decoder = self.index.points.get(i).cloned().ok_or(SourceError::Outside)?;
        let len = usize::try_from(self.start(i + 1) - self.start(i)).map_err(|_| SourceError::Outside)?;
        let mut out = vec![0; len];
        let mut at = 0;
        let mut input = Vec::new();
        let mut used = 0;
        while at < len {
            if used == input.len() {
                input = self.member.read_up_to(decoder.n_in, IN_BLOCK)?;
                used = 0;
            }
            if decoder.stage == GzipState::Body {
                let (n_in, n_out) = decoder.body(&input[used..], &mut out[at..]).map_err(|_| SourceError::Changed)?;
                used += n_in;
                at += n_out;
                if n_in == 0 && n_out == 0 && decoder.stage == GzipState::Body {
                    return Err(SourceError::Changed);
                }
            } else {
                let byte = *input.get(used).ok_or(SourceError::Changed)?;
                decoder.byte(byte).map_err(|_| SourceError::Changed)?;
                used += 1;
            }
        }
        Ok(out)
    }
}

impl ByteSource for InflatedSource {
    fn len(&self) -> u64 {
        self.index.len
    }

    fn read_at(&self, mut offset: u64, mut out: &mut [u8]) -> Result<(), SourceError> {
        let mut last = self.last.lock().map_err(|_| SourceError::InUse)?;
        while !out.is_empty() {
            // The first point may be doubled: one before the header, one before the body.
            let i = self.index.points.partition_point(|p| p.n_out <= offset).saturating_sub(1);
            if last.0 != i {
                *last = (i, self.segment(i)?);
            }
            let from = usize::try_from(offset - self.start(i)).map_err(|_| SourceError::Outside)?;
            let text = last.1.get(from..).filter(|t| !t.is_empty()).ok_or(SourceError::Outside)?;
            let n = text.len().min(out.len());
            out[..n].copy_from_slice(&text[..n]);
            offset += n as u64;
            out = &mut out[n..];
        }
        Ok(())
    }
}
