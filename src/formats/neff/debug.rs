//! The debug chain of a NEFF: from a word of an engine's program to the compiler's instruction, the HLO, the framework's operator and
//! the line of source.

use super::archive::Archive;
use crate::formats::ntff::{Message, NEFF_ENGINES};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Most instructions of one file that are read.
const MAX_INSTRUCTIONS: usize = 4 << 20;
/// Most dependencies of one instruction.
const MAX_DEPENDS: usize = 1024;

/// One entry of a debug file.
#[derive(Debug, Clone, Default)]
struct Entry {
    id: u64,
    name: String,
    parents: Vec<u64>,
    /// (id on the same level, kind).
    depends: Vec<(u64, u64)>,
    kind: u64,
    op_type: String,
    source: String,
    /// The NKI kernel that the instruction comes from.
    kernel: String,
}

/// One debug file: a level of the chain.
#[derive(Debug, Default)]
struct Level {
    entries: Vec<Entry>,
    by_id: FxHashMap<u64, usize>,
}

impl Level {
    fn read(bytes: &[u8]) -> Level {
        let mut out = Level::default();
        let fields: Vec<_> = Message::new(bytes).collect();
        let texts = |number| -> Vec<String> { fields.iter().filter(|f| f.0 == number).map(|f| f.1.text()).collect() };
        let (files, kernels) = (texts(5), texts(7));
        for (_, value) in fields.iter().filter(|f| f.0 == 3).take(MAX_INSTRUCTIONS) {
            let entry = read_entry(value.bytes(), &files, &kernels);
            out.by_id.insert(entry.id, out.entries.len());
            out.entries.push(entry);
        }
        out
    }

    fn find(&self, id: u64) -> Option<&Entry> {
        self.entries.get(*self.by_id.get(&id)?)
    }
}

fn read_entry(bytes: &[u8], files: &[String], kernels: &[String]) -> Entry {
    let mut out = Entry::default();
    let mut ids: [Vec<u64>; 2] = Default::default();
    let mut kinds: [Vec<u64>; 2] = Default::default();
    let mut texts: FxHashMap<String, String> = FxHashMap::default();
    for (number, value) in Message::new(bytes) {
        match number {
            1 => out.id = value.number(),
            2 => out.name = value.text(),
            3 => out.parents.extend(value.numbers()),
            4 | 5 => ids[number as usize - 4].extend(value.numbers()),
            6 => out.kind = value.number(),
            7 => {
                let part = |n| Message::field(value.bytes(), n).text();
                texts.insert(part(1), part(2));
            }
            9 | 10 => kinds[number as usize - 9].extend(value.numbers()),
            _ => (),
        }
    }
    for (ids, kinds) in ids.iter().zip(&kinds) {
        for (i, id) in ids.iter().enumerate() {
            if out.depends.len() < MAX_DEPENDS && !out.depends.iter().any(|d| d.0 == *id) {
                out.depends.push((*id, kinds.get(i).copied().unwrap_or(0)));
            }
        }
    }
    let text = |key: &str| texts.get(key).cloned().unwrap_or_default();
    out.op_type = text("op_type");
    let listed = |key: &str, all: &[String]| text(key).parse::<usize>().ok().and_then(|i| all.get(i).cloned()).unwrap_or_default();
    out.kernel = listed("kernel_name", kernels);
    let kernel_file = listed("kernel_file", files);
    out.source = [(kernel_file, "kernel_line"), (text("source_file"), "source_line")]
        .into_iter()
        .find(|(file, _)| !file.is_empty())
        .map_or(String::new(), |(file, line)| format!("{file}:{}", text(line)));
    out
}

/// What the compiler knows of one instruction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Name {
    pub bir_id: Option<u64>,
    pub bir: String,
    pub instruction_type: &'static str,
    pub penguin_id: Option<u64>,
    pub hlo: String,
    pub operator: String,
    pub layer: String,
    pub source: String,
    /// The kernel function in the source.
    pub function: String,
    /// (BIR id, kind of dependency).
    pub depends: Vec<(u64, u64)>,
}

/// Names of one engine's program, by the compiler's program counter.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub names: Vec<Name>,
    /// Words of the program as the compiler wrote it.
    pub n_words: u64,
}

/// What a dependency is called.
pub(crate) fn dependency(kind: u64) -> String {
    match kind {
        1 => "ORDERED".into(),
        2 => "ANTI_DEPENDENCE".into(),
        3 => "OUTPUT_DEPENDENCE".into(),
        4 => "FLOW_DEPENDENCE".into(),
        n => format!("dependency of kind {n}"),
    }
}

/// Reads programs; levels that programs share are read once.
pub(crate) struct Reader<'a> {
    archive: &'a Archive,
    shared: FxHashMap<String, Level>,
    programs: FxHashMap<(String, usize), Option<Rc<Program>>>,
}

impl<'a> Reader<'a> {
    pub fn new(archive: &'a Archive) -> Self {
        Reader { archive, shared: FxHashMap::default(), programs: FxHashMap::default() }
    }

    /// Names of the program of engine `engine` of `subgraph` (`sg00`); none where the NEFF has no debug files.
    pub fn program(&mut self, subgraph: &str, engine: usize) -> Option<Rc<Program>> {
        let key = (subgraph.to_string(), engine);
        if let Some(known) = self.programs.get(&key) {
            return known.clone();
        }
        let program = self.read(subgraph, engine).map(Rc::new);
        self.programs.insert(key, program.clone());
        program
    }

    fn read(&mut self, subgraph: &str, engine: usize) -> Option<Program> {
        let name = NEFF_ENGINES.get(engine)?;
        let words = self.archive.file(&format!("{subgraph}/debug_info_asm_{name}.dbg")).map(Level::read)?;
        let backend = self.archive.file(&format!("{subgraph}/debug_info_backend_{name}.dbg")).map(Level::read).unwrap_or_default();
        let files = ["penguin", "hlo", "pttf"].map(|level| shared(self.archive, level, subgraph));
        for file in files.iter().flatten() {
            if !self.shared.contains_key(*file) {
                let level = self.archive.file(file).map(Level::read).unwrap_or_default();
                self.shared.insert((*file).into(), level);
            }
        }
        let upper: Vec<Option<&Level>> = files.iter().map(|file| self.shared.get((*file)?)).collect();
        let names = words.entries.iter().map(|word| chain(word, &backend, &upper)).collect();
        let n_words = self.archive.size(&format!("{subgraph}/{name}.bin")).unwrap_or(0) / 64;
        Some(Program { names, n_words })
    }
}

/// The file of a level above the subgraph: the only one, or the one with the subgraph's number.
fn shared<'a>(archive: &'a Archive, level: &str, subgraph: &str) -> Option<&'a str> {
    let start = format!("debug_info/debug_info_{level}.dbg");
    let fitting: Vec<&str> = archive.files.keys().map(String::as_str).filter(|name| name.starts_with(&start)).collect();
    if let [only] = fitting[..] {
        return Some(only);
    }
    let number: u32 = subgraph.trim_start_matches("sg").parse().ok()?;
    let wanted = format!("{start}_sg{number:04}");
    fitting.into_iter().filter(|name| name.starts_with(&wanted)).min()
}

fn chain(word: &Entry, backend: &Level, upper: &[Option<&Level>]) -> Name {
    let mut out = Name::default();
    let Some(bir) = word.parents.first().and_then(|id| backend.find(*id)) else {
        return out;
    };
    out.bir_id = Some(bir.id);
    out.bir = bir.name.clone();
    out.instruction_type = match bir.kind {
        1 => "REGULAR",
        3 => "TRANSPOSE",
        _ => "",
    };
    out.depends = bir.depends.clone();
    out.source = bir.source.clone();
    out.function = bir.kernel.clone();
    let mut at = bir;
    for (i, level) in upper.iter().enumerate() {
        let Some(entry) = level.and_then(|level| level.find(*at.parents.first()?)) else {
            break;
        };
        match i {
            0 => out.penguin_id = Some(entry.id),
            1 => out.hlo = entry.name.clone(),
            _ => out.layer = entry.name.clone(),
        }
        if !entry.op_type.is_empty() {
            out.operator = entry.op_type.clone();
        }
        if out.source.is_empty() {
            out.source = entry.source.clone();
        }
        if out.function.is_empty() {
            out.function = entry.kernel.clone();
        }
        at = entry;
    }
    out
}
