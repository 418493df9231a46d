//! The timeline of a device profile with its DMA transfers in the chosen rows, and the highlighted intervals.

use super::arrange::{SliceIdMap, arrange};
use super::choices::Settings;
use crate::analysis::device::{Band, DmaRows, DmaRowsQuery};
use crate::engine::page_columns::PageColumns;
use crate::engine::query::BandsQuery;
use crate::ui::effect::effect;
use crate::worker::client::Ask;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::sync::Arc;

/// Profile and wanted rows.
type Key = (u32, DmaRowsQuery);
type Columns = Signal<Option<Arc<PageColumns>>>;

/// `columns` with the rows chosen, and the way from the profile's slices to those drawn. `device` is the device profile in front: its id, and who
/// answers for it.
pub fn in_rows(device: Signal<Option<(u32, Ask)>>, settings: Settings, columns: Columns) -> (Columns, Signal<Arc<SliceIdMap>>) {
    let wanted = Memo::new(move |_| {
        let query = settings.dma();
        let id = device.with(|d| d.as_ref().map(|d| d.0))?;
        (query != DmaRowsQuery::default()).then_some((id, query))
    });
    let found = RwSignal::new(None::<(Key, Arc<DmaRows>)>);
    effect(move || {
        let (Some(key), Some((_, ask))) = (wanted.get(), device.get_untracked()) else {
            found.set(None);
            return;
        };
        spawn_local(async move {
            let answer = ask.ask(key.1).await;
            if let (Ok(rows), true) = (answer, wanted.try_get_untracked() == Some(Some(key))) {
                found.set(Some((key, Arc::from(rows))));
            }
        });
    });
    let both = Memo::new_with_compare(
        move |_| {
            let columns = columns.get()?;
            let rows = found.get().filter(|f| wanted.get() == Some(f.0)).map(|f| f.1);
            Some(match rows {
                Some(rows) => {
                    let (columns, ids) = arrange(&columns, &rows);
                    (Arc::new(columns), Arc::new(ids))
                }
                None => (columns, Arc::default()),
            })
        },
        |a, b| !matches!((a, b), (Some(Some(a)), Some(Some(b))) if Arc::ptr_eq(&a.0, &b.0)) && (a.is_some() || b.is_some()),
    );
    let drawn = Signal::derive(move || both.with(|b| b.as_ref().map(|b| b.0.clone())));
    (drawn, Signal::derive(move || both.with(|b| b.as_ref().map(|b| b.1.clone()).unwrap_or_default())))
}

/// The stretches of a device profile; asked for once.
pub fn bands(ask: Option<Ask>) -> Signal<Arc<Vec<Band>>> {
    let found = RwSignal::new(Arc::default());
    if let Some(ask) = ask {
        spawn_local(async move {
            if let Ok(bands) = ask.ask(BandsQuery).await {
                // The view may be closed by now.
                found.try_set(Arc::new(bands));
            }
        });
    }
    found.into()
}
