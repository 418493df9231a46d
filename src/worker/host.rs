//! The worker's side: sorts and opens files, answers questions.

use super::blob::{self, FileSource, WithHead};
use super::error::{BrowserError, Sentence, WorkerError, WriteError};
use super::fault;
use super::helpers::Helper;
use super::lifeline;
use super::opening::{self, Transfer};
use super::piece::{Orders, Text};
use super::protocol::{ToPage, ToWorker, WriteStep, Written, build_id, decode, encode};
use super::reader::Reader;
use super::remote;
use super::timeline;
use super::unpack;
use crate::base::input::HEAD_LEN;
use crate::base::{InputSet, Member, SourceError};
use crate::engine::query::{ExportQuery, RangeRecordsQuery, ScanQuery, TablePartQuery, TraceEventsQuery};
use crate::engine::{AnswerCache, EncodedAnswer, EncodedQuery, Session, Wire};
use crate::formats::{self, inspect};
use js_sys::{Array, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// Serves the page until it terminates the worker.
pub fn serve() {
    let scope = host_scope();
    let host = Host::new(scope.clone());
    watch(&host);
    timeline::mark_phases();
    let post = host.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| host.receive(&event));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    lifeline::hold(move |lock| {
        post.post(&ToPage::Ready { build: build_id(), formats: formats::ALL.iter().map(|f| f.info()).collect(), lock })
    });
}

fn host_scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Tells the page when the program breaks down: what fails inside a promise never reaches the page's `error` listener.
fn watch(host: &Host) {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let (path, line) = info.location().map_or(("", 0), |at| (at.file(), at.line()));
        Host::new(host_scope()).post(&fault::of_panic(path, line, info.payload_as_str().unwrap_or("without a message")));
    }));
    let host = host.clone();
    let on_rejection = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let reason = js_sys::Reflect::get(&event, &"reason".into()).unwrap_or(event);
        host.post(&ToPage::Died(super::error::words(&reason)));
    });
    let added = host_scope().add_event_listener_with_callback("unhandledrejection", on_rejection.as_ref().unchecked_ref());
    if let Err(error) = added {
        web_sys::console::error_1(&error);
    }
    on_rejection.forget();
}

/// The open profile and the way back.
#[derive(Clone)]
pub(super) struct Host {
    scope: DedicatedWorkerGlobalScope,
    session: Rc<RefCell<Option<Session>>>,
    answers: Rc<RefCell<AnswerCache>>,
    orders: Orders,
    writer: Rc<RefCell<Option<Box<dyn TableWriting>>>>,
}

/// Writes tables into an archive.
pub trait TableWriting {
    /// Does the next step.
    fn step(&mut self, step: WriteStep) -> Result<Written, WriteError>;
}

/// Makes a writer, in a program that links the Parquet library.
static NEW_WRITER: OnceLock<fn() -> Box<dyn TableWriting>> = OnceLock::new();

/// Links a writer of tables into this program.
pub fn install_table_writer(new: fn() -> Box<dyn TableWriting>) {
    // The second call finds the same function there.
    let _ = NEW_WRITER.set(new);
}

/// Answers that take longer than this are kept, ms.
const SLOW_MS: f64 = 30.0;
/// Of these the parts are asked for once: of a search in records, and of a file that is saved.
const ASKED_ONCE: [u32; 5] =
    [ScanQuery::NUMBER, ExportQuery::NUMBER, TraceEventsQuery::NUMBER, RangeRecordsQuery::NUMBER, TablePartQuery::NUMBER];
/// If they and their questions are no longer than this, bytes as sent.
const MAX_CACHED_BYTES: usize = 1 << 20;

impl Host {
    fn new(scope: DedicatedWorkerGlobalScope) -> Self {
        Host { scope, session: Rc::default(), answers: Rc::default(), orders: Orders::default(), writer: Rc::default() }
    }

    fn receive(&self, event: &MessageEvent) {
        let parts: Array = event.data().unchecked_into();
        let bytes = parts.get(0).unchecked_into::<Uint8Array>().to_vec();
        if let Ok(ToWorker::ReadText(order)) = decode::<ToWorker>(&bytes) {
            return self.orders.take(self, order, Text::Here(parts.get(1).unchecked_into()));
        }
        if let Ok(ToWorker::Ask { id }) = decode::<ToWorker>(&bytes) {
            return self.answer(id, &EncodedQuery::from_bytes(parts.get(1).unchecked_into::<Uint8Array>().to_vec()));
        }
        let files: Vec<File> = match parts.iter().skip(1).map(remote::file).collect() {
            Ok(files) => files,
            Err(error) => return self.fail(&error),
        };
        match decode::<ToWorker>(&bytes) {
            Ok(ToWorker::Inspect { names }) => match sorted(&names, &files) {
                Ok(sorted) => self.post(&sorted),
                Err(error) => self.fail(&error),
            },
            Ok(ToWorker::Open { claim, paths, names, may_be_open, learned, n_readers }) => {
                crate::engine::learn(&learned);
                let host = self.clone();
                spawn_local(async move {
                    if let Err(error) = opening::open(&host, claim, &paths, (&names, &files), may_be_open, n_readers as usize).await {
                        host.fail(&error);
                    }
                });
            }
            Ok(ToWorker::ReadPiece(order)) => self.orders.take(self, order, Text::of(files.first())),
            // Its bytes are no file: it has been taken above.
            Ok(ToWorker::ReadText(_)) => {}
            Ok(ToWorker::Unpack { name }) => {
                let host = self.clone();
                spawn_local(async move {
                    let Some(file) = files.first() else { return host.fail(&WorkerError::NoFile) };
                    if let Err(error) = unpack::run(&host, &name, file).await {
                        host.fail(&error);
                    }
                });
            }
            // What is asked is no file: it has been taken above.
            Ok(ToWorker::Ask { .. }) => {}
            // The synthetic trace opens, or what follows is slower; neither is news for the page.
            Ok(ToWorker::WarmUp { n_readers }) => {
                Reader::shared();
                if n_readers > 1 {
                    Helper::prepare();
                }
                drop(crate::engine::warm_up());
            }
            Ok(ToWorker::OpenSynthetic) => match crate::engine::synthetic_session() {
                Ok(session) => opening::send(self, session, String::new()),
                Err(error) => self.fail(&error),
            },
            Ok(ToWorker::Write(step)) => match self.written(step) {
                Ok(written) => self.post(&ToPage::Written(written)),
                Err(error) => self.fail(&error),
            },
            Ok(ToWorker::Prepare) => {
                if let Some(session) = self.session.borrow().as_ref() {
                    session.prepare();
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    fn written(&self, step: WriteStep) -> Result<Written, WriteError> {
        let new = NEW_WRITER.get().ok_or(WriteError::NotLinked)?;
        let is_last = step == WriteStep::End;
        let mut writer = self.writer.borrow_mut();
        let written = writer.get_or_insert_with(new).step(step);
        if is_last || written.is_err() {
            writer.take();
        }
        written
    }

    fn answer(&self, id: u32, query: &EncodedQuery) {
        // Kept answers are of the whole profile, or of a range.
        let is_scoped = self.session.borrow().as_ref().is_some_and(Session::is_scoped);
        let known = if is_scoped { None } else { self.answers.borrow_mut().get(query) };
        let answer = known.unwrap_or_else(|| self.found(query, is_scoped));
        let bytes = Uint8Array::from(answer.bytes());
        let transfer = Transfer { columns: Array::of1(&bytes), buffers: Array::of1(&bytes.buffer()) };
        self.post_with(&ToPage::Answer { id }, &transfer);
    }

    fn found(&self, query: &EncodedQuery, is_scoped: bool) -> Rc<EncodedAnswer> {
        let began_ms = js_sys::Date::now();
        let answer = match self.session.borrow().as_ref() {
            Some(session) => Rc::new(query.answer(session)),
            None => return Rc::new(EncodedAnswer::refused("No profile is open in this worker.")),
        };
        let is_slow = !is_scoped && js_sys::Date::now() - began_ms >= SLOW_MS;
        let is_once = query.number().is_none_or(|number| ASKED_ONCE.contains(&number));
        if is_slow && !is_once && query.bytes().len() + answer.bytes().len() <= MAX_CACHED_BYTES {
            self.answers.borrow_mut().keep(query.clone(), answer.clone());
        }
        answer
    }

    /// Keeps the profile for the questions to come.
    pub(super) fn keep(&self, session: Session) {
        *self.session.borrow_mut() = Some(session);
        *self.answers.borrow_mut() = AnswerCache::default();
    }

    /// Sends why something cannot be done.
    fn fail(&self, error: &impl std::fmt::Display) {
        self.post(&ToPage::Failed(Sentence::of(error)));
    }

    /// Sends a message alone.
    pub(super) fn post(&self, message: &ToPage) {
        self.post_with(message, &Transfer::default());
    }

    /// Sends a message with a file beside it.
    pub(super) fn post_file(&self, message: &ToPage, file: &File) {
        let sent = encode(message).map_err(WorkerError::from).and_then(|bytes| {
            let parts = Array::of2(&Uint8Array::from(bytes.as_slice()), file);
            Ok(self.scope.post_message(&parts).map_err(BrowserError::from)?)
        });
        if let Err(error) = sent {
            web_sys::console::error_1(&error.to_string().into());
        }
    }

    /// Sends a message with buffers beside it.
    pub(super) fn post_with(&self, message: &ToPage, transfer: &Transfer) {
        let sent = encode(message).map_err(WorkerError::from).and_then(|bytes| {
            let bytes = Uint8Array::from(bytes.as_slice());
            let parts = Array::of1(&bytes).concat(&transfer.columns);
            let moved = Array::of1(&bytes.buffer()).concat(&transfer.buffers);
            Ok(self.scope.post_message_with_transfer(&parts, &moved).map_err(BrowserError::from)?)
        });
        if let Err(error) = sent {
            web_sys::console::error_1(&error.to_string().into());
        }
    }
}

/// Many files: from here on they are read together.
const MANY: usize = 4;
/// Files whose heads are read together: they take 64 KiB of memory each.
const MOST_HEADS: usize = 512;

/// The files as an input set.
pub(super) fn input(names: &[String], files: &[File]) -> Result<InputSet, SourceError> {
    let is_local = files.iter().all(|file| !remote::is_remote(file));
    let heads = (is_local && files.len() >= MANY).then(|| blob::read_together(&files[..files.len().min(MOST_HEADS)], HEAD_LEN as u64));
    // Where one file cannot be read, each is asked for its own bytes, so that the sentence names it.
    let mut heads = heads.and_then(Result::ok).unwrap_or_default().into_iter();
    let member = |(name, file): (&String, &File)| -> Result<Member, SourceError> {
        let head = heads.next();
        if remote::is_remote(file) {
            return Ok(Member::new(name.clone(), Arc::new(remote::RemoteSource(file.clone()))));
        }
        let file = FileSource::new(file)?;
        Ok(match head {
            Some(head) => Member::new(name.clone(), Arc::new(WithHead { head, file })),
            None => Member::new(name.clone(), Arc::new(file)),
        })
    };
    Ok(InputSet { members: names.iter().zip(files).map(member).collect::<Result<_, SourceError>>()? })
}

/// The same files with all their bytes in memory; `None` where they cannot be read together.
pub(super) fn input_at_hand(names: &[String], files: &[File]) -> Option<InputSet> {
    let is_local = files.iter().all(|file| !remote::is_remote(file));
    let read = (is_local && files.len() >= MANY).then(|| blob::read_together(files, u64::MAX))?.ok()?;
    Some(InputSet { members: names.iter().zip(read).map(|(name, bytes)| Member::from_bytes(name.clone(), bytes)).collect() })
}

fn sorted(names: &[String], files: &[File]) -> Result<ToPage, WorkerError> {
    Ok(ToPage::Inspected(inspect::inspect(&input(names, files)?)?))
}
