//! How long each question takes by itself, natively, on a made-up trace with Python functions, modules and allocations.
//! `cargo bench --bench queries [-- MEGABYTES]`: one line per question, the median of three.

#[cfg(not(target_arch = "wasm32"))]
#[allow(dead_code, reason = "shared with the example that writes traces")]
#[path = "../tests/native/common/made_trace.rs"]
mod made_trace;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::made_trace::{Options, write_trace};
    use axonscope::base::{InputSet, TimeNs, TimeRange};
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

    fn say(what: &str, took: Duration, rest: &str) {
        println!("{what:<24} {:>9.1} ms{rest}", took.as_secs_f64() * 1000.0);
    }

    fn timed<T>(f: impl FnOnce() -> T) -> (Duration, T) {
        let from = Instant::now();
        let out = black_box(f());
        (from.elapsed(), out)
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
        say("colour column", timed(|| session.colour_column()).0, "");
        say("hot meta", timed(|| session.hot_meta()).0, "   (what the page is sent at once; makes what PyTorch's answers share)");
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
    let megabytes = std::env::args().filter_map(|a| a.parse::<u64>().ok()).next().unwrap_or(320);
    if let Err(why) = native::run(megabytes * 1_000_000) {
        eprintln!("stopped: {why}");
        std::process::exit(1);
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
