//! Answers about search hits, hover cards and colours.

use super::Session;

use super::question::Refusal;
use super::slice_summary::{self, SliceSummary};
use crate::analysis::hit_tables::TrackTables;
use crate::analysis::hit_tables::Within;
use crate::analysis::hits::HitSummary;
use crate::analysis::search::SearchQuery;
use crate::analysis::{colouring, details, hit_tables, hits, modules, search};
use crate::base::{DurationNs, SliceId, StrId};
use std::rc::Rc;

impl Session {
    /// The hits of a search, and `more`, summed up.
    pub(super) fn hit_summary(&self, query: &SearchQuery, more: &[SliceId]) -> Result<HitSummary, Refusal> {
        Ok(hits::summary(&self.profile, &self.hits(query, more)?))
    }

    /// Values of fields for each row. Without a search: of every slice of the range.
    pub(super) fn hit_tables(&self, query: &SearchQuery, more: &[SliceId], within: &Within) -> Result<Vec<TrackTables>, Refusal> {
        if query.is_empty() && more.is_empty() {
            return Ok(match within.range {
                Some(_) => hit_tables::tables(&self.profile, within, |_| true),
                None => Vec::new(),
            });
        }
        let mut is_hit = vec![false; self.profile.slices.len()];
        for slice in self.hits(query, more)? {
            if let Some(at) = is_hit.get_mut(slice.index()) {
                *at = true;
            }
        }
        Ok(hit_tables::tables(&self.profile, within, |s| is_hit[s.index()]))
    }

    /// All hits of a search (none for an empty text), and then `more`.
    fn hits(&self, query: &SearchQuery, more: &[SliceId]) -> Result<Vec<SliceId>, Refusal> {
        let mut found = if query.is_empty() { Vec::new() } else { search::all_hits(&self.profile, query)? };
        found.extend_from_slice(more);
        Ok(found)
    }

    /// The fields of a slice's hover card; none where the record cannot be read back.
    pub(super) fn brief(&self, slice: SliceId) -> Result<SliceSummary, Refusal> {
        if slice.index() >= self.profile.slices.len() {
            return Err(Refusal::NoSuchItem);
        }
        let fields = self.format()?.record(&self.input, &self.profile, slice.into()).unwrap_or_default();
        let fields = slice_summary::distinctive_fields(&fields, self.profile.name_of(slice));
        Ok(SliceSummary { self_time: details::self_time(&self.profile, slice), fields })
    }

    /// A colour slot per slice: by the values of a column, or by duration.
    pub(super) fn colour_keys(&self, by: &str) -> Result<Vec<u16>, Refusal> {
        let (main, dma) = by.split_once(";dma=").unwrap_or((by, ""));
        let keys = |column: &[StrId], slots: &[u16]| column.iter().map(|s| slots.get(s.index()).copied().unwrap_or(0)).collect();
        if main != colouring::DURATION.0 {
            return self.grouped(by, keys);
        }
        let mut out: Vec<u16> = self.profile.slices.duration.iter().map(|&d| colouring::duration_slot(DurationNs(d))).collect();
        let other: Vec<u16> = if dma.is_empty() { Vec::new() } else { self.grouped(dma, keys).unwrap_or_default() };
        if !other.is_empty() {
            for part in colouring::transfers(&self.profile) {
                out[part.clone()].copy_from_slice(&other[part]);
            }
        }
        Ok(out)
    }

    /// A column that is computed at the first request and cached.
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
        let mut cached = self.derived.borrow_mut();
        // Each takes four bytes per slice, so only the last few columns for colours are cached.
        if cached.len() >= 4 {
            cached.retain(|id, _| id == modules::ID);
        }
        cached.insert(by.into(), column.clone());
        Some(column)
    }
}
