//! The page's state and its actions, without a browser.

use crate::base::{InputSet, Ledger, SliceId, StrId, TimeNs, TimeRange};
use crate::engine::Session;
use crate::engine::query::SearchQuery;
use crate::engine::query::{FindQuery, ImportQuery, TableQuery};
use crate::formats::{Claim, Imported};
use crate::model::{Meta, ProfileBuilder, RawSlice, RecordRef, TrackKind, TrackSpec};
use crate::state::{App, AppStateStoreFields as _, BackgroundChoices, OpenProfile, WorkerState, actions, runs};
use crate::worker::client::{Ask, EngineError};
use leptos::prelude::*;
use std::sync::Arc;

fn session() -> Session {
    let mut builder = ProfileBuilder::new();
    let track = builder.track(TrackSpec { parent: None, name: "t".into(), kind: TrackKind::Thread, sort: 0 });
    let name: StrId = builder.strings.intern("op");
    for start in [0, 10] {
        builder.slice(RawSlice { track, start, duration: 5, name, record: RecordRef::default() });
    }
    let profile = builder.finish(Meta { title: "two.json".into(), ..Meta::default() }).profile;
    let claim = Claim { format: "test".into(), members: vec![0], recognised: String::new() };
    Session::new(claim, InputSet::default(), Imported { profile, ledger: Ledger::default() })
}

fn profile(app: App, hash: &str) -> OpenProfile {
    let session = session();
    let columns = Arc::new(session.page_columns());
    OpenProfile {
        id: actions::new_id(app),
        title: String::new(),
        own_title: "two.json".into(),
        hash: hash.into(),
        format: "test".into(),
        drop: actions::new_id(app),
        import: actions::new_id(app),
        path: "two.json".into(),
        place: None,
        ask: Ask::in_process(session),
        columns,
        ledger: Arc::default(),
        memory: 0,
        stopped: None,
        worker_state: WorkerState::Awake,
        background: BackgroundChoices::default(),
    }
}

fn with_app(test: impl FnOnce(App)) {
    let owner = Owner::new();
    owner.set();
    test(App::new());
}

#[test]
fn tabs_of_a_drop_are_in_the_order_of_its_files() {
    with_app(|app| {
        let of = |hash, drop, import| OpenProfile { drop, import, ..profile(app, hash) };
        for profile in [of("a", 1, 1), of("d", 2, 9), of("b", 2, 7), of("c", 2, 8), of("e", 3, 5)] {
            actions::add_profile(app, profile, None);
        }
        let hashes = app.state.profiles().with_untracked(|all| all.iter().map(|p| p.hash.clone()).collect::<String>());
        assert_eq!(hashes, "abcde");
        assert_eq!(app.front_untracked().map(|p| p.hash), Some("e".into()));
    });
}

#[test]
fn each_tab_keeps_its_choices() {
    with_app(|app| {
        let (a, b) = (profile(app, "a"), profile(app, "b"));
        let (a_id, b_id) = (a.id, b.id);
        actions::add_profile(app, a, None);
        let range = TimeRange::new(TimeNs(1), TimeNs(4));
        actions::commit_range(app, Some(range));
        let rows = Arc::new(vec![String::from("t")]);
        app.rows.set(rows.clone());
        actions::show_view(app, "operators");
        let (group, set_group) = app.view_state("operators").choice("group", String::from("name"));
        set_group.set("category".into());
        actions::add_profile(app, b, None);
        assert_eq!(group.get_untracked(), "name");
        assert_eq!((app.range.get_untracked(), app.rows.with_untracked(|r| r.len())), (None, 0));
        assert_eq!(app.state.view().get_untracked(), "timeline");
        app.selection.set(Some(SliceId(1).into()));
        actions::show_profile(app, a_id);
        assert_eq!((app.range.get_untracked(), app.rows.get_untracked()), (Some(range), rows));
        actions::commit_range(app, Some(range));
        assert!(app.rows.with_untracked(|r| r.is_empty()), "a range out of a table is of all rows");
        assert_eq!(app.selection.get_untracked(), None);
        assert_eq!(app.state.view().get_untracked(), "operators");
        assert_eq!(group.get_untracked(), "category");
        actions::close_profile(app, a_id);
        assert_eq!(app.state.front().get_untracked(), Some(b_id));
        assert_eq!(app.selection.get_untracked(), Some(SliceId(1).into()));
        actions::close_profile(app, b_id);
        assert_eq!(app.state.front().get_untracked(), None);
    });
}

#[test]
fn tabs_that_open_again_stay_behind_the_one_in_front_and_keep_their_order() {
    with_app(|app| {
        let (a, b, c) = (profile(app, "a"), profile(app, "b"), profile(app, "c"));
        let (b_id, c_id) = (b.id, c.id);
        let of_tabs = || app.state.profiles().with_untracked(|all| all.iter().map(|p| p.hash.clone()).collect::<Vec<_>>());
        for profile in [b, a] {
            app.state.background_drop().set(Some(profile.drop));
            actions::add_profile(app, profile, None);
            assert_eq!(app.state.front().get_untracked(), Some(b_id), "the first one is shown");
        }
        // What the user drops meanwhile is shown.
        actions::add_profile(app, c, None);
        assert_eq!(app.state.front().get_untracked(), Some(c_id));
        actions::order_profiles(app, &["a".into(), "b".into()]);
        assert_eq!(of_tabs(), ["a", "b", "c"]);
    });
}

#[test]
fn escape_ends_the_innermost_thing() {
    with_app(|app| {
        actions::commit_range(app, Some(TimeRange::new(TimeNs(1), TimeNs(4))));
        actions::go_to_slice(app, SliceId(0));
        app.state.is_help_open().set(true);
        actions::escape(app);
        assert!(!app.state.is_help_open().get_untracked());
        assert!(app.state.is_details_open().get_untracked());
        actions::escape(app);
        assert!(!app.state.is_details_open().get_untracked());
        assert!(app.range.get_untracked().is_some());
        actions::escape(app);
        assert_eq!(app.range.get_untracked(), None);
    });
}

#[test]
fn the_same_sentence_is_said_once() {
    with_app(|app| {
        actions::notify(app, "No.".into(), true);
        actions::notify(app, "No.".into(), true);
        let notices = app.state.notices().get_untracked();
        assert_eq!(notices.len(), 1);
        actions::dismiss(app, notices[0].id);
        assert!(app.state.notices().get_untracked().is_empty());
    });
}

#[test]
fn what_was_said_of_a_drop_goes_with_the_next() {
    with_app(|app| {
        actions::notify(app, "The worker stopped.".into(), true);
        actions::drop_begins(app);
        actions::notify_of_drop(app, "`a` is no profile.".into(), true);
        actions::notify_of_drop(app, "`b` is no profile.".into(), true);
        assert_eq!(app.state.notices().get_untracked().len(), 3);
        actions::drop_begins(app);
        assert_eq!(app.state.notices().get_untracked().into_iter().map(|n| n.text).collect::<Vec<_>>(), ["The worker stopped."]);
    });
}

#[test]
fn questions_are_answered_or_refused() {
    let ask = Ask::in_process(session());
    let query = SearchQuery { text: "op".into(), limit: 1, ..SearchQuery::default() };
    match pollster(ask.ask(query)) {
        Ok(hits) => assert_eq!((hits.slices.len(), hits.n_total), (1, 2)),
        other => panic!("{other:?}"),
    }
    match pollster(ask.ask(TableQuery { id: "none".into(), first: 0, n: 1 })) {
        Err(EngineError::Refused(sentence)) => assert!(sentence.contains("`none`")),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        pollster(ask.ask(FindQuery { track: "t".into(), time: TimeNs(10), name: "op".into(), is_instant: false })),
        Ok(Some(SliceId(1).into()))
    );
    let (ask, calls) = Ask::channel();
    drop(calls);
    assert_eq!(pollster(ask.ask(ImportQuery)), Err(EngineError::Stopped));
}

/// These futures are ready at once.
fn pollster<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("an in-process answer is there at once"),
    }
}

/// A profile of a file of a drop, with what the file says of its rank.
fn open(app: App, drop: u32, path: &str, rank: Option<(u32, u32)>) -> u32 {
    let profile = OpenProfile { drop, path: path.into(), ..profile(app, path) };
    let id = profile.id;
    actions::add_profile(app, profile, rank);
    id
}

#[test]
fn profiles_of_a_drop_are_a_run() {
    with_app(|app| {
        let files = ["r/w0.9.pt.trace.json", "r/w0.10.pt.trace.json", "r/w1.11.pt.trace.json", "r/w1.12.pt.trace.json"];
        runs::expect_files(app, 1, files.iter().map(|f| f.to_string()));
        let lone = open(app, 0, "two.json", None);
        // The later span is open first, and knows that it is not the first one.
        let second = open(app, 1, files[1], None);
        let place = |id| app.state.profiles().with_untracked(|all| all.iter().find(|p| p.id == id).and_then(|p| p.place.clone()));
        assert_eq!(place(second).map(|p| (p.run, p.worker, p.span)), Some(("r".into(), "w0".into(), Some(2))));
        assert_eq!(place(lone), None);
        let [first, other, late] = [files[0], files[2], files[3]].map(|f| open(app, 1, f, None));
        // One tab of the run came to front; the others joined it.
        assert_eq!(app.state.front().get_untracked(), Some(second));
        let of = |all: Vec<OpenProfile>| all.into_iter().map(|p| p.id).collect::<Vec<u32>>();
        assert_eq!(of(untrack(|| app.of_run())), [first, second, other, late]);
        assert_eq!(of(untrack(|| app.of_span())), [second, late]);
        let runs = untrack(|| app.runs());
        assert_eq!(runs.iter().map(|r| r.title()).collect::<Vec<_>>(), ["two.json", "r · 2 workers"]);
        assert_eq!((runs[1].workers(), runs[1].spans()), (vec!["w0".into(), "w1".into()], vec![Some(1), Some(2)]));
        assert_eq!(runs[1].nearest("w1", Some(1)).map(|p| p.id), Some(other));
        // The view stays when another worker comes to front, where that can fill it.
        actions::show_view(app, "operators");
        actions::show_sibling(app, other);
        assert_eq!((app.state.front().get_untracked(), app.state.view().get_untracked()), (Some(other), "operators".into()));
        actions::close_profile(app, first);
        assert_eq!(place(second).and_then(|p| p.span), Some(2));
        [second, other, late].into_iter().for_each(|id| actions::close_profile(app, id));
        assert_eq!(of(untrack(|| app.of_run())), [lone]);
        assert!(app.state.origins().get_untracked().is_empty());
    });
}

#[test]
fn files_of_one_worker_get_one_sentence_whichever_opens_first() {
    for order in [[0, 1], [1, 0]] {
        with_app(|app| {
            let files = ["r/part0.json", "r/part1.json"];
            runs::expect_files(app, 1, files.iter().map(|f| f.to_string()));
            for i in order {
                open(app, 1, files[i], Some((0, 2)));
            }
            let notices = app.state.notices().get_untracked();
            let texts: Vec<&str> = notices.iter().map(|n| n.text.as_str()).collect();
            assert_eq!(texts.len(), 1, "{order:?}: {texts:?}");
            assert!(texts[0].contains("worker `rank 0`") && texts[0].contains("`r/part1.json` is shown as `rank 0 (2)`"), "{texts:?}");
        });
    }
}

#[test]
fn tabs_of_equal_titles_are_distinguished_while_both_are_open() {
    with_app(|app| {
        let (one, _) = (open(app, 1, "one/two.json", None), open(app, 2, "other/two.json", None));
        let tabs = || untrack(|| app.runs()).iter().map(|r| r.title()).collect::<Vec<_>>();
        assert_eq!(tabs(), ["two.json · one", "two.json · other"]);
        // The same path again, of other content.
        let again = OpenProfile { drop: 3, path: "one/two.json".into(), ..profile(app, "0123456789abcdef") };
        let again_id = again.id;
        actions::add_profile(app, again, None);
        assert_eq!(tabs(), ["two.json · one/", "two.json · other", "two.json · 0123"]);
        actions::close_profile(app, again_id);
        actions::close_profile(app, one);
        assert_eq!(tabs(), ["two.json"]);
    });
}

#[test]
fn two_files_of_one_place_are_kept_with_a_sentence() {
    with_app(|app| {
        runs::expect_files(app, 1, ["r/a.json", "r/b.json"].iter().map(|f| f.to_string()));
        open(app, 1, "r/a.json", Some((0, 2)));
        assert!(app.state.notices().get_untracked().is_empty());
        open(app, 1, "r/b.json", Some((0, 2)));
        let notices = app.state.notices().get_untracked();
        assert!(notices[0].text.contains("worker `rank 0`") && notices[0].text.contains("`r/b.json`"), "{notices:?}");
        assert_eq!(untrack(|| app.of_span()).len(), 2);
    });
}
