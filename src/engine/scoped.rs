//! A region as the scope: questions about its wall span are answered by the profile of its windows alone.

use super::Session;
use super::question::{Refusal, Wire, answers};
use super::renamed::{Rename, encode_renamed, renamed};
use super::tables::TablePartQuery;
use crate::base::{DurationNs, SliceId, TimeNs, TimeRange, Windows, packed};
use crate::formats::Imported;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::rc::Rc;

/// Makes windows of time the scope of every question about the range from their first start to their last end. Without windows and slices there is
/// no such scope any more.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScopeQuery {
    /// Ranges, in any order.
    pub windows: Vec<TimeRange>,
    /// Slices; each one is a window.
    #[serde(with = "packed::slices")]
    pub slices: Vec<SliceId>,
    /// The windows are cut to these ranges; empty: no limit.
    pub within: Vec<TimeRange>,
}

/// The current scope.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Scope {
    /// From the first start to the last end; `None` where there are no windows.
    pub wall: Option<TimeRange>,
    /// Length of all windows.
    pub length: DurationNs,
    /// The windows, by start: none overlaps another.
    pub windows: Vec<TimeRange>,
}

/// The profile of a scope.
#[derive(Debug)]
pub(super) struct Scoped {
    windows: Windows,
    wall: TimeRange,
    session: Session,
    slices: Vec<u32>,
    instants: Vec<u32>,
}

answers! {
    ScopeQuery => Scope: |s, q| Ok(s.set_scope(q));
}

impl Session {
    /// Whether a region is the scope.
    pub fn is_scoped(&self) -> bool {
        self.scope.borrow().is_some()
    }

    fn set_scope(&self, query: &ScopeQuery) -> Scope {
        let slices = &self.profile.slices;
        let of_slice = |slice: &SliceId| {
            let start = *slices.start.get(slice.index())?;
            Some(TimeRange { start: TimeNs(start), end: TimeNs(slices.end(slice.index())) })
        };
        let all = query.windows.iter().copied().chain(query.slices.iter().filter_map(of_slice)).collect();
        let mut windows = Windows::new(all);
        if !query.within.is_empty() {
            windows = windows.common(&Windows::new(query.within.clone()));
        }
        let wall = windows.wall();
        let out = Scope { wall, length: windows.length(), windows: windows.ranges().to_vec() };
        // A single window is a range, which every view follows anyway.
        let scoped = wall.filter(|_| windows.ranges().len() > 1).map(|wall| Rc::new(self.condensed(windows, wall)));
        *self.scope.borrow_mut() = scoped;
        out
    }

    fn condensed(&self, windows: Windows, wall: TimeRange) -> Scoped {
        let condensed = self.profile.condensed(&windows);
        let imported = Imported { profile: condensed.profile, ledger: self.ledger.clone() };
        let session = Session::new(self.claim.clone(), self.input.clone(), imported);
        Scoped { windows, wall, session, slices: condensed.slices, instants: condensed.instants }
    }

    /// The bytes of the answer of the scope's profile, where the question is about its wall span.
    pub(super) fn scoped_answer<Q: Wire>(&self, question: &Q) -> Option<Result<Vec<u8>, Refusal>> {
        let scope = self.scope.borrow().clone()?;
        // Rows of tables have times and ids of the entire profile, whichever the scope is.
        if [ScopeQuery::NUMBER, TablePartQuery::NUMBER].contains(&Q::NUMBER) {
            return None;
        }
        let inward = Inward { scope: &scope, has_start: Cell::new(false), has_end: Cell::new(false) };
        let inside = match renamed(question, &inward) {
            Ok(inside) => inside,
            Err(error) => return Some(Err(Refusal::Unwritable(error))),
        };
        if !inward.has_start.get() || !inward.has_end.get() {
            return None;
        }
        let answer = inside.answer(&scope.session);
        Some(answer.and_then(|answer| encode_renamed(&(Q::NUMBER, answer), &Outward { scope: &scope }).map_err(Refusal::Unwritable)))
    }
}

/// From the whole profile to the condensed one.
struct Inward<'a> {
    scope: &'a Scoped,
    /// Whether the start and the end of the wall span was in the question.
    has_start: Cell<bool>,
    has_end: Cell<bool>,
}

/// No slice of the condensed profile.
const NOWHERE: u32 = u32::MAX;

fn place(all: &[u32], id: u32) -> u32 {
    all.binary_search(&id).map_or(NOWHERE, |at| at as u32)
}

impl Rename for Inward<'_> {
    fn time(&self, time: i64, is_end: bool) -> i64 {
        if is_end && time == self.scope.wall.end.0 {
            self.has_end.set(true);
        } else if !is_end && time == self.scope.wall.start.0 {
            self.has_start.set(true);
        }
        self.scope.windows.condensed(TimeNs(time)).0
    }

    fn slice(&self, slice: u32) -> u32 {
        place(&self.scope.slices, slice)
    }

    fn instant(&self, instant: u32) -> u32 {
        place(&self.scope.instants, instant)
    }
}

/// Back.
struct Outward<'a> {
    scope: &'a Scoped,
}

impl Rename for Outward<'_> {
    fn time(&self, time: i64, is_end: bool) -> i64 {
        self.scope.windows.expanded(TimeNs(time), is_end).0
    }

    fn slice(&self, slice: u32) -> u32 {
        self.scope.slices.get(slice as usize).copied().unwrap_or(NOWHERE)
    }

    fn instant(&self, instant: u32) -> u32 {
        self.scope.instants.get(instant as usize).copied().unwrap_or(NOWHERE)
    }
}
