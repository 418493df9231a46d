//! The log of an analyze run: it names the report and holds nothing else of it.

use crate::base::Member;
use crate::formats::ImportError;
use crate::formats::file_name::file_name;

const MARK: &[u8] = b"||ANALYZE||";
/// What precedes the path of the report, on the last line of a run.
const REPORT: &[u8] = b"Report - ";
/// Bytes of a log read at a time. A line is never longer than the overlap.
const PART: u64 = 4 << 20;
const OVERLAP: u64 = 64 << 10;

/// Whether a file with this beginning is such a log.
pub(super) fn is_log(head: &[u8]) -> bool {
    let is_json = matches!(head.trim_ascii_start().first(), Some(b'{' | b'['));
    !is_json && memchr::memmem::find(head, MARK).is_some()
}

/// The sentence that answers a log dropped alone.
pub(super) fn answer(member: &Member) -> Result<ImportError, ImportError> {
    let name = file_name(&member.name);
    Ok(ImportError::Unsupported(match report_path(member)? {
        Some(path) => format!("`{name}` is the log of an analyze run; its report is `{path}`. Open that file."),
        None => format!(
            "`{name}` is the log of an analyze run without a line `Report - PATH`, which is expected as its last entry. The run may \
             not have ended; look for model_analysis_result/result.json in its working directory."
        ),
    }))
}

/// The remark on a log that was dropped with its report.
pub(super) fn remark(member: &Member) -> Result<String, ImportError> {
    let name = file_name(&member.name);
    Ok(match report_path(member)? {
        Some(path) => format!("`{name}` is the log of an analyze run that wrote its report to `{path}`."),
        None => format!("`{name}` is the log of an analyze run without the path of a report."),
    })
}

/// The path in the last line that names one.
fn report_path(member: &Member) -> Result<Option<String>, ImportError> {
    let mut found = None;
    let mut offset = 0;
    while offset < member.len() {
        let part = member.read_up_to(offset, PART + OVERLAP)?;
        found = part.split(|b| *b == b'\n').filter_map(path).next_back().or(found);
        offset += PART;
    }
    Ok(found)
}

fn path(line: &[u8]) -> Option<String> {
    let after = &line[memchr::memmem::find(line, MARK)? + MARK.len()..];
    let path = after[memchr::memmem::find(after, REPORT)? + REPORT.len()..].trim_ascii();
    (!path.is_empty() && path.len() < 4096).then(|| String::from_utf8_lossy(path).into_owned())
}
