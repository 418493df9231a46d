//! Two programs side by side: which words of one correspond to which words of the other, as between two versions of a compiler.
//!
//! Words with the same opcode and the same operands are aligned (Myers' difference algorithm). Between them, words with the same opcode only are
//! aligned as changed; the others are in one program only.

use crate::analysis::device::instructions::program::{Program, ProgramQuery, ProgramRow};
use crate::base::{DurationNs, text};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Words of each program that are aligned, beyond those that both begin and end with: the time grows with the product of words and differences.
const MOST_WORDS: usize = 8_000;

/// A program of this profile, aligned with one of another profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlignmentQuery {
    /// Which engine of this profile.
    pub program: ProgramQuery,
    /// The answer of the other profile.
    pub other: Program,
}

/// How a row's words compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alignment {
    /// Same opcode, same operands.
    Equal,
    /// Same opcode, other operands.
    Changed,
    /// In this program only.
    OnlyThis,
    /// In the other program only.
    OnlyOther,
}

/// A row: a word of either program, or one of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlignedRow {
    /// How they compare.
    pub alignment: Alignment,
    /// Place of the word in this program's rows.
    pub this: Option<u32>,
    /// Place of the word in the other program's rows.
    pub other: Option<u32>,
}

/// Two programs side by side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AlignedPrograms {
    /// This program.
    pub this: Program,
    /// The other program.
    pub other: Program,
    /// In the order of both.
    pub rows: Vec<AlignedRow>,
    /// Notes.
    pub notes: Vec<String>,
}

impl AlignedPrograms {
    /// Rows of that kind.
    pub fn count(&self, alignment: Alignment) -> u64 {
        self.rows.iter().filter(|r| r.alignment == alignment).count() as u64
    }

    /// Time of all executions of a program's words; `None` without times.
    pub fn time(program: &Program) -> Option<DurationNs> {
        let sum = || program.rows.iter().filter_map(|r| r.time).map(|t| t.0).fold(0, i64::saturating_add);
        program.has_times.then(|| DurationNs(sum()))
    }
}

/// What makes two words equal.
fn key(row: &ProgramRow) -> (&str, &str, &str) {
    (&row.opcode, &row.operands, &row.refused)
}

/// Numbers for what is compared, the same for equal values.
fn numbers<'a, K: std::hash::Hash + Eq>(programs: [&'a [ProgramRow]; 2], key: impl Fn(&'a ProgramRow) -> K) -> [Vec<u32>; 2] {
    let mut known: FxHashMap<K, u32> = FxHashMap::default();
    programs.map(|rows| {
        rows.iter()
            .map(|row| {
                let next = known.len() as u32;
                *known.entry(key(row)).or_insert(next)
            })
            .collect()
    })
}

/// Aligns the words of two programs.
pub fn align(this: Program, other: Program) -> AlignedPrograms {
    let mut out = AlignedPrograms { this, other, ..AlignedPrograms::default() };
    let [a, b] = numbers([&out.this.rows, &out.other.rows], key);
    let [opcodes_a, opcodes_b] = numbers([&out.this.rows, &out.other.rows], |row| row.opcode.as_str());
    let n_common = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let most = (a.len() - n_common).min(b.len() - n_common);
    let n_end = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(x, y)| x == y).count();
    let (until_a, until_b) = (a.len() - n_end, b.len() - n_end);
    let mut rows: Vec<AlignedRow> = Vec::with_capacity(a.len().max(b.len()));
    let mut both = |alignment, from: (usize, usize), n: usize| {
        rows.extend((0..n).map(|i| AlignedRow { alignment, this: Some((from.0 + i) as u32), other: Some((from.1 + i) as u32) }));
    };
    both(Alignment::Equal, (0, 0), n_common);
    let is_small = (until_a - n_common).max(until_b - n_common) <= MOST_WORDS;
    if is_small {
        let (mid_a, mid_b) = (&a[n_common..until_a], &b[n_common..until_b]);
        for op in capture_diff_slices(Algorithm::Myers, mid_a, mid_b) {
            let (tag, old, new) = op.as_tag_tuple();
            let (old, new) = (old.start + n_common..old.end + n_common, new.start + n_common..new.end + n_common);
            match tag {
                DiffTag::Equal => rows.extend(old.zip(new).map(|(x, y)| pair(Alignment::Equal, x, y))),
                _ => changed(&mut rows, (&opcodes_a, old), (&opcodes_b, new)),
            }
        }
    } else {
        let n = text::count(MOST_WORDS as u64);
        out.notes.push(format!("More than {n} words lie between what both programs begin and end with: these are not aligned."));
        rows.extend((n_common..until_a).map(only_this));
        rows.extend((n_common..until_b).map(only_other));
    }
    rows.extend((0..n_end).map(|i| pair(Alignment::Equal, until_a + i, until_b + i)));
    if [&out.this, &out.other].iter().any(|p| (p.rows.len() as u64) < p.n_rows) {
        out.notes.push("A program has more words than are listed; the rest is not compared.".into());
    }
    out.rows = rows;
    out
}

fn pair(alignment: Alignment, this: usize, other: usize) -> AlignedRow {
    AlignedRow { alignment, this: Some(this as u32), other: Some(other as u32) }
}

fn only_this(at: usize) -> AlignedRow {
    AlignedRow { alignment: Alignment::OnlyThis, this: Some(at as u32), other: None }
}

fn only_other(at: usize) -> AlignedRow {
    AlignedRow { alignment: Alignment::OnlyOther, this: None, other: Some(at as u32) }
}

/// Words that are not equal: those with the same opcode are pairs, in order.
fn changed(rows: &mut Vec<AlignedRow>, (a, old): (&[u32], std::ops::Range<usize>), (b, new): (&[u32], std::ops::Range<usize>)) {
    for op in capture_diff_slices(Algorithm::Myers, &a[old.clone()], &b[new.clone()]) {
        let (tag, x, y) = op.as_tag_tuple();
        let (x, y) = (x.start + old.start..x.end + old.start, y.start + new.start..y.end + new.start);
        match tag {
            DiffTag::Equal => rows.extend(x.zip(y).map(|(x, y)| pair(Alignment::Changed, x, y))),
            _ => {
                rows.extend(x.map(only_this));
                rows.extend(y.map(only_other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(words: &[(&str, &str)]) -> Program {
        let row = |(at, (opcode, operands)): (usize, &(&str, &str))| ProgramRow {
            pc: at as u32,
            opcode: opcode.to_string(),
            operands: operands.to_string(),
            ..ProgramRow::default()
        };
        Program { rows: words.iter().enumerate().map(row).collect(), n_rows: words.len() as u64, ..Program::default() }
    }

    fn kinds(found: &AlignedPrograms) -> Vec<(Alignment, Option<u32>, Option<u32>)> {
        found.rows.iter().map(|r| (r.alignment, r.this, r.other)).collect()
    }

    #[test]
    fn words_are_aligned_by_operands_then_by_opcode() {
        let this = program(&[("NOP", "1"), ("COPY", "a"), ("COPY", "b"), ("MATMUL", "x"), ("NOP", "9")]);
        let other = program(&[("NOP", "1"), ("COPY", "b"), ("MATMUL", "y"), ("WRITE", ""), ("NOP", "9")]);
        let found = align(this, other);
        use Alignment::*;
        let want = [
            (Equal, Some(0), Some(0)),
            (OnlyThis, Some(1), None),
            (Equal, Some(2), Some(1)),
            (Changed, Some(3), Some(2)),
            (OnlyOther, None, Some(3)),
            (Equal, Some(4), Some(4)),
        ];
        assert_eq!(kinds(&found), want);
        assert_eq!([Equal, Changed, OnlyThis, OnlyOther].map(|k| found.count(k)), [3, 1, 1, 1]);
        assert!(found.notes.is_empty() && AlignedPrograms::time(&found.this).is_none());
    }

    #[test]
    fn every_word_is_in_one_row() {
        let empty = align(Program::default(), program(&[("NOP", "")]));
        assert_eq!(kinds(&empty), [(Alignment::OnlyOther, None, Some(0))]);
        assert!(align(Program::default(), Program::default()).rows.is_empty());
        // More than are aligned, with a common beginning and a common end.
        let names: Vec<String> = (0..MOST_WORDS + 5).map(|i| format!("{i}")).collect();
        let long = |prefix: &'static str| -> Vec<(&str, &str)> {
            let mut words = vec![("NOP", "first")];
            words.extend(names.iter().map(|n| (prefix, n.as_str())));
            words.push(("NOP", "last"));
            words
        };
        let found = align(program(&long("A")), program(&long("B")));
        assert_eq!([Alignment::Equal, Alignment::OnlyThis].map(|k| found.count(k)), [2, MOST_WORDS as u64 + 5]);
        assert_eq!(found.rows.len(), 2 + 2 * (MOST_WORDS + 5));
        assert!(found.notes[0].contains("not aligned"));
        let repeated = align(program(&[("NOP", "")].repeat(3)), program(&[("NOP", "")].repeat(5)));
        assert_eq!([Alignment::Equal, Alignment::OnlyOther].map(|k| repeated.count(k)), [3, 2]);
    }
}
