//! Parses a report in one pass. Incomplete and unexpected values are kept as far as possible, and counted.

use super::values::{lines, percent, shown, text};
use crate::base::{Ledger, Severity};
use crate::formats::ImportError;
use crate::formats::json::cursor::Broken;
use crate::formats::json::{Cursor, Value, number, unescape};
use crate::model::Fact;
use crate::model::support::{FailedInstruction, FailedOperator, SupportReport, SupportSource, SupportedOperator};
use rustc_hash::FxHashMap;

/// The report of `text`, and what else its root holds.
pub(super) fn report(text: &[u8], ledger: &mut Ledger) -> Result<(SupportReport, Vec<Fact>), ImportError> {
    let skipped = text.len() - text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start().len();
    let text = &text[skipped..];
    let mut reader =
        Reader { n_bytes: text.len(), report: SupportReport::default(), facts: Vec::new(), by_name: FxHashMap::default(), ledger };
    let mut cursor = Cursor::new(text);
    if let Err(broken) = reader.root(&mut cursor) {
        let at = skipped + broken.at;
        let reason = "The JSON ends early or is invalid; the rest is not read.";
        reader.ledger.skip(Severity::DataLoss, "broken_json", reason, at as u64, || {
            let rest = &text[broken.at.min(text.len())..];
            format!("Expected the next entry at byte {at}, found `{}`.", String::from_utf8_lossy(&rest[..rest.len().min(60)]))
        });
    }
    let Reader { report, facts, .. } = reader;
    if report == SupportReport::default() {
        return Err(ImportError::Invalid(
            "Expected an analyze report with `support_percentage`, `supported_operators` or `unsupported_operators`, found none of their values.".into(),
        ));
    }
    Ok((report, facts))
}

struct Reader<'l> {
    /// Length of the text: a value that ends there is cut.
    n_bytes: usize,
    report: SupportReport,
    facts: Vec<Fact>,
    /// Place of each supported operator.
    by_name: FxHashMap<String, usize>,
    ledger: &'l mut Ledger,
}

impl Reader<'_> {
    fn root(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Broken> {
        while let Some(key) = cursor.key()? {
            match key {
                b"supported_operators" => self.supported_half(cursor)?,
                b"unsupported_operators" => self.unsupported_half(cursor)?,
                b"torch_neuronx_version" => self.report.torch_neuronx_version = text(cursor.value()?),
                b"neuronx_cc_version" => self.report.neuronx_cc_version = text(cursor.value()?),
                b"support_percentage" => self.percentage(cursor)?,
                _ => {
                    let value = shown(cursor.value()?);
                    let name = unescape(key).into_owned();
                    self.ledger.skip(Severity::Info, "other_key", "Undocumented root key; shown in the Profile view.", 0, || name.clone());
                    self.facts.push(Fact { group: "Other keys".into(), name, value });
                }
            }
        }
        Ok(())
    }

    fn percentage(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Broken> {
        let at = cursor.at() as u64;
        self.report.percentage_text = text(cursor.value()?);
        let text = self.report.percentage_text.as_deref().unwrap_or_default();
        self.report.percentage = percent(text);
        if self.report.percentage.is_none() {
            let reason = "The support percentage is not a number from 0 to 100; it is shown as not available.";
            self.ledger.skip(Severity::Warning, "unreadable_percentage", reason, at, || format!("`{text}`"));
        }
        Ok(())
    }

    /// `{"aten": {op: count}, "xla": [text]}`, or `{op: count}` itself.
    fn supported_half(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Broken> {
        if cursor.enter(b'{').is_none() {
            return self.wrong_half("supported_operators", cursor);
        }
        self.report.supported.get_or_insert_default();
        while let Some(key) = cursor.key()? {
            match key {
                b"aten" if cursor.enter(b'{').is_some() => {
                    self.is_command();
                    while let Some(name) = cursor.key()? {
                        self.supported_operator(name, cursor)?;
                    }
                    cursor.leave();
                }
                b"xla" if cursor.enter(b'[').is_some() => {
                    self.is_command();
                    self.report.supported_hlo.get_or_insert_default();
                    while let Some(value) = cursor.item()? {
                        self.entry();
                        let instruction = text(value).unwrap_or_default();
                        self.report.supported_hlo.get_or_insert_default().push(instruction);
                    }
                    cursor.leave();
                }
                name => self.supported_operator(name, cursor)?,
            }
        }
        cursor.leave();
        Ok(())
    }

    fn supported_operator(&mut self, name: &[u8], cursor: &mut Cursor<'_>) -> Result<(), Broken> {
        let at = cursor.at() as u64;
        let value = cursor.value()?;
        if cursor.at() >= self.n_bytes {
            // Half a number is another number.
            return Err(Broken { at: cursor.at() });
        }
        let name = unescape(name).into_owned();
        self.entry();
        if !name.is_empty() && self.report.source == SupportSource::Unknown {
            // `aten` and `xla` come first in a report of the command.
            self.report.source = SupportSource::Function;
        }
        let count = match value {
            Value::Bare(text) | Value::Text(text) => number::unsigned(text),
            Value::Object(_) | Value::List(_) => None,
        };
        if count.is_none() {
            let reason = "The count of an operator is not a whole number; it is shown as not available.";
            self.ledger.skip(Severity::Warning, "unreadable_count", reason, at, || format!("{name}: {}", shown(value)));
        }
        let list = self.report.supported.get_or_insert_default();
        if let Some(&known) = self.by_name.get(&name) {
            let reason = "A supported operator is listed more than once; its counts are summed.";
            self.ledger.skip(Severity::Warning, "operator_twice", reason, at, || name.clone());
            let known = &mut list[known].count;
            *known = match (*known, count) {
                (Some(a), Some(b)) => Some(a.saturating_add(b)),
                (a, b) => a.or(b),
            };
            return Ok(());
        }
        self.by_name.insert(name.clone(), list.len());
        list.push(SupportedOperator { name, count });
        Ok(())
    }

    /// `{"aten": [record], "xla": [record]}`, or `[record]` itself.
    fn unsupported_half(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Broken> {
        if cursor.enter(b'[').is_some() {
            self.report.unsupported.get_or_insert_default();
            self.report.source = SupportSource::Function;
            while let Some(value) = cursor.item()? {
                self.failed_operator(value, cursor.at() as u64);
            }
            cursor.leave();
            return Ok(());
        }
        if cursor.enter(b'{').is_none() {
            return self.wrong_half("unsupported_operators", cursor);
        }
        self.report.unsupported.get_or_insert_default();
        self.is_command();
        while let Some(key) = cursor.key()? {
            let is_hlo = key == b"xla";
            if !(is_hlo || key == b"aten") || cursor.enter(b'[').is_none() {
                let value = cursor.value()?;
                self.ledger.skip(Severity::Info, "other_half", "Undocumented part of `unsupported_operators`.", 0, || {
                    format!("{}: {}", unescape(key), shown(value))
                });
                continue;
            }
            if is_hlo {
                self.report.unsupported_hlo.get_or_insert_default();
            }
            while let Some(value) = cursor.item()? {
                if is_hlo { self.failed_instruction(value, cursor.at() as u64) } else { self.failed_operator(value, cursor.at() as u64) }
            }
            cursor.leave();
        }
        cursor.leave();
        Ok(())
    }

    fn failed_operator(&mut self, value: Value<'_>, at: u64) {
        self.ledger.read += 1;
        let mut failed = FailedOperator::default();
        let mut has_any = false;
        self.fields(value, at, |key, value| {
            let to = match key {
                b"kind" => &mut failed.kind,
                b"failureAt" => &mut failed.failure_at,
                b"call" => &mut failed.call,
                b"opGraph" => &mut failed.graph,
                _ => return false,
            };
            *to = lines(value);
            has_any = true;
            true
        });
        if has_any {
            self.ledger.shown += 1;
            self.report.unsupported.get_or_insert_default().push(failed);
        } else {
            let reason = "A record of an unsupported operator has none of the keys `kind`, `failureAt`, `call`, `opGraph`.";
            self.ledger.skip(Severity::DataLoss, "empty_failure", reason, at, || shown(value));
        }
    }

    fn failed_instruction(&mut self, value: Value<'_>, at: u64) {
        self.ledger.read += 1;
        let mut failed = FailedInstruction::default();
        if let Value::Text(_) = value {
            failed.text = lines(value);
        }
        self.fields(value, at, |key, value| {
            match key {
                b"hlo_instruction" => failed.text = lines(value),
                b"aten_op" => failed.operator = lines(value),
                _ => return false,
            }
            true
        });
        if failed.text.is_empty() {
            let reason = "A record of an unsupported HLO instruction has no text.";
            self.ledger.skip(Severity::DataLoss, "empty_instruction", reason, at, || shown(value));
        } else {
            self.ledger.shown += 1;
            self.report.unsupported_hlo.get_or_insert_default().push(failed);
        }
    }

    /// Hands the entries of a record to `take`; counts the keys it does not know.
    fn fields(&mut self, value: Value<'_>, at: u64, mut take: impl FnMut(&[u8], Value<'_>) -> bool) {
        let Value::Object(object) = value else {
            return;
        };
        let mut cursor = Cursor::new(object);
        while let Ok(Some(key)) = cursor.key() {
            let Ok(value) = cursor.value() else {
                return;
            };
            if !take(key, value) {
                let reason = "Undocumented key of a record; it is not shown.";
                self.ledger.skip(Severity::Info, "other_record_key", reason, at, || format!("{}: {}", unescape(key), shown(value)));
            }
        }
    }

    /// One more record that is read and shown.
    fn entry(&mut self) {
        self.ledger.read += 1;
        self.ledger.shown += 1;
    }

    fn is_command(&mut self) {
        self.report.source = SupportSource::Command;
    }

    fn wrong_half(&mut self, name: &str, cursor: &mut Cursor<'_>) -> Result<(), Broken> {
        let at = cursor.at() as u64;
        let value = cursor.value()?;
        if value != Value::Bare(b"null") {
            let reason = "A section of the report is neither an object nor a list; it is shown as not available.";
            self.ledger.skip(Severity::DataLoss, "unreadable_half", reason, at, || format!("{name}: {}", shown(value)));
            self.ledger.read += 1;
        }
        Ok(())
    }
}
