//! Widgets and views in a real browser.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, reason = "a test may panic; clippy knows only #[test]")]

use axonscope::analysis::operators::{OperatorRow, Operators, OperatorsQuery};
use axonscope::base::{DurationNs, InputSet, Member, TimeNs, TimeRange};
use axonscope::engine::{EncodedAnswer, EncodedQuery, Preparation, Session};
use axonscope::formats::Claim;
use axonscope::formats::import::import_claim;
use axonscope::ui::pie::{Pie, Slice};
use axonscope::ui::table::{Cell, Column, Kind, Row, Table};
use axonscope::views::advice::AdviceView;
use axonscope::views::bounds::BoundsView;
use axonscope::views::gaps::GapsView;
use axonscope::views::operators::OperatorsView;
use axonscope::views::summary::SummaryView;
use axonscope::worker::client::Ask;
use futures_util::StreamExt;
use gloo_timers::future::TimeoutFuture;
use leptos::mount::mount_to;
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, HtmlInputElement, MouseEvent};

wasm_bindgen_test_configure!(run_in_browser);

/// A box of its own for each test, with the real styles.
fn stage() -> HtmlElement {
    let style = document().create_element("style").unwrap();
    let sheets = [
        include_str!("../styles/tokens.css"),
        include_str!("../styles/base.css"),
        include_str!("../styles/table.css"),
        include_str!("../styles/chart.css"),
    ];
    style.set_text_content(Some(&sheets.concat()));
    let stage: HtmlElement = document().create_element("div").unwrap().unchecked_into();
    stage.set_attribute("style", "width: 900px; --table-height: 400px").unwrap();
    stage.append_child(&style).unwrap();
    document().body().unwrap().append_child(&stage).unwrap();
    stage
}

async fn settle() {
    TimeoutFuture::new(60).await;
}

fn texts(stage: &HtmlElement, selector: &str) -> Vec<String> {
    let found = stage.query_selector_all(selector).unwrap();
    (0..found.length()).map(|i| found.item(i).unwrap().text_content().unwrap()).collect()
}

fn one<T: JsCast>(stage: &HtmlElement, selector: &str) -> T {
    stage.query_selector(selector).unwrap().unwrap_or_else(|| panic!("no {selector}")).unchecked_into()
}

fn columns() -> Arc<Vec<Column>> {
    Arc::new(vec![
        Column::new("name", "Name", Kind::Name, "What it is called."),
        Column::new("time", "Time", Kind::Duration, "").summed(),
        Column::new("share", "Time %", Kind::Share, ""),
    ])
}

fn rows(n: i64) -> Arc<Vec<Row>> {
    let row = |i| Row::new(vec![Cell::Text(format!("op.{i}")), Cell::Int((i * 7) % 10 * 1_000), Cell::Float(0.25)]);
    Arc::new((0..n).map(row).collect())
}

fn mount_table(stage: &HtmlElement, rows: Arc<Vec<Row>>, on_row: Callback<usize>) {
    let (columns, rows) = (RwSignal::new(columns()), RwSignal::new(rows));
    mount_to(stage.clone(), move || view! { <Table id="t" label="Test" columns rows on_row /> }).forget();
}

const NAMES: &str = "[data-table=t] tbody .mono";

#[wasm_bindgen_test]
async fn a_click_on_a_header_sorts_and_a_third_restores() {
    let stage = stage();
    mount_table(&stage, rows(4), Callback::new(|_| {}));
    settle().await;
    assert_eq!(texts(&stage, NAMES), ["op.0", "op.1", "op.2", "op.3"]);
    assert_eq!(texts(&stage, "tfoot td"), ["Total", "12.0 µs", ""]);
    let head: HtmlElement = one(&stage, "[data-column=time]");
    head.click();
    settle().await;
    assert_eq!(texts(&stage, NAMES), ["op.1", "op.2", "op.3", "op.0"]);
    assert_eq!(head.get_attribute("aria-sort").as_deref(), Some("descending"));
    head.click();
    settle().await;
    assert_eq!(texts(&stage, NAMES), ["op.0", "op.3", "op.2", "op.1"]);
    head.click();
    settle().await;
    assert_eq!(texts(&stage, NAMES), ["op.0", "op.1", "op.2", "op.3"]);
    assert_eq!(head.get_attribute("aria-sort").as_deref(), Some("none"));
}

#[wasm_bindgen_test]
async fn a_row_that_is_made_of_others_opens() {
    let stage = stage();
    let mut fused = Row::new(vec![Cell::Text("fused".into()), Cell::Int(5)]);
    fused.members = vec!["a".into(), "b".into()];
    mount_table(&stage, Arc::new(vec![fused]), Callback::new(|_| {}));
    settle().await;
    one::<HtmlElement>(&stage, ".table__opener").click();
    settle().await;
    assert_eq!(texts(&stage, ".table__member"), ["a", "b"]);
}

#[wasm_bindgen_test]
async fn a_filter_narrows_and_a_bad_pattern_says_so() {
    let stage = stage();
    mount_table(&stage, rows(30), Callback::new(|_| {}));
    settle().await;
    let input: HtmlInputElement = one(&stage, ".table__filter");
    let put = |text: &str| {
        input.set_value(text);
        input.dispatch_event(&web_sys::Event::new("input").unwrap()).unwrap();
    };
    put("OP.2");
    settle().await;
    assert!(texts(&stage, NAMES).is_empty());
    assert_eq!(texts(&stage, ".table__empty"), ["No row matches the filter."]);
    put("op.2");
    settle().await;
    assert_eq!(texts(&stage, NAMES).len(), 11);
    assert_eq!(texts(&stage, ".table__count"), ["11 of 30 rows"]);
    one::<HtmlElement>(&stage, "[aria-label='Regular expression']").click();
    put("op.(");
    settle().await;
    assert_eq!(texts(&stage, NAMES).len(), 30);
    assert!(texts(&stage, "[role=alert]")[0].starts_with("Invalid regular expression"));
}

#[wasm_bindgen_test]
async fn a_long_table_holds_only_what_is_in_sight() {
    let stage = stage();
    let chosen = RwSignal::new(None);
    mount_table(&stage, rows(100_000), Callback::new(move |at| chosen.set(Some(at))));
    settle().await;
    assert!(texts(&stage, NAMES).len() < 100);
    let scroller: HtmlElement = one(&stage, ".table-box");
    scroller.set_scroll_top(i32::MAX);
    settle().await;
    let names = texts(&stage, NAMES);
    assert_eq!(names.last().map(String::as_str), Some("op.99999"));
    assert!(names.len() < 100, "{}", names.len());
    one::<HtmlElement>(&stage, "[data-row='99999']").click();
    settle().await;
    assert_eq!(chosen.get_untracked(), Some(99_999));
}

#[wasm_bindgen_test]
async fn columns_can_be_taken_away_and_names_keep_their_whole_text() {
    let stage = stage();
    let name = "aten::a_name_that_is_longer_than_any_column.1234";
    mount_table(&stage, Arc::new(vec![Row::new(vec![Cell::Text(name.into()), Cell::Int(5)])]), Callback::new(|_| {}));
    settle().await;
    assert_eq!(texts(&stage, NAMES), [name]);
    assert_eq!(one::<HtmlElement>(&stage, "tbody td").get_attribute("title").as_deref(), Some(name));
    one::<HtmlElement>(&stage, ".menu .button").click();
    settle().await;
    one::<HtmlElement>(&stage, ".menu__item:nth-of-type(2) input").click();
    settle().await;
    assert_eq!(texts(&stage, ".table__sort"), ["Name", "Time %"]);
}

fn colours(canvas: &HtmlCanvasElement) -> usize {
    let context: CanvasRenderingContext2d = canvas.get_context("2d").unwrap().unwrap().unchecked_into();
    let pixels = context.get_image_data(0.0, 0.0, canvas.width().into(), canvas.height().into()).unwrap().data();
    let solid = pixels.chunks(4).filter(|p| p[3] == 255).map(|p| [p[0], p[1], p[2]]);
    let mut counts = std::collections::HashMap::new();
    solid.for_each(|p| *counts.entry(p).or_insert(0u32) += 1);
    counts.values().filter(|n| **n > 500).count()
}

#[wasm_bindgen_test]
async fn a_pie_has_ink_a_legend_and_a_table() {
    let stage = stage();
    let slice = |(i, value): (usize, &i64)| Slice { name: format!("op.{i}"), value: *value, colour: i as u16 };
    let slices: Vec<Slice> = [60_000, 30_000, 4_000, 3_000, 3_000].iter().enumerate().map(slice).collect();
    let slices = RwSignal::new(Arc::new(slices));
    let limit = RwSignal::new(2usize);
    mount_to(stage.clone(), move || {
        view! { <Pie id="p" title="Time by op" what="Op" kind=Kind::Duration slices limit empty="Nothing." /> }
    })
    .forget();
    settle().await;
    let canvas: HtmlCanvasElement = one(&stage, "[data-chart=p] canvas");
    assert_eq!(colours(&canvas), 3);
    assert_eq!(texts(&stage, ".legend__name"), ["op.0", "op.1", "3 others"]);
    assert_eq!(texts(&stage, "[data-chart=p] tbody tr:nth-child(1) td"), ["op.0", "60.0%", "60.0 µs"]);
    slices.set(Arc::new(Vec::new()));
    settle().await;
    assert_eq!(one::<HtmlElement>(&stage, ".chart__empty").inner_text(), "Nothing.");
}

fn operators(range: Option<TimeRange>) -> Operators {
    let row = |name: &str, ns| OperatorRow {
        name: name.into(),
        device: "nc0".into(),
        occurrences: 3,
        self_time: DurationNs(ns),
        total: DurationNs(ns),
        time_share: ns as f64 / 100_000.0,
        min: DurationNs(1),
        mean: DurationNs(2),
        max: DurationNs(3),
        colour: 1,
        flops: None,
    };
    let rows = if range.is_some() { vec![row("dot", 40_000)] } else { vec![row("dot", 60_000), row("relu", 40_000)] };
    let groupings = vec![("name".into(), "Name".into()), ("module".into(), "Module".into())];
    Operators { rows, busy: DurationNs(100_000), groupings, ..Operators::default() }
}

#[wasm_bindgen_test]
async fn operators_follow_the_range_and_tell_which_row_was_chosen() {
    let stage = stage();
    let (ask, mut calls) = Ask::channel();
    let range = RwSignal::new(None);
    let chosen = RwSignal::new(None);
    let on_row = Callback::new(move |row: (String, String)| chosen.set(Some(row)));
    mount_to(stage.clone(), move || view! { <OperatorsView ask range=range.into() on_row /> }).forget();
    leptos::task::spawn_local(async move {
        while let Some(call) = calls.next().await {
            let query = call.query.read::<OperatorsQuery>().expect("a question of this view");
            let answer = match query.group_by.as_str() {
                "module" => EncodedAnswer::refused("No modules."),
                _ => EncodedAnswer::of::<OperatorsQuery>(Ok(&operators(query.range))),
            };
            let _ = call.reply.send(Ok(answer));
        }
    });
    settle().await;
    let names = "[data-table=operators] tbody .mono";
    assert_eq!(texts(&stage, names), ["dot", "relu"]);
    assert_eq!(texts(&stage, ".operators__scope"), ["Entire trace"]);
    one::<HtmlElement>(&stage, "[data-table=operators] [data-row='1']").dispatch_event(&MouseEvent::new("click").unwrap()).unwrap();
    settle().await;
    assert_eq!(chosen.get_untracked(), Some(("name".to_string(), "relu".to_string())));
    range.set(Some(TimeRange::new(TimeNs(0), TimeNs(1_000))));
    settle().await;
    assert_eq!(texts(&stage, names), ["dot"]);
    assert!(texts(&stage, ".operators__scope")[0].starts_with("Selected range"));
    let select: web_sys::HtmlSelectElement = one(&stage, "[data-field=group-by]");
    select.set_value("module");
    select.dispatch_event(&web_sys::Event::new("change").unwrap()).unwrap();
    settle().await;
    assert_eq!(texts(&stage, "[role=alert]"), ["No modules."]);
    assert_eq!(texts(&stage, names), ["dot"], "what was there stays");
}

/// A run with its program.
fn run() -> Session {
    axonscope::engine::link_all();
    let files: [(&str, &[u8]); 2] =
        [("a.ntff", include_bytes!("cases/ntff/with_neff/a.ntff")), ("a.neff", include_bytes!("cases/ntff/with_neff/a.neff"))];
    let input = InputSet { members: files.into_iter().map(|(name, bytes)| Member::from_bytes(name, bytes.to_vec())).collect() };
    let claim = Claim { format: "ntff".into(), members: vec![0, 1], recognised: String::new() };
    let (imported, readable) = import_claim(&input, &claim, &mut |_| ()).unwrap();
    Session::new(claim, readable, imported)
}

#[wasm_bindgen_test]
async fn what_views_of_a_run_ask_first_is_found_ahead() {
    let stage = stage();
    let (ask, mut calls) = Ask::channel();
    let session = Rc::new(run());
    let asked = Rc::new(RefCell::new(Vec::<EncodedQuery>::new()));
    let range = Signal::stored(None);
    mount_to(stage.clone(), move || {
        let (for_bounds, for_gaps, for_advice) = (ask.clone(), ask.clone(), ask.clone());
        view! {
            <SummaryView ask range regions=Signal::stored(Vec::new()) on_region=Callback::new(|_| ()) on_slice=Callback::new(|_| ()) />
            <BoundsView
                ask=for_bounds range selection=Signal::stored(None) named=Signal::stored(Vec::new()) on_slices=Callback::new(|_| ())
                on_range=Callback::new(|_| ()) on_region=Callback::new(|_| ())
            />
            <GapsView ask=for_gaps range on_place=Callback::new(|_| ()) />
            <AdviceView ask=for_advice on_place=Callback::new(|_| ()) />
        }
    })
    .forget();
    let (seen, answering) = (asked.clone(), session.clone());
    leptos::task::spawn_local(async move {
        while let Some(call) = calls.next().await {
            seen.borrow_mut().push(call.query.clone());
            let _ = call.reply.send(Ok(call.query.answer(&answering)));
        }
    });
    let ahead: Vec<EncodedQuery> = session.questions_ahead(Preparation::Views).iter().filter_map(|question| question(&session)).collect();
    assert!(ahead.len() > 5 && ahead.iter().all(|query| !query.answer(&session).is_refused()));
    settle().await;
    settle().await;
    let numbers = |queries: &[EncodedQuery], others: &[EncodedQuery]| {
        queries.iter().filter(|query| !others.contains(query)).map(EncodedQuery::number).collect::<Vec<_>>()
    };
    let (late, idle) = (numbers(&asked.borrow(), &ahead), numbers(&ahead, &asked.borrow()));
    assert!(late.is_empty() && idle.is_empty(), "asked, and not found ahead: {late:?}; found ahead, and not asked: {idle:?}");
}
