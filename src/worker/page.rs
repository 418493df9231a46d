//! A Web Worker seen from the page: start, send, receive, terminate. Dropping the link terminates the worker and returns its memory.

use super::client::{Call, EngineError};
use super::error::{BrowserError, LinkError, Sentence};
use super::protocol::{
    FormatInfo, Found, Inspection, N_COLUMNS, Opened, PageColumns, PageMeta, Progress, ToPage, ToWorker, Written, build_id, decode, encode,
};
use crate::base::StrId;
use crate::base::phases::{self, Phase};
use crate::engine::page_columns::SliceColours;
use crate::engine::{EncodedAnswer, EncodedQuery, PageInstants, TrackRuns};
use bytemuck::Pod;
use futures_channel::{mpsc, oneshot};
use futures_util::StreamExt;
use js_sys::{Array, ArrayBuffer, Function, Reflect, Uint8Array};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ErrorEvent, File, MessageEvent, Worker};

/// Files of the two programs, without `.js`.
const WORKER: &str = "worker";
const FULL: &str = "full";

/// Which program a worker runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Program {
    /// Sorts files; reads traces of PyTorch and Chrome.
    #[default]
    Common,
    /// Every format.
    Full,
}

impl Program {
    /// The program that can import these files.
    pub fn of(found: &Found) -> Program {
        if found.needs_full { Program::Full } else { Program::Common }
    }
}

/// Events of a worker for the page. Answers go to their questioner directly.
#[derive(Debug)]
pub enum FromWorker {
    /// It listens, and knows these formats.
    Ready(Vec<FormatInfo>),
    /// The profiles among the files.
    Inspected(Inspection),
    /// The decompressed file; a sentence where it is not complete.
    Unpacked(File, Option<Sentence>),
    /// What the files are known by.
    Hashed(String),
    /// How far the reading is.
    Progress(Progress),
    /// The profile is open.
    Opened(Box<Opened>, Box<PageColumns>),
    /// It cannot be opened; a sentence.
    Failed(Sentence),
    /// The worker stopped; a sentence.
    Died(Sentence),
    /// The next bytes of an archive.
    Written(Written),
}

/// Messages of a worker, in order.
pub type Events = mpsc::UnboundedReceiver<FromWorker>;

type Pending = Rc<RefCell<HashMap<u32, oneshot::Sender<Result<EncodedAnswer, EngineError>>>>>;

/// What the worker answered before it was asked.
type FirstAnswer = Rc<RefCell<Option<(EncodedQuery, EncodedAnswer)>>>;

/// When the first question to a worker was asked, until it is answered.
type FirstAsked = Rc<Cell<Option<phases::Began>>>;
const FIRST_ID: u32 = 1;

/// A running worker.
pub struct Link {
    asker: Asker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.asker.worker.set_onmessage(None);
        self.asker.worker.set_onerror(None);
        self.asker.worker.terminate();
        self.asker.pending.borrow_mut().clear();
    }
}

impl Link {
    /// Starts a worker. It speaks first: wait for [`FromWorker::Ready`].
    pub fn start(program: Program) -> Result<(Link, Events), LinkError> {
        super::timeline::mark_phases();
        let early = if program == Program::Common { started_early() } else { None };
        let (worker, early_events, fault) = match early {
            Some(early) => early,
            None => {
                let file = if program == Program::Full { FULL } else { WORKER };
                let worker = started_now(file).map_err(|e| LinkError::NotStarted(e.into()))?;
                (worker, Array::new(), None)
            }
        };
        let (sender, events) = mpsc::unbounded();
        let (pending, first_asked, first_answer) = (Pending::default(), FirstAsked::default(), FirstAnswer::default());
        let on_message = {
            let (sender, pending, first_asked, first_answer) = (sender.clone(), pending.clone(), first_asked.clone(), first_answer.clone());
            let columns = RefCell::default();
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let gone = {
                    let (sender, pending) = (sender.clone(), pending.clone());
                    move || {
                        pending.borrow_mut().clear();
                        // A link that was dropped on purpose listens no more.
                        let _ = sender
                            .unbounded_send(FromWorker::Died(died("the browser stopped it, possibly because of insufficient memory")));
                    }
                };
                if let Some(event) = receive(&event, (&pending, &first_asked, &first_answer), &columns, gone) {
                    // The page may have lost interest.
                    let _ = sender.unbounded_send(event);
                }
            })
        };
        let on_error = {
            let pending = pending.clone();
            Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
                pending.borrow_mut().clear();
                let _ = sender.unbounded_send(FromWorker::Died(died(of_trap(&event.message()))));
            })
        };
        let listener: &Function = on_message.as_ref().unchecked_ref();
        for event in early_events.iter() {
            listener.call1(&JsValue::NULL, &event).map_err(BrowserError::from)?;
        }
        if let Some(why) = fault {
            return Err(LinkError::Stopped(why));
        }
        worker.set_onmessage(Some(listener));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let asker = Asker { worker, pending, first_asked, first_answer, n_asked: Cell::default() };
        Ok((Link { asker, _on_message: on_message, _on_error: on_error }, events))
    }

    /// Sends a message with files beside it. A file on a server goes as its description: see [`super::remote`].
    pub fn send(&self, message: &ToWorker, files: &[File]) -> Result<(), LinkError> {
        let parts = Array::of1(&Uint8Array::from(encode(message)?.as_slice()));
        for file in files {
            parts.push(&super::remote::description(file).unwrap_or_else(|| file.into()));
        }
        Ok(self.asker.worker.post_message(&parts).map_err(BrowserError::from)?)
    }

    /// Passes questions on until the channel closes.
    pub fn serve(&self, mut calls: mpsc::UnboundedReceiver<Call>) {
        let asker = Asker { n_asked: Cell::default(), ..self.asker.clone() };
        spawn_local(async move {
            while let Some(call) = calls.next().await {
                asker.ask(call);
            }
        });
    }

    /// Passes a question on.
    pub fn ask(&self, call: Call) {
        self.asker.ask(call);
    }

    /// Questions without an answer so far.
    pub fn n_pending(&self) -> usize {
        self.asker.pending.borrow().len()
    }
}

/// Sends questions to a worker, each with a number.
#[derive(Clone)]
struct Asker {
    worker: Worker,
    pending: Pending,
    first_asked: FirstAsked,
    first_answer: FirstAnswer,
    n_asked: Cell<u32>,
}

impl Asker {
    fn ask(&self, call: Call) {
        if call.reply.is_canceled() {
            return;
        }
        // After another question, the answer may be another one: that one may have set a scope.
        let known = self.first_answer.take().filter(|(question, _)| *question == call.query);
        if let Some((_, answer)) = known {
            // Whoever asked may have lost interest.
            let _ = call.reply.send(Ok(answer));
            return;
        }
        let id = self.n_asked.get().wrapping_add(1);
        self.n_asked.set(id);
        if id == FIRST_ID {
            self.first_asked.set(Some(phases::begin()));
        }
        let sent = encode(&ToWorker::Ask { id }).map_err(LinkError::from).and_then(|bytes| {
            let parts = Array::of2(&Uint8Array::from(bytes.as_slice()), &Uint8Array::from(call.query.bytes()));
            Ok(self.worker.post_message(&parts).map_err(BrowserError::from)?)
        });
        match sent {
            Ok(()) => {
                self.pending.borrow_mut().insert(id, call.reply);
            }
            // Nobody may be waiting for the error any more.
            Err(error) => drop(call.reply.send(Err(EngineError::Refused(error.to_string())))),
        }
    }
}

/// A function of `public/early.js`, and the object that it belongs to.
fn of_early(name: &str) -> Option<(JsValue, Function)> {
    let keeper = Reflect::get(&js_sys::global(), &"axonscopeEarly".into()).ok().filter(JsValue::is_object)?;
    let function = Reflect::get(&keeper, &name.into()).ok()?.dyn_into().ok()?;
    Some((keeper, function))
}

/// A worker of the program `file`, under the policy of this page.
fn started_now(file: &str) -> Result<Worker, JsValue> {
    let (keeper, start) = of_early("worker").ok_or("The page has no start script.")?;
    start.call1(&keeper, &file.into())?.dyn_into()
}

/// The worker that `index.html` started while the page's program was loading, its messages so far, and its error if it failed. Only the first call gets it.
fn started_early() -> Option<(Worker, Array, Option<String>)> {
    let (keeper, take) = of_early("takeWorker")?;
    let parts: Array = take.call0(&keeper).ok()?.dyn_into().ok()?;
    Some((parts.get(0).dyn_into().ok()?, parts.get(1).dyn_into().ok()?, parts.get(2).as_string()))
}

/// Why the program ended with this error. A panic is reported before its trap; a trap alone comes from an allocation that failed.
fn of_trap(message: &str) -> &str {
    if message.contains("unreachable") { "its program ended, possibly because of insufficient memory" } else { message }
}

fn died(why: &str) -> Sentence {
    Sentence::of(&LinkError::Stopped(why.into()))
}

/// Delivers an answer, or makes an event of the message. `columns` are those of the profile that is announced next. `gone` is called when the worker
/// that is ready now is no more.
fn receive(
    event: &MessageEvent,
    (pending, first_asked, first_answer): (&Pending, &FirstAsked, &FirstAnswer),
    columns: &RefCell<Option<Received>>,
    gone: impl FnOnce() + 'static,
) -> Option<FromWorker> {
    let parts: Array = event.data().unchecked_into();
    let bytes = parts.get(0).unchecked_into::<Uint8Array>().to_vec();
    Some(match decode::<ToPage>(&bytes) {
        Ok(ToPage::Answer { id }) => {
            if let Some(began) = first_asked.take().filter(|_| id == FIRST_ID) {
                began.end(Phase::FirstAnswer);
            }
            let reply = pending.borrow_mut().remove(&id);
            let Ok(answer) = parts.get(1).dyn_into::<Uint8Array>() else {
                return Some(FromWorker::Died("The worker sent no answer. Reload the page.".into()));
            };
            if let Some(reply) = reply {
                // Whoever asked may have lost interest.
                let _ = reply.send(Ok(EncodedAnswer::from_bytes(answer.to_vec())));
            }
            return None;
        }
        Ok(ToPage::Ready { build, formats, lock }) if build == build_id() => {
            super::lifeline::watch(&lock, gone);
            FromWorker::Ready(formats)
        }
        Ok(ToPage::Ready { .. }) => FromWorker::Died("This page is older than its worker. Reload the page to update both.".into()),
        Ok(ToPage::Inspected(inspection)) => FromWorker::Inspected(inspection),
        Ok(ToPage::Unpacked(note)) => match parts.get(1).dyn_into() {
            Ok(file) => FromWorker::Unpacked(file, note),
            Err(_) => FromWorker::Failed("The worker sent no file. Reload the page.".into()),
        },
        Ok(ToPage::Hashed(hash)) => FromWorker::Hashed(hash),
        Ok(ToPage::Progress(progress)) => FromWorker::Progress(progress),
        Ok(ToPage::Columns) => {
            columns.replace(phases::time(Phase::Receive, || received(&parts)));
            return None;
        }
        Ok(ToPage::Opened(mut opened)) => {
            first_answer.replace(opened.first_answer.take());
            let info = std::mem::take(&mut opened.info);
            match columns.take().and_then(|columns| phases::time(Phase::Receive, || described(columns, &parts, info))) {
                Some(columns) => FromWorker::Opened(opened, Box::new(columns)),
                None => FromWorker::Failed("The worker sent fewer columns than it announced. Reload the page.".into()),
            }
        }
        // No helper speaks to the page.
        Ok(ToPage::PieceRead { .. }) => return None,
        Ok(ToPage::Failed(sentence)) => FromWorker::Failed(sentence),
        Ok(ToPage::Written(written)) => FromWorker::Written(written),
        Ok(ToPage::Died(why)) => {
            pending.borrow_mut().clear();
            FromWorker::Died(died(&why))
        }
        Ok(ToPage::GaveUp(sentence)) => {
            pending.borrow_mut().clear();
            FromWorker::Died(sentence)
        }
        Err(error) => FromWorker::Died(Sentence::of(&error)),
    })
}

/// Columns that come before their description.
struct Received {
    start: Vec<i64>,
    duration: Vec<i64>,
    name: Vec<u32>,
    instants: PageInstants,
}

/// The columns beside a message.
fn received(parts: &Array) -> Option<Received> {
    if parts.length() as usize != 1 + N_COLUMNS {
        return None;
    }
    Some(Received {
        start: column(&parts.get(1))?,
        duration: column(&parts.get(2))?,
        name: column(&parts.get(3))?,
        instants: PageInstants {
            track: TrackRuns::of_columns(column(&parts.get(4))?, column(&parts.get(5))?)?,
            time: column::<i64>(&parts.get(6))?.into(),
            name: column::<StrId>(&parts.get(7))?.into(),
        },
    })
}

/// Columns with their description, and with the colours of names that are beside it in `parts`; `None` where these are not the ones it describes.
fn described(columns: Received, parts: &Array, info: PageMeta) -> Option<PageColumns> {
    let Received { start, duration, name, instants } = columns;
    let is_complete = |n: usize| u64::try_from(n) == Ok(info.n_slices);
    let of_instants = [instants.time.len(), instants.name.len()];
    let is_whole = [start.len(), duration.len(), name.len()].into_iter().all(is_complete)
        && of_instants.into_iter().all(|n| n == instants.track.len());
    let slots: Vec<u16> = column(&parts.get(1)).filter(|_| is_whole)?;
    Some(PageColumns {
        start: start.into(),
        duration: duration.into(),
        colour: SliceColours::by_name(slots),
        name: name.into(),
        info: PageMeta { instants, ..info },
    })
}

/// One column out of its transferred buffers.
fn column<T: Pod>(blocks: &JsValue) -> Option<Vec<T>> {
    let blocks = blocks.dyn_ref::<Array>()?;
    let n_bytes: usize = blocks.iter().map(|buffer| buffer.unchecked_ref::<ArrayBuffer>().byte_length() as usize).sum();
    let mut out = vec![T::zeroed(); n_bytes / size_of::<T>()];
    let mut rest = bytemuck::cast_slice_mut::<T, u8>(&mut out);
    for buffer in blocks.iter() {
        let bytes = Uint8Array::new(&buffer);
        let (to, after) = rest.split_at_mut_checked(bytes.length() as usize)?;
        bytes.copy_to(to);
        super::buffers::free(buffer.unchecked_ref());
        rest = after;
    }
    rest.is_empty().then_some(out)
}
