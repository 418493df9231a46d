//! `axonscope`: the engine of the page on the command line.
#![cfg_attr(target_arch = "wasm32", allow(unused))]

#[cfg(not(target_arch = "wasm32"))]
mod compare;
#[cfg(not(target_arch = "wasm32"))]
mod convert;
#[cfg(not(target_arch = "wasm32"))]
mod error;
#[cfg(not(target_arch = "wasm32"))]
mod files;
#[cfg(not(target_arch = "wasm32"))]
mod fleet;
#[cfg(not(target_arch = "wasm32"))]
mod report;
#[cfg(not(target_arch = "wasm32"))]
mod table;
#[cfg(not(target_arch = "wasm32"))]
mod text_table;
#[cfg(not(target_arch = "wasm32"))]
mod view;
#[cfg(not(target_arch = "wasm32"))]
mod warn;

#[cfg(not(target_arch = "wasm32"))]
mod command {
    use crate::error::Fallible;
    use crate::{compare, convert, fleet, report, table, view, warn};
    use clap::{Parser, Subcommand};
    use std::process::ExitCode;

    /// Answers about accelerator profiles: AWS Neuron profiles and PyTorch profiler traces
    #[derive(Parser)]
    #[command(name = "axonscope", version)]
    struct Axonscope {
        #[command(subcommand)]
        command: Command,
    }

    #[derive(Subcommand)]
    enum Command {
        /// Answer one query about files, as JSON, CSV or a table
        #[command(after_help = report::QUERIES)]
        Report(report::Arguments),
        /// Show what differs between two profiles of a kind, and check that nothing got slower
        #[command(after_help = compare::EXAMPLES)]
        Compare(compare::Arguments),
        /// Write device profiles as Parquet tables of Neuron Explorer's schema
        #[command(after_help = convert::EXAMPLES)]
        Convert(convert::Arguments),
        /// Show any number of profiles in one table
        #[command(after_help = table::EXAMPLES)]
        Table(table::Arguments),
        /// Serve the page with files of this machine on 127.0.0.1
        #[command(after_help = view::EXAMPLES)]
        View(view::Arguments),
        /// Write what each trace contributes to a run, one Parquet file for each
        #[command(after_help = fleet::part::EXAMPLES)]
        Part(fleet::part::Arguments),
        /// Merge parts to a run summary, which the page opens
        #[command(after_help = fleet::merge::EXAMPLES)]
        Merge(fleet::merge::Arguments),
        /// Sum up a run of any number of traces on all cores of this machine
        #[command(after_help = fleet::run::EXAMPLES)]
        Run(fleet::run::Arguments),
    }

    pub fn run() -> ExitCode {
        let outcome = match Axonscope::parse().command {
            Command::Report(arguments) => report::run(&arguments),
            Command::Compare(arguments) => return coded(compare::run(&arguments)),
            Command::Convert(arguments) => convert::run(&arguments),
            Command::Table(arguments) => table::run(&arguments),
            Command::View(arguments) => view::run(&arguments),
            Command::Part(arguments) => return coded(fleet::part::run(&arguments)),
            Command::Merge(arguments) => return coded(fleet::merge::run(&arguments)),
            Command::Run(arguments) => return coded(fleet::run::run(&arguments)),
        };
        coded(outcome.map(|()| 0))
    }

    /// The exit code of an outcome; an error is one sentence on standard error.
    fn coded(outcome: Fallible<u8>) -> ExitCode {
        match outcome {
            Ok(code) => ExitCode::from(code),
            Err(error) => {
                warn::line(error);
                ExitCode::FAILURE
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    command::run()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
