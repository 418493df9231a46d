//! Answers to what the page asks beside its views: annotations, search in records, the hover card.

use super::query::{Answer, ScanQuery, SearchQuery, Within};
use super::{Session, brief, scan};
use crate::analysis::{colouring, details, hit_tables, hits, modules, search};
use crate::base::{DurationNs, SliceId, StrId};
use crate::formats::{self, Format};
use std::rc::Rc;

impl Session {
    fn format(&self) -> Result<&'static dyn Format, String> {
        formats::by_id(&self.claim.format).ok_or_else(|| format!("Unknown format `{}`.", self.claim.format))
    }

    /// One part of a search in the records.
    pub(super) fn scan(&self, query: &ScanQuery) -> Answer {
        match self.format() {
            Ok(format) => scan::scan(format, &self.input, &self.profile, query).map_or_else(Answer::Refused, Answer::Scan),
            Err(sentence) => Answer::Refused(sentence),
        }
    }

    /// The hits of a search, and `more`, summed up.
    pub(super) fn hit_summary(&self, query: &SearchQuery, more: &[SliceId]) -> Answer {
        let found = if query.is_empty() { Ok(Vec::new()) } else { search::all_hits(&self.profile, query) };
        match found {
            Ok(mut found) => {
                found.extend_from_slice(more);
                Answer::HitSummary(hits::summary(&self.profile, &found))
            }
            Err(sentence) => Answer::Refused(sentence),
        }
    }

    /// Values of fields row by row. Nothing searched for: every slice of the range.
    pub(super) fn hit_tables(&self, query: &SearchQuery, more: &[SliceId], within: &Within) -> Answer {
        if query.is_empty() && more.is_empty() {
            return match within.range {
                Some(_) => Answer::HitTables(hit_tables::tables(&self.profile, within, |_| true)),
                None => Answer::HitTables(Vec::new()),
            };
        }
        let found = if query.is_empty() { Ok(Vec::new()) } else { search::all_hits(&self.profile, query) };
        let found = match found {
            Ok(found) => found,
            Err(sentence) => return Answer::Refused(sentence),
        };
        let mut is_hit = vec![false; self.profile.slices.len()];
        for slice in found.iter().chain(more) {
            if let Some(at) = is_hit.get_mut(slice.index()) {
                *at = true;
            }
        }
        Answer::HitTables(hit_tables::tables(&self.profile, within, |s| is_hit[s.index()]))
    }

    /// What a glance at a slice tells; no fields where the record cannot be read back.
    pub(super) fn brief(&self, slice: SliceId) -> Answer {
        if slice.index() >= self.profile.slices.len() {
            return Answer::Refused("This profile has no such slice.".into());
        }
        match self.format() {
            Ok(format) => {
                let fields = format.record(&self.input, &self.profile, slice.into()).unwrap_or_default();
                let fields = brief::telling(&fields, self.profile.name_of(slice));
                Answer::Brief(brief::Brief { self_time: details::self_time(&self.profile, slice), fields })
            }
            Err(sentence) => Answer::Refused(sentence),
        }
    }

    /// A colour slot per slice: by the values of a column, or by duration.
    pub(super) fn colour_keys(&self, by: &str) -> Answer {
        let (main, dma) = by.split_once(";dma=").unwrap_or((by, ""));
        let keys = |column: &[StrId], slots: &[u16]| column.iter().map(|s| slots.get(s.index()).copied().unwrap_or(0)).collect();
        if main != colouring::DURATION.0 {
            return self.grouped(by, |column, slots| Answer::ColourKeys(keys(column, slots)));
        }
        let mut out: Vec<u16> = self.profile.slices.duration.iter().map(|&d| colouring::duration_slot(DurationNs(d))).collect();
        if !dma.is_empty() {
            let Answer::ColourKeys(other) = self.grouped(dma, |column, slots| Answer::ColourKeys(keys(column, slots))) else {
                return Answer::ColourKeys(out);
            };
            for part in colouring::transfers(&self.profile) {
                out[part.clone()].copy_from_slice(&other[part]);
            }
        }
        Answer::ColourKeys(out)
    }

    /// A column that is computed when it is asked for, and then kept.
    pub(super) fn derived(&self, by: &str) -> Option<Rc<Vec<StrId>>> {
        if let Some(known) = self.derived.borrow().get(by) {
            return Some(known.clone());
        }
        let column = match by {
            modules::ID if modules::has_modules(&self.profile) => modules::modules(&self.profile),
            modules::ID => return None,
            _ => colouring::column(&self.profile, by)?,
        };
        let column = Rc::new(column);
        let mut kept = self.derived.borrow_mut();
        // Each takes four bytes a slice: only the last few of those that are made for colours are kept.
        if kept.len() >= 4 {
            kept.retain(|id, _| id == modules::ID);
        }
        kept.insert(by.into(), column.clone());
        Some(column)
    }
}
