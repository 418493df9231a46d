//! Where an instruction comes from: lines of source, the calls that led there, and the loops it is in.
//!
//! The lines are in the instruction's own fields. Calls and loops are in the tables `KernelInstructions`, `KernelStackFrames`,
//! `KernelIterationVariables` and `StackFrame*` of Neuron Explorer, which point at each other by ids.

use serde::{Deserialize, Serialize};

/// Calls, and loops, that are followed outwards.
const MOST_DEEP: usize = 64;
/// Stacks of one instruction that are followed: fusion gives it several.
const MOST_STACKS: usize = 8;

/// A line of source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceLocation {
    /// Path as the compiler wrote it.
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl std::fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// One step of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The function; empty where it is not recorded.
    pub function: String,
    /// Where; `None` where it is not recorded.
    pub place: Option<SourceLocation>,
    /// Whether `place` is where the function is defined, not the line it was at.
    pub is_definition: bool,
}

/// A loop's variable, and its value when the instruction was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Location of the loop.
    pub place: Option<SourceLocation>,
}

/// Where an instruction comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origin {
    /// Lines that its fields name, several where the compiler fused.
    pub places: Vec<SourceLocation>,
    /// Stacks, each innermost first.
    pub stacks: Vec<Vec<Frame>>,
    /// Loops, innermost first.
    pub loops: Vec<Loop>,
}

/// A row of a table: (column, value).
pub type Row = Vec<(String, String)>;

/// The first row of a table that has the value in the column of the first pair, and no other values in those of the other pairs.
pub type Find<'a> = dyn Fn(&str, &[(&str, &str)]) -> Option<Row> + 'a;

/// Looks up what belongs to one core: each physical core has its own numbers for stacks and loops.
struct Lookup<'a> {
    find: &'a Find<'a>,
    /// Index of the core as in its rows; empty if not recorded.
    core: &'a str,
}

impl Lookup<'_> {
    fn row(&self, table: &str, column: &str, value: &str) -> Option<Row> {
        let key = [(column, value), ("pcore_idx", self.core)];
        (self.find)(table, if self.core.is_empty() { &key[..1] } else { &key })
    }
}

/// The lines that a text names: `a.py:3`, `a.py:3, b.py:4`, `["a.py:3", "b.py:4"]`. What names no line is omitted.
pub fn places(text: &str) -> Vec<SourceLocation> {
    let words = text.split([',', ';', '\n', '[', ']', '"', '\'']).map(str::trim);
    words.filter_map(place).collect()
}

/// `path/file.py:42`, also with a column after the line.
fn place(word: &str) -> Option<SourceLocation> {
    let (file, line) = word.rsplit_once(':')?;
    if let (Some((path, line)), true) = (file.rsplit_once(':'), line.bytes().all(|c| c.is_ascii_digit()))
        && let (Ok(line), false) = (line.parse(), path.is_empty())
    {
        return Some(SourceLocation { file: path.into(), line });
    }
    let line = line.trim().parse().ok()?;
    (!file.is_empty()).then(|| SourceLocation { file: file.into(), line })
}

/// Where the instruction with these fields comes from.
pub fn origin(fields: &[(&str, &str)], find: &Find<'_>) -> Origin {
    let get = |key: &str| fields.iter().find(|f| f.0 == key).map_or("", |f| f.1);
    let mut out = Origin::default();
    for key in ["nki_source_location", "bir_debug_info_source_location", "source"] {
        for place in places(get(key)) {
            if !out.places.contains(&place) {
                out.places.push(place);
            }
        }
    }
    let find = &Lookup { find, core: get("pcore_idx") };
    let name = get("kernel_instruction_name");
    if let Some(row) = (!name.is_empty()).then(|| find.row("KernelInstructions", "kernel_instruction_name", name)).flatten() {
        let mut stack = vec![Frame { function: String::new(), place: place_of(&row), is_definition: false }];
        stack.extend(kernel_frames(cell(&row, "stack_frame_id"), find));
        stack.retain(|f| f.place.is_some() || !f.function.is_empty());
        out.stacks.extend((!stack.is_empty()).then_some(stack));
        out.loops = loops(cell(&row, "iteration_variables_id"), find);
    }
    let ids = get("stack_frame_ids").split([',', '[', ']', '"', ' ']).filter(|id| !id.is_empty());
    out.stacks.extend(ids.take(MOST_STACKS).map(|id| framework_frames(id, find)).filter(|s| !s.is_empty()));
    out
}

fn cell<'a>(row: &'a Row, column: &str) -> &'a str {
    row.iter().find(|c| c.0 == column).map_or("", |c| c.1.as_str())
}

fn place_of(row: &Row) -> Option<SourceLocation> {
    let file = cell(row, "file_path");
    let line = cell(row, "line_number").parse().ok()?;
    (!file.is_empty()).then(|| SourceLocation { file: file.into(), line })
}

/// Rows from one to its parent and on, each once.
fn chain(table: &str, column: &str, parent: &str, first: &str, find: &Lookup<'_>) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let mut id = first.to_string();
    while !id.is_empty() && id != "0" && out.len() < MOST_DEEP && !seen.contains(&id) {
        let Some(row) = find.row(table, column, &id) else { break };
        seen.push(std::mem::replace(&mut id, cell(&row, parent).to_string()));
        out.push(row);
    }
    out
}

fn kernel_frames(id: &str, find: &Lookup<'_>) -> Vec<Frame> {
    let rows = chain("KernelStackFrames", "stack_frame_id", "parent_stack_frame_id", id, find);
    let frame =
        |row: &Row| Frame { function: cell(row, "fully_qualified_function_name").into(), place: place_of(row), is_definition: true };
    rows.iter().map(frame).collect()
}

fn loops(id: &str, find: &Lookup<'_>) -> Vec<Loop> {
    let rows = chain("KernelIterationVariables", "iteration_variable_id", "parent_iteration_variable_id", id, find);
    let one = |row: &Row| Loop { name: cell(row, "variable_name").into(), value: cell(row, "variable_value").into(), place: place_of(row) };
    rows.iter().map(one).collect()
}

fn framework_frames(id: &str, find: &Lookup<'_>) -> Vec<Frame> {
    let frame = |row: &Row| {
        let at = find.row("StackFrameFileLocation", "id", cell(row, "file_location_id"))?;
        let name =
            |table: &str, column: &str| find.row(table, "id", cell(&at, column)).map(|r| cell(&r, "name").to_string()).unwrap_or_default();
        let (file, line) = (name("StackFrameFileName", "file_name_id"), cell(&at, "line_number").parse().ok());
        let place = line.filter(|_| !file.is_empty()).map(|line| SourceLocation { file, line });
        Some(Frame { function: name("StackFrameFunctionName", "function_name_id"), place, is_definition: false })
    };
    chain("StackFrame", "id", "parent_frame_id", id, find).iter().filter_map(frame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_one_text_or_a_list() {
        let check = |text: &str, want: &[(&str, u32)]| {
            assert_eq!(places(text).iter().map(|p| (p.file.as_str(), p.line)).collect::<Vec<_>>(), want, "{text}");
        };
        check("/src/a.py:42", &[("/src/a.py", 42)]);
        check("[\"a.py:1\", \"b.py:2\"]", &[("a.py", 1), ("b.py", 2)]);
        check("a.py:1:7, b.cc:12", &[("a.py", 1), ("b.cc", 12)]);
        check("Unknown", &[]);
        check(":4 a: x:y", &[]);
        check("", &[]);
    }

    /// Tables as text: a line for each row, the first names the columns.
    fn table(name: &str) -> &'static str {
        match name {
            "KernelInstructions" => "kernel_instruction_name stack_frame_id iteration_variables_id file_path line_number\ni:0 42 7 k.py 76",
            "KernelStackFrames" => {
                "stack_frame_id fully_qualified_function_name parent_stack_frame_id file_path line_number pcore_idx\n42 k.inner 41 k.py 17 0\n41 k.outer 42 k.py 3 -\n42 k.other 0 k.py 99 1"
            }
            "KernelIterationVariables" => {
                "iteration_variable_id variable_name variable_value parent_iteration_variable_id file_path line_number\n7 k 3 6 k.py 72\n6 j 1 - k.py 70"
            }
            "StackFrame" => "id file_location_id parent_frame_id\n101 5 102\n102 6 0",
            "StackFrameFileLocation" => "id file_name_id function_name_id line_number\n5 1 1 9\n6 1 2 30",
            "StackFrameFileName" => "id name\n1 model.py",
            "StackFrameFunctionName" => "id name\n1 forward\n2 main",
            _ => "",
        }
    }

    fn find(name: &str, key: &[(&str, &str)]) -> Option<Row> {
        let mut lines = table(name).lines();
        let columns: Vec<&str> = lines.next()?.split(' ').collect();
        let cell = |row: &[&'static str], column: &str| columns.iter().position(|c| *c == column).map(|at| row[at]);
        let (first, others) = key.split_first()?;
        let fits = |row: &Vec<&'static str>| {
            cell(row, first.0) == Some(first.1) && others.iter().all(|k| cell(row, k.0).is_none_or(|v| v == "-" || v == k.1))
        };
        let row: Vec<&str> = lines.map(|l| l.split(' ').collect::<Vec<_>>()).find(fits)?;
        Some(columns.iter().zip(row).filter(|(_, v)| *v != "-").map(|(c, v)| (c.to_string(), v.to_string())).collect())
    }

    #[test]
    fn stacks_and_loops_are_followed_outwards_once() {
        let fields = [("kernel_instruction_name", "i:0"), ("stack_frame_ids", "[101, 999]"), ("nki_source_location", "k.py:76")];
        let got = origin(&fields, &find);
        let frames =
            |stack: &Vec<Frame>| stack.iter().map(|f| format!("{} {}", f.function, f.place.as_ref().expect("a place"))).collect::<Vec<_>>();
        assert_eq!(
            got.stacks.iter().map(frames).collect::<Vec<_>>(),
            [
                // The outer one names the inner one as its caller: a circle ends there.
                vec![" k.py:76", "k.inner k.py:17", "k.outer k.py:3"],
                vec!["forward model.py:9", "main model.py:30"],
            ]
        );
        assert_eq!(got.loops.iter().map(|l| (l.name.as_str(), l.value.as_str())).collect::<Vec<_>>(), [("k", "3"), ("j", "1")]);
        assert_eq!(got.places.len(), 1);
        let functions = |core: &str| {
            let got = origin(&[("kernel_instruction_name", "i:0"), ("pcore_idx", core)], &find);
            got.stacks[0].iter().map(|f| f.function.clone()).collect::<Vec<_>>()
        };
        assert_eq!((functions("0").len(), functions("1")), (3, vec![String::new(), "k.other".into()]), "each core has its own numbers");
        assert_eq!(origin(&[], &find), Origin::default());
    }
}
