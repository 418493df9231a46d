//! Writes a made-up Neuron device profile of a given size, as JSON or as a directory of Parquet tables; the same seed gives the same rows.
//!
//! `cargo run --release --example make_device -- --instructions 2000000 --transfers 5000000 --seed 1 OUT.json` (or `OUT`, a directory to be).

#[cfg(not(target_arch = "wasm32"))]
#[path = "make_device/rows.rs"]
mod rows;
#[cfg(not(target_arch = "wasm32"))]
#[path = "make_device/tables.rs"]
mod tables;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}\nUsage: make_device [--instructions N] [--transfers N] [--seed N] OUT.json|OUT");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn run(mut args: impl Iterator<Item = String>) -> Result<(), String> {
    let mut size = rows::Size { n_instructions: 2_000_000, n_transfers: 5_000_000, seed: 1 };
    let mut path = None;
    while let Some(arg) = args.next() {
        let mut number = |name: &str| {
            let text = args.next().ok_or_else(|| format!("Expected a number after {name}, found nothing."))?;
            text.parse::<u64>().map_err(|_| format!("Expected a number after {name}, found `{text}`."))
        };
        match arg.as_str() {
            "--instructions" => size.n_instructions = number("--instructions")?,
            "--transfers" => size.n_transfers = number("--transfers")?,
            "--seed" => size.seed = number("--seed")?,
            _ => path = Some(arg),
        }
    }
    let path = path.ok_or("Expected the name of the file or directory to write.")?;
    let done = if path.ends_with(".json") { rows::write_json(&path, size) } else { tables::write(&path, size) };
    done.map_err(|why| format!("`{path}` could not be written: {why}."))
}

#[cfg(target_arch = "wasm32")]
fn main() {}
