//! Profiles that wait to be read, and those being read.

use crate::app::clock;
use crate::app::open::budget::{budget, open_bytes};
use crate::app::workers::sleep;
use crate::state::budget::Next;
use crate::state::{App, Phase, actions};
use std::cell::RefCell;
use std::collections::VecDeque;

/// A profile to be read.
pub struct Job {
    /// Id of its import.
    pub id: u32,
    /// What it will take, bytes.
    pub heap_bytes: u64,
    /// Begins to read it.
    pub start: Box<dyn FnOnce()>,
}

#[derive(Default)]
struct Pool {
    waiting: VecDeque<Job>,
    /// Id and estimated bytes.
    running: Vec<(u32, u64)>,
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::default();
}

/// Appends jobs to the queue and starts as many as the budget allows.
pub fn submit(app: App, jobs: Vec<Job>) {
    POOL.with_borrow_mut(|pool| pool.waiting.extend(jobs));
    go_on(app);
}

/// A job has ended, or is not wanted any more.
pub fn ended(app: App, id: u32) {
    // What the job holds may not be dropped while the pool is borrowed.
    let gone: Vec<Job> = POOL.with_borrow_mut(|pool| {
        pool.running.retain(|r| r.0 != id);
        let (gone, left) = std::mem::take(&mut pool.waiting).into_iter().partition(|job| job.id == id);
        pool.waiting = left;
        gone.into_iter().collect::<VecDeque<Job>>().into()
    });
    drop(gone);
    go_on(app);
}

/// Starts the first waiting job regardless of the budget, because the user decided so.
pub fn start_anyway(app: App) {
    let job = POOL.with_borrow_mut(|pool| {
        let job = pool.waiting.pop_front()?;
        pool.running.push((job.id, job.heap_bytes));
        Some(job)
    });
    if let Some(job) = job {
        sleep::put_to_sleep(app, job.heap_bytes);
        begin(app, job);
    }
    go_on(app);
}

/// Starts jobs as long as cores and memory allow. Called when anything ends or closes.
pub fn go_on(app: App) {
    let budget = budget();
    loop {
        let open = open_bytes(app);
        let next = POOL.with_borrow_mut(|pool| {
            let heap = pool.waiting.front()?.heap_bytes;
            let running: Vec<u64> = pool.running.iter().map(|r| r.1).collect();
            let next = budget.next(open, &running, heap);
            if next != Next::Start {
                let id = pool.waiting.front()?.id;
                return (next == Next::Ask).then_some(Err((id, heap)));
            }
            let job = pool.waiting.pop_front()?;
            pool.running.push((job.id, job.heap_bytes));
            Some(Ok(job))
        });
        match next {
            Some(Ok(job)) => begin(app, job),
            Some(Err((_, heap))) if sleep::make_room(app, heap) => {}
            Some(Err((id, _))) => return actions::import_phase(app, id, Phase::Held),
            None => return,
        }
    }
}

fn begin(app: App, job: Job) {
    actions::import_reads(app, job.id, clock::now_ms());
    (job.start)();
}
