//! Cuts the stream of a trace into packets: field 1 of the root message, each with its length before it.

/// A packet longer than this is refused: Perfetto's own limit is far below.
pub const PACKET_MAX: usize = 256 << 20;

/// Why no packet begins here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAPacket;

/// Where the body of the first field in `bytes` begins, and how many bytes it has. `None`: more bytes are needed.
pub fn frame(bytes: &[u8]) -> Result<Option<(usize, usize)>, NotAPacket> {
    match bytes.first() {
        None => return Ok(None),
        Some(0x0A) => {}
        Some(_) => return Err(NotAPacket),
    }
    let mut length = 0u64;
    for i in 0..5 {
        let Some(byte) = bytes.get(1 + i) else { return Ok(None) };
        length |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            let length = usize::try_from(length).map_err(|_| NotAPacket)?;
            return if length > PACKET_MAX { Err(NotAPacket) } else { Ok(Some((2 + i, length))) };
        }
    }
    Err(NotAPacket)
}

/// Packets out of blocks of any size.
#[derive(Default)]
pub struct PacketSplitter {
    /// Bytes of an unfinished packet.
    carry: Vec<u8>,
    /// Offset of the first byte of `carry`, or of the next block, in the file.
    offset: u64,
    is_broken: bool,
}

impl PacketSplitter {
    /// Calls `packet(offset, body)` for each packet that `block` completes. `Err` with the offset of the first byte that begins no packet, once.
    pub fn feed(&mut self, block: &[u8], packet: &mut dyn FnMut(u64, &[u8])) -> Result<(), u64> {
        if self.is_broken {
            return Ok(());
        }
        let mut rest = block;
        // Finish the packet that the block before began.
        while !self.carry.is_empty() {
            let missing = match frame(&self.carry) {
                Err(NotAPacket) => return self.break_off(),
                Ok(None) => 1,
                Ok(Some((start, length))) if start + length > self.carry.len() => start + length - self.carry.len(),
                Ok(Some((start, length))) => {
                    packet(self.offset + start as u64, &self.carry[start..start + length]);
                    self.offset += self.carry.len() as u64;
                    self.carry.clear();
                    break;
                }
            };
            if rest.is_empty() {
                return Ok(());
            }
            let (head, tail) = rest.split_at(missing.min(rest.len()));
            self.carry.extend_from_slice(head);
            rest = tail;
        }
        loop {
            match frame(rest) {
                Err(NotAPacket) => return self.break_off(),
                Ok(Some((start, length))) if start + length <= rest.len() => {
                    packet(self.offset + start as u64, &rest[start..start + length]);
                    self.offset += (start + length) as u64;
                    rest = &rest[start + length..];
                }
                Ok(_) => {
                    self.carry.extend_from_slice(rest);
                    return Ok(());
                }
            }
        }
    }

    fn break_off(&mut self) -> Result<(), u64> {
        self.is_broken = true;
        Err(self.offset)
    }

    /// The offset and length of the packet that the end of the file cuts, if there is one.
    pub fn unfinished(&self) -> Option<(u64, usize)> {
        (!self.carry.is_empty() && !self.is_broken).then_some((self.offset, self.carry.len()))
    }
}
