//! `axonscope view`: the page with files of this machine, served on 127.0.0.1 to whoever has the address.

mod page;
mod server;

use crate::error::Fallible;
use crate::files;
use page::Page;
use server::{Served, Site};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Examples of `--help`.
pub const EXAMPLES: &str = "\
Examples:
  axonscope view trace.json.gz                      # open the printed address in a browser
  axonscope view profile.ntff model.neff --port 8123
On a remote machine, from yours: ssh -L 8123:127.0.0.1:8123 HOST, then open the printed address.

Only this machine can connect. The address has a token; who has it can read the given files while the command runs, and nothing else.
Exit codes: 0 ended, 1 failed, 2 wrong arguments.";

/// Files of one address: a browser has a limit for its length.
const MOST_FILES: usize = 1_000;

/// Arguments of `axonscope view`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Files to open together; of a directory, the files in it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Port on 127.0.0.1; any free one without it
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Directory of a built page (`make dist`), where the program was built without one
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
}

/// Serves until the process is ended.
pub fn run(arguments: &Arguments) -> Fallible<()> {
    let page = Page::open(arguments.page.as_deref())?;
    let (files, query) = served(&arguments.files)?;
    let token = token()?;
    let server = server::listen(arguments.port)?;
    let port = server.port;
    let mut out = std::io::stdout().lock();
    let printed = writeln!(
        out,
        "http://127.0.0.1:{port}/{token}/open.html?{query}\n\
         From another machine: ssh -L {port}:127.0.0.1:{port} HOST, then open this address there.\n\
         Whoever has the address can read the given files until Ctrl+C ends this."
    );
    printed.and_then(|()| out.flush())?;
    drop(out);
    server.serve(&Site { token, page, files })
}

/// The files by the path that they are served under, and the query of the address that opens them.
fn served(arguments: &[String]) -> Fallible<(BTreeMap<String, Served>, String)> {
    let mut paths = Vec::new();
    for argument in arguments {
        files::walk(Path::new(argument), &mut paths).map_err(|e| format!("`{argument}` could not be read: {e}."))?;
    }
    if paths.is_empty() {
        return Err("The directories have no files.".into());
    }
    if paths.len() > MOST_FILES {
        let n = paths.len();
        return Err(
            format!("Expected at most {MOST_FILES} files, found {n}. `axonscope run` sums up runs of many ranks in one file.").into()
        );
    }
    let root = files::root(&paths);
    let (mut out, mut query) = (BTreeMap::new(), String::new());
    for path in paths {
        let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let name = format!("files/{}", name.trim_start_matches('/'));
        let file = Served::new(&path)?;
        if out.insert(name.clone(), file).is_none() {
            let and = if query.is_empty() { "" } else { "&" };
            // Relative, so that the address is right behind a forwarded port too.
            let _ = write!(query, "{and}url=./{}", encoded(&encoded(&name)));
        }
    }
    Ok((out, query))
}

/// Percent-encoded for a path; applied again for a value of a query, slashes stay.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// 128 random bits as text.
fn token() -> Fallible<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|e| format!("The system gave no random numbers for the token: {e}."))?;
    Ok(bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    }))
}
