//! Random access: inflates from the nearest access point before the offset.

use super::{GzipIndex, Stage};
use crate::base::{ByteSource, Member};
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

    /// A member whose bytes are the inflated text.
    #[allow(clippy::arc_with_non_send_sync, reason = "a member is shared within one thread; `Member` wants an `Arc`")]
    pub fn member(member: &Member, index: GzipIndex) -> Member {
        Member::new(member.name.clone(), Arc::new(InflatedSource::new(member.clone(), index)))
    }

    fn start(&self, i: usize) -> u64 {
        self.index.points.get(i).map_or(self.index.len, |p| p.n_out)
    }

    /// The text from access point `i` to the next one.
    fn segment(&self, i: usize) -> Result<Vec<u8>, String> {
        let mut decoder = self.index.points.get(i).cloned().ok_or("The offset is outside the text.")?;
        let len = usize::try_from(self.start(i + 1) - self.start(i)).map_err(|_| "The text is too long.")?;
        let mut out = vec![0; len];
        let mut at = 0;
        let mut input = Vec::new();
        let mut used = 0;
        while at < len {
            if used == input.len() {
                input = self.member.read_up_to(decoder.n_in, IN_BLOCK).map_err(|e| e.to_string())?;
                used = 0;
            }
            if decoder.stage == Stage::Body {
                let (n_in, n_out) = decoder.body(&input[used..], &mut out[at..])?;
                used += n_in;
                at += n_out;
                if n_in == 0 && n_out == 0 && decoder.stage == Stage::Body {
                    return Err("The compressed data changed after it was opened.".into());
                }
            } else {
                let byte = *input.get(used).ok_or("The compressed data ends early.")?;
                decoder.byte(byte)?;
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

    fn read_at(&self, mut offset: u64, mut out: &mut [u8]) -> Result<(), String> {
        let mut last = self.last.lock().map_err(|_| "The text is in use.")?;
        while !out.is_empty() {
            // The first point may be doubled: one before the header, one before the body.
            let i = self.index.points.partition_point(|p| p.n_out <= offset).saturating_sub(1);
            if last.0 != i {
                *last = (i, self.segment(i)?);
            }
            let from = usize::try_from(offset - self.start(i)).map_err(|_| "The offset is too large.")?;
            let text = last.1.get(from..).filter(|t| !t.is_empty()).ok_or("The range is outside the text.")?;
            let n = text.len().min(out.len());
            out[..n].copy_from_slice(&text[..n]);
            offset += n as u64;
            out = &mut out[n..];
        }
        Ok(())
    }
}
