//! The tables of the profile in front as Parquet files of one archive: its worker gives the rows, a worker with the Parquet library writes them, and
//! the script of the Share dialog collects the bytes.

use crate::app::error::TableZipError;
use crate::base::TimeRange;
use crate::state::App;
use crate::worker::client::{Ask, EngineError};
use crate::worker::error::LinkError;
use crate::worker::page::{Events, FromWorker, Link, Program};
use crate::worker::protocol::{ConvertedTablesQuery, TableInfo, TablePartQuery, TableStream, ToWorker, WriteStep, Written};
use futures_util::StreamExt;
use futures_util::future::join;
use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// An archive that is being written.
struct Writing {
    ask: Ask,
    link: Link,
    events: Events,
    range: Option<TimeRange>,
    /// Tables that are left, the next one last.
    tables: Vec<TableInfo>,
    n_tables: usize,
    /// The next part of the table that is being written.
    part: Option<TableStream>,
    n_rows: u64,
    /// Parts of the table so far, for the progress.
    n_parts: u32,
}

thread_local! {
    static WRITING: RefCell<Option<Writing>> = const { RefCell::new(None) };
}

fn error(sentence: impl std::fmt::Display) -> JsValue {
    js_sys::Error::new(&sentence.to_string()).into()
}

/// Cancels the writing and ends its worker.
pub(in crate::app) fn end() {
    drop(WRITING.take());
}

/// Starts the writer. `is_range`: of the selected range.
pub(in crate::app) async fn begin(app: App, is_range: bool) -> Result<JsValue, JsValue> {
    let front = app.front_untracked().ok_or_else(|| error("Open a profile first."))?;
    let range = app.range.get_untracked().filter(|_| is_range);
    let query = ConvertedTablesQuery { is_range: range.is_some() };
    let mut tables = front.ask.ask(query).await.map_err(error)?;
    if tables.is_empty() {
        return Err(error("This profile has no tables that are written as Parquet."));
    }
    tables.reverse();
    let (link, mut events) = Link::start(Program::Full).map_err(error)?;
    if !matches!(events.next().await, Some(FromWorker::Ready(_))) {
        return Err(error(
            "The worker that writes Parquet tables could not be loaded. Reload the page; without a network it needs one earlier visit.",
        ));
    }
    let n_tables = tables.len();
    let ask = front.ask.clone();
    WRITING.set(Some(Writing { ask, link, events, range, tables, n_tables, part: None, n_rows: 0, n_parts: 0 }));
    Ok(JsValue::UNDEFINED)
}

/// The next bytes: `[header of the member or null, bytes, share that is done, rows so far, whether they are the last]`.
pub(in crate::app) async fn next() -> Result<JsValue, JsValue> {
    let mut writing = WRITING.take().ok_or_else(|| error("Nothing is being written."))?;
    let (written, is_last) = writing.step().await.map_err(error)?;
    let left = writing.tables.len() as f64;
    // The rows of a table are not counted before it is read.
    let of_table = 1.0 - 1.0 / f64::from(writing.n_parts + 1);
    let done = (writing.n_tables as f64 - left + of_table) / writing.n_tables as f64;
    let header = if written.header.is_empty() { JsValue::NULL } else { Uint8Array::from(written.header.as_slice()).into() };
    let mut out = Array::of2(&header, &Uint8Array::from(written.bytes.as_slice()).into());
    out.extend([JsValue::from(done.min(1.0)), JsValue::from(writing.n_rows as f64), JsValue::from(is_last)]);
    if !is_last {
        WRITING.set(Some(writing));
    }
    Ok(out.into())
}

impl Writing {
    /// Writes the next part, or ends the archive; whether it did.
    async fn step(&mut self) -> Result<(Written, bool), TableZipError> {
        loop {
            let Some(table) = self.tables.last().map(|t| t.name.clone()) else {
                self.send(WriteStep::End)?;
                return Ok((self.written().await?, true));
            };
            let part = match self.part.take() {
                Some(part) => part,
                None => self.part_at(&table, 0).await?,
            };
            let next = part.next;
            self.n_rows += part.n_rows;
            let has_rows = part.n_rows > 0;
            let is_begun = has_rows || self.n_parts > 0;
            if has_rows {
                self.n_parts += 1;
                self.send(WriteStep::Rows { table: table.clone(), rows: part })?;
            }
            // The profile's worker makes the next part while the other one writes.
            let following = next.map(|from| self.query(&table, from));
            let ask = &self.ask;
            let following = async move {
                match following {
                    Some(query) => Some(ask.ask(query).await),
                    None => None,
                }
            };
            let events = &mut self.events;
            let written = async { if has_rows { written(events).await } else { Ok(Written::default()) } };
            let (written, following) = join(written, following).await;
            let mut written = written?;
            self.part = following.transpose()?;
            if self.part.is_some() {
                // A part without rows in the range has no bytes.
                if written.bytes.is_empty() {
                    continue;
                }
                return Ok((written, false));
            }
            self.tables.pop();
            self.n_parts = 0;
            if is_begun {
                self.send(WriteStep::EndTable)?;
                let end = self.written().await?;
                written.bytes.extend(end.bytes);
                return Ok((Written { header: end.header, bytes: written.bytes }, false));
            }
        }
    }

    fn query(&self, table: &str, from: u64) -> TablePartQuery {
        TablePartQuery { table: table.into(), columns: Vec::new(), range: self.range, from }
    }

    async fn part_at(&self, table: &str, from: u64) -> Result<TableStream, EngineError> {
        self.ask.ask(self.query(table, from)).await
    }

    fn send(&self, step: WriteStep) -> Result<(), LinkError> {
        self.link.send(&ToWorker::Write(step), &[])
    }

    async fn written(&mut self) -> Result<Written, TableZipError> {
        written(&mut self.events).await
    }
}

/// What the writer answers.
async fn written(events: &mut Events) -> Result<Written, TableZipError> {
    match events.next().await {
        Some(FromWorker::Written(written)) => Ok(written),
        Some(FromWorker::Failed(sentence)) => Err(TableZipError::Worker(sentence)),
        _ => Err(TableZipError::Stopped),
    }
}
