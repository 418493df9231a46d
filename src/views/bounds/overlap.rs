//! How engines and queue types overlap: a matrix of pairs, and the time in each combination of queue types.

use crate::analysis::device::bounds::{CoreBounds, Overlap, Part};
use crate::base::Order as _;
use crate::base::{DurationNs, text};
use crate::ui::controls::{Help, swatch_colour};
use crate::ui::table::{Cell, Column, Kind, Row, Table};
use crate::views::engine_parts::colour;
use leptos::prelude::*;
use std::sync::Arc;

/// Parts that the file records.
fn recorded(core: &CoreBounds) -> Vec<Part> {
    Part::ALL.into_iter().filter(|p| core.busy(*p).is_some()).collect()
}

/// A cell of the matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Square {
    /// Both parts busy; of a part with itself its busy time. Share of the range.
    pub share: f64,
    /// The values in a sentence.
    pub text: String,
}

/// The matrix: its parts, and a row of cells for each.
pub fn matrix(core: &CoreBounds, total: DurationNs) -> (Vec<Part>, Vec<Vec<Square>>) {
    let parts = recorded(core);
    let share = |t: DurationNs| if total.0 > 0 { t.0 as f64 / total.0 as f64 } else { 0.0 };
    let square = |a: Part, b: Part| {
        if a == b {
            let busy = core.busy(a).unwrap_or_default();
            return Square { share: share(busy), text: format!("{} busy {}", a.label(), text::duration(busy)) };
        }
        let pair = core.overlaps.iter().find(|o| (o.a, o.b) == (a, b) || (o.a, o.b) == (b, a));
        let (both, only) = pair.map_or((DurationNs(0), DurationNs(0)), |o| (o.both, if o.a == a { o.only_a } else { o.only_b }));
        let text = format!("{} and {} {}, only {} {}", a.label(), b.label(), text::duration(both), a.label(), text::duration(only));
        Square { share: share(both), text }
    };
    let rows = parts.iter().map(|a| parts.iter().map(|b| square(*a, *b)).collect()).collect();
    (parts, rows)
}

fn pair_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("a", "A", Kind::Name, ""),
        column("b", "B", Kind::Text, ""),
        column("both_ns", "Both", Kind::Duration, "Time in which both were busy."),
        column("both_share", "Both, share", Kind::Share, "Share of the total."),
        column("only_a_ns", "Only A", Kind::Duration, ""),
        column("only_b_ns", "Only B", Kind::Duration, ""),
        column("none_ns", "Neither", Kind::Duration, ""),
    ]
}

fn pair_rows(core: &CoreBounds, total: DurationNs) -> Vec<Row> {
    let parts = recorded(core);
    let row = |o: &Overlap| Row {
        colour: Some(colour(Some(o.a))),
        ..Row::new(vec![
            Cell::Text(o.a.label().into()),
            Cell::Text(o.b.label().into()),
            o.both.into(),
            Cell::Float(o.both.0 as f64 / total.0.max(1) as f64),
            o.only_a.into(),
            o.only_b.into(),
            o.none.into(),
        ])
    };
    core.overlaps.iter().filter(|o| parts.contains(&o.a) && parts.contains(&o.b)).map(row).collect()
}

fn state_columns() -> Vec<Column> {
    let column = Column::new;
    vec![
        column("types", "Busy queue types", Kind::Name, "Instruction fetches are excluded."),
        column("count", "Types busy", Kind::Count, "How many of the types were busy at the same time."),
        column("time_ns", "Time", Kind::Duration, "").summed(),
        column("share", "Share", Kind::Share, "Share of the total.").summed(),
    ]
}

/// Time in each combination of queue types, longest first.
pub fn state_rows(core: &CoreBounds, total: DurationNs) -> Vec<Row> {
    let row = |(names, time): &(Vec<String>, DurationNs)| {
        let name = if names.is_empty() { "None".to_string() } else { names.join(" + ") };
        let share = time.0 as f64 / total.0.max(1) as f64;
        (*time, Row::new(vec![Cell::Text(name), (names.len() as u64).into(), (*time).into(), Cell::Float(share)]))
    };
    let mut rows: Vec<(DurationNs, Row)> = core.dma_states.iter().map(row).collect();
    rows.order_by_key(|r| std::cmp::Reverse(r.0));
    rows.into_iter().map(|r| r.1).collect()
}

/// The matrix with its table, and the queue types.
#[component]
pub fn Overlaps(
    /// The core and the length of the range.
    core: Signal<Option<(CoreBounds, DurationNs)>>,
) -> impl IntoView {
    let rows = move |make: fn(&CoreBounds, DurationNs) -> Vec<Row>| -> Signal<Arc<Vec<Row>>> {
        Memo::new(move |_| Arc::new(core.with(|c| c.as_ref().map_or_else(Vec::new, |(core, total)| make(core, *total))))).into()
    };
    let table = move || core.with(|c| c.as_ref().map(|(core, total)| view! { <Matrix core total=*total /> }));
    view! {
        <section data-part="overlap">
            <h2>"Overlap of engines"<Help text="A cell is the share of the total in which both were busy; on the diagonal the busy share of one. Hover over a cell for times." /></h2>
            <div class="overlap-box">{table}</div>
            <Table id="overlap" label="Overlap of engines" columns=Signal::stored(Arc::new(pair_columns())) rows=rows(pair_rows) empty="No engine ran in this range." />
        </section>
        <section data-part="dma-states">
            <h2>"Overlap of queue types"<Help text="Time in which several, one or none of the types of DMA queues was busy." /></h2>
            <Table
                id="dma-states" label="Overlap of queue types" columns=Signal::stored(Arc::new(state_columns())) rows=rows(state_rows)
                empty="No DMA transfers are recorded: capture with NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1 set in the environment."
            />
        </section>
    }
}

/// Shares as strength of one hue.
#[component]
fn Matrix<'a>(core: &'a CoreBounds, total: DurationNs) -> impl IntoView + use<> {
    let (parts, squares) = matrix(core, total);
    let head = parts.iter().map(|p| view! { <th scope="col">{p.label()}</th> }).collect_view();
    let cell = |s: &Square| {
        let strength = format!("{:.1}%", s.share.clamp(0.0, 1.0) * 70.0);
        view! { <td class="figure" title=s.text.clone() style:--strength=strength>{text::percent(s.share)}</td> }
    };
    let row = |(part, squares): (&Part, &Vec<Square>)| {
        view! {
            <tr>
                <th scope="row"><i class="swatch" style:background=swatch_colour(colour(Some(*part)))></i>{part.label()}</th>
                {squares.iter().map(cell).collect_view()}
            </tr>
        }
    };
    let body = parts.iter().zip(&squares).map(row).collect_view();
    view! {
        <table class="overlap" aria-label="Share of the total in which two engines were busy">
            <thead><tr><td></td>{head}</tr></thead>
            <tbody>{body}</tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::bounds;
    use super::*;

    #[test]
    fn a_pair_reads_from_both_sides() {
        let mut core = bounds().cores[0].clone();
        let ns = DurationNs;
        core.overlaps = vec![Overlap { a: Part::Tensor, b: Part::Dma, both: ns(25), only_a: ns(10), only_b: ns(30), none: ns(35) }];
        let (parts, squares) = matrix(&core, ns(100));
        assert_eq!((parts.len(), squares.len()), (6, 6));
        assert_eq!(squares[0][4], Square { share: 0.25, text: "Tensor and DMA 25 ns, only Tensor 10 ns".into() });
        assert_eq!(squares[4][0].text, "DMA and Tensor 25 ns, only DMA 30 ns");
        assert_eq!(pair_rows(&core, ns(100)).len(), 1);
        // Where transfers are not recorded they overlap nothing: the pair is absent.
        core.busy[Part::Dma.place()] = None;
        assert_eq!((matrix(&core, ns(100)).0.len(), pair_rows(&core, ns(100)).len()), (5, 0));
    }

    #[test]
    fn combinations_of_queue_types_are_sorted_by_time() {
        let mut core = bounds().cores[0].clone();
        core.dma_states = vec![(vec![], DurationNs(10)), (vec!["a".into(), "b".into()], DurationNs(30))];
        let rows = state_rows(&core, DurationNs(40));
        assert_eq!([rows[0].cell(0).raw(), rows[0].cell(1).raw(), rows[1].cell(0).raw()], ["a + b", "2", "None"]);
        assert_eq!(rows[0].cell(3).raw(), "0.75");
    }
}
