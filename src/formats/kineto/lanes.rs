//! Processes and threads: found by id, named by metadata that may are at the very end.

use super::thread_roles::roles;
use crate::base::{Interner, StrId, TrackId};
use crate::formats::json::unescape;
use crate::model::{ProfileBuilder, RawSliceId, TrackKind, TrackSpec};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Counters and asynchronous tracks are after the threads of their process.
pub const AFTER_THREADS: i64 = 1 << 41;
/// Devices come before the processes of the host, regardless of the file.
const DEVICES_FIRST: i64 = 1 << 42;

/// A process, or a device: torch writes both as processes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Process {
    /// Its id as text.
    pub pid: StrId,
    /// Its group track.
    pub track: TrackId,
    name: Option<String>,
    labels: Option<String>,
    sort: Option<i64>,
}

/// A thread, or a stream.
#[derive(Debug, Serialize, Deserialize)]
pub struct Thread {
    /// Position of its process.
    pub process: usize,
    /// Its id as text.
    pub tid: StrId,
    /// Its track.
    pub track: TrackId,
    /// Slices that began (`B`) and have not ended yet.
    pub open: Vec<RawSliceId>,
    /// Whether device work was seen on it.
    pub is_device: bool,
    /// Whether operators, annotations or Python functions were seen on it.
    pub is_host: bool,
    name: Option<String>,
    sort: Option<i64>,
}

/// All processes and threads of a trace. In a piece from another program they can no longer be found by id.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lanes {
    /// Ids as text.
    pub ids: Interner,
    /// In the order first seen.
    pub processes: Vec<Process>,
    /// In the order first seen.
    pub threads: Vec<Thread>,
    #[serde(skip)]
    process_of: FxHashMap<StrId, usize>,
    #[serde(skip)]
    thread_of: FxHashMap<(usize, StrId), usize>,
    /// Threads by a few bytes of their ids: (process, thread, position).
    #[serde(skip)]
    recent: Vec<(Vec<u8>, Vec<u8>, usize)>,
}

const RECENT: usize = 64;

impl Default for Lanes {
    fn default() -> Self {
        Lanes {
            ids: Interner::new(),
            processes: Vec::new(),
            threads: Vec::new(),
            process_of: FxHashMap::default(),
            thread_of: FxHashMap::default(),
            recent: vec![(Vec::new(), Vec::new(), usize::MAX); RECENT],
        }
    }
}

impl Lanes {
    /// The process of that id.
    pub fn process(&mut self, pid: &[u8], builder: &mut ProfileBuilder) -> usize {
        let pid = self.ids.intern(&unescape(pid));
        self.process_of_id(pid, builder)
    }

    /// The process with this id in `ids`.
    pub fn process_of_id(&mut self, pid: StrId, builder: &mut ProfileBuilder) -> usize {
        *self.process_of.entry(pid).or_insert_with(|| {
            let track = builder.track(TrackSpec { parent: None, name: String::new(), kind: TrackKind::Group, sort: 0 });
            self.processes.push(Process { pid, track, name: None, labels: None, sort: None });
            self.processes.len() - 1
        })
    }

    /// The thread of that id.
    #[inline]
    pub fn thread(&mut self, pid: &[u8], tid: &[u8], builder: &mut ProfileBuilder) -> usize {
        let end = |id: &[u8]| id.last_chunk::<2>().map_or(0, |c| usize::from(u16::from_le_bytes(*c).wrapping_mul(31) >> 3));
        let slot = (end(tid) ^ end(pid) ^ tid.len() ^ usize::from(tid.last().copied().unwrap_or(0))) % RECENT;
        let (known_pid, known_tid, thread) = &self.recent[slot];
        if known_tid == tid && known_pid == pid && *thread < self.threads.len() {
            return *thread;
        }
        let thread = self.find(pid, tid, builder);
        self.recent[slot] = (pid.to_vec(), tid.to_vec(), thread);
        thread
    }

    fn find(&mut self, pid: &[u8], tid: &[u8], builder: &mut ProfileBuilder) -> usize {
        let process = self.process(pid, builder);
        let id = self.ids.intern(&unescape(tid));
        self.thread_of_id(process, id, builder)
    }

    /// The thread of a process and an id of `ids`.
    pub fn thread_of_id(&mut self, process: usize, id: StrId, builder: &mut ProfileBuilder) -> usize {
        let parent = Some(self.processes[process].track);
        *self.thread_of.entry((process, id)).or_insert_with(|| {
            let track = builder.track(TrackSpec { parent, name: String::new(), kind: TrackKind::Thread, sort: 0 });
            self.threads.push(Thread {
                process,
                tid: id,
                track,
                open: Vec::new(),
                is_device: false,
                is_host: false,
                name: None,
                sort: None,
            });
            self.threads.len() - 1
        })
    }

    /// Takes `process_name` and its like.
    pub fn name_process(&mut self, process: usize, what: Naming) {
        let p = &mut self.processes[process];
        match what {
            Naming::Name(name) => p.name = Some(name),
            Naming::Labels(labels) => p.labels = Some(labels),
            Naming::Sort(sort) => p.sort = Some(sort),
        }
    }

    /// Takes `thread_name` and its like.
    pub fn name_thread(&mut self, thread: usize, what: Naming) {
        let t = &mut self.threads[thread];
        match what {
            Naming::Name(name) | Naming::Labels(name) => t.name = Some(name),
            Naming::Sort(sort) => t.sort = Some(sort),
        }
    }

    /// Adds the metadata of process `process` from a later part of the file.
    pub fn rename_process(&mut self, process: usize, later: Process) {
        let p = &mut self.processes[process];
        p.name = later.name.or(p.name.take());
        p.labels = later.labels.or(p.labels.take());
        p.sort = later.sort.or(p.sort);
    }

    /// The same for a thread. Slices that are open in `later` begin with raw slice `first` here.
    pub fn rename_thread(&mut self, thread: usize, later: Thread, first: RawSliceId) {
        let t = &mut self.threads[thread];
        t.name = later.name.or(t.name.take());
        t.sort = later.sort.or(t.sort);
        t.is_device |= later.is_device;
        t.is_host |= later.is_host;
        t.open.extend(later.open.into_iter().map(|slice| slice + first));
    }

    /// Gives every track its name, kind and place.
    pub fn settle(&self, builder: &mut ProfileBuilder) {
        let roles = roles(builder);
        let is_device = self.devices();
        for (at, p) in self.processes.iter().enumerate() {
            let spec = builder.track_mut(p.track);
            spec.name = self.process_name(p, is_device[at]);
            let sort = p.sort.unwrap_or(if is_number(self.ids.get(p.pid)) { 0 } else { 1 << 40 });
            spec.sort = if is_device[at] { sort.saturating_sub(DEVICES_FIRST) } else { sort };
        }
        let mut host: Option<TrackId> = None;
        for t in &self.threads {
            let p = &self.processes[t.process];
            let is_misplaced = is_device[t.process] && t.is_host && !t.is_device;
            if is_misplaced {
                let parent = *host.get_or_insert_with(|| self.host(&is_device, builder));
                builder.track_mut(t.track).parent = Some(parent);
            }
            let tid = self.ids.get(t.tid);
            let given = t.name.as_deref().map(str::trim).filter(|n| !n.is_empty());
            let spec = builder.track_mut(t.track);
            spec.name = match given {
                Some(name) => name.into(),
                None if is_number(tid) && t.is_device => format!("stream {tid}"),
                None if is_number(tid) => format!("Thread {tid}"),
                None if tid.is_empty() => "Events".into(),
                None => pthread_name(tid).unwrap_or_else(|| tid.into()),
            };
            let is_stream = is_device[t.process] && !is_misplaced || t.is_device || spec.name.starts_with("stream");
            spec.kind = match is_stream {
                true => TrackKind::Stream,
                // The profiler's own record of its running: no work of the program.
                false if matches!(self.ids.get(p.pid), "Spans" | "Traces") => TrackKind::Other,
                false => TrackKind::Thread,
            };
            let role = roles.get(&t.track).filter(|_| spec.kind == TrackKind::Thread);
            spec.sort = t.sort.unwrap_or(role.map_or(0, |role| role.sort()));
            if let Some(role) = role {
                spec.name = role.named(&spec.name);
            }
        }
    }

    /// The group of threads whose records have the id of a device instead of their process (PyTorch writes `"pid": 0, "tid": 0` for a thread of Python
    /// that it cannot name): the one process of the host, or a group of their own where there are several.
    fn host(&self, is_device: &[bool], builder: &mut ProfileBuilder) -> TrackId {
        let is_host = |at: &usize| !is_device[*at] && self.threads.iter().any(|t| t.process == *at && t.is_host);
        let hosts: Vec<usize> = (0..self.processes.len()).filter(is_host).collect();
        match hosts[..] {
            [only] => self.processes[only].track,
            _ => builder.track(TrackSpec { parent: None, name: "Host (process not recorded)".into(), kind: TrackKind::Group, sort: 0 }),
        }
    }

    /// The processes that are devices: by their label, or because they have only device work.
    fn devices(&self) -> Vec<bool> {
        let is_labelled = |p: &Process| p.labels.as_deref().is_some_and(is_device_label);
        let mut out: Vec<bool> = self.processes.iter().map(is_labelled).collect();
        let mut only_device_work: Vec<Option<bool>> = vec![None; out.len()];
        for t in &self.threads {
            let all = &mut only_device_work[t.process];
            *all = Some(all.unwrap_or(true) && t.is_device);
        }
        out.iter_mut().zip(only_device_work).for_each(|(is_device, all)| *is_device |= all == Some(true));
        out
    }

    fn process_name(&self, p: &Process, is_device: bool) -> String {
        let pid = self.ids.get(p.pid);
        let labels = p.labels.as_deref().map(str::trim).filter(|l| !l.is_empty());
        let name = p.name.as_deref().map(str::trim).filter(|n| !n.is_empty());
        match (name, labels) {
            (_, Some(labels)) if is_device_label(labels) => labels.into(),
            (Some(name), Some(labels)) => format!("{name} {pid} ({labels})"),
            (Some(name), None) => format!("{name} {pid}").trim_end().into(),
            (None, Some(labels)) => format!("Process {pid} ({labels})"),
            (None, None) if is_number(pid) && is_device => format!("GPU {pid}"),
            (None, None) if is_number(pid) => format!("Process {pid}"),
            (None, None) if pid.is_empty() => "Trace".into(),
            (None, None) => pid.into(),
        }
    }
}

/// Content of one metadata event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Naming {
    /// Its name.
    Name(String),
    /// What is added to the name.
    Labels(String),
    /// Its place among its siblings.
    Sort(i64),
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `Thread 0xdf400640`: the handle of a thread (`pthread_t`) without its upper half, which some traces record as a negative number instead of the
/// system's id.
fn pthread_name(tid: &str) -> Option<String> {
    let id: i32 = tid.parse().ok()?;
    (id < 0).then(|| format!("Thread {:#010x}", id.cast_unsigned()))
}

/// `GPU 0`, `XPU 1`, `MTIA 3`, but not `CPU`.
fn is_device_label(label: &str) -> bool {
    label != "CPU" && label.split(' ').nth(1).is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::pthread_name;

    #[test]
    fn negative_ids_are_handles() {
        assert_eq!(pthread_name("-549452224").as_deref(), Some("Thread 0xdf400640"));
        for other in ["7", "-99999999999", "stream 7", "-"] {
            assert_eq!(pthread_name(other), None, "{other}");
        }
    }
}
