//! What the details of a Perfetto trace need: texts that its packets name by number.

/// Texts that packets name by number, for reading their arguments again.
#[derive(Debug, Default)]
pub struct PerfettoNames {
    /// Ordered by (sequence, offset): each holds until the next of the same sequence.
    pub generations: Vec<PerfettoGeneration>,
}

/// Texts of one sequence from one reset of its state to the next.
#[derive(Debug, Default)]
pub struct PerfettoGeneration {
    /// Packet sequence.
    pub sequence: u64,
    /// Offset in the file of the packet that begins it.
    pub offset: u64,
    /// (field of `InternedData`, number, text), sorted.
    pub texts: Vec<(u64, u64, String)>,
}

impl PerfettoNames {
    /// The generation of `sequence` that holds at `offset`.
    pub fn at(&self, sequence: u64, offset: u64) -> Option<&PerfettoGeneration> {
        let after = self.generations.partition_point(|g| (g.sequence, g.offset) <= (sequence, offset));
        self.generations[..after].last().filter(|g| g.sequence == sequence)
    }
}

impl PerfettoGeneration {
    /// The text `number` of a field of `InternedData`.
    pub fn text(&self, field: u64, number: u64) -> Option<&str> {
        let at = self.texts.binary_search_by(|t| (t.0, t.1).cmp(&(field, number))).ok()?;
        Some(&self.texts[at].2)
    }
}
