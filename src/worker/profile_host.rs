//! The open profile of a worker, and the way back to the page.

use super::error::{BrowserError, Sentence, WorkerError};
use super::protocol::{ToPage, encode};
use super::transfer::Transfer;
use crate::engine::query::{ExportQuery, RangeRecordsQuery, ScanQuery, TablePartQuery, TraceEventsQuery};
use crate::engine::{AnswerCache, EncodedAnswer, EncodedQuery, Preparation, Session, Wire};
use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, ArrayBuffer, Uint8Array, WebAssembly};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{DedicatedWorkerGlobalScope, File};

/// Answers that take longer than this are kept, ms.
const SLOW_MS: f64 = 30.0;
/// Questions whose parts are asked for once: a search in records, and a file that is saved.
const ASKED_ONCE: [u32; 5] =
    [ScanQuery::NUMBER, ExportQuery::NUMBER, TraceEventsQuery::NUMBER, RangeRecordsQuery::NUMBER, TablePartQuery::NUMBER];
/// If they and their questions are no longer than this, bytes as sent.
const MAX_CACHED_BYTES: usize = 1 << 20;
/// Work ahead waits until nothing was asked for this long, ms: an answer can wait for a step of it.
const QUIET_MS: f64 = 700.0;
/// It ends where this worker has taken more memory, bytes of at most 4 GiB: what is asked needs the rest.
const AHEAD_MAX_BYTES: u64 = 11 << 28;

/// The open profile and the way back.
#[derive(Clone)]
pub(super) struct Host {
    scope: DedicatedWorkerGlobalScope,
    session: Rc<RefCell<Option<Session>>>,
    answers: Rc<RefCell<AnswerCache>>,
    /// When the page asked last, ms since 1970.
    asked_ms: Rc<Cell<f64>>,
}

impl Host {
    /// Without a profile.
    pub fn new(scope: DedicatedWorkerGlobalScope) -> Self {
        Host { scope, session: Rc::default(), answers: Rc::default(), asked_ms: Rc::default() }
    }

    /// Computes what many answers share and what is asked first, where a profile is open. Questions that come meanwhile are answered between its steps.
    pub async fn prepare(self, what: Preparation) {
        let questions = match self.session.borrow().as_ref() {
            Some(session) => {
                session.prepare();
                session.questions_ahead(what)
            }
            None => return,
        };
        for question in questions {
            self.until_quiet().await;
            if memory() > AHEAD_MAX_BYTES {
                return;
            }
            let query = self.session.borrow().as_ref().filter(|session| !session.is_scoped()).and_then(question);
            if let Some(query) = query.filter(|query| self.answers.borrow_mut().get(query).is_none()) {
                self.answer_ahead(&query);
            }
        }
    }

    /// Finds the answer to a question that the page is about to ask, and keeps it.
    pub fn answer_ahead(&self, query: &EncodedQuery) {
        self.found(query, false);
    }

    /// Waits until the page has not asked for a while.
    async fn until_quiet(&self) {
        loop {
            let rest_ms = self.asked_ms.get() + QUIET_MS - js_sys::Date::now();
            // Also where nothing is left to wait for: then what has come meanwhile is taken first.
            TimeoutFuture::new(rest_ms.clamp(0.0, QUIET_MS) as u32).await;
            if js_sys::Date::now() >= self.asked_ms.get() + QUIET_MS {
                return;
            }
        }
    }

    /// Answers a question.
    pub fn answer(&self, id: u32, query: &EncodedQuery) {
        self.asked_ms.set(js_sys::Date::now());
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
    pub fn keep(&self, session: Session) {
        *self.session.borrow_mut() = Some(session);
        *self.answers.borrow_mut() = AnswerCache::default();
    }

    /// Sends why something cannot be done.
    pub fn fail(&self, error: &impl std::fmt::Display) {
        self.post(&ToPage::Failed(Sentence::of(error)));
    }

    /// Sends a message alone.
    pub fn post(&self, message: &ToPage) {
        self.post_with(message, &Transfer::default());
    }

    /// Sends a message with a file beside it.
    pub fn post_file(&self, message: &ToPage, file: &File) {
        let sent = encode(message).map_err(WorkerError::from).and_then(|bytes| {
            let parts = Array::of2(&Uint8Array::from(bytes.as_slice()), file);
            Ok(self.scope.post_message(&parts).map_err(BrowserError::from)?)
        });
        if let Err(error) = sent {
            web_sys::console::error_1(&error.to_string().into());
        }
    }

    /// Sends a message with buffers beside it.
    pub fn post_with(&self, message: &ToPage, transfer: &Transfer) {
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

/// Bytes of this worker's WebAssembly memory.
pub(super) fn memory() -> u64 {
    let memory: WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    memory.buffer().unchecked_into::<ArrayBuffer>().byte_length().into()
}
