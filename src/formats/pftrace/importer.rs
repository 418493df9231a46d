//! Feeds packets to the content and makes the profile.

use super::content::Content;
use super::packets::PacketSplitter;
use crate::base::{Ledger, Severity, text};
use crate::formats::{ImportError, Streamed};
use crate::model::Profile;

/// Imports one trace.
pub struct Importer {
    packets: PacketSplitter,
    content: Content,
    title: String,
    n_read: u64,
}

impl Importer {
    /// An importer of a trace that is to be called `title`.
    pub fn new(title: &str) -> Self {
        Importer { packets: PacketSplitter::default(), content: Content::default(), title: title.into(), n_read: 0 }
    }
}

impl Streamed for Importer {
    fn feed(&mut self, block: &[u8], ledger: &mut Ledger) -> Result<(), ImportError> {
        self.n_read += block.len() as u64;
        let Importer { packets, content, .. } = self;
        let fed = packets.feed(block, &mut |offset, body| content.packet(Some(offset), body, ledger));
        if let Err(offset) = fed {
            if content.n_packets == 0 {
                return Err(ImportError::Invalid(format!("Expected a Perfetto packet at byte {offset}, found another field.")));
            }
            ledger.read += 1;
            let reason = "Here no packet begins; what follows is not read.";
            ledger.skip(Severity::DataLoss, "not_a_packet", reason, offset, String::new);
        }
        Ok(())
    }

    fn n_records(&self) -> u64 {
        self.content.n_packets
    }

    fn finish(self: Box<Self>, _is_truncated: bool, ledger: &mut Ledger) -> Result<Profile, ImportError> {
        if self.content.n_packets == 0 {
            let size = text::bytes(self.n_read);
            return Err(ImportError::Invalid(format!("Expected the packets of a Perfetto trace, found no whole packet in {size}.")));
        }
        if let Some((offset, length)) = self.packets.unfinished() {
            ledger.read += 1;
            let reason = "The file ends inside a packet; everything before it was read.";
            ledger.skip(Severity::DataLoss, "truncated_packet", reason, offset, || format!("{length} bytes of it are there"));
        }
        Ok(self.content.finish(self.title, ledger))
    }
}
