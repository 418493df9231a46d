//! Highlighted intervals as amber bands below the ruler: many small transfers, tensors moved repeatedly. A click zooms to one.

use super::handle::TimelineHandle;
use super::rows::choices::Settings;
use super::steps::BandButton;
use crate::analysis::device::Band;
use crate::analysis::device::memory::highlights::{BandKind, SMALL_BYTES};
use crate::base::Order as _;
use crate::base::{TimeRange, text};
use leptos::prelude::*;
use std::cmp::Reverse;
use std::sync::Arc;

/// More bands are too narrow to distinguish: short neighbours are drawn as one.
const MOST_BANDS: usize = 200;

/// A band, or several neighbours that are drawn as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Mark {
    /// The first of them, by place in the list of bands.
    first: usize,
    n: usize,
    range: TimeRange,
}

/// What is drawn of the bands that overlap `window`, by start. Where they are many, short neighbours are one.
pub(super) fn marks_in(bands: &[Band], window: TimeRange) -> Vec<Mark> {
    let seen = |b: &Band| b.range.start < window.end && b.range.end > window.start;
    let all = bands.iter().enumerate().filter(|b| seen(b.1)).map(|(first, b)| Mark { first, n: 1, range: b.range });
    let all: Vec<Mark> = all.collect();
    if all.len() <= MOST_BANDS {
        return all;
    }
    let close = window.duration().0 / MOST_BANDS as i64;
    let (mut out, mut short): (Vec<Mark>, Vec<Mark>) = all.into_iter().partition(|mark| mark.range.duration().0 > close);
    out.order_by_key(|mark| Reverse(mark.range.duration()));
    short.extend(out.drain(MOST_BANDS.min(out.len())..));
    short.order_by_key(|mark| mark.range.start);
    short.dedup_by(|mark, before| {
        let is_close = mark.range.start.0.saturating_sub(before.range.end.0) < close;
        if is_close {
            before.n += mark.n;
            before.range.end = before.range.end.max(mark.range.end);
        }
        is_close
    });
    out.extend(short);
    out.order_by_key(|mark| mark.range.start);
    out
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
    let marks = Memo::new(move |_| bands.with(|b| marks_in(b, window())));
    view! {
        <Show when=is_wanted>
            <div class="steps">
                <div class="steps__corner" title="Warning bands: reloaded tensors and bursts of small transfers. Hide them in the View panel.">"Warnings"</div>
                <div class="steps__bands" data-bands=move || bands.with(|b| b.len().to_string())>
                    <For each=move || marks.get() key=|mark| *mark let(mark)>
                        <BandMark stage mark bands />
                    </For>
                </div>
            </div>
        </Show>
    }
}

#[component]
fn BandMark(stage: TimelineHandle, mark: Mark, bands: Signal<Arc<Vec<Band>>>) -> impl IntoView {
    let one =
        (mark.n == 1).then(|| bands.with_untracked(|b| b.get(mark.first).map(|band| (words(band), format!("{:?}", band.kind))))).flatten();
    let ((label, title), kind) = one.unwrap_or_else(|| (joined(mark), "Several".into()));
    view! { <BandButton stage range=mark.range label title is_warning=true attr:data-band=kind /> }
}

/// What several bands are, in a few words, and in full.
fn joined(mark: Mark) -> (String, String) {
    let n = text::count(mark.n as u64);
    let span = format!("{} from {}", text::duration(mark.range.duration()), text::time(mark.range.start));
    (format!("{n} warnings"), format!("{n} warnings, too narrow to draw each; {span}. Zoom in to see each of them."))
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
    fn narrow_neighbours_are_drawn_as_one_band() {
        let mut bands: Vec<Band> = (0..300).map(|i| band(i * 10, i * 10 + 5, BandKind::SmallTransfers)).collect();
        let of = |bands: &[Band], from, to| {
            let marks = marks_in(bands, TimeRange::new(TimeNs(from), TimeNs(to)));
            marks.iter().map(|m| (m.first, m.n, m.range.start.0, m.range.end.0)).collect::<Vec<_>>()
        };
        assert_eq!(of(&bands, 20, 40), [(2, 1, 20, 25), (3, 1, 30, 35)]);
        assert_eq!(of(&bands, 20, 5_000), [(2, 298, 20, 2_995)]);
        bands.push(band(4_000, 4_500, BandKind::SmallTransfers));
        assert_eq!(of(&bands, 20, 5_000), [(2, 298, 20, 2_995), (300, 1, 4_000, 4_500)]);
        bands[2].range.end = TimeNs(9_000);
        assert_eq!(of(&bands, 20, 5_000), [(2, 1, 20, 9_000), (3, 297, 30, 2_995), (300, 1, 4_000, 4_500)]);
        let (label, title) = joined(Mark { first: 2, n: 299, range: TimeRange::new(TimeNs(20), TimeNs(9_000)) });
        assert!(label == "299 warnings" && title.contains("Zoom in"), "{title}");
    }

    #[test]
    fn bands_say_what_to_do() {
        let (label, full) = words(&band(0, 100, BandKind::SmallTransfers));
        assert!(label.starts_with("70 small") && full.contains("280 B") && full.contains("Batch"), "{full}");
        assert_eq!(words(&band(0, 100, BandKind::Reloaded)).0, "x reloaded 3.00×");
    }
}
