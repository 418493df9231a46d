//! The rows of the committed range, where a box took only some.

use super::{App, AppStateStoreFields as _};
use crate::base::TrackId;
use leptos::prelude::*;

/// Rows under the committed range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoxedRows {
    /// Tracks of the profile, each with all tracks below it; empty: all rows.
    pub tracks: Vec<TrackId>,
    /// How many of the rows have slices.
    pub n: usize,
}

impl BoxedRows {
    /// ` in 3 rows`; empty where all are meant.
    pub fn of_rows(&self) -> String {
        match (self.tracks.is_empty(), self.n) {
            (true, _) => String::new(),
            (_, 1) => " in 1 row".into(),
            (_, n) => format!(" in {n} rows"),
        }
    }
}

impl App {
    /// The rows of the committed range, as the profile in front knows them.
    pub fn boxed_rows(&self) -> Signal<BoxedRows> {
        let app = *self;
        let found = Memo::new(move |_| {
            let (rows, front) = (app.rows.get(), app.state.front().get());
            let profile = front.filter(|_| !rows.is_empty()).and_then(|_| app.front_untracked());
            let tracks = profile.as_ref().map(|p| p.columns.info.tracks_of(&rows)).unwrap_or_default();
            BoxedRows { n: profile.map_or(0, |p| p.columns.info.n_rows(&tracks)), tracks }
        });
        found.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_rows_are_counted_and_all_are_not() {
        let of = |tracks: &[u32], n| BoxedRows { tracks: tracks.iter().map(|t| TrackId(*t)).collect(), n }.of_rows();
        assert_eq!((of(&[], 0), of(&[3], 1), of(&[1, 2], 12)), (String::new(), " in 1 row".into(), " in 12 rows".into()));
    }
}
