//! Queries of the report on tensors, tables and runs beside each other.

use super::{Arguments, asked};
use crate::error::Fallible;
use axonscope::engine::Session;
use axonscope::engine::query::{ComparePartQuery, CompareQuery, ExportQuery, Exported, TableQuery, TensorsQuery};
use serde_json::{Value, json};

/// Names of these queries.
pub const NAMES: &str = "tensors, tables (args id, csv), compare (arg base)";

/// The answers to one of these; `None` for other queries.
///
/// `tables` lists the tables with their columns and numbers of rows; with `id` its rows; with `csv` = `instructions`, `dma`, `semaphores` or
/// the name of a table, all of its lines as one text.
pub fn answers(sessions: &[Session], arguments: &Arguments) -> Option<Fallible<Vec<Value>>> {
    let each = |answer: &dyn Fn(&Session) -> Fallible<Value>| Some(sessions.iter().map(answer).collect());
    match arguments.query.as_str() {
        "tensors" => each(&|session| asked(session, &TensorsQuery)),
        "tables" => each(&|session| tables(session, arguments)),
        "compare" => Some(compare(sessions, arguments).map(|answer| vec![answer])),
        _ => None,
    }
}

fn tables(session: &Session, arguments: &Arguments) -> Fallible<Value> {
    if let Some(what) = arguments.get("csv") {
        return csv(session, what);
    }
    if let Some(id) = arguments.get("id") {
        return asked(session, &TableQuery { id: id.into(), first: 0, n: u64::MAX });
    }
    let list = session.profile.tables.iter().map(|t| {
        let n = t.rows.len() as u64 + t.n_more + t.n_in_file;
        json!({ "id": t.id, "columns": t.columns, "n_rows": n })
    });
    Ok(Value::Array(list.collect()))
}

fn csv(session: &Session, what: &str) -> Fallible<Value> {
    let what = match what {
        "instructions" => Exported::Instructions,
        "dma" => Exported::Transfers,
        "semaphores" => Exported::Semaphores,
        table => Exported::Table(table.into()),
    };
    let (mut text, mut next) = (String::new(), Some(0));
    while let Some(cursor) = next {
        let part = session.ask(&ExportQuery { what: what.clone(), cursor })?;
        text.push_str(&part.text);
        next = part.next;
    }
    Ok(Value::String(text))
}

fn compare(sessions: &[Session], arguments: &Arguments) -> Fallible<Value> {
    let base = arguments.number("base")?.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let (Some(first), true) = (sessions.first(), sessions.len() >= 2) else {
        return Err("Expected two device profiles to compare.".into());
    };
    if base >= sessions.len() {
        return Err(format!("Expected `base` to be less than {}, the number of profiles, found {base}.", sessions.len()).into());
    }
    let parts = sessions.iter().map(|session| session.ask(&ComparePartQuery)).collect::<Result<_, _>>()?;
    asked(first, &CompareQuery { parts, base })
}
