//! Tables of the open profiles in the SQL engine: loaded when a query first names them, with the columns that it names.

use super::result::{self, Found, quoted};
use super::tokens::{self, Problem, Statement};
use crate::base::{TimeRange, arrow, text};
use crate::engine::query::{TableInfo, TableInfosQuery, TablePartQuery};
use crate::worker::client::{Ask, EngineError};
use crate::worker::duckdb::{DuckDbError, Engine};
use futures_util::future::join;
use gloo_timers::future::TimeoutFuture;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Rows of a result that are shown.
pub const MOST_ROWS: usize = 1_000_000;
/// Rows that are taken from the engine at once.
const PAGE: usize = 20_000;
/// A query that takes longer is ended, ms.
const LONGEST_MS: f64 = 30_000.0;
/// What a query that takes longer ends with.
pub const TOO_LONG: &str = "The query was ended after 30 s. Restrict it by a range, or sum fewer rows.";

/// An open profile as a schema.
#[derive(Debug, Clone)]
pub struct Source {
    /// Id of the tab.
    pub id: u32,
    /// Name of the schema.
    pub schema: String,
    /// What it is called as well: see [`BASE`].
    pub alias: Option<&'static str>,
    /// Answers for it.
    pub ask: Ask,
}

/// The profile that the one in front is compared with has this schema name too.
pub const BASE: &str = "base";
/// The one in front, where it is compared, has this schema name too.
pub const EXPERIMENT: &str = "experiment";

/// Why a query was not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// No profile is open.
    #[error("Open a profile first.")]
    NoProfile,
    /// The result is larger than the engine's memory.
    #[error("The query needs more than 2 GB of memory and was ended. Restrict it by a range, or select fewer columns.")]
    OutOfMemory,
    /// A table is larger than the memory for tables.
    #[error(
        "The columns of `{table}` need more memory than tables may take ({}). Name fewer columns, or close a profile.",
        text::bytes(*bytes_left)
    )]
    TooLarge {
        /// Its name.
        table: String,
        /// The memory for tables.
        bytes_left: u64,
    },
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The query is wrong, or could not be run.
    Problem(Problem),
    /// The engine was ended, for this reason.
    Ended(String),
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Problem(Problem { sentence: error.to_string(), place: None })
    }
}

/// Rows of a table that are in the engine.
struct LoadedTable {
    /// The columns; `None`: all.
    columns: Option<BTreeSet<String>>,
    /// Size as a stream of Arrow, bytes: the engine takes about as much.
    bytes: u64,
}

/// Schemas and tables that are in the engine.
#[derive(Default)]
struct Loaded {
    /// Tables of a profile.
    tables: BTreeMap<(u32, String), LoadedTable>,
    /// Tables that a profile has.
    infos: BTreeMap<u32, (String, Vec<TableInfo>)>,
}

struct Open {
    engine: Engine,
    loaded: RefCell<Loaded>,
}

thread_local! {
    /// One engine for the page: a query may read several profiles.
    static OPEN: RefCell<Option<Rc<Open>>> = const { RefCell::new(None) };
    /// Views that are shown, and how many were ever shown.
    static VIEWS: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// From the last view that is left to the end of its engine, ms: who looks at a slice in the timeline and comes back need not wait.
const IDLE_BEFORE_END_MS: u32 = 60_000;

/// A view is there.
pub fn shown() {
    VIEWS.set((VIEWS.get().0 + 1, VIEWS.get().1 + 1));
}

/// A view was closed. The engine ends [`IDLE_BEFORE_END_MS`] after the last one.
pub fn hidden() {
    let (shown, ever) = VIEWS.get();
    VIEWS.set((shown.saturating_sub(1), ever));
    leptos::task::spawn_local(async move {
        TimeoutFuture::new(IDLE_BEFORE_END_MS).await;
        if VIEWS.get() == (0, ever) {
            stop();
        }
    });
}

/// Memory of the tables in the engine, bytes.
pub fn bytes() -> u64 {
    OPEN.with_borrow(|open| open.as_ref().map_or(0, |open| open.loaded.borrow().tables.values().map(|t| t.bytes).sum()))
}

/// What a query needs besides its text.
pub struct Run<'a> {
    /// The profile in front, then the others.
    pub sources: &'a [Source],
    /// The selected range.
    pub range: Option<TimeRange>,
    /// Bytes that tables may take.
    pub bytes_left: u64,
    /// Whether it is to end.
    pub is_ended: Rc<Cell<bool>>,
    /// Receives the current phase.
    pub on_phase: Rc<dyn Fn(String)>,
}

/// Ends the engine at once and frees its memory; the next query starts it again.
pub fn stop() {
    if let Some(open) = OPEN.take() {
        open.engine.stop();
    }
}

/// Frees the tables of profiles that are no longer open.
pub fn keep_only(ids: &[u32]) {
    let Some(open) = OPEN.with_borrow(Clone::clone) else { return };
    let gone: Vec<(u32, String)> =
        open.loaded.borrow().infos.iter().filter(|(id, _)| !ids.contains(id)).map(|(id, info)| (*id, info.0.clone())).collect();
    if gone.len() == open.loaded.borrow().infos.len() && !gone.is_empty() {
        return stop();
    }
    for (id, schema) in gone {
        // Views of it are dropped too; the next query that names them recreates them.
        open.loaded.borrow_mut().infos.remove(&id);
        open.loaded.borrow_mut().tables.retain(|(of, _), _| *of != id);
        let open = open.clone();
        leptos::task::spawn_local(async move {
            // A schema that is in use stays until the engine ends.
            let _ = open.engine.run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(&schema))).await;
        });
    }
}

/// Tables of the first source and of the others, for completion: starts nothing.
pub async fn infos(ask: &Ask) -> Result<Vec<TableInfo>, EngineError> {
    ask.ask(TableInfosQuery).await
}

impl Run<'_> {
    fn check(&self) -> Result<(), Failure> {
        if self.is_ended.get() { Err(Failure::Ended("The query was cancelled.".into())) } else { Ok(()) }
    }

    /// Runs a query.
    pub async fn run(&self, text: &str) -> Result<Found, Failure> {
        let statement = tokens::statement(text)?;
        let open = self.open().await?;
        let Some(front) = self.sources.first() else { return Err(QueryError::NoProfile.into()) };
        for source in self.sources {
            self.prepare(&open, source).await?;
        }
        open.engine.run(&format!("SET search_path = '{},main'", front.schema)).await?;
        let range = self.range.map_or("true".into(), |r| format!("ts >= {} AND ts < {}", r.start.0, r.end.0));
        open.engine.run(&format!("CREATE OR REPLACE MACRO main.in_range(ts) AS ({range})")).await?;
        self.load(&open, text, tokens::reads_all(text)).await?;
        self.call_aliases(&open, text).await?;
        match self.result(&open, &statement).await {
            // A column may be read without being named.
            Err(Failure::Problem(problem))
                if problem.sentence.contains("not found") || problem.sentence.contains("does not have a column") =>
            {
                self.load(&open, text, true).await?;
                self.call_aliases(&open, text).await?;
                self.result(&open, &statement).await
            }
            other => other,
        }
    }

    async fn open(&self) -> Result<Rc<Open>, Failure> {
        if let Some(open) = OPEN.with_borrow(Clone::clone) {
            return Ok(open);
        }
        (self.on_phase)("Loading the SQL engine…".into());
        let on_phase = self.on_phase.clone();
        let on_bytes = move |n| on_phase(format!("Loading the SQL engine: {}…", text::bytes(n)));
        let engine = Engine::start(on_bytes).await?;
        let open = Rc::new(Open { engine, loaded: RefCell::default() });
        for text in MACROS {
            open.engine.run(text).await?;
        }
        OPEN.set(Some(open.clone()));
        Ok(open)
    }

    /// Makes the schema of a profile, with its tables, which are empty until a query names them.
    async fn prepare(&self, open: &Open, source: &Source) -> Result<(), Failure> {
        let known = open.loaded.borrow().infos.get(&source.id).map(|info| info.0.clone());
        if known.as_ref() == Some(&source.schema) {
            return Ok(());
        }
        if let Some(schema) = known {
            open.engine.run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(&schema))).await?;
            open.loaded.borrow_mut().tables.retain(|(id, _), _| *id != source.id);
        }
        let infos = infos(&source.ask).await?;
        let schema = quoted(&source.schema);
        let mut text = format!("CREATE SCHEMA IF NOT EXISTS {schema};");
        for info in &infos {
            text.push_str(&create(&schema, &info.name, &columns(info)));
        }
        text.push_str(&busy(&schema, &schema, &infos));
        open.engine.run(&text).await?;
        open.loaded.borrow_mut().infos.insert(source.id, (source.schema.clone(), infos));
        Ok(())
    }

    /// Makes the schemas `base` and `experiment` where a query names them: views of the tables that it names.
    async fn call_aliases(&self, open: &Open, text: &str) -> Result<(), Failure> {
        let names = tokens::names(text);
        let is_named = |name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        // Whether a name is of a pair that is no longer open.
        let is_gone = |alias: &str| is_named(alias) && self.sources.iter().all(|s| s.alias != Some(alias) && s.schema != alias);
        for alias in [BASE, EXPERIMENT].into_iter().filter(|alias| is_gone(alias)) {
            open.engine.run(&format!("DROP SCHEMA IF EXISTS {alias} CASCADE")).await?;
        }
        for source in self.sources {
            let Some(alias) = source.alias.filter(|alias| is_named(alias)) else { continue };
            let infos = open.loaded.borrow().infos.get(&source.id).map(|info| info.1.clone()).unwrap_or_default();
            let schema = quoted(&source.schema);
            // A view keeps the columns that its table had when it was created, so it is recreated after more are loaded.
            let mut made = format!("DROP SCHEMA IF EXISTS {alias} CASCADE; CREATE SCHEMA {alias};");
            for info in infos.iter().filter(|info| is_named(&info.name)) {
                let table = quoted(&info.name);
                made.push_str(&format!("CREATE VIEW {alias}.{table} AS FROM {schema}.{table};"));
            }
            made.push_str(&busy(alias, &schema, &infos));
            open.engine.run(&made).await?;
        }
        Ok(())
    }

    /// Loads the tables that a query names; those of other profiles where it names their schema.
    async fn load(&self, open: &Open, text: &str, is_all: bool) -> Result<(), Failure> {
        let mut names = tokens::names(text);
        let is_named = |names: &[&str], name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        if is_named(&names, "busy") {
            names.extend(["ActiveTime", "engine", "start_ts", "end_ts", "slice", "track_id", "depth", "ts", "dur"]);
        }
        for (at, source) in self.sources.iter().enumerate() {
            if at > 0 && !is_named(&names, &source.schema) && !source.alias.is_some_and(|alias| is_named(&names, alias)) {
                continue;
            }
            let infos = open.loaded.borrow().infos.get(&source.id).map(|info| info.1.clone()).unwrap_or_default();
            for info in infos.iter().filter(|info| is_named(&names, &info.name)) {
                let columns = info.columns.iter().filter(|c| is_named(&names, &c.0)).map(|c| c.0.clone());
                // Without a named column rows are counted: one column is enough.
                let mut wanted: BTreeSet<String> = columns.collect();
                if wanted.is_empty() {
                    wanted.extend(info.columns.first().map(|c| c.0.clone()));
                }
                self.table(open, source, info, (!is_all).then_some(wanted)).await?;
            }
        }
        Ok(())
    }

    /// Loads a table, unless its columns are there.
    async fn table(&self, open: &Open, source: &Source, info: &TableInfo, wanted: Option<BTreeSet<String>>) -> Result<(), Failure> {
        let key = (source.id, info.name.clone());
        let wanted = match (open.loaded.borrow().tables.get(&key).map(|t| &t.columns), wanted) {
            (Some(None), _) => return Ok(()),
            (Some(Some(known)), Some(wanted)) if wanted.is_subset(known) => return Ok(()),
            (Some(Some(known)), Some(wanted)) => Some(known | &wanted),
            (_, wanted) => wanted,
        };
        open.loaded.borrow_mut().tables.remove(&key);
        match self.fill(open, source, &info.name, wanted.iter().flatten().cloned().collect()).await {
            Ok(bytes) => {
                open.loaded.borrow_mut().tables.insert(key, LoadedTable { columns: wanted, bytes });
                Ok(())
            }
            Err(failure) => {
                // Frees the loaded rows. The engine may have ended already.
                let empty = create(&quoted(&source.schema), &info.name, &columns(info));
                drop(open.engine.run(&empty).await);
                Err(failure)
            }
        }
    }

    /// Fills a table part by part; returns its bytes.
    async fn fill(&self, open: &Open, source: &Source, name: &str, columns: Vec<String>) -> Result<u64, Failure> {
        let others = open.loaded.borrow().tables.values().map(|t| t.bytes).sum::<u64>();
        let (mut n_rows, mut n_bytes) = (0, 0);
        let ask = |from| source.ask.ask(TablePartQuery { table: name.into(), columns: columns.clone(), range: None, from });
        let mut part = ask(0).await?;
        open.engine.run(&create(&quoted(&source.schema), name, &columns_of(&part.columns))).await?;
        loop {
            self.check()?;
            n_bytes += part.bytes.len() as u64;
            if others + n_bytes > self.bytes_left {
                return Err(too_large(name, self.bytes_left));
            }
            // The profile's worker makes the next part while the engine takes this one.
            let add = async {
                if part.n_rows == 0 {
                    return Ok(());
                }
                open.engine.insert(&part.bytes, &source.schema, name).await
            };
            let following = async {
                match part.next {
                    Some(from) => ask(from).await.map(Some),
                    None => Ok(None),
                }
            };
            let (added, following) = join(add, following).await;
            added.map_err(|e| if is_out_of_memory(&e) { too_large(name, self.bytes_left) } else { e.into() })?;
            n_rows += part.n_rows;
            (self.on_phase)(format!("Loading `{name}`: {} rows…", text::count(n_rows)));
            match following? {
                Some(next) => part = next,
                None => return Ok(n_bytes),
            }
        }
    }

    /// Runs the query into a table, and takes its rows.
    async fn result(&self, open: &Open, statement: &Statement) -> Result<Found, Failure> {
        let began_ms = js_sys::Date::now();
        (self.on_phase)("Running…".into());
        let (text, is_explained) = match statement {
            Statement::Query(text) => (text, false),
            Statement::Explain(text) => (text, true),
        };
        let failed = |error: DuckDbError, n_before| Failure::Problem(tokens::problem(&error.to_string(), text, n_before));
        if is_explained {
            let bytes = open.engine.run(text).await.map_err(|e| failed(e, 0))?;
            let batch = arrow::read(&bytes)?;
            let fields: Vec<result::Field> =
                batch.columns.iter().map(|c| result::Field { name: c.0.clone(), kind: "VARCHAR".into() }).collect();
            let rows = result::rows(&fields, batch);
            return Ok(Found { fields, rows: Arc::new(rows), is_cut: false, ms: js_sys::Date::now() - began_ms });
        }
        let is_late = || js_sys::Date::now() - began_ms > LONGEST_MS;
        let create = format!("CREATE OR REPLACE TEMP TABLE \"sql result\" AS FROM (\n{text}\n) LIMIT {}", MOST_ROWS + 1);
        match open.engine.run_while(&create, || self.is_ended.get() || is_late()).await {
            Ok(true) => {}
            Ok(false) if self.is_ended.get() => return Err(Failure::Ended("The query was cancelled.".into())),
            Ok(false) => return Err(Failure::Ended(TOO_LONG.into())),
            Err(error) if is_out_of_memory(&error) => {
                stop();
                return Err(QueryError::OutOfMemory.into());
            }
            Err(error) => return Err(failed(error, 1)),
        }
        let ms = js_sys::Date::now() - began_ms;
        let fields = result::fields(&arrow::read(&open.engine.run("DESCRIBE \"sql result\"").await?)?);
        let casts: Vec<String> = fields.iter().map(result::Field::cast).collect();
        let mut rows = Vec::new();
        loop {
            let from = rows.len();
            let page = format!("SELECT {} FROM \"sql result\" WHERE rowid >= {from} AND rowid < {}", casts.join(", "), from + PAGE);
            let batch = arrow::read(&open.engine.run(&page).await?)?;
            let n = batch.n_rows;
            rows.extend(result::rows(&fields, batch));
            self.check()?;
            if n < PAGE {
                break;
            }
            // The page draws between two parts.
            TimeoutFuture::new(0).await;
        }
        open.engine.run("DROP TABLE \"sql result\"").await?;
        let is_cut = rows.len() > MOST_ROWS;
        rows.truncate(MOST_ROWS);
        Ok(Found { fields, rows: Arc::new(rows), is_cut, ms })
    }
}

/// Name and type of each column.
fn columns(info: &TableInfo) -> Vec<(String, String)> {
    columns_of(&info.columns)
}

fn columns_of(columns: &[(String, String, String)]) -> Vec<(String, String)> {
    columns.iter().map(|c| (c.0.clone(), c.1.clone())).collect()
}

/// The function `busy` of a schema: of engines where there are any, else of tracks.
fn busy(in_schema: &str, of: &str, infos: &[TableInfo]) -> String {
    let has = |name: &str| infos.iter().any(|info| info.name == name);
    match () {
        () if has("ActiveTime") => format!(
            "CREATE OR REPLACE MACRO {in_schema}.busy(engine_name, t0, t1) AS (SELECT coalesce(sum(least(a.end_ts, t1) - greatest(a.start_ts, t0)), 0)::BIGINT FROM {of}.ActiveTime a WHERE lower(a.engine) = lower(engine_name) AND a.start_ts < t1 AND a.end_ts > t0);"
        ),
        () if has("slice") => format!(
            "CREATE OR REPLACE MACRO {in_schema}.busy(track, t0, t1) AS (SELECT main.merged(greatest(a.ts, t0), least(a.ts + a.dur, t1)) FROM {of}.slice a WHERE a.track_id = track AND a.depth = 0 AND a.ts < t1 AND a.ts + a.dur > t0);"
        ),
        () => String::new(),
    }
}

fn too_large(table: &str, bytes_left: u64) -> Failure {
    QueryError::TooLarge { table: table.into(), bytes_left }.into()
}

fn is_out_of_memory(error: &DuckDbError) -> bool {
    error.to_string().contains("Out of Memory")
}

fn create(schema: &str, name: &str, columns: &[(String, String)]) -> String {
    let columns: Vec<String> = columns.iter().map(|c| format!("{} {}", quoted(&c.0), c.1)).collect();
    format!("CREATE OR REPLACE TABLE {schema}.{} ({});", quoted(name), columns.join(", "))
}

/// SQL functions for common computations. Union of intervals: in order of start, each adds its part after the last end.
const MACROS: [&str; 3] = [
    "CREATE OR REPLACE MACRO main.intervals(starts, ends) AS list({'start_ts': starts::BIGINT, 'end_ts': ends::BIGINT})",
    "CREATE OR REPLACE MACRO main.merged(intervals) AS coalesce(list_reduce(list_prepend({'s': -9000000000000000000, 'e': -9000000000000000000, \
     'n': 0::BIGINT}, list_sort(list_transform(intervals, lambda i: {'s': i.start_ts, 'e': i.end_ts, 'n': 0::BIGINT}))), \
     lambda a, x: {'s': x.s, 'e': greatest(a.e, x.e), 'n': a.n + greatest(0, x.e - greatest(x.s, a.e))}).n, 0), \
     (starts, ends) AS coalesce(list_reduce(list_prepend({'s': -9000000000000000000, 'e': -9000000000000000000, \
     'n': 0::BIGINT}, list_sort(list({'s': starts::BIGINT, 'e': ends::BIGINT, 'n': 0::BIGINT}))), lambda a, x: {'s': x.s, 'e': greatest(a.e, x.e), \
     'n': a.n + greatest(0, x.e - greatest(x.s, a.e))}).n, 0)",
    "CREATE OR REPLACE MACRO main.overlap(a, b) AS main.merged(a) + main.merged(b) - main.merged(list_concat(a, b)), \
     (start_a, end_a, start_b, end_b) AS greatest(0, least(end_a, end_b) - greatest(start_a, start_b))",
];
