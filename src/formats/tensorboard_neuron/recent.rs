//! Cache of recent names and rows with a cheap hash, because a timeline repeats both a million times.

use crate::base::{Interner, StrId, TrackId};
use crate::formats::json::unescape;

const N_NAMES: usize = 4096;
const N_ROWS: usize = 64;

/// Names, by hash of their text.
#[derive(Default)]
pub(super) struct Names(Vec<StrId>);

impl Names {
    /// The id of a name as written.
    #[inline]
    pub fn id(&mut self, raw: &[u8], strings: &mut Interner) -> StrId {
        if self.0.is_empty() {
            self.0 = vec![StrId(0); N_NAMES];
        }
        let known = &mut self.0[place(raw) % N_NAMES];
        // A name with an escape is another text than its bytes: it is never found here.
        if strings.get(*known).as_bytes() == raw {
            return *known;
        }
        match std::str::from_utf8(raw) {
            Ok(text) if !raw.contains(&b'\\') => {
                *known = strings.intern(text);
                *known
            }
            _ => strings.intern(&unescape(raw)),
        }
    }
}

/// Ids of process and thread as written, and their row.
type Known = (Vec<u8>, Vec<u8>, TrackId);

/// Rows, by process and thread.
#[derive(Default)]
pub(super) struct Rows(Vec<Option<Known>>);

impl Rows {
    /// The row of a thread, if it was found recently.
    #[inline]
    pub fn find(&self, pid: &[u8], tid: &[u8]) -> Option<TrackId> {
        let (known_pid, known_tid, track) = self.0.get(Self::slot(pid, tid))?.as_ref()?;
        (known_tid == tid && known_pid == pid).then_some(*track)
    }

    /// Keeps a row instead of another.
    pub fn keep(&mut self, pid: &[u8], tid: &[u8], track: TrackId) {
        self.0.resize(N_ROWS, None);
        self.0[Self::slot(pid, tid)] = Some((pid.to_vec(), tid.to_vec(), track));
    }

    fn slot(pid: &[u8], tid: &[u8]) -> usize {
        let last = |id: &[u8]| usize::from(id.last().copied().unwrap_or(0));
        (last(tid) ^ (last(pid) << 3) ^ tid.len()) % N_ROWS
    }
}

/// A number of the length, the first and the last bytes; names of a timeline differ at their ends.
#[inline]
fn place(raw: &[u8]) -> usize {
    let end = raw.last_chunk::<8>().map_or(0, |c| u64::from_le_bytes(*c));
    let begin = raw.first_chunk::<8>().map_or(u64::from(raw.last().copied().unwrap_or(0)), |c| u64::from_le_bytes(*c));
    let mixed = (end ^ begin.rotate_left(29) ^ raw.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_ids_of_the_interner() {
        let (mut names, mut strings) = (Names::default(), Interner::new());
        // Many more than places: some share one.
        let text = |i: usize| format!("aten__addmm_dot.{i}");
        let ids: Vec<StrId> = (0..20_000).map(|i| names.id(text(i).as_bytes(), &mut strings)).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(strings.get(*id), text(i));
            assert_eq!(names.id(text(i).as_bytes(), &mut strings), *id);
        }
        let escaped = names.id(br"a\n", &mut strings);
        assert_eq!(strings.get(escaped), "a\n");
        assert_ne!(names.id(br"a\\n", &mut strings), escaped);
        assert_eq!(names.id(b"", &mut strings), StrId(0));
    }

    #[test]
    fn rows_are_distinguished() {
        let mut rows = Rows::default();
        let ids: Vec<Vec<u8>> = (0..40).map(|i: u32| i.to_string().into_bytes()).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(rows.find(b"1", id), None);
            rows.keep(b"1", id, TrackId(i as u32));
            assert_eq!(rows.find(b"1", id), Some(TrackId(i as u32)));
        }
        assert!(ids.iter().enumerate().all(|(i, id)| rows.find(b"1", id).is_none_or(|t| t == TrackId(i as u32))));
        assert_eq!(rows.find(b"2", b"39"), None);
    }
}
