//! The worker's program in a real worker: it starts, opens a file of each format from a `File`, and answers. Messages go through the browser's
//! `structuredClone`, as they do between page and worker.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, reason = "a test may panic; clippy knows only #[test]")]

use axonscope::base::{InputSet, Member};
use axonscope::engine::query::{AdviceQuery, BoundsQuery, OperatorsQuery, SearchQuery, TablePartQuery};
use axonscope::engine::{EncodedAnswer, EncodedQuery, Session, Wire};
use axonscope::formats::import::import_claim;
use axonscope::formats::inspect::{Found, Inspection, inspect, pick};
use axonscope::worker::protocol::{COLUMN_BLOCK, N_COLUMNS, Occasion, Preparation, ToPage, ToWorker, decode, encode};
use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, ArrayBuffer, Function, Object, Reflect, Uint8Array};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{DedicatedWorkerGlobalScope, File};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// A case of `tests/cases`: format, the files of the drop, and what they become.
struct Case {
    format: &'static str,
    files: &'static [(&'static str, &'static [u8])],
    expected: &'static str,
}

macro_rules! cases {
    ($($format:literal / $case:literal : $($file:literal),+;)+) => {
        [$(Case {
            format: $format,
            files: &[$(($file, include_bytes!(concat!("cases/", $format, "/", $case, "/", $file)))),+],
            expected: include_str!(concat!("cases/", $format, "/", $case, "/expected.txt")),
        }),+]
    };
}

/// One of each format, and the ways in which a file can be packed.
static CASES: &[Case] = &cases! {
    "analyze" / "report": "result.json";
    "axonrun" / "no_faults": "32_ranks_no_faults.axonrun";
    "kineto" / "phases": "phases.json";
    "kineto" / "gzip": "rank1.pt.trace.json.gz";
    "kineto" / "tar": "runs.tar";
    "kineto" / "zip": "runs.zip";
    "memory_snapshot" / "small": "snapshot.pickle";
    "neff" / "small": "a.neff";
    "neuron_json" / "small": "profile.json";
    "neuron_parquet" / "small": "d/DmaPacket.parquet", "d/DmaQueuesInfo.parquet", "d/Flow.parquet", "d/Instruction.parquet",
        "d/Metadata.parquet", "d/SemaphoreUpdate.parquet";
    "neuron_summary" / "two_neffs": "out.json";
    "neuron_system" / "with_framework": "framework.json", "system_profile.json";
    "ntff" / "with_neff": "a.neff", "a.ntff";
    "pftrace" / "small": "small.pftrace";
    "tensorboard_neuron" / "timeline": "unknown";
};

thread_local! {
    /// What the worker sent to the page: the message, and what came beside it.
    static SENT: RefCell<VecDeque<(ToPage, Array)>> = const { RefCell::new(VecDeque::new()) };
    /// Its first message.
    static READY: RefCell<Option<ToPage>> = const { RefCell::new(None) };
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn cloned(message: &JsValue, transferred: &JsValue) -> JsValue {
    let clone: Function = Reflect::get(&scope(), &"structuredClone".into()).unwrap().unchecked_into();
    let options = Object::new();
    let list = if transferred.is_object() { transferred.clone() } else { Array::new().into() };
    Reflect::set(&options, &"transfer".into(), &list).unwrap();
    clone.call2(&JsValue::NULL, message, &options).unwrap()
}

/// Starts the worker's program in this worker, for all tests, and returns its first message. Its messages are kept; those of the test's own frame pass.
async fn start() -> ToPage {
    if let Some(ready) = READY.with_borrow(Option::clone) {
        return ready;
    }
    let post: Function = Reflect::get(&scope(), &"postMessage".into()).unwrap().unchecked_into();
    let keep = Closure::<dyn Fn(JsValue, JsValue)>::new(move |message: JsValue, transferred: JsValue| {
        let is_own = message.dyn_ref::<Array>().is_some_and(|parts| parts.get(0).is_instance_of::<Uint8Array>());
        if !is_own {
            post.call1(&scope(), &message).unwrap();
            return;
        }
        let parts: Array = cloned(&message, &transferred).unchecked_into();
        let bytes = parts.shift().unchecked_into::<Uint8Array>().to_vec();
        SENT.with_borrow_mut(|sent| sent.push_back((decode(&bytes).unwrap(), parts)));
    });
    Reflect::set(&scope(), &"postMessage".into(), keep.as_ref()).unwrap();
    keep.forget();
    axonscope::engine::link_all();
    axonscope::formats::neuron_parquet::install();
    axonscope::formats::zstd::install();
    axonscope::worker::host::serve();
    let (ready, _) = next().await;
    READY.set(Some(ready.clone()));
    ready
}

/// Sends a message to the worker, with files or bytes beside it.
fn send(message: &ToWorker, beside: &[JsValue]) {
    let parts = Array::of1(&Uint8Array::from(encode(message).unwrap().as_slice()));
    for part in beside {
        parts.push(part);
    }
    let event = Object::new();
    Reflect::set(&event, &"data".into(), &cloned(&parts, &JsValue::UNDEFINED)).unwrap();
    scope().onmessage().unwrap().call1(&scope(), &event).unwrap();
}

/// The next message that is no progress, and what came beside it.
async fn next() -> (ToPage, Array) {
    for _ in 0..2000 {
        match SENT.with_borrow_mut(VecDeque::pop_front) {
            Some((ToPage::Progress(_), _)) => {}
            Some(sent) => return sent,
            None => TimeoutFuture::new(5).await,
        }
    }
    panic!("the worker does not answer");
}

fn files(case: &Case) -> (Vec<String>, Vec<JsValue>) {
    let file = |(name, bytes): &(&str, &[u8])| {
        let parts = Array::of1(&Uint8Array::from(*bytes));
        File::new_with_u8_array_sequence(&parts, name.rsplit('/').next().unwrap()).unwrap().into()
    };
    (case.files.iter().map(|f| f.0.to_string()).collect(), case.files.iter().map(file).collect())
}

async fn inspected(case: &Case) -> Inspection {
    let (names, files) = files(case);
    send(&ToWorker::Inspect { names }, &files);
    match next().await.0 {
        ToPage::Inspected(inspection) => inspection,
        other => panic!("{}: {other:?}", case.format),
    }
}

/// Opens a profile of the drop: what the worker says of it in the end, and the columns that it sent before, then those beside it.
async fn opened(case: &Case, found: &Found) -> (ToPage, Array) {
    let (names, files) = files(case);
    let pick = |at: &usize| (names[*at].clone(), files[*at].clone());
    let (names, files): (Vec<String>, Vec<JsValue>) = found.files.iter().map(pick).unzip();
    let (claim, paths) = (found.claim.clone(), found.paths.clone());
    send(&ToWorker::Open { claim, paths, names, occasion: Occasion::First, learned: Default::default(), n_readers: 1 }, &files);
    match next().await {
        (ToPage::Columns, columns) => {
            let (message, beside) = next().await;
            (message, columns.concat(&beside))
        }
        other => other,
    }
}

async fn ask<Q: Wire>(question: &Q) -> EncodedAnswer {
    let bytes = Uint8Array::from(EncodedQuery::of(question).bytes());
    send(&ToWorker::Ask { id: 7 }, &[bytes.into()]);
    let (message, beside) = next().await;
    assert_eq!(message, ToPage::Answer { id: 7 });
    EncodedAnswer::from_bytes(beside.get(0).unchecked_into::<Uint8Array>().to_vec())
}

/// Bytes of a column, and of how many buffers it is.
fn column(beside: &Array, at: u32) -> (usize, usize) {
    let buffers: Array = beside.get(at).unchecked_into();
    let n_bytes = buffers.iter().map(|buffer| buffer.unchecked_into::<ArrayBuffer>().byte_length() as usize).sum();
    (n_bytes, buffers.length() as usize)
}

#[wasm_bindgen_test]
async fn it_says_that_it_is_ready_and_what_it_opens() {
    let ToPage::Ready { formats, lock, .. } = start().await else { panic!("not ready") };
    let ids: BTreeSet<&str> = formats.iter().map(|f| f.id.as_str()).collect();
    let known: BTreeSet<&str> = axonscope::formats::ALL.iter().map(|f| f.id()).collect();
    assert_eq!(ids, known);
    assert_eq!(CASES.iter().map(|c| c.format).collect::<BTreeSet<_>>(), known, "each format has a case here");
    assert!(lock.starts_with("axonscope "), "{lock}");
}

#[wasm_bindgen_test]
async fn a_file_of_each_format_becomes_the_same_as_its_bytes() {
    start().await;
    for case in CASES {
        let input = InputSet { members: case.files.iter().map(|f| Member::from_bytes(f.0, f.1.to_vec())).collect() };
        let inspection = inspected(case).await;
        assert_eq!(inspection, inspect(&input).unwrap(), "{}", case.format);
        for found in &inspection.found {
            let wanted = format!("profile: {} of {} file(s)", found.claim.format, found.paths.len());
            assert!(case.expected.contains(&wanted), "{wanted} is not expected");
            let (message, beside) = opened(case, found).await;
            let ToPage::Opened(opened) = message else { panic!("{}: {message:?}", case.format) };
            let picked = pick(&input, &found.claim, &found.paths).unwrap();
            let (imported, readable) = import_claim(&picked, &found.claim, &mut |_| {}).unwrap();
            let own = Session::new(found.claim.clone(), readable, imported);
            assert_eq!(opened.info, own.page_meta(), "{}", case.format);
            assert_eq!((&opened.claim, opened.hash.is_empty()), (&found.claim, false));
            let first = own.first_question().map(|question| (question.clone(), question.answer(&own)));
            assert_eq!(opened.first_answer, first, "{}", case.format);
            assert_eq!(beside.length() as usize, N_COLUMNS + 1);
            let n = own.profile.slices.len();
            let n_buffers = n.div_ceil(COLUMN_BLOCK);
            assert_eq!([0, 1, 2].map(|at| column(&beside, at)), [8, 8, 4].map(|size| (n * size, n_buffers)), "{}", case.format);
            assert_eq!(column(&beside, N_COLUMNS as u32).0, 2 * own.name_slots().len(), "{}", case.format);
        }
    }
}

#[wasm_bindgen_test]
async fn questions_are_answered_and_what_has_no_answer_is_refused() {
    start().await;
    let case = CASES.iter().find(|c| c.format == "kineto").unwrap();
    let found = inspected(case).await.found.remove(0);
    assert!(matches!(opened(case, &found).await.0, ToPage::Opened(_)));
    let operators = ask(&OperatorsQuery::default()).await.read::<OperatorsQuery>().unwrap();
    assert!(!operators.rows.is_empty() && operators.busy.0 > 0);
    let hits = ask(&SearchQuery { text: "a".into(), limit: 100, ..SearchQuery::default() }).await.read::<SearchQuery>().unwrap();
    assert!(hits.n_total > 0 && hits.slices.len() as u64 == hits.n_total);
    let refused = ask(&TablePartQuery { table: "no such table".into(), columns: Vec::new(), range: None, from: 0 }).await;
    assert!(refused.read::<TablePartQuery>().is_err());
}

#[wasm_bindgen_test]
async fn answers_found_ahead_are_those_that_are_asked_for() {
    start().await;
    let case = CASES.iter().find(|c| c.format == "ntff").unwrap();
    let found = inspected(case).await.found.remove(0);
    assert!(matches!(opened(case, &found).await.0, ToPage::Opened(_)));
    let input = InputSet { members: case.files.iter().map(|f| Member::from_bytes(f.0, f.1.to_vec())).collect() };
    let picked = pick(&input, &found.claim, &found.paths).unwrap();
    let (imported, readable) = import_claim(&picked, &found.claim, &mut |_| {}).unwrap();
    let own = Session::new(found.claim.clone(), readable, imported);
    // Both at once, with questions in between: the work goes on once they have stopped.
    send(&ToWorker::Prepare(Preparation::Comparison), &[]);
    send(&ToWorker::Prepare(Preparation::Views), &[]);
    for pause_ms in [0, 100, 1500] {
        TimeoutFuture::new(pause_ms).await;
        let (bounds, advice) = (BoundsQuery::default(), AdviceQuery);
        assert_eq!(ask(&bounds).await, EncodedQuery::of(&bounds).answer(&own), "after {pause_ms} ms");
        assert_eq!(ask(&advice).await, EncodedQuery::of(&advice).answer(&own), "after {pause_ms} ms");
    }
}

#[wasm_bindgen_test]
async fn what_is_no_profile_is_refused_with_a_sentence() {
    start().await;
    let notes = Case { format: "notes", files: &[("notes.txt", b"milk, bread")], expected: "" };
    let (names, files) = files(&notes);
    send(&ToWorker::Inspect { names }, &files);
    let (ToPage::Failed(sentence), _) = next().await else { panic!("it was taken") };
    assert!(sentence.to_string().contains("notes.txt"), "{sentence}");
}
