//! Writes the traces of a synthetic run with planted faults; the same options give the same bytes. `--summary FILE` writes the run summary alone,
//! for runs that would be too large as traces.
//!
//! `cargo run --release --example make_fleet -- --ranks 32 --steps 4 --slow-device 13 --slow-link 2 --data-stall 3 --late 6 DIRECTORY`

#[cfg(not(target_arch = "wasm32"))]
#[path = "../tests/native/common/made_fleet.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod made_fleet;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(why) => {
            eprintln!(
                "{why}\nUsage: make_fleet [--ranks N] [--tensor N] [--per-host N] [--steps N] [--seed N] [--slow-device RANK] [--slow-link GROUP] [--data-stall HOST] [--late RANK] DIRECTORY | --summary run.axonrun"
            );
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn run(mut args: impl Iterator<Item = String>) -> Result<(), String> {
    use made_fleet::Fault;
    let mut fleet = made_fleet::Fleet::default();
    let mut directory = None;
    let mut is_summary = false;
    while let Some(arg) = args.next() {
        let mut number = || {
            let text = args.next().ok_or_else(|| format!("Expected a number after {arg}, found nothing."))?;
            text.parse::<u32>().map_err(|_| format!("Expected a number after {arg}, found `{text}`."))
        };
        match arg.as_str() {
            "--summary" => is_summary = true,
            "--ranks" => fleet.n_ranks = number()?,
            "--tensor" => fleet.tensor = number()?.max(1),
            "--per-host" => fleet.per_host = number()?.max(1),
            "--steps" => fleet.n_steps = number()?,
            "--seed" => fleet.seed = number()?.into(),
            "--slow-device" => fleet.faults.push(Fault::SlowDevice(number()?)),
            "--slow-link" => fleet.faults.push(Fault::SlowLink(number()?)),
            "--data-stall" => fleet.faults.push(Fault::DataStall(number()?)),
            "--late" => fleet.faults.push(Fault::LateRank(number()?)),
            _ => directory = Some(arg),
        }
    }
    fleet.n_ranks = fleet.n_ranks.div_ceil(fleet.tensor) * fleet.tensor;
    let directory = std::path::PathBuf::from(directory.ok_or("Expected the name of the directory or file to write.")?);
    if is_summary {
        let bytes = axonscope::formats::axonrun::encode(&fleet.summary()).map_err(|e| e.to_string())?;
        return std::fs::write(&directory, bytes).map_err(|e| format!("`{}` could not be written: {e}.", directory.display()));
    }
    std::fs::create_dir_all(&directory).map_err(|e| format!("`{}` could not be created: {e}.", directory.display()))?;
    fleet
        .traces()
        .iter()
        .try_for_each(|(name, json)| std::fs::write(directory.join(name), json).map_err(|e| format!("`{name}` could not be written: {e}.")))
}

#[cfg(target_arch = "wasm32")]
fn main() {}
