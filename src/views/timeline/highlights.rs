//! Highlighted intervals as amber bands below the ruler: many small transfers, tensors moved repeatedly. A click zooms to one.

use super::handle::TimelineHandle;
use super::rows::choices::Settings;
use super::steps::BandButton;
use crate::analysis::device::Band;
use crate::analysis::device::memory::highlights::{BandKind, SMALL_BYTES};
use crate::base::Order as _;
use crate::base::{TimeRange, text};
use leptos::prelude::*;
use std::sync::Arc;

/// More bands are not drawn separately.
const MOST_BANDS: usize = 200;

/// The longest bands that overlap `window`, by start, and the number of the others.
pub(super) fn bands_in(bands: &[Band], window: TimeRange) -> (Vec<(usize, Band)>, usize) {
    let seen = |b: &Band| b.range.start < window.end && b.range.end > window.start;
    let mut out: Vec<(usize, Band)> = bands.iter().enumerate().filter(|b| seen(b.1)).map(|(i, b)| (i, b.clone())).collect();
    let more = out.len().saturating_sub(MOST_BANDS);
    out.order_by_key(|b| std::cmp::Reverse(b.1.range.duration()));
    out.truncate(MOST_BANDS);
    out.order_by_key(|b| b.1.range.start);
    (out, more)
}

/// What a band is, in a few words, and in full.
pub(super) fn words(band: &Band) -> (String, String) {
    let n = text::count(band.transfers);
    let bytes = band.bytes.map_or(String::new(), |b| format!(", {} in total", text::bytes(b)));
    let span = format!("{} from {}", text::duration(band.range.duration()), text::time(band.range.start));
    match band.kind {
        BandKind::SmallTransfers => {
            let why = format!("each smaller than {SMALL_BYTES} bytes, back to back");
            let full = format!(
                "{}: {n} small DMA transfers{bytes}, {why}; {span}. Batch them: small transfers take as long as larger ones.",
                band.name
            );
            (format!("{n} small DMA"), full)
        }
        BandKind::Reloaded => {
            let factor = band.factor.map_or(String::new(), |f| format!(" {}×", text::three_digits(f)));
            let full = format!(
                "Tensor {} is moved{factor} its size: {n} transfers{bytes}; {span}. Keep it in the State Buffer, or reorder the loops.",
                band.name
            );
            (format!("{} reloaded{factor}", band.name), full)
        }
    }
}

/// The strip of bands; absent without bands or if disabled.
#[component]
pub(super) fn BandStrip(stage: TimelineHandle, bands: Signal<Arc<Vec<Band>>>, settings: Option<Settings>) -> impl IntoView {
    let is_wanted = move || settings.is_none_or(|s| s.has_bands.0.get()) && bands.with(|b| !b.is_empty());
    let window = move || stage.shown.window.get().unwrap_or_default();
    let shown = Memo::new(move |_| bands.with(|b| bands_in(b, window())));
    let more = move || {
        let n = shown.with(|s| s.1) as u64;
        (n > 0).then(|| view! { <span class="steps__note">{format!("and {} shorter: zoom in", text::count(n))}</span> })
    };
    view! {
        <Show when=is_wanted>
            <div class="steps">
                <div class="steps__corner" title="Warning bands: reloaded tensors and bursts of small transfers. Hide them in the View panel.">"Warnings"</div>
                <div class="steps__bands" data-bands=move || bands.with(|b| b.len().to_string())>
                    <For each=move || shown.get().0 key=|b: &(usize, Band)| b.0 let(band)>
                        <BandMark stage band=band.1 />
                    </For>
                    {more}
                </div>
            </div>
        </Show>
    }
}

#[component]
fn BandMark(stage: TimelineHandle, band: Band) -> impl IntoView {
    let (label, title) = words(&band);
    view! { <BandButton stage range=band.range label title is_warning=true attr:data-band=format!("{:?}", band.kind) /> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TimeNs;

    fn band(start: i64, end: i64, kind: BandKind) -> Band {
        let range = TimeRange::new(TimeNs(start), TimeNs(end));
        Band { kind, range, name: "x".into(), transfers: 70, bytes: Some(280), factor: (kind == BandKind::Reloaded).then_some(3.0) }
    }

    #[test]
    fn the_longest_bands_of_the_window_are_drawn() {
        let mut bands: Vec<Band> = (0..300).map(|i| band(i * 10, i * 10 + 5, BandKind::SmallTransfers)).collect();
        bands[299].range.end = TimeNs(9_000);
        let (shown, more) = bands_in(&bands, TimeRange::new(TimeNs(20), TimeNs(5_000)));
        assert_eq!((shown.len(), more, shown.last().map(|b| b.0)), (200, 98, Some(299)));
    }

    #[test]
    fn bands_say_what_to_do() {
        let (label, full) = words(&band(0, 100, BandKind::SmallTransfers));
        assert!(label.starts_with("70 small") && full.contains("280 B") && full.contains("Batch"), "{full}");
        assert_eq!(words(&band(0, 100, BandKind::Reloaded)).0, "x reloaded 3.00×");
    }
}
