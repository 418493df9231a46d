//! Around every chart: its title, the switch to its table, the picture, the sentence when there is nothing to draw.

use super::export::Export;
use super::figures::{FigureTable, Figures};
use leptos::prelude::*;

/// Title, tools, chart, table.
#[component]
pub fn Frame(
    /// Its name: `data-chart`.
    #[prop(into)]
    id: String,
    /// What it shows, with its unit where the axes do not say it.
    #[prop(into)]
    title: String,
    /// Whether there is nothing to draw.
    #[prop(into)]
    is_empty: Signal<bool>,
    /// The sentence that is shown where nothing is drawn.
    #[prop(into)]
    empty: String,
    /// What is drawn, as a table.
    figures: Figures,
    /// Saves a picture.
    on_save: Export,
    /// More controls at the right of the title.
    #[prop(optional, into)]
    tools: ViewFn,
    /// Canvas and legend.
    children: ChildrenFn,
) -> impl IntoView {
    let (is_table, set_is_table) = signal(false);
    let is_table_seen = Signal::derive(move || is_table.get() && !is_empty.get());
    let name = id.clone();
    let copy_label = RwSignal::new("Copy");
    let switch = move || if is_table.get() { "as chart" } else { "as table" };
    view! {
        <figure class="chart" data-chart=name>
            <figcaption class="chart__head">
                <h3>{title.clone()}</h3>
                <span class="chart__tools">
                    {tools.run()}
                <Show when=move || !is_empty.get()>
                    <button type="button" class="link" aria-pressed=move || is_table.get().to_string() on:click=move |_| set_is_table.update(|t| *t = !*t)>
                        {switch}
                    </button>
                    <button type="button" class="link" title="Save as an image" on:click=move |_| on_save.on_png.run(())>"PNG"</button>
                    <button type="button" class="link" title="Save as a vector image" on:click=move |_| on_save.on_svg.run(())>"SVG"</button>
                    <button type="button" class="link" title="Copy as an image to the clipboard" on:click=move |_| on_save.on_copy.run(copy_label)>{copy_label}</button>
                </Show>
                </span>
            </figcaption>
            <p class="chart__empty" class:is-hidden=move || !is_empty.get()>{empty}</p>
            <div class="chart__stage" class:is-hidden=move || is_empty.get() || is_table.get()>{children()}</div>
            <FigureTable id label=title figures is_seen=is_table_seen />
        </figure>
    }
}
