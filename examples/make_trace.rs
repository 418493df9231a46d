//! Writes a made-up PyTorch trace of a given size, shaped as torch 2.x writes them.
//!
//! `cargo run --release --example make_trace -- --bytes 100000000 --seed 1 OUT.json` (also `--stack` for Python frames;
//! `--rich` for Python frames, modules and allocations).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

#[path = "../tests/native/common/made_trace.rs"]
mod made_trace;

use made_trace::{Options, write_trace};

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(n_slices) => {
            println!("{n_slices} slices");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}\nUsage: make_trace [--bytes N] [--seed N] [--stack] [--rich] OUT.json");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<u64, String> {
    let mut options = Options { n_bytes: 100_000_000, seed: 1, has_stack: false, is_rich: false };
    let mut path = None;
    while let Some(arg) = args.next() {
        let mut number = |name: &str| {
            let text = args.next().ok_or_else(|| format!("Expected a number after {name}, found nothing."))?;
            text.parse::<u64>().map_err(|_| format!("Expected a number after {name}, found `{text}`."))
        };
        match arg.as_str() {
            "--bytes" => options.n_bytes = number("--bytes")?,
            "--seed" => options.seed = number("--seed")?,
            "--stack" => options.has_stack = true,
            "--rich" => options.is_rich = true,
            _ => path = Some(arg),
        }
    }
    let path = path.ok_or("Expected the name of the file to write.")?;
    let write = || -> io::Result<u64> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
        let n = write_trace(&mut out, options)?;
        out.flush()?;
        Ok(n)
    };
    write().map_err(|why| format!("`{path}` could not be written: {why}."))
}
