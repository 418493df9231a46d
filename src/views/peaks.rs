//! Peaks that the user enters for a device: kept by the browser under the device's name, used by every view with shares of a peak.

use crate::analysis::torch::efficiency::{KnownPeaks, OwnPeaks};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// Where they are kept.
const KEY: &str = "axonscope.peaks";
/// Devices kept; a list with more is not ours.
const DEVICES_MAX: usize = 100;

type Book = BTreeMap<String, OwnPeaks>;

fn read(text: &str) -> Book {
    serde_json::from_str(text).unwrap_or_default()
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

fn book() -> Book {
    storage().and_then(|s| s.get_item(KEY).ok().flatten()).map(|text| read(&text)).unwrap_or_default()
}

/// What the user entered for a device; a device without a name has the empty one.
pub fn entered(device: &str) -> Option<OwnPeaks> {
    book().remove(device)
}

/// Keeps the peaks of a device, or forgets them.
pub fn keep(device: &str, peaks: Option<OwnPeaks>) {
    let mut book = book();
    match peaks {
        Some(peaks) if book.len() < DEVICES_MAX || book.contains_key(device) => drop(book.insert(device.to_string(), peaks)),
        _ => drop(book.remove(device)),
    }
    if let (Some(storage), Ok(text)) = (storage(), serde_json::to_string(&book)) {
        // A full or forbidden storage forgets them with the page: they still apply.
        let _ = storage.set_item(KEY, &text);
    }
}

/// A field: id, label, unit.
type Field = (&'static str, &'static str, &'static str);

const FIELDS: [Field; 7] = [
    ("half", "FP16, BF16", "TFLOP/s"),
    ("fp8", "FP8", "TFLOP/s"),
    ("int8", "INT8", "TOP/s"),
    ("tf32", "TF32", "TFLOP/s"),
    ("fp32", "FP32", "TFLOP/s"),
    ("fp64", "FP64", "TFLOP/s"),
    ("bandwidth", "Memory bandwidth", "GB/s"),
];

/// The value of a field, in its unit.
fn value(peaks: &OwnPeaks, id: &str) -> Option<f64> {
    let tera = |giga: Option<u64>| giga.map(|g| g as f64 / 1e3);
    match id {
        "half" => tera(peaks.half),
        "fp8" => tera(peaks.fp8),
        "int8" => tera(peaks.int8),
        "tf32" => tera(peaks.tf32),
        "fp32" => tera(peaks.fp32),
        "fp64" => tera(peaks.fp64),
        _ => peaks.bandwidth.map(|b| b as f64),
    }
}

/// The peaks with another value in a field; a text that is no number above 0 is none.
fn with(peaks: OwnPeaks, id: &str, text: &str) -> OwnPeaks {
    let number = text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0 && *n < 1e9);
    let giga = number.map(|n| (n * 1e3).round() as u64);
    match id {
        "half" => OwnPeaks { half: giga, ..peaks },
        "fp8" => OwnPeaks { fp8: giga, ..peaks },
        "int8" => OwnPeaks { int8: giga, ..peaks },
        "tf32" => OwnPeaks { tf32: giga, ..peaks },
        "fp32" => OwnPeaks { fp32: giga, ..peaks },
        "fp64" => OwnPeaks { fp64: giga, ..peaks },
        _ => OwnPeaks { bandwidth: number.map(|n| n.round() as u64), ..peaks },
    }
}

/// The published peaks as a beginning for entered ones.
fn from_known(known: Option<&KnownPeaks>) -> OwnPeaks {
    let Some(known) = known else { return OwnPeaks::default() };
    let giga = |name: &str| known.tflops.iter().find(|v| v.0.starts_with(name)).map(|v| (v.1 * 1e3).round() as u64);
    OwnPeaks {
        fp64: giga("FP64"),
        fp32: giga("FP32"),
        tf32: giga("TF32"),
        half: giga("FP16"),
        fp8: giga("FP8"),
        int8: giga("INT8"),
        bandwidth: known.bandwidth.map(|b| b.round() as u64),
    }
}

/// Fields for the peaks of a device.
#[component]
pub fn PeaksEditor(
    /// The device's name, as its driver gives it.
    device: Signal<String>,
    /// The peaks in use.
    known: Signal<Option<KnownPeaks>>,
    /// What the user entered for it.
    own: RwSignal<Option<OwnPeaks>>,
) -> impl IntoView {
    let set = move |id: &'static str, text: String| {
        let now = own.get_untracked().unwrap_or_else(|| from_known(known.get_untracked().as_ref()));
        let changed = with(now, id, &text);
        keep(&device.get_untracked(), Some(changed));
        own.set(Some(changed));
    };
    let field = move |(id, label, unit): Field| {
        let shown = move || {
            let peaks = own.get().unwrap_or_else(|| from_known(known.get().as_ref()));
            value(&peaks, id).map(|v| v.to_string()).unwrap_or_default()
        };
        view! {
            <label class="field">
                {label}
                <input
                    class="input" type="number" min="0" step="any" inputmode="decimal" data-peak=id placeholder="not known" title=format!("{label}, {unit}")
                    prop:value=shown on:change:target=move |e| set(id, e.target().value())
                />
                <span class="overview__quiet">{unit}</span>
            </label>
        }
    };
    let forget = move |_| {
        keep(&device.get_untracked(), None);
        own.set(None);
    };
    view! {
        <details class="peaks" data-peaks>
            <summary>"Peaks of the device"</summary>
            <p class="torch__hint">"Entered values are saved in this browser for this device and used in place of the published dense peaks."</p>
            <div class="operators__choices">{FIELDS.map(field).collect_view()}</div>
            <Show when=move || own.with(Option::is_some)>
                <button type="button" class="button" data-peaks-reset on:click=forget>"Use the published peaks"</button>
            </Show>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_their_units() {
        let entered = FIELDS.iter().fold(OwnPeaks::default(), |peaks, f| with(peaks, f.0, "1.5"));
        assert_eq!((entered.half, entered.fp64, entered.bandwidth), (Some(1_500), Some(1_500), Some(2)));
        assert!(FIELDS.iter().filter(|f| f.0 != "bandwidth").all(|f| value(&entered, f.0) == Some(1.5)));
        for text in ["", "fast", "-1", "0", "inf", "1e300"] {
            assert_eq!(with(entered, "half", text).half, None, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_nothing() {
        for text in ["", "[]", "{\"H100\": 3}"] {
            assert!(read(text).is_empty(), "{text}");
        }
        let book = Book::from([("X".to_string(), OwnPeaks { fp32: Some(1), ..OwnPeaks::default() })]);
        assert_eq!(read(&serde_json::to_string(&book).unwrap()), book);
    }
}
