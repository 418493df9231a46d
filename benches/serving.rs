//! How long graph replays take to match: a made-up serving run of a million kernels in graphs, with and without the traces of 50 captures of a thousand
//! launches each. `cargo bench --bench serving [-- KERNELS]`: the difference of both imports is reading the captures and matching.

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use axonscope::base::{InputSet, Member};
    use axonscope::engine::query::{EfficiencyQuery, OpsQuery, StepsQuery};
    use axonscope::engine::{Query, Session};
    use axonscope::formats::import;
    use std::fmt::Write as _;
    use std::time::Instant;

    /// Graphs, one for each batch size.
    const GRAPHS: usize = 50;
    /// Kernels of a graph.
    const KERNELS: usize = 1_000;

    fn kernel(graph: usize, i: usize) -> String {
        format!("kernel_{}", (i * 7 + graph * (i % 5)) % 40)
    }

    fn trace(events: &str) -> Vec<u8> {
        format!(r#"{{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [{}]}}"#, events.trim_end_matches(",\n")).into_bytes()
    }

    fn capture() -> Result<Vec<u8>, std::fmt::Error> {
        let mut out = String::new();
        for graph in 0..GRAPHS {
            let at = graph * 100_000;
            write!(
                out,
                r#"{{"ph":"X","cat":"user_annotation","name":"capture_{}_FULL","pid":5,"tid":5,"ts":{at},"dur":90000,"args":{{}}}},"#,
                graph + 1
            )?;
            out.push('\n');
            for (call, ts) in [("hipStreamBeginCapture", at + 2), ("hipStreamEndCapture", at + 80_000)] {
                writeln!(
                    out,
                    r#"{{"ph":"X","cat":"cuda_runtime","name":"{call}","pid":5,"tid":5,"ts":{ts},"dur":1,"args":{{"correlation":1}}}},"#
                )?;
            }
            for i in 0..KERNELS {
                let ts = at + 10 + 50 * i;
                writeln!(
                    out,
                    r#"{{"ph":"X","cat":"cpu_op","name":"aten::op_{}","pid":5,"tid":5,"ts":{ts},"dur":40,"args":{{"External id":{i},"Input Dims":[[{i},8]]}}}},"#,
                    i % 30
                )?;
                writeln!(
                    out,
                    r#"{{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":5,"tid":5,"ts":{},"dur":5,"args":{{"kernel":"{}","correlation":{}}}}},"#,
                    ts + 5,
                    kernel(graph, i),
                    i + 2
                )?;
            }
        }
        Ok(trace(&out))
    }

    fn run_of(n_kernels: usize) -> Result<Vec<u8>, std::fmt::Error> {
        let mut out = String::new();
        for replay in 0..n_kernels / KERNELS {
            let (graph, at) = (replay % GRAPHS, replay * 20_000);
            // 0 is none.
            let correlation = replay + 1;
            writeln!(
                out,
                r#"{{"ph":"X","cat":"user_annotation","name":"execute_context_0(0)_generation_{n}({n})","pid":5,"tid":5,"ts":{at},"dur":9000,"args":{{}}}},"#,
                n = graph + 1
            )?;
            writeln!(
                out,
                r#"{{"ph":"X","cat":"cuda_runtime","name":"hipGraphLaunch","pid":5,"tid":5,"ts":{},"dur":5,"args":{{"correlation":{correlation}}}}},"#,
                at + 5
            )?;
            for i in 0..KERNELS {
                writeln!(
                    out,
                    r#"{{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":9,"args":{{"device":0,"stream":7,"correlation":{correlation}}}}},"#,
                    kernel(graph, i),
                    at + 100 + 10 * i
                )?;
            }
        }
        Ok(trace(&out))
    }

    fn opened(files: &[(&str, &[u8])]) -> Result<(f64, Session), String> {
        let members = files.iter().map(|(name, bytes)| Member::from_bytes(*name, bytes.to_vec())).collect();
        let input = InputSet { members };
        let from = Instant::now();
        let (claim, done) = import::import(&input).map_err(|e| e.to_string())?.remove(0);
        let (imported, readable) = done.map_err(|e| e.to_string())?;
        let took = from.elapsed().as_secs_f64();
        Ok((took, Session::new(claim, readable, imported)))
    }

    fn median(mut all: Vec<f64>) -> f64 {
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    }

    pub fn run(n_kernels: usize) -> Result<(), String> {
        let (run, capture) = (run_of(n_kernels).map_err(|e| e.to_string())?, capture().map_err(|e| e.to_string())?);
        let (mut alone, mut both, mut of_capture) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..3 {
            alone.push(opened(&[("run/t.json", &run)])?.0);
            of_capture.push(opened(&[("c.json", &capture)])?.0);
            let (took, session) = opened(&[("run/t.json", &run), ("run/capture_traces/c.json", &capture)])?;
            both.push(took);
            last = Some(session);
        }
        let (alone, both, of_capture) = (median(alone), median(both), median(of_capture));
        println!("{n_kernels} kernels, {} launches in {GRAPHS} captures", GRAPHS * KERNELS);
        println!("run alone {alone:.3} s, capture alone {of_capture:.3} s, both {both:.3} s: matching {:.3} s", both - alone - of_capture);
        let Some(session) = last else { return Ok(()) };
        for (name, query) in [
            ("operators", Query::from(OpsQuery::default())),
            ("efficiency", Query::from(EfficiencyQuery::default())),
            ("steps", Query::from(StepsQuery::default())),
        ] {
            let from = Instant::now();
            std::hint::black_box(query.answer(&session));
            println!("{name:<12} {:.3} s", from.elapsed().as_secs_f64());
        }
        Ok(())
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    let n = std::env::args().filter_map(|a| a.parse::<usize>().ok()).next().unwrap_or(1_000_000);
    if let Err(why) = native::run(n) {
        eprintln!("stopped: {why}");
        std::process::exit(1);
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
