//! Annotations as files: JSON for this page, CSV for spreadsheets and other programs; and times as the user writes them.

use super::{Annotation, AnnotationSet, Book, MOST, TimeUnit};
use crate::base::Order as _;
use crate::base::{TimeNs, csv, text};
use serde::{Deserialize, Serialize};

const KIND: &str = "axonscope annotations";
const VERSION: u32 = 1;
const HEADER: &str = "name,start_ns,end_ns,colour,versus";

/// The profile that annotations were made in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Of {
    /// Its content hash.
    pub hash: String,
    /// Its title.
    #[serde(default)]
    pub name: String,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The annotations.
    pub set: AnnotationSet,
    /// The profile that the file names, if any.
    pub of: Option<Of>,
}

/// A set in the format of the file.
#[derive(Serialize, Deserialize)]
struct File {
    kind: String,
    version: u32,
    #[serde(default)]
    of: Option<Of>,
    set: AnnotationSet,
}

/// The set as JSON, with the profile it belongs to.
pub fn to_json(set: &AnnotationSet, of: &Of) -> String {
    let file = File { kind: KIND.into(), version: VERSION, of: Some(of.clone()), set: set.clone() };
    // Only maps with keys that are no strings, and failing writers, can fail; there are none.
    serde_json::to_string_pretty(&file).unwrap_or_default()
}

/// The set as CSV: one annotation a line, times in nanoseconds since the profile's origin.
pub fn to_csv(set: &AnnotationSet) -> String {
    let mut out = format!("{HEADER}\r\n");
    for a in &set.items {
        let end = a.end.map(|e| e.0.to_string()).unwrap_or_default();
        let versus = a.versus.and_then(|v| set.get(v)).map_or("", |v| v.name.as_str());
        csv::record(&mut out, [a.name.as_str(), &a.start.0.to_string(), &end, &a.colour.to_string(), versus]);
    }
    out
}

/// Why a file has no annotations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnnotationsError {
    /// Other JSON; the parser's message.
    #[error("Expected a file of annotations saved by this page: {0}.")]
    Unreadable(String),
    /// Another file of this page, or one of a later version.
    #[error("Expected `{}` version {}, found `{kind}` version {version}.", KIND, VERSION)]
    OtherKind {
        /// The kind that the file states.
        kind: String,
        /// Its version.
        version: u32,
    },
    /// Two annotations of one id.
    #[error("Expected unique ids, found two annotations with the same id.")]
    SameId,
    /// Neither JSON nor a CSV with the columns; the beginning of its first line.
    #[error("Expected JSON, or CSV with the header `{header}`, found `{0}`.", header = HEADER)]
    NoHeader(String),
    /// A time is no number.
    #[error("Expected whole nanoseconds in line {line}, found `{found}`.")]
    NoTime {
        /// From 1.
        line: usize,
        /// The cell.
        found: String,
    },
    /// More than fit on a timeline.
    #[error("Expected at most {most} annotations, found {0}.", most = MOST)]
    TooMany(usize),
}

/// Reads a file of either kind.
pub fn from_file(content: &str) -> Result<Found, AnnotationsError> {
    let content = content.trim_start_matches('\u{feff}');
    let is_json = content.trim_start().starts_with('{');
    let Found { mut set, of } = if is_json { from_json(content)? } else { Found { set: from_csv(content)?, of: None } };
    if set.items.len() > MOST {
        return Err(AnnotationsError::TooMany(set.items.len()));
    }
    set.tidy();
    Ok(Found { set, of })
}

fn from_json(content: &str) -> Result<Found, AnnotationsError> {
    let file: File = serde_json::from_str(content).map_err(|e| AnnotationsError::Unreadable(e.to_string()))?;
    if file.kind != KIND || file.version != VERSION {
        return Err(AnnotationsError::OtherKind { kind: file.kind, version: file.version });
    }
    let mut set = file.set;
    // Ids name annotations; two of one name would move together.
    set.items.order_by_key(|a| a.id);
    if set.items.windows(2).any(|w| w[0].id == w[1].id) {
        return Err(AnnotationsError::SameId);
    }
    Ok(Found { set, of: file.of })
}

fn from_csv(content: &str) -> Result<AnnotationSet, AnnotationsError> {
    let mut records = records(content).into_iter();
    let header = records.next().unwrap_or_default();
    let at = |name: &str| header.iter().position(|h| h.trim() == name);
    let (Some(name), Some(start)) = (at("name"), at("start_ns")) else {
        return Err(AnnotationsError::NoHeader(text::middle_ellipsis(&header.join(","), 80)));
    };
    let (end, colour, versus) = (at("end_ns"), at("colour"), at("versus"));
    let mut set = AnnotationSet::default();
    let mut versus_of = Vec::new();
    for (i, cells) in records.enumerate() {
        let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).map(|c| c.trim()).filter(|c| !c.is_empty());
        let number = |text: &str| text.parse::<i64>().map_err(|_| AnnotationsError::NoTime { line: i + 2, found: text.into() });
        let start = number(cell(Some(start)).unwrap_or_default())?;
        let end = cell(end).map(number).transpose()?.map(TimeNs);
        let colour = cell(colour).and_then(|c| c.parse().ok()).unwrap_or(0);
        let name = cell(Some(name)).unwrap_or_default().to_string();
        set.items.push(Annotation { id: i as u32 + 1, name, colour, start: TimeNs(start), end, versus: None });
        versus_of.push(cell(versus).map(str::to_string));
    }
    for (i, name) in versus_of.into_iter().enumerate() {
        set.items[i].versus = name.and_then(|name| set.items.iter().find(|a| a.name == name).map(|a| a.id));
    }
    Ok(set)
}

/// Lines of cells; quoted cells may hold commas, quotes and line breaks. Empty lines are no records.
fn records(content: &str) -> Vec<Vec<String>> {
    let (mut out, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = content.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                cell.push('"');
                chars.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => line.push(std::mem::take(&mut cell)),
            '\n' if !is_quoted => {
                line.push(std::mem::take(&mut cell));
                out.push(std::mem::take(&mut line));
            }
            '\r' if !is_quoted => {}
            c => cell.push(c),
        }
    }
    line.push(cell);
    out.push(line);
    out.retain(|line| line.iter().any(|cell| !cell.trim().is_empty()));
    out
}

/// All annotations of a profile in the storage format.
pub fn book_to_text(book: &Book) -> String {
    if book.is_empty() { String::new() } else { serde_json::to_string(book).unwrap_or_default() }
}

/// What was stored; what cannot be read is an empty book.
pub fn book_from_text(text: &str) -> Book {
    let mut book: Book = serde_json::from_str(text).unwrap_or_default();
    book.current.tidy();
    book.saved.iter_mut().for_each(AnnotationSet::tidy);
    book
}

impl TimeUnit {
    /// All of them, as (unit, its id and label).
    pub const ALL: [(TimeUnit, &'static str); 5] =
        [(TimeUnit::Auto, "auto"), (TimeUnit::Ns, "ns"), (TimeUnit::Us, "µs"), (TimeUnit::Ms, "ms"), (TimeUnit::S, "s")];

    /// The unit of that label.
    pub fn from_label(label: &str) -> TimeUnit {
        TimeUnit::ALL.iter().find(|u| u.1 == label).map_or(TimeUnit::Auto, |u| u.0)
    }

    /// For choosing it.
    pub fn label(self) -> &'static str {
        TimeUnit::ALL.iter().find(|u| u.0 == self).map_or("auto", |u| u.1)
    }

    /// A time to the nanosecond, in this unit.
    pub fn write(self, ns: i64) -> String {
        let (unit_ns, digits) = match self {
            TimeUnit::Auto => return text::time_exact(ns),
            TimeUnit::Ns => (1u64, 0),
            TimeUnit::Us => (1_000, 3),
            TimeUnit::Ms => (1_000_000, 6),
            TimeUnit::S => (1_000_000_000, 9),
        };
        let (sign, abs) = (if ns < 0 { "−" } else { "" }, ns.unsigned_abs());
        let fraction = if digits > 0 { format!(".{:0digits$}", abs % unit_ns) } else { String::new() };
        format!("{sign}{}{fraction} {}", abs / unit_ns, self.label())
    }

    /// A time as a user writes it: `12.5 ms`, `-3us`, or a bare number in this unit (nanoseconds for `Auto`). `None` if it is none.
    pub fn read(self, typed: &str) -> Option<TimeNs> {
        let typed = typed.trim().replace('−', "-").replace('\u{202f}', "");
        let split = typed.find(|c: char| c.is_alphabetic() || c == 'µ').unwrap_or(typed.len());
        let (figure, unit) = (typed[..split].trim(), typed[split..].trim());
        let digits = match unit {
            "ns" => 0,
            "us" | "µs" | "μs" => 3,
            "ms" => 6,
            "s" => 9,
            "" => match self {
                TimeUnit::Auto | TimeUnit::Ns => 0,
                TimeUnit::Us => 3,
                TimeUnit::Ms => 6,
                TimeUnit::S => 9,
            },
            _ => return None,
        };
        let (is_negative, figure) = figure.strip_prefix('-').map_or((false, figure), |rest| (true, rest));
        let (whole, fraction) = figure.split_once('.').unwrap_or((figure, ""));
        if (whole.is_empty() && fraction.is_empty()) || !(whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())) {
            return None;
        }
        // Decimal text, never through a float.
        let padded: String = fraction.chars().chain(std::iter::repeat('0')).take(digits).collect();
        let ns: i64 = format!("0{whole}{padded}").parse().ok()?;
        Some(TimeNs(if is_negative { -ns } else { ns }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeRange;

    fn set() -> AnnotationSet {
        let mut set = AnnotationSet { name: "a set".into(), ..AnnotationSet::default() };
        set.add_marker(TimeNs(-50));
        set.add_region(TimeRange::new(TimeNs(10), TimeNs(30)));
        set.change(1, |a| a.name = "quote \" comma, line\nbreak".into());
        set.change(2, |a| a.versus = Some(1));
        set
    }

    fn of() -> Of {
        Of { hash: "abc".into(), name: "a profile".into() }
    }

    #[test]
    fn files_come_back() {
        assert_eq!(from_file(&to_json(&set(), &of())), Ok(Found { set: set(), of: Some(of()) }));
        let csv = from_file(&to_csv(&set())).expect("own CSV");
        assert_eq!((csv.set.items, csv.of), (set().items, None));
        let older = to_json(&set(), &of()).replace("\"of\"", "\"unknown\"");
        assert_eq!(from_file(&older), Ok(Found { set: set(), of: None }), "a file that does not say of which profile it is");
        let book = Book { current: set(), saved: vec![set()] };
        assert_eq!(book_from_text(&book_to_text(&book)), book);
        assert_eq!(book_from_text("nonsense"), Book::default());
    }

    #[test]
    fn what_is_no_such_file_is_refused_with_a_sentence() {
        let check = |content: &str, part: &str| {
            let sentence = from_file(content).expect_err(content).to_string();
            assert!(sentence.contains(part) && sentence.ends_with('.'), "{sentence}");
        };
        check("", "Expected JSON, or CSV");
        check("a,b\n1,2", "found `a,b`");
        check("name,start_ns\nx,1.5", "line 2, found `1.5`");
        check("{\"kind\":\"other\",\"version\":1,\"set\":{\"name\":\"\",\"items\":[]}}", "found `other`");
        check("{\"kind\"", "saved by this page: EOF");
        check(&format!("name,start_ns\n{}", "x,1\n".repeat(MOST + 1)), "at most");
        let twice = to_json(&set(), &of()).replace("\"id\": 2", "\"id\": 1");
        check(&twice, "two annotations with the same id");
    }

    #[test]
    fn a_csv_of_another_program_may_leave_columns_out() {
        let set = from_file("\u{feff}start_ns,name\r\n5,b\r\n-1,\r\n").expect("read").set;
        let got: Vec<(i64, &str)> = set.items.iter().map(|a| (a.start.0, a.name.as_str())).collect();
        assert_eq!(got, [(-1, ""), (5, "b")]);
    }

    #[test]
    fn times_are_written_and_read() {
        assert_eq!(TimeUnit::Ms.write(-1_234_567), "−1.234567 ms");
        assert_eq!(TimeUnit::Ns.write(12), "12 ns");
        assert_eq!(TimeUnit::Auto.write(1_500), "1.5 µs");
        let read = |unit: TimeUnit, text: &str| unit.read(text).map(|t| t.0);
        assert_eq!(read(TimeUnit::Auto, "1.5 µs"), Some(1_500));
        assert_eq!(read(TimeUnit::Ms, " -0.25"), Some(-250_000));
        assert_eq!(read(TimeUnit::Auto, "9007199254740993"), Some(9_007_199_254_740_993));
        assert_eq!(read(TimeUnit::Auto, "1.23456 us"), Some(1_234));
        for unit in TimeUnit::ALL {
            assert_eq!(read(TimeUnit::Auto, &unit.0.write(-1_234_567_891)), Some(-1_234_567_891), "{unit:?}");
        }
        for bad in ["", ".", "x", "1.2.3", "5 m", "--1", "99999999999999999999", "1e3"] {
            assert_eq!(read(TimeUnit::Auto, bad), None, "{bad}");
        }
    }
}
