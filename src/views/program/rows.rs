//! Programs as rows.

use crate::analysis::device::Program;
use crate::analysis::device::instructions::program::{ProgramEngine, ProgramRow};
use crate::analysis::device::instructions::program_alignment::{AlignedPrograms, AlignedRow, Alignment};
use crate::base::text;
use crate::ui::table::{Cell, Column, Kind, Row};
use crate::views::wording;

/// Columns of the engines.
pub fn engine_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("engine", "Engine", Kind::Name, "Click a row to list its program."),
        column("core", "Core", Kind::Text, "Physical NeuronCore, or the subgraph that the compiler made for one."),
        column("words", "Words", Kind::Count, "Instruction words of the program.").summed(),
        column("executed", "Executed words", Kind::Count, "Words that ran at least once.").summed(),
        column("executions", "Executions", Kind::Count, "Executions of all words.").summed(),
        column("time_ns", "Time", Kind::Duration, "Sum of the durations of all executions; instructions of an engine can overlap."),
        column("wait_ns", "Wait", Kind::Duration, wording::RECORDED_WAITS),
    ]
}

/// A row for each engine.
pub fn engines(program: &Program) -> Vec<Row> {
    let has_times = program.has_times;
    let row = |e: &ProgramEngine| {
        let measured = |value: Cell| if has_times { value } else { Cell::Absent };
        Row::new(vec![
            Cell::Text(e.engine.clone()),
            Cell::Text(e.core.clone()),
            Cell::from(e.n_words),
            measured(Cell::from(e.n_executed)),
            measured(Cell::from(e.executions)),
            measured(Cell::from(e.time)),
            measured(Cell::from(e.wait)),
        ])
    };
    program.engines.iter().map(row).collect()
}

/// The engine that is listed.
pub fn title(program: &Program) -> String {
    let Some(engine) = program.engines.get(program.shown as usize) else { return String::new() };
    let cut = (program.rows.len() as u64) < program.n_rows;
    let first = if cut { format!(", the first {}", text::count(program.rows.len() as u64)) } else { String::new() };
    format!("{} of {}: {}{first}", engine.engine, engine.core, text::counted(program.n_rows, "word"))
}

/// Columns of the words; without times, those of the program alone.
pub fn word_columns(has_times: bool) -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column("pc", "Address", Kind::Number, "Program counter: number of the word in the image."),
        column("brackets", "Branches", Kind::Name, "Loops and branches: from the ends of a bracket, ▸ marks the word that is branched to."),
        column("opcode", "Opcode", Kind::Text, ""),
        column("operands", "Operands", Kind::Text, "As neuron-profile prints them, or why they are not decoded.").wide(),
    ];
    if has_times {
        out.extend([
            column("count", "Executions", Kind::Count, "How often the word ran; 0 is never.").summed(),
            column("time_ns", "Time", Kind::Duration, "Sum of the durations of its executions.").summed(),
            column("share", "Share", Kind::Share, "Share of the time of all words of this engine."),
            column("wait_ns", "Wait", Kind::Duration, wording::RECORDED_WAITS).summed(),
        ]);
    }
    out.extend([
        column("layer", "Layer", Kind::Text, "Layer of the model, where the NEFF names it."),
        column("source", "Source", Kind::Text, "Line of source, where the NEFF names it."),
        column("bir", "Compiler instruction", Kind::Text, "Instruction of the compiler (BIR); empty for words that the runtime added."),
    ]);
    out
}

/// A row for each word.
pub fn words(program: &Program) -> Vec<Row> {
    let whole: i64 = program.rows.iter().filter_map(|r| r.time).map(|t| t.0).fold(0, i64::saturating_add);
    let text = |text: &str| if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) };
    let row = |r: &ProgramRow| {
        let operands = match (r.refused.is_empty(), r.operands.is_empty()) {
            (true, _) => text(&r.operands),
            (false, true) => Cell::Placeholder(r.refused.clone()),
            (false, false) => Cell::Placeholder(format!("{} ({})", r.operands, r.refused)),
        };
        let mut cells = vec![Cell::Int(r.pc.into()), text(r.brackets.trim_end()), Cell::Text(r.opcode.clone()), operands];
        if program.has_times {
            let share = r.time.filter(|_| whole > 0).map(|t| t.0 as f64 / whole as f64);
            cells.extend([Cell::from(r.count), Cell::from(r.time), Cell::from(share), Cell::from(r.wait)]);
        }
        let bir = if r.is_runtime { Cell::Placeholder("runtime".into()) } else { text(&r.bir) };
        cells.extend([text(&r.layer), text(&r.source), bir]);
        Row::new(cells)
    };
    program.rows.iter().map(row).collect()
}

/// Columns of two programs side by side; each side has time columns only if it has times.
pub fn alignment_columns((this, other): (bool, bool)) -> Vec<Column> {
    let column = Column::new;
    let mut out = vec![
        column(
            "alignment",
            "Change",
            Kind::Text,
            "Same opcode and operands, the same opcode with other operands, or a word of one program only.",
        ),
        column("pc", "Address", Kind::Number, "Program counter in this program."),
        column("pc_other", "Address in the other", Kind::Number, "Program counter in the other program."),
        column("opcode", "Opcode", Kind::Name, ""),
        column("operands", "Operands", Kind::Text, "Of this program.").wide(),
        column("operands_other", "Operands in the other", Kind::Text, "Of the other program; empty where they are the same.").wide(),
    ];
    if this {
        out.push(column("time_ns", "Time", Kind::Duration, "Sum of the durations of the word's executions.").summed());
    }
    if other {
        out.push(column("time_other_ns", "Time in the other", Kind::Duration, "The same in the other profile.").summed());
    }
    out
}

/// A row for each pair of words, or word without a partner.
pub fn alignment_rows(both: &AlignedPrograms) -> Vec<Row> {
    let text = |text: &str| if text.is_empty() { Cell::Absent } else { Cell::Text(text.into()) };
    let row = |r: &AlignedRow| {
        let this = r.this.and_then(|at| both.this.rows.get(at as usize));
        let other = r.other.and_then(|at| both.other.rows.get(at as usize));
        let label = match r.alignment {
            Alignment::Equal => "equal",
            Alignment::Changed => "operands changed",
            Alignment::OnlyThis => "only here",
            Alignment::OnlyOther => "only in the other",
        };
        let pc = |row: Option<&ProgramRow>| row.map_or(Cell::Absent, |r| Cell::Int(r.pc.into()));
        let operands =
            |row: Option<&ProgramRow>| row.map_or(Cell::Absent, |r| text(if r.operands.is_empty() { &r.refused } else { &r.operands }));
        let theirs = if r.alignment == Alignment::Equal { Cell::Absent } else { operands(other) };
        let opcode = this.or(other).map_or(Cell::Absent, |r| text(&r.opcode));
        let mut cells = vec![Cell::Text(label.into()), pc(this), pc(other), opcode, operands(this), theirs];
        if both.this.has_times {
            cells.push(Cell::from(this.and_then(|r| r.time)));
        }
        if both.other.has_times {
            cells.push(Cell::from(other.and_then(|r| r.time)));
        }
        Row::new(cells)
    };
    both.rows.iter().map(row).collect()
}

/// Summary of the comparison in one sentence.
pub fn alignment_sentence(both: &AlignedPrograms) -> String {
    let n = |alignment| text::count(both.count(alignment));
    let [this, other] = [&both.this, &both.other].map(|p| AlignedPrograms::time(p).map(text::duration));
    let times = match (this, other) {
        (Some(this), Some(other)) => format!(" All executions of its words take {this} here and {other} in the other profile."),
        _ => String::new(),
    };
    format!(
        "{} words are equal, {} have other operands, {} are only here, {} only in the other program.{times}",
        n(Alignment::Equal),
        n(Alignment::Changed),
        n(Alignment::OnlyThis),
        n(Alignment::OnlyOther)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::DurationNs;

    #[test]
    fn rows_fit_their_columns() {
        let ran = ProgramRow { pc: 3, opcode: "MATMUL".into(), count: Some(2), time: Some(DurationNs(30)), ..ProgramRow::default() };
        let never =
            ProgramRow { pc: 4, refused: "operands not available: code 0x41 not verified".into(), count: Some(0), ..ProgramRow::default() };
        let mut program = Program { has_times: true, rows: vec![ran, never], n_rows: 5, ..Program::default() };
        program.engines.push(ProgramEngine { engine: "Tensor".into(), core: "NC 4".into(), ..ProgramEngine::default() });
        for has_times in [true, false] {
            program.has_times = has_times;
            assert!(words(&program).iter().all(|r| r.cells.len() == word_columns(has_times).len()));
            assert!(engines(&program).iter().all(|r| r.cells.len() == engine_columns().len()));
        }
        program.has_times = true;
        let rows = words(&program);
        assert_eq!(rows[0].cells[6], Cell::Float(1.0), "all of the engine's time");
        assert_eq!((&rows[1].cells[4], &rows[1].cells[5]), (&Cell::Int(0), &Cell::Absent), "a word that never ran has no time");
        let both = crate::analysis::device::instructions::program_alignment::align(program.clone(), Program::default());
        let columns = alignment_columns((true, false));
        assert!(alignment_rows(&both).iter().all(|r| r.cells.len() == columns.len()));
        assert!(alignment_sentence(&both).starts_with("0 words are equal, 0 have other operands, 2 are only here"));
        assert_eq!(title(&program), "Tensor of NC 4: 5 words, the first 2");
    }
}
