//! The page's side of a question: hand it over, await the answer. Compiled natively too; the JavaScript half is in `page.rs`.

#[cfg(test)]
use crate::engine::Session;
use crate::engine::{EncodedAnswer, EncodedQuery, NoAnswer, Wire};
use futures_channel::{mpsc, oneshot};
#[cfg(test)]
use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The worker died or was stopped.
    #[error("The worker of this profile has stopped. Open the file again to continue.")]
    Stopped,
    /// This profile has no answer to the question; a sentence.
    #[error("{0}")]
    Refused(String),
    /// The answer is not of the question's kind: page and worker differ.
    #[error("The worker returned an unexpected answer. Reload the page.")]
    Unexpected,
}

impl From<NoAnswer> for EngineError {
    fn from(why: NoAnswer) -> Self {
        match why {
            NoAnswer::Refused(sentence) => EngineError::Refused(sentence),
            NoAnswer::Other => EngineError::Unexpected,
        }
    }
}

/// The reply of one question.
pub type Reply = Result<EncodedAnswer, EngineError>;

/// A question on its way.
#[derive(Debug)]
pub struct Call {
    /// What is asked.
    pub query: EncodedQuery,
    /// Receives the answer. Closed if the asker was dropped.
    pub reply: oneshot::Sender<Reply>,
}

/// Client of one open profile. Cheap to clone; `Send`, because signals require it.
#[derive(Debug, Clone)]
pub struct Ask(Backend);

#[derive(Debug, Clone)]
enum Backend {
    /// Whether its questions are counted as pending.
    Channel(mpsc::UnboundedSender<Call>, bool),
    /// Which of the sessions of tests. In tests alone: a page that may answer links the whole engine.
    #[cfg(test)]
    InProcess(usize),
}

#[cfg(test)]
thread_local! {
    /// Sessions of [`Ask::in_process`]; never freed.
    static SESSIONS: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

/// Questions that wait for an answer, of all profiles.
static N_WAITING: AtomicUsize = AtomicUsize::new(0);
static ON_WAITING: OnceLock<fn(usize)> = OnceLock::new();

/// Calls `f` whenever the number of waiting questions changes. Only the first call has an effect.
pub fn on_waiting(f: fn(usize)) {
    ON_WAITING.get_or_init(|| f);
}

/// A question that waits; also when its future is dropped.
struct Waiting;

impl Waiting {
    fn new() -> Self {
        notify(N_WAITING.fetch_add(1, Ordering::Relaxed) + 1);
        Waiting
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        notify(N_WAITING.fetch_sub(1, Ordering::Relaxed) - 1);
    }
}

fn notify(n: usize) {
    if let Some(f) = ON_WAITING.get() {
        f(n);
    }
}

impl Ask {
    /// A client, and the receiver of its questions.
    pub fn channel() -> (Ask, mpsc::UnboundedReceiver<Call>) {
        let (sender, receiver) = mpsc::unbounded();
        (Ask(Backend::Channel(sender, true)), receiver)
    }

    /// The same; its questions are not counted by [`on_waiting`].
    pub fn aside() -> (Ask, mpsc::UnboundedReceiver<Call>) {
        let (sender, receiver) = mpsc::unbounded();
        (Ask(Backend::Channel(sender, false)), receiver)
    }

    /// One that answers on the spot, in this thread.
    #[cfg(test)]
    pub fn in_process(session: Session) -> Ask {
        SESSIONS.with_borrow_mut(|sessions| {
            sessions.push(session);
            Ask(Backend::InProcess(sessions.len() - 1))
        })
    }

    /// Asks and waits. A refusal of the engine is an error here.
    pub async fn ask<Q: Wire>(&self, question: Q) -> Result<Q::Answer, EngineError> {
        Ok(self.forward(EncodedQuery::of(&question)).await?.read::<Q>()?)
    }

    /// Forwards an encoded question.
    pub async fn forward(&self, query: EncodedQuery) -> Reply {
        let is_counted = !matches!(self.0, Backend::Channel(_, false));
        let _waiting = is_counted.then(Waiting::new);
        self.pass(query).await
    }

    /// Like [`Ask::ask`], but not counted as pending.
    pub async fn ask_uncounted<Q: Wire>(&self, question: Q) -> Result<Q::Answer, EngineError> {
        Ok(self.pass(EncodedQuery::of(&question)).await?.read::<Q>()?)
    }

    async fn pass(&self, query: EncodedQuery) -> Reply {
        match &self.0 {
            Backend::Channel(sender, _) => {
                let (reply, answer) = oneshot::channel();
                sender.unbounded_send(Call { query, reply }).map_err(|_| EngineError::Stopped)?;
                answer.await.map_err(|_| EngineError::Stopped)?
            }
            #[cfg(test)]
            Backend::InProcess(at) => SESSIONS.with_borrow(|s| s.get(*at).map(|s| query.answer(s))).ok_or(EngineError::Stopped),
        }
    }

    /// Whether both ask the same profile.
    pub fn is_same(&self, other: &Ask) -> bool {
        match (&self.0, &other.0) {
            (Backend::Channel(a, _), Backend::Channel(b, _)) => a.same_receiver(b),
            #[cfg(test)]
            (Backend::InProcess(a), Backend::InProcess(b)) => a == b,
            #[cfg(test)]
            _ => false,
        }
    }
}
