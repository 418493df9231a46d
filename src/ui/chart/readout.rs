//! The card for the item under the pointer or at the keyboard cursor.

use crate::ui::controls::swatch_colour;
use leptos::prelude::*;

/// What is recorded, and where.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Readout {
    /// Beside which point, in the coordinates of the browser's window.
    pub at: (f64, f64),
    /// What it is about.
    pub title: String,
    /// Colour slot, name, value, and whether this one is meant.
    pub rows: Vec<(Option<u16>, String, String, bool)>,
    /// A line beneath; may be empty.
    pub note: String,
}

impl Readout {
    /// In one line, for screen readers.
    pub fn line(&self) -> String {
        let rows = self.rows.iter().map(|(_, name, figure, _)| format!("{name} {figure}"));
        let parts: Vec<String> = std::iter::once(self.title.clone()).chain(rows).filter(|p| !p.trim().is_empty()).collect();
        parts.join("; ")
    }
}

/// The card, placed beside its point and inside the window.
#[component]
pub fn ReadoutCard(
    /// What is recorded; `None` shows nothing.
    readout: Signal<Option<Readout>>,
) -> impl IntoView {
    let card = move || {
        readout.get().map(|readout| {
            let style = place(readout.at, inner_size());
            let row = |(colour, name, figure, is_meant): (Option<u16>, String, String, bool)| {
                let swatch = colour.map(|c| view! { <i class="swatch" style:background=swatch_colour(c)></i> });
                view! {
                    <div class="readout__row" class:is-meant=is_meant>
                        {swatch}
                        <span class="readout__name">{name}</span>
                        <span class="figure">{figure}</span>
                    </div>
                }
            };
            let note = (!readout.note.is_empty()).then(|| view! { <p class="readout__note">{readout.note.clone()}</p> });
            view! {
                <div class="readout" style=style aria-hidden="true">
                    <p class="readout__title">{readout.title.clone()}</p>
                    {readout.rows.into_iter().map(row).collect_view()}
                    {note}
                </div>
            }
        })
    };
    let description = move || readout.with(|r| r.as_ref().map(Readout::line));
    view! {
        {card}
        <p class="visually-hidden" role="status">{description}</p>
    }
}

fn inner_size() -> (f64, f64) {
    let length = |v: Result<wasm_bindgen::JsValue, _>| v.ok().and_then(|v| v.as_f64()).unwrap_or(1024.0);
    (length(window().inner_width()), length(window().inner_height()))
}

/// Style that puts the card on the side with more room.
fn place((x, y): (f64, f64), (width, height): (f64, f64)) -> String {
    const GAP: f64 = 14.0;
    let side = |name: [&str; 2], at: f64, all: f64| {
        if at < all / 2.0 { format!("{}:{:.0}px", name[0], at + GAP) } else { format!("{}:{:.0}px", name[1], all - at + GAP) }
    };
    let room = x.max(width - x) - 2.0 * GAP;
    format!("{};{};max-width:{:.0}px", side(["left", "right"], x, width), side(["top", "bottom"], y, height), room.min(360.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_stands_where_there_is_room() {
        assert_eq!(place((10.0, 10.0), (400.0, 300.0)), "left:24px;top:24px;max-width:360px");
        assert_eq!(place((390.0, 290.0), (400.0, 300.0)), "right:24px;bottom:24px;max-width:360px");
        assert_eq!(place((150.0, 10.0), (400.0, 300.0)), "left:164px;top:24px;max-width:222px");
    }
}
