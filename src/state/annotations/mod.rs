//! Markers and regions that the user puts on a timeline: names for times and ranges. Pure; knows neither canvas nor storage.

pub mod text;

use crate::base::Order as _;
use crate::base::{DurationNs, TimeNs, TimeRange};
use serde::{Deserialize, Serialize};

/// Colours there are to choose from: the first slots of the palette.
pub const N_COLOURS: u16 = 8;
/// More annotations than these a set does not take.
pub const MOST: usize = 1_000;
/// Longer names are cut, characters.
const LONGEST_NAME: usize = 200;

/// A named moment or range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// Names it within its set.
    pub id: u32,
    /// What the user calls it.
    pub name: String,
    /// Slot of the palette, below [`N_COLOURS`].
    pub colour: u16,
    /// The moment, or where the region begins.
    pub start: TimeNs,
    /// Where a region ends; `None` is a marker.
    pub end: Option<TimeNs>,
    /// Id of the annotation that its distance refers to; `None`: the one before it.
    pub versus: Option<u32>,
}

/// Which part of an annotation is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A marker, or the beginning of a region.
    Start,
    /// The end of a region.
    End,
}

impl Annotation {
    /// The time it covers; a marker's is empty.
    pub fn range(&self) -> TimeRange {
        TimeRange::new(self.start, self.end.unwrap_or(self.start))
    }

    /// Whether it has a beginning and an end.
    pub fn is_region(&self) -> bool {
        self.end.is_some()
    }
}

/// The unit in which times of the panel are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Whichever reads best.
    #[default]
    Auto,
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

/// Annotations that belong together, by time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnnotationSet {
    /// What the user calls it; empty until it is saved under a name.
    pub name: String,
    /// The unit of the panel.
    #[serde(default)]
    pub unit: TimeUnit,
    /// Ordered by (start, id).
    pub items: Vec<Annotation>,
}

impl AnnotationSet {
    /// The annotation of that id.
    pub fn get(&self, id: u32) -> Option<&Annotation> {
        self.items.iter().find(|a| a.id == id)
    }

    /// A new marker. Its id; `None` when the set is full.
    pub fn add_marker(&mut self, at: TimeNs) -> Option<u32> {
        self.add("Marker", at, None)
    }

    /// A new region. Its id; `None` when the set is full or the range is empty.
    pub fn add_region(&mut self, range: TimeRange) -> Option<u32> {
        if range.start >= range.end { None } else { self.add("Region", range.start, Some(range.end)) }
    }

    fn add(&mut self, kind: &str, start: TimeNs, end: Option<TimeNs>) -> Option<u32> {
        if self.items.len() >= MOST {
            return None;
        }
        let id = self.items.iter().map(|a| a.id).max().unwrap_or(0).checked_add(1)?;
        let is_kind = |a: &&Annotation| a.is_region() == end.is_some();
        // The first number that no name of the kind has.
        let taken: Vec<&str> = self.items.iter().filter(is_kind).map(|a| a.name.as_str()).collect();
        let name = (1..=MOST + 1).map(|n| format!("{kind} {n}")).find(|name| !taken.contains(&name.as_str()))?;
        let colour = (self.items.len() % usize::from(N_COLOURS)) as u16;
        self.items.push(Annotation { id, name, colour, start, end, versus: None });
        self.tidy();
        Some(id)
    }

    /// Adds those of another set, under new ids. How many there was no room for.
    pub fn append(&mut self, other: AnnotationSet) -> usize {
        let room = MOST.saturating_sub(self.items.len());
        let first = self.items.iter().map(|a| a.id).max().unwrap_or(0).saturating_add(1);
        let old: Vec<u32> = other.items.iter().map(|a| a.id).collect();
        let new_id = |old_id: u32| old.iter().position(|id| *id == old_id).map(|at| first.saturating_add(at as u32));
        let n_left = other.items.len().saturating_sub(room);
        for item in other.items.into_iter().take(room) {
            let (Some(id), versus) = (new_id(item.id), item.versus.and_then(new_id)) else { continue };
            self.items.push(Annotation { id, versus, ..item });
        }
        self.tidy();
        n_left
    }

    /// Changes one; its id stays.
    pub fn change(&mut self, id: u32, change: impl FnOnce(&mut Annotation)) {
        if let Some(item) = self.items.iter_mut().find(|a| a.id == id) {
            change(item);
            item.id = id;
        }
        self.tidy();
    }

    /// Moves a part to a moment; the two ends of a region stay in order.
    pub fn move_part(&mut self, id: u32, part: Part, to: TimeNs) {
        self.change(id, |a| match (part, a.end) {
            (Part::Start, None) => a.start = to,
            (Part::Start, Some(end)) => (a.start, a.end) = (to.min(end), Some(to.max(end))),
            (Part::End, _) => (a.start, a.end) = (to.min(a.start), Some(to.max(a.start))),
        });
    }

    /// Takes one away, and the distances asked to it.
    pub fn remove(&mut self, id: u32) {
        self.items.retain(|a| a.id != id);
        self.tidy();
    }

    /// The annotation that a distance refers to: the chosen one, else the one before.
    pub fn versus(&self, id: u32) -> Option<&Annotation> {
        let at = self.items.iter().position(|a| a.id == id)?;
        match self.items[at].versus {
            Some(other) => self.get(other),
            None => at.checked_sub(1).map(|before| &self.items[before]),
        }
    }

    /// Distance from the start of `versus` to its own start; negative if it is earlier.
    pub fn difference_ns(&self, id: u32) -> Option<i64> {
        Some(self.get(id)?.start.0.saturating_sub(self.versus(id)?.start.0))
    }

    /// The time span of an annotation: the region itself, or the span between a marker and its `versus`.
    pub fn span(&self, id: u32) -> Option<TimeRange> {
        let own = self.get(id)?;
        if own.is_region() {
            return Some(own.range());
        }
        Some(TimeRange::new(self.versus(id)?.start, own.start)).filter(|r| r.duration() > DurationNs(0))
    }

    /// Sorts, limits names and colours, and removes references to missing annotations.
    pub fn tidy(&mut self) {
        self.items.truncate(MOST);
        let ids: Vec<u32> = self.items.iter().map(|a| a.id).collect();
        for item in &mut self.items {
            item.colour %= N_COLOURS;
            if item.name.chars().count() > LONGEST_NAME {
                item.name = item.name.chars().take(LONGEST_NAME).collect();
            }
            if item.end.is_some_and(|end| end < item.start) {
                let range = item.range();
                (item.start, item.end) = (range.start, Some(range.end));
            }
            item.versus = item.versus.filter(|other| *other != item.id && ids.contains(other));
        }
        self.items.order_by_key(|a| (a.start, a.id));
    }
}

/// All annotations of one profile: those on the timeline, and sets saved under names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Book {
    /// On the timeline.
    pub current: AnnotationSet,
    /// Saved, by name.
    #[serde(default)]
    pub saved: Vec<AnnotationSet>,
}

impl Book {
    /// Saves the annotations on the timeline under a name, replacing a set of that name. An empty name saves nothing.
    pub fn save_as(&mut self, name: &str) {
        let name = name.trim();
        if name.is_empty() {
            return;
        }
        self.current.name = name.chars().take(LONGEST_NAME).collect();
        self.saved.retain(|s| s.name != self.current.name);
        self.saved.push(self.current.clone());
        self.saved.order_by(|a, b| a.name.cmp(&b.name));
    }

    /// Puts a saved set on the timeline.
    pub fn load(&mut self, name: &str) {
        if let Some(set) = self.saved.iter().find(|s| s.name == name) {
            self.current = set.clone();
        }
    }

    /// Deletes a saved set; annotations on the timeline are kept.
    pub fn forget(&mut self, name: &str) {
        self.saved.retain(|s| s.name != name);
    }

    /// Whether a saved set equals the annotations on the timeline.
    pub fn is_saved(&self) -> bool {
        self.saved.iter().any(|s| s.items == self.current.items)
    }

    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.current.items.is_empty() && self.saved.is_empty()
    }
}

#[cfg(test)]
mod tests;
