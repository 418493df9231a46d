//! How long each question takes by itself, natively, on a made-up trace with Python functions, modules and allocations.
//! `cargo bench --bench queries [-- MEGABYTES]`: one line per question, the median of three.
//!
//! `cargo bench --bench queries -- RUN.ntff [RUN.neff]` asks a Neuron device profile what the views Bounds and Compare ask, as often; the first of
//! the three times is listed as well, since it makes the columns that the others find. `examples/repeat_ntff.rs` writes long traces.

#[cfg(not(target_arch = "wasm32"))]
#[allow(dead_code, reason = "shared with the example that writes traces")]
#[path = "../tests/native/common/made_trace.rs"]
mod made_trace;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::made_trace::{Options, write_trace};
    use axonscope::analysis::device::bounds::GapKind;
    use axonscope::analysis::device::transfers::dma_rows::{DmaBy, DmaDetail, DmaRowsQuery};
    use axonscope::base::{InputSet, Member, TimeNs, TimeRange};
    use axonscope::engine::query::*;
    use axonscope::engine::{Query, Session};
    use axonscope::formats::import;
    use std::hint::black_box;
    use std::time::{Duration, Instant};

    /// The budget of a question at a million slices.
    const BUDGET: Duration = Duration::from_millis(100);

    fn queries(range: TimeRange) -> Vec<(&'static str, Query)> {
        let middle = TimeRange::new(TimeNs(range.end.0 / 4), TimeNs(range.end.0 / 4 * 3));
        let search = |text: &str, is_regex| SearchQuery { text: text.into(), is_regex, limit: 1000, ..SearchQuery::default() };
        vec![
            ("import", ImportQuery.into()),
            ("operators", OperatorsQuery::default().into()),
            ("operators, half", OperatorsQuery { range: Some(middle), ..OperatorsQuery::default() }.into()),
            ("search", search("mm", false).into()),
            ("search, regex", search("^aten::.*mm$", true).into()),
            ("colour keys", ColourKeysQuery { by: "category".into() }.into()),
            ("occurrences", OccurrencesQuery { by: "name".into(), value: "aten::mm".into() }.into()),
            ("flows", FlowsQuery { window: middle, without: Vec::new(), limit: 10_000 }.into()),
            ("torch: counters", TraceCountersQuery.into()),
            ("torch: overview", OverviewQuery::default().into()),
            ("torch: operators", OpsQuery::default().into()),
            ("torch: kernels", KernelsQuery::default().into()),
            ("torch: efficiency", EfficiencyQuery::default().into()),
            ("torch: steps", StepsQuery::default().into()),
            ("torch: memory", MemoryQuery::default().into()),
            ("torch: memory events", MemoryEventsQuery::default().into()),
            ("torch: modules", ModulesQuery.into()),
            ("torch: tree", TreeQuery::default().into()),
            ("torch: distributed", DistributedPartQuery::default().into()),
            ("torch: diff", DiffPartQuery.into()),
        ]
    }

    /// What the views of a device profile ask, in the order in which a reader opens them.
    fn device_queries(range: TimeRange) -> Vec<(String, Query)> {
        let half = TimeRange::new(TimeNs(range.start.0), TimeNs(range.start.0 + range.duration().0 / 2));
        let mut out: Vec<(String, Query)> = vec![
            ("bounds".into(), BoundsQuery { range: None, order: Vec::new() }.into()),
            ("regions".into(), RegionsQuery::default().into()),
        ];
        let gap = |gap: GapKind| (format!("causes: {}", gap.id()), EvidenceQuery { range: None, core: 0, gap }.into());
        out.extend(GapKind::ALL.map(gap));
        let rows = |by, detail| DmaRowsQuery { by, detail }.into();
        out.extend([
            ("DMA rows: engines".into(), rows(DmaBy::Engine, DmaDetail::Packets)),
            ("DMA rows: rings".into(), rows(DmaBy::Queue, DmaDetail::Rings)),
            ("DMA rows: merged".into(), rows(DmaBy::Queue, DmaDetail::Merged)),
            ("bounds, half".into(), BoundsQuery { range: Some(half), order: Vec::new() }.into()),
            ("regions, half".into(), RegionsQuery { range: Some(half), ..RegionsQuery::default() }.into()),
            ("summary".into(), SummaryQuery { range: None }.into()),
            ("summary, half".into(), SummaryQuery { range: Some(half) }.into()),
            ("explain: part".into(), ExplainQuery::default().into()),
            ("explain: part, half".into(), ExplainQuery { range: Some(half), order: Vec::new() }.into()),
        ]);
        out
    }

    fn say(what: &str, took: Duration, rest: &str) {
        println!("{what:<24} {:>9.1} ms{rest}", took.as_secs_f64() * 1000.0);
    }

    /// Time of the calling thread on a processor, where the system tells it: others that use the machine do not count.
    fn on_processor() -> Option<Duration> {
        let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(Duration::from_nanos(stat.split(' ').next()?.parse().ok()?))
    }

    fn timed<T>(f: impl FnOnce() -> T) -> (Duration, T) {
        let (from, used) = (Instant::now(), on_processor());
        let out = black_box(f());
        (on_processor().zip(used).map_or_else(|| from.elapsed(), |(to, from)| to.saturating_sub(from)), out)
    }

    pub fn run_device(paths: &[String]) -> Result<(), String> {
        axonscope::engine::link_all();
        let file = |path: &String| Ok((path.clone(), std::fs::read(path).map_err(|why| format!("`{path}`: {why}"))?));
        let files = paths.iter().map(file).collect::<Result<Vec<_>, String>>()?;
        let input = InputSet { members: files.into_iter().map(|(name, bytes)| Member::from_bytes(name, bytes)).collect() };
        let (took, outcome) = timed(|| import::import(&input));
        let (claim, imported) = outcome.map_err(|e| e.to_string())?.remove(0);
        let (imported, readable) = imported.map_err(|e| e.to_string())?;
        let n_slices = imported.profile.slices.len();
        let session = Session::new(claim, readable, imported);
        println!("{} slices, {} records", n_slices, session.ledger.read);
        say("import", took, "   (on the thread that asks)");
        say("slots of names", timed(|| session.name_slots().len()).0, "");
        say("page meta", timed(|| session.page_meta()).0, "   (what the page is sent at once, with its curves)");
        for (name, query) in device_queries(session.profile.meta.range) {
            let all: Vec<Duration> = (0..3).map(|_| timed(|| query.answer(&session)).0).collect();
            let mut took = all.clone();
            took.sort();
            let of_million = took[1].as_secs_f64() * 1e9 / n_slices as f64;
            say(&name, took[1], &format!("   first {:.1} ms, {of_million:.1} ms by million slices", all[0].as_secs_f64() * 1000.0));
        }
        Ok(())
    }

    pub fn run(n_bytes: u64) -> Result<(), String> {
        let mut text = Vec::new();
        let options = Options { n_bytes, seed: 1, has_stack: false, is_rich: true };
        write_trace(&mut text, options).map_err(|e| e.to_string())?;
        let input = InputSet::from_bytes("made.json", text);
        let (took, outcome) = timed(|| import::import(&input));
        let (claim, imported) = outcome.map_err(|e| e.to_string())?.remove(0);
        let (imported, readable) = imported.map_err(|e| e.to_string())?;
        let records = imported.ledger.read;
        let session = Session::new(claim, readable, imported);
        println!("{} MB, {records} records, {} slices", n_bytes / 1_000_000, session.profile.slices.len());
        say("import", took, "");
        say("slots of names", timed(|| session.name_slots().len()).0, "");
        say("page meta", timed(|| session.page_meta()).0, "   (what the page is sent at once; makes what PyTorch's answers share)");
        for (name, query) in queries(session.profile.meta.range) {
            let mut took: Vec<Duration> = (0..3).map(|_| timed(|| query.answer(&session)).0).collect();
            took.sort();
            say(name, took[1], if took[1] > BUDGET { "   over the budget of 100 ms" } else { "" });
        }
        for table in ["slice", "kernel", "operator", "args"] {
            let (took, n_rows) = timed(|| rows_of(&session, table));
            let n_rows = n_rows?;
            say(&format!("table: {table}"), took, &format!("   {:.1} M rows/s, all columns", n_rows as f64 / took.as_secs_f64() / 1e6));
        }
        Ok(())
    }

    /// Rows of a table, after all parts were made as queries in SQL take them.
    fn rows_of(session: &Session, table: &str) -> Result<u64, String> {
        let (mut n_rows, mut from) = (0, Some(0));
        while let Some(at) = from {
            let part = TablePartQuery { table: table.into(), columns: Vec::new(), range: None, from: at };
            let part = session.ask(&part).map_err(|refusal| refusal.to_string())?;
            n_rows += part.n_rows;
            from = part.next;
        }
        Ok(n_rows)
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let megabytes = given.iter().find_map(|a| a.parse::<u64>().ok());
    let paths: Vec<String> = given.into_iter().filter(|a| a.parse::<u64>().is_err()).collect();
    let outcome = if paths.is_empty() { native::run(megabytes.unwrap_or(320) * 1_000_000) } else { native::run_device(&paths) };
    if let Err(why) = outcome {
        eprintln!("stopped: {why}");
        std::process::exit(1);
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
