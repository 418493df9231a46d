//! `axonscope view`: what its server answers, by real requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

const CONTENT: &[u8] = b"0123456789abcdef";

/// A directory with a page and files, and the running command; both end with it.
struct View {
    folder: PathBuf,
    child: Child,
    port: u16,
    /// `/TOKEN/`
    base: String,
    address: String,
}

/// Status, header lines, body.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().filter_map(|l| l.split_once(':')).find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim())
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("axonscope-view-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    for (path, bytes) in [
        ("page/open.html", &b"<html>page</html>"[..]),
        ("page/register-sw.js", b"register"),
        ("page/deep/a.wasm", b"wasm"),
        ("given/run a/trace.json", CONTENT),
        ("given/run b/trace.json", b"other"),
        ("secret.txt", b"secret"),
    ] {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }
    folder
}

fn refused(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_axonscope")).arg("view").args(arguments).output().expect("the program runs")
}

impl View {
    fn new(name: &str) -> View {
        let folder = folder(name);
        let mut child = Command::new(env!("CARGO_BIN_EXE_axonscope"))
            .current_dir(&folder)
            .args(["view", "given", "--page", "page"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let address = lines.next().expect("a line").expect("text");
        let tunnel = lines.next().expect("a line").expect("text");
        let (host, path) = address.strip_prefix("http://").and_then(|a| a.split_once('/')).expect("an address");
        let port = host.rsplit_once(':').expect("a port").1.parse().expect("a number");
        assert!(tunnel.contains(&format!("ssh -L {port}:127.0.0.1:{port} HOST")), "{tunnel}");
        let base = format!("/{}/", path.split_once('/').expect("a token").0);
        View { folder, child, port, base, address: address.clone() }
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        let host = format!("127.0.0.1:{}", self.port);
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let own = if headers.iter().any(|h| h.0 == "Host") { vec![] } else { vec![("Host", host.as_str())] };
        own.iter().chain(headers).for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        stream.write_all(format!("{text}\r\n").as_bytes()).expect("sent");
        let mut all = Vec::new();
        stream.read_to_end(&mut all).expect("an answer");
        let at = all.windows(4).position(|w| w == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&all[..at]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
        Answer { status, head, body: all[at + 4..].to_vec() }
    }

    fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask("GET", &format!("{}{path}", self.base), headers)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const FILE: &str = "files/given/run%20a/trace.json";

#[test]
fn the_page_and_the_given_files_are_served_below_the_token() {
    let view = View::new("served");
    assert!(
        view.address.ends_with("/open.html?url=./files/given/run%2520a/trace.json&url=./files/given/run%2520b/trace.json"),
        "{}",
        view.address
    );
    assert_eq!(view.base.len(), 34, "128 bits: {}", view.base);
    let page = view.get("open.html?url=x", &[]);
    assert_eq!((page.status, page.body.as_slice()), (200, &b"<html>page</html>"[..]));
    assert_eq!(page.header("Content-Type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("Referrer-Policy"), Some("no-referrer"), "the token stays here");
    assert_eq!(view.get("deep/a.wasm", &[]).header("Content-Type"), Some("application/wasm"));
    assert!(!view.get("register-sw.js", &[]).body.starts_with(b"register"), "the page of a token is not installed");
    let file = view.get(FILE, &[]);
    assert_eq!((file.status, file.body.as_slice()), (200, CONTENT));
    assert_eq!((file.header("Content-Length"), file.header("Accept-Ranges")), (Some("16"), Some("bytes")));
    assert_eq!(view.get("files/given/run%20b/trace.json", &[]).body, b"other");
    let head = view.ask("HEAD", &format!("{}{FILE}", view.base), &[]);
    assert_eq!((head.status, head.body.len(), head.header("Content-Length")), (200, 0, Some("16")));
    assert!(file.header("ETag").is_some_and(|tag| Some(tag) == head.header("ETag")));
}

/// A connection that outlives its answer keeps a thread of the server, and others then wait for one.
#[test]
fn no_connection_outlives_its_answer() {
    let view = View::new("ends");
    let file = view.get(FILE, &[]);
    assert!(file.head.starts_with("HTTP/1.0 200"), "{}", file.head);
    assert!(file.header("Connection").is_none_or(|value| !value.eq_ignore_ascii_case("keep-alive")), "{}", file.head);
    assert!(view.get(FILE, &[("Range", "bytes=0-3")]).head.starts_with("HTTP/1.0 206"));
}

#[test]
fn parts_of_a_file_are_served() {
    let view = View::new("ranges");
    for (range, content_range, body) in [
        ("bytes=0-3", "bytes 0-3/16", &CONTENT[..4]),
        ("bytes=10-", "bytes 10-15/16", &CONTENT[10..]),
        ("bytes=-5", "bytes 11-15/16", &CONTENT[11..]),
        ("bytes=-99", "bytes 0-15/16", CONTENT),
        ("bytes=12-99999999999999999999999", "bytes 12-15/16", &CONTENT[12..]),
    ] {
        let answer = view.get(FILE, &[("Range", range)]);
        assert_eq!((answer.status, answer.header("Content-Range"), answer.body.as_slice()), (206, Some(content_range), body), "{range}");
    }
    for range in ["bytes=16-", "bytes=99-100", "bytes=-0"] {
        let answer = view.get(FILE, &[("Range", range)]);
        assert_eq!((answer.status, answer.header("Content-Range")), (416, Some("bytes */16")), "{range}");
    }
    for range in ["bytes=5-2", "bytes=0-1,4-5", "lines=1-2", "bytes=a-b", "bytes=-"] {
        let answer = view.get(FILE, &[("Range", range)]);
        assert_eq!((answer.status, answer.body.as_slice()), (200, CONTENT), "{range}");
    }
}

#[test]
fn nothing_else_can_be_read() {
    let view = View::new("outside");
    let wrong = "0".repeat(32);
    for path in ["/", "/open.html", &format!("/{FILE}"), &format!("/{wrong}/{FILE}"), &view.base[..33], "//", "*"] {
        let answer = view.ask("GET", path, &[]);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
        assert!(!answer.body.windows(4).any(|w| w == b"0123" || w == b"page"), "{path}");
    }
    for path in [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "files/../../secret.txt",
        "files/given/run%20a/..%2f..%2f..%2fsecret.txt",
        "deep/../../secret.txt",
        "..\\secret.txt",
        "files/",
        "files/given",
        "files/given/run%20a",
        "files/given/run%20a/trace.json/",
        "files/given/run%20a/trace.json%00",
        "/etc/passwd",
        "%2fetc%2fpasswd",
    ] {
        assert_eq!(view.get(path, &[]).status, 404, "{path}");
    }
    assert_eq!(view.get("files/%zz", &[]).status, 400);
    assert_eq!(view.get("files/%ff", &[]).status, 400);
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        assert_eq!(view.ask(method, &format!("{}{FILE}", view.base), &[]).status, 405, "{method}");
    }
    // A host name that was pointed at this machine.
    assert_eq!(view.get(FILE, &[("Host", "attacker.example")]).status, 403);
    assert_eq!(view.get(FILE, &[("Host", "attacker.example:127.0.0.1")]).status, 403);
    assert_eq!(view.get(FILE, &[("Host", "localhost:9000")]).status, 200, "a forwarded port");
}

#[test]
fn a_file_that_changes_has_another_tag() {
    let view = View::new("changed");
    let tag = view.get(FILE, &[]).header("ETag").expect("a tag").to_string();
    assert_eq!(view.get(FILE, &[("Range", "bytes=0-3"), ("If-Range", &tag)]).status, 206);
    let path = view.folder.join("given/run a/trace.json");
    std::fs::write(&path, b"changed and longer than before").expect("written");
    let answer = view.get(FILE, &[("Range", "bytes=0-3")]);
    assert_eq!((answer.status, answer.body.as_slice()), (206, &b"chan"[..]));
    assert_ne!(answer.header("ETag"), Some(tag.as_str()));
    let whole = view.get(FILE, &[("Range", "bytes=0-3"), ("If-Range", &tag)]);
    assert_eq!((whole.status, whole.body.len()), (200, 30), "not a part of another file");
    assert_eq!(view.get(FILE, &[("If-Match", &tag)]).status, 412);
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(view.get(FILE, &[]).status, 404);
}

#[test]
fn what_cannot_be_served_ends_in_a_sentence() {
    let folder = folder("refused");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (page, file) = (path("page"), path("secret.txt"));
    let port = {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let number = taken.local_addr().expect("an address").port().to_string();
        let output = refused(&[&file, "--page", &page, "--port", &number]);
        drop(taken);
        output
    };
    let cases = [
        (refused(&[&path("missing"), "--page", &page]), "could not be read"),
        (refused(&[&file, "--page", &path("given")]), "found no `open.html`"),
        (port, "Choose another with --port."),
    ];
    for (output, part) in cases {
        let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && sentence.contains(part) && output.stdout.is_empty(), "{sentence}");
    }
    if !cfg!(feature = "embedded_page") {
        let sentence = String::from_utf8_lossy(&refused(&[&file]).stderr).into_owned();
        assert!(sentence.contains("`make dist`") && sentence.contains("--page dist"), "{sentence}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}
