//! `axonscope table`: any number of profiles, one row each, as CSV, Markdown or JSON on standard output.

use crate::error::Fallible;
use crate::{files, warn};
use axonscope::analysis::variants::table::{Mode, sentence, shown};
use axonscope::analysis::variants::text::{self, Layout};
use axonscope::analysis::variants::variants;
use axonscope::analysis::variants::{VariantCell, VariantPart, Variants};
use axonscope::engine::Session;
use axonscope::engine::query::VariantPartsQuery;
use axonscope::formats::import;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Examples of `--help`.
pub const EXAMPLES: &str = "\
Examples:
  axonscope table a.ntff a.neff b.ntff b.neff                     # Markdown, one row each
  axonscope table runs/ --show ratios --base baseline --format csv
  axonscope table runs/ --columns list                            # the columns that these profiles have

Exit codes: 0 done, 1 failed, 2 wrong arguments.";

/// Arguments of `axonscope table`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Files and directories
    #[arg(required = true)]
    files: Vec<String>,
    /// Columns by id, separated by commas; `all` is every column, `list` prints the ids
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    columns: Vec<String>,
    /// The profile that differences and ratios are against, by its name or a part of it; the first without it
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// What cells show
    #[arg(long, default_value = "values", value_parser = Mode::ALL.map(Mode::id))]
    show: String,
    /// Form of the answer
    #[arg(long, default_value = "markdown", value_parser = ["markdown", "csv", "json"])]
    format: String,
}

/// Opens the files and prints the table.
pub fn run(arguments: &Arguments) -> Fallible<()> {
    let mut parts: Vec<VariantPart> = Vec::new();
    let input = files::input(&arguments.files)?;
    let mut n_refused = 0u64;
    for (claim, outcome) in import::import(&input)? {
        match outcome {
            Ok((imported, readable)) => match Session::new(claim, readable, imported).ask(&VariantPartsQuery) {
                Ok(found) => parts.extend(found),
                Err(refusal) => {
                    n_refused += 1;
                    warn::line(refusal);
                }
            },
            Err(error) => {
                n_refused += 1;
                warn::line(error);
            }
        }
    }
    if parts.is_empty() {
        return Err(format!("Expected Neuron device profiles, summaries or PyTorch traces; skipped files: {n_refused}.").into());
    }
    let all = variants(&parts);
    let text = written(arguments, &all)?;
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}

fn written(arguments: &Arguments, all: &Variants) -> Fallible<String> {
    if arguments.columns == ["list"] {
        return Ok(all.columns.iter().map(|c| format!("{}\t{}\t{}\n", c.id, c.group, c.label)).collect());
    }
    let columns = columns(arguments, all)?;
    let base = arguments.base.as_deref().map_or(Ok(0), |name| all.row(name))?;
    let mode = Mode::named(&arguments.show).unwrap_or_default();
    let layout = Layout { columns: &columns, mode, base };
    Ok(match arguments.format.as_str() {
        "csv" => text::csv(all, layout),
        "json" => format!("{}\n", value(all, layout)),
        _ => {
            let answer = sentence(all, base).map(|s| format!("{s}\n\n")).unwrap_or_default();
            format!("{answer}{}", text::markdown(all, layout))
        }
    })
}

fn columns(arguments: &Arguments, all: &Variants) -> Fallible<Vec<usize>> {
    if arguments.columns == ["all"] {
        return Ok((0..all.columns.len()).collect());
    }
    let unknown: Vec<&str> = arguments.columns.iter().map(|c| c.trim()).filter(|c| all.column(c).is_none()).collect();
    if !unknown.is_empty() {
        return Err(format!("No profile has the columns {}; `--columns list` prints all.", unknown.join(", ")).into());
    }
    Ok(all.chosen(&arguments.columns.iter().map(|c| c.trim().to_string()).collect::<Vec<_>>()))
}

/// Values by column id, row by row.
fn value(all: &Variants, layout: Layout<'_>) -> Value {
    let cells = shown(all, layout.columns, layout.mode, layout.base);
    let row = |(at, row): (usize, &axonscope::analysis::variants::VariantRow)| {
        let cell = |(i, column): (usize, &usize)| {
            let about = &all.columns[*column];
            let value = match row.cells.get(*column) {
                Some(VariantCell::Number(v)) if layout.mode == Mode::Values => json!(v),
                Some(VariantCell::Number(_)) => cells[at][i].raw.parse::<f64>().map_or(Value::Null, |v| json!(v)),
                Some(VariantCell::Text(text)) => json!(text),
                _ => Value::Null,
            };
            (about.id.clone(), value)
        };
        let values: Map<String, Value> = layout.columns.iter().enumerate().map(cell).collect();
        json!({ "profile": row.title, "kernel": row.name.kernel, "dtype": row.name.dtype, "length": row.name.length, "values": values })
    };
    json!({
        "base": all.rows.get(layout.base).map(|r| &r.title),
        "show": layout.mode.id(),
        "answer": sentence(all, layout.base),
        "rows": all.rows.iter().enumerate().map(row).collect::<Vec<Value>>(),
    })
}
