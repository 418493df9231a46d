//! A query as words: which names it has, whether it only reads, and where an error is. Knows no grammar beyond words, strings and comments.

/// What a word is, for highlighting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word of the language.
    Keyword,
    /// A name: of a table, a column, a function.
    Name,
    /// A name in double quotes.
    Quoted,
    /// A text in single quotes.
    Text,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// One character of all else.
    Sign,
}

/// A word and its place in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// As typed.
    pub text: &'a str,
    /// Where it begins.
    pub at: usize,
}

impl<'a> Token<'a> {
    /// The name or text without its quotes.
    pub fn name(&self) -> &'a str {
        match self.kind {
            Kind::Quoted | Kind::Text => self.text.trim_matches(['"', '\'']),
            _ => self.text,
        }
    }

    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }
}

/// Words of the language that are shown and offered as such.
pub const KEYWORDS: &[&str] = &[
    "all",
    "and",
    "as",
    "asc",
    "between",
    "by",
    "case",
    "cast",
    "cross",
    "desc",
    "describe",
    "distinct",
    "else",
    "end",
    "except",
    "exists",
    "explain",
    "false",
    "filter",
    "from",
    "full",
    "group",
    "having",
    "ilike",
    "in",
    "inner",
    "intersect",
    "is",
    "join",
    "lateral",
    "left",
    "like",
    "limit",
    "not",
    "null",
    "nulls",
    "offset",
    "on",
    "or",
    "order",
    "outer",
    "over",
    "partition",
    "pivot",
    "qualify",
    "range",
    "recursive",
    "right",
    "rows",
    "select",
    "show",
    "summarize",
    "table",
    "then",
    "true",
    "union",
    "unpivot",
    "using",
    "values",
    "when",
    "where",
    "window",
    "with",
];

/// Statements that change, read or fetch something else than a query does.
const OTHERS: &[&str] = &[
    "alter",
    "analyze",
    "attach",
    "begin",
    "call",
    "checkpoint",
    "comment",
    "commit",
    "copy",
    "create",
    "deallocate",
    "delete",
    "detach",
    "drop",
    "execute",
    "export",
    "force",
    "import",
    "insert",
    "install",
    "load",
    "merge",
    "pragma",
    "prepare",
    "reset",
    "rollback",
    "set",
    "truncate",
    "update",
    "use",
    "vacuum",
];

/// Every word of a text, without blanks.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let while_ = |is: fn(u8) -> bool| at + rest.iter().take_while(|b| is(**b)).count();
        let (kind, end) = match byte {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'-' if rest.starts_with(b"--") => (Kind::Comment, while_(|b| b != b'\n')),
            b'/' if rest.starts_with(b"/*") => {
                let end = text[at..].find("*/").map_or(text.len(), |n| at + n + 2);
                (Kind::Comment, end)
            }
            b'\'' | b'"' => {
                let end = rest[1..].iter().position(|b| *b == byte).map_or(text.len(), |n| at + n + 2);
                (if byte == b'"' { Kind::Quoted } else { Kind::Text }, end)
            }
            b if b.is_ascii_digit() => (Kind::Number, while_(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_')),
            b if b.is_ascii_alphabetic() || b == b'_' || b >= 128 => {
                let end = while_(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 128);
                let is_keyword = KEYWORDS.iter().any(|word| text[at..end].eq_ignore_ascii_case(word));
                (if is_keyword { Kind::Keyword } else { Kind::Name }, end)
            }
            _ => (Kind::Sign, at + 1),
        };
        out.push(Token { kind, text: &text[at..end], at });
        at = end;
    }
    out
}

/// What to do with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// A query without its final semicolon; it can be nested in another one.
    Query(String),
    /// `EXPLAIN` of a query.
    Explain(String),
}

/// Why a text is not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// It is empty.
    #[error("Type a query, or choose one of the gallery.")]
    Empty,
    /// It is more than one query.
    #[error("One query is run at a time: remove what follows the semicolon.")]
    Several,
    /// A statement that changes something; its first word.
    #[error("Only queries are run (SELECT, WITH, FROM, DESCRIBE, SUMMARIZE), not {0}.")]
    NotAQuery(String),
    /// `EXPLAIN` of a statement that is no query.
    #[error("EXPLAIN is run of a query only: EXPLAIN SELECT …")]
    NotExplained,
}

/// The one query of a text.
pub fn statement(text: &str) -> Result<Statement, StatementError> {
    let all: Vec<Token<'_>> = tokens(text).into_iter().filter(|t| t.kind != Kind::Comment).collect();
    let Some(first) = all.iter().find(|t| t.text != ";" && t.text != "(") else {
        return Err(StatementError::Empty);
    };
    let end = all.iter().position(|t| t.text == ";");
    if end.is_some_and(|end| all[end..].iter().any(|t| t.text != ";")) {
        return Err(StatementError::Several);
    }
    let body = end.map_or(text, |end| &text[..all[end].at]);
    if OTHERS.iter().any(|word| first.is(word)) {
        return Err(StatementError::NotAQuery(first.text.to_uppercase()));
    }
    if !first.is("explain") {
        return Ok(Statement::Query(body.into()));
    }
    let of = all.iter().skip_while(|t| !t.is("explain")).skip(1).find(|t| !t.is("analyze"));
    match of {
        Some(t) if ["select", "with", "from"].iter().any(|word| t.is(word)) => Ok(Statement::Explain(body.into())),
        _ => Err(StatementError::NotExplained),
    }
}

/// Names in a query that may be those of tables and columns: also texts, which functions take as names.
pub fn names(text: &str) -> Vec<&str> {
    let is_name = |t: &Token<'_>| matches!(t.kind, Kind::Name | Kind::Quoted | Kind::Text | Kind::Keyword);
    let mut out: Vec<&str> = tokens(text).iter().filter(|t| is_name(t)).map(Token::name).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Whether a query may read columns that it does not name.
pub fn reads_all(text: &str) -> bool {
    let all: Vec<Token<'_>> = tokens(text).into_iter().filter(|t| t.kind != Kind::Comment).collect();
    let has = |words: &[&str]| all.iter().any(|t| words.iter().any(|word| t.is(word)));
    // After a value a star multiplies.
    let is_value = |t: &Token<'_>| matches!(t.kind, Kind::Name | Kind::Quoted | Kind::Number | Kind::Text) || [")", "]"].contains(&t.text);
    let count = |at: usize| at >= 2 && all[at - 1].text == "(" && all[at - 2].is("count");
    let is_star = |at: usize| all[at].text == "*" && !(at > 0 && is_value(&all[at - 1])) && !count(at);
    (0..all.len()).any(is_star)
        || !has(&["select"])
        || has(&["describe", "summarize", "columns", "natural", "pivot", "unpivot", "table", "show", "query_table"])
        || all.iter().enumerate().any(|(at, t)| t.is("from") && !all[..at].iter().any(|before| before.is("select")))
}

/// An error of the engine in one sentence, and where it is in the query, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The sentence.
    pub sentence: String,
    /// Line (from 1), column (from 1) and place of the error.
    pub place: Option<(usize, usize, usize)>,
}

/// Reads an error of the engine. `n_before`: lines that were put before the query.
pub fn problem(error: &str, query: &str, n_before: usize) -> Problem {
    // A query that runs in turns gives its error as JSON.
    let as_json = serde_json::from_str::<serde_json::Value>(error).ok();
    let error = as_json.as_ref().and_then(|e| e["exception_message"].as_str()).unwrap_or(error);
    if is_behind(error, query, n_before) {
        let (line, column) = (query.split('\n').count(), query.split('\n').next_back().unwrap_or("").chars().count());
        let place = Some((line, column.max(1), query.trim_end().len().saturating_sub(1)));
        return Problem { sentence: "The query is incomplete: an expression, a name or a bracket is missing at its end.".into(), place };
    }
    let mut lines = error.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or("The query failed.");
    // "Catalog Error: …"
    let message = first.split_once(" Error: ").map_or(first, |(_, message)| message).trim_end_matches(['!', '.']);
    let hint = error.lines().map(str::trim).find(|l| l.starts_with("Did you mean") || l.starts_with("Candidate "));
    let hint = hint.map(|h| format!(". {}", h.trim_end_matches('.'))).unwrap_or_default();
    let end = if hint.ends_with('?') { "" } else { "." };
    Problem { sentence: format!("{message}{hint}{end}"), place: place(error, query, n_before) }
}

/// Whether a syntax error is after the query, in the appended text.
fn is_behind(error: &str, query: &str, n_before: usize) -> bool {
    let line = error.lines().find_map(|line| line.strip_prefix("LINE ")?.split_once(':')?.0.parse::<usize>().ok());
    error.contains("syntax error") && line.is_some_and(|line| line > query.split('\n').count() + n_before)
}

/// `LINE 2: select a form b` and a caret below it.
fn place(error: &str, query: &str, n_before: usize) -> Option<(usize, usize, usize)> {
    let lines: Vec<&str> = error.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("LINE "))?;
    let (number, shown) = lines[at].strip_prefix("LINE ")?.split_once(": ")?;
    let caret = lines.get(at + 1)?.find('^')?;
    let line_no = number.parse::<usize>().ok()?.checked_sub(n_before).filter(|n| *n > 0)?;
    let line = query.split('\n').nth(line_no - 1)?;
    let into = caret.checked_sub(lines[at].len() - shown.len())?;
    // A long line is shown in part.
    let (shown, dots) = shown.strip_prefix("...").map_or((shown, 0), |rest| (rest, 3));
    let shown = shown.strip_suffix("...").unwrap_or(shown);
    let column = line.find(shown.trim_end())? + into.checked_sub(dots)?;
    let before: usize = query.split('\n').take(line_no - 1).map(|l| l.len() + 1).sum();
    (column <= line.len()).then(|| (line_no, line.get(..column).map_or(column, |l| l.chars().count()) + 1, before + column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_kinds() {
        let found: Vec<(Kind, &str)> = tokens("select \"a b\", 'it' -- c\n from t1*2.5").iter().map(|t| (t.kind, t.text)).collect();
        let expected = [
            (Kind::Keyword, "select"),
            (Kind::Quoted, "\"a b\""),
            (Kind::Sign, ","),
            (Kind::Text, "'it'"),
            (Kind::Comment, "-- c"),
            (Kind::Keyword, "from"),
            (Kind::Name, "t1"),
            (Kind::Sign, "*"),
            (Kind::Number, "2.5"),
        ];
        assert_eq!(found, expected);
        for odd in ["'open", "\"open", "/* open", "ä€'", "--", "'", "/*/"] {
            assert!(!tokens(odd).is_empty(), "{odd}");
        }
    }

    #[test]
    fn only_one_query_is_run() {
        assert_eq!(statement("select 1; -- done\n;"), Ok(Statement::Query("select 1".into())));
        assert_eq!(statement("(select 1) union (select 2)"), Ok(Statement::Query("(select 1) union (select 2)".into())));
        assert_eq!(statement("explain analyze select 1;"), Ok(Statement::Explain("explain analyze select 1".into())));
        for (text, word) in [
            ("", "gallery"),
            ("  -- nothing\n;", "gallery"),
            ("select 1; select 2", "One query"),
            ("copy t to 'x.csv'", "COPY"),
            ("Attach 'x.db'", "ATTACH"),
            ("install httpfs", "INSTALL"),
            ("/* a */ drop table t", "DROP"),
            ("set memory_limit = '9GB'", "SET"),
            ("explain delete from t", "EXPLAIN"),
            ("explain", "EXPLAIN"),
        ] {
            let sentence = statement(text).unwrap_err().to_string();
            assert!(sentence.contains(word), "{text}: {sentence}");
        }
        assert!(statement("select ';' as a").is_ok(), "a semicolon in a text ends nothing");
    }

    #[test]
    fn columns_that_are_not_named_are_known() {
        for text in [
            "select * from t",
            "select a, t.* from t",
            "from t",
            "describe t",
            "select count(*), * from t",
            "with x as (from t) select a from x",
        ] {
            assert!(reads_all(text), "{text}");
        }
        for text in ["select count(*) from t", "select a * 2, (a) * b from t", "select sum(a*b) from t where '*' = c -- *"] {
            assert!(!reads_all(text), "{text}");
        }
        assert_eq!(names("select a from base.\"T t\" where b = 'T'"), ["T", "T t", "a", "b", "base", "from", "select", "where"]);
    }

    #[test]
    fn errors_have_a_place() {
        let query = "select engine\nfrom Instructio";
        let error = "Catalog Error: Table with name Instructio does not exist!\nDid you mean \"Instruction\"?\n\nLINE 3: from Instructio\n             ^";
        let found = problem(error, query, 1);
        assert_eq!(found.sentence, "Table with name Instructio does not exist. Did you mean \"Instruction\"?");
        assert_eq!(found.place, Some((2, 6, 19)));
        let odd = problem("Out of Memory Error: could not allocate block\nSee also", query, 1);
        assert_eq!((odd.sentence.as_str(), odd.place), ("could not allocate block.", None));
        let column = problem(
            "Binder Error: Referenced column \"b\" not found in FROM clause!\nCandidate bindings: \"a\"\n\nLINE 2: select b from t\n               ^",
            "select b from t",
            1,
        );
        assert_eq!(
            (column.sentence.as_str(), column.place),
            ("Referenced column \"b\" not found in FROM clause. Candidate bindings: \"a\".", Some((1, 8, 7)))
        );
        assert_eq!(problem("", "", 1).sentence, "The query failed.");
        let json = r#"{"exception_type":"Parser","exception_message":"syntax error at or near \"form\"\n\nLINE 2: select 1 form t\n                 ^","position":"9"}"#;
        let found = problem(json, "select 1 form t", 1);
        assert_eq!((found.sentence.as_str(), found.place), ("syntax error at or near \"form\".", Some((1, 10, 9))));
        let end = r#"{"exception_message":"syntax error at or near \")\"\n\nLINE 3: ) LIMIT 1000001\n        ^"}"#;
        assert_eq!(problem(end, "select 1 +", 1).place, Some((1, 10, 9)));
        assert!(problem(end, "select 1 +", 1).sentence.contains("incomplete"));
    }
}
