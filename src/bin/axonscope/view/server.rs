//! GET and HEAD of the page's files and of the given files, below a token; whole or one range.

use super::page::{Page, media_type};
use crate::error::Fallible;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use tiny_http::{HTTPVersion, Header, Method, Request, Response, Server};

/// Requests that are answered at a time: a page reads several parts of a file at once.
const N_THREADS: usize = 8;

/// After an answer in HTTP 1.0 a browser closes the connection. One that stays open keeps a thread of `tiny_http`, and of several that are opened at once
/// one may be given none until another ends (`TaskPool::spawn` takes a thread that was just woken for a free one): the page would not load.
const ANSWER_VERSION: HTTPVersion = HTTPVersion(1, 0);

/// What can be read.
pub struct Site {
    /// First segment of every path.
    pub token: String,
    /// The page.
    pub page: Page,
    /// Given files by their path below the token.
    pub files: BTreeMap<String, Served>,
}

/// A given file. It is opened for each request: what changes on the disk has another tag.
pub struct Served(PathBuf);

impl Served {
    /// The file at `path`, which must be readable now.
    pub fn new(path: &Path) -> Fallible<Served> {
        let opened = File::open(path).and_then(|file| file.metadata());
        match opened {
            Ok(about) if about.is_file() => Ok(Served(path.into())),
            Ok(_) => Err(format!("`{}` is not a file.", path.display()).into()),
            Err(e) => Err(format!("`{}` could not be read: {e}.", path.display()).into()),
        }
    }
}

/// A port that is listened on.
pub struct Listening {
    server: Server,
    /// Its number.
    pub port: u16,
}

/// Listens on a port of 127.0.0.1; 0 takes a free one.
pub fn listen(port: u16) -> Fallible<Listening> {
    let server = Server::http(("127.0.0.1", port))
        .map_err(|e| format!("Port {port} of 127.0.0.1 is not available: {e}. Choose another with --port."))?;
    let port = server.server_addr().to_ip().map_or(port, |address| address.port());
    Ok(Listening { server, port })
}

impl Listening {
    /// Answers until the process is ended.
    pub fn serve(&self, site: &Site) -> Fallible<()> {
        let work = || {
            loop {
                match self.server.recv() {
                    // A connection that ends early is the browser's business.
                    Ok(request) => drop(site.answer(request)),
                    Err(e) => return format!("The connection ended: {e}."),
                }
            }
        };
        let first = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..N_THREADS).map(|_| scope.spawn(work)).collect();
            threads.into_iter().find_map(|t| t.join().ok())
        });
        Err(first.unwrap_or_else(|| "A thread stopped unexpectedly.".into()).into())
    }
}

/// Bytes from the first, and how many.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    All,
    Part(u64, u64),
    /// Outside the file.
    None,
}

type Body = Response<Box<dyn Read + Send>>;

impl Site {
    fn answer(&self, request: Request) -> std::io::Result<()> {
        let response = self.response(&request);
        let (headers, is_head) = (request.headers().to_vec(), *request.method() == Method::Head);
        let mut writer = request.into_writer();
        response.raw_print(&mut writer, ANSWER_VERSION, &headers, is_head, None)?;
        writer.flush()
    }

    fn response(&self, request: &Request) -> Body {
        let header = |name: &'static str| request.headers().iter().find(|h| h.field.equiv(name)).map(|h| h.value.as_str());
        // Another host name is that of a page that points it at this machine.
        if !header("Host").is_some_and(is_own_host) {
            return refusal(403, "Open the address with 127.0.0.1 or localhost.");
        }
        let path = request.url().split(['?', '#']).next().unwrap_or_default();
        let below = path.strip_prefix('/').and_then(|p| p.split_once('/')).filter(|(token, _)| is_equal(token, &self.token));
        let Some((_, below)) = below else {
            return refusal(404, "Not found: open the address that `axonscope view` printed.");
        };
        if !matches!(request.method(), Method::Get | Method::Head) {
            return with(refusal(405, "Only GET and HEAD."), "Allow", "GET, HEAD");
        }
        let Some(name) = decoded(below) else { return refusal(400, "The path is not percent-encoded UTF-8.") };
        if let Some(Served(path)) = self.files.get(&name) {
            return file(path, header("Range"), header("If-Range"), header("If-Match"));
        }
        let name = if name.is_empty() { "index.html" } else { &name };
        match self.page.read(name) {
            Some(Ok(bytes)) => {
                let n = bytes.len();
                let body = with(body(200, Box::new(Cursor::new(bytes)), n as u64), "Content-Type", media_type(name));
                with(body, "Cache-Control", "no-cache")
            }
            Some(Err(_)) => refusal(500, "A file of the page could not be read."),
            None => refusal(404, "Not found."),
        }
    }
}

/// Compared in constant time, so that the duration does not reveal the token.
fn is_equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

fn is_own_host(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if port.bytes().all(|b| b.is_ascii_digit()) { name } else { host });
    ["127.0.0.1", "localhost"].contains(&name)
}

/// A given file, whole or in part.
fn file(path: &Path, range: Option<&str>, if_range: Option<&str>, if_match: Option<&str>) -> Body {
    let opened = File::open(path).and_then(|file| file.metadata().map(|about| (file, about)));
    let Ok((mut file, about)) = opened else { return refusal(404, "The file is gone or can no longer be read.") };
    let (len, tag) = (about.len(), tag(&about));
    if if_match.is_some_and(|wanted| wanted != "*" && !wanted.split(',').any(|t| t.trim() == tag)) {
        return refusal(412, "The file changed.");
    }
    let wanted = match range.filter(|_| if_range.is_none_or(|wanted| wanted == tag)) {
        Some(range) => part(range, len),
        None => Wanted::All,
    };
    let out = match wanted {
        Wanted::None => with(refusal(416, "The range is outside the file."), "Content-Range", &format!("bytes */{len}")),
        Wanted::All => body(200, Box::new(file.take(len)), len),
        Wanted::Part(from, n) => {
            if file.seek(SeekFrom::Start(from)).is_err() {
                return refusal(500, "The file could not be read.");
            }
            let last = from + n - 1;
            with(body(206, Box::new(file.take(n)), n), "Content-Range", &format!("bytes {from}-{last}/{len}"))
        }
    };
    let headers = [("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes"), ("ETag", &tag), ("Cache-Control", "no-store")];
    headers.iter().fold(out, |out, (name, value)| with(out, name, value))
}

/// Length and time of change: another file under the name has another tag.
fn tag(about: &std::fs::Metadata) -> String {
    let changed = about.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_nanos());
    format!("\"{:x}-{changed:x}\"", about.len())
}

/// The part that a `Range` header names. What is not one range of bytes asks for all (RFC 9110).
fn part(range: &str, len: u64) -> Wanted {
    let Some((first, last)) = range.trim().strip_prefix("bytes=").and_then(|r| r.split_once('-')) else { return Wanted::All };
    let (first, last) = (first.trim(), last.trim());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // A number that does not fit is beyond every file.
    let number = |text: &str| text.parse::<u64>().unwrap_or(u64::MAX);
    match (first, last) {
        ("", n) if is_number(n) => match number(n).min(len) {
            0 => Wanted::None,
            n => Wanted::Part(len - n, n),
        },
        (a, b) if is_number(a) && (b.is_empty() || is_number(b)) => {
            let from = number(a);
            let last = if b.is_empty() { u64::MAX } else { number(b) };
            match () {
                () if last < from => Wanted::All,
                () if from >= len => Wanted::None,
                () => Wanted::Part(from, last.min(len - 1) - from + 1),
            }
        }
        _ => Wanted::All,
    }
}

/// The text of a percent-encoded path.
fn decoded(path: &str) -> Option<String> {
    let mut out = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(out).ok()
}

fn refusal(status: u16, sentence: &str) -> Body {
    let text = format!("{sentence}\n").into_bytes();
    let n = text.len() as u64;
    with(body(status, Box::new(Cursor::new(text)), n), "Content-Type", "text/plain; charset=utf-8")
}

/// A response with its length: the page needs it. No other site may embed it or learn its address.
fn body(status: u16, reader: Box<dyn Read + Send>, len: u64) -> Body {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let out = Response::new(status.into(), Vec::new(), reader, Some(len), None).with_chunked_threshold(usize::MAX);
    let headers =
        [("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin")];
    headers.iter().fold(out, |out, (name, value)| with(out, name, value))
}

fn with(response: Body, name: &str, value: &str) -> Body {
    match Header::from_bytes(name.as_bytes(), value.as_bytes()) {
        Ok(header) => response.with_header(header),
        Err(()) => response,
    }
}
