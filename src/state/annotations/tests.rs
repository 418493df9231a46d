use super::*;

fn range(a: i64, b: i64) -> TimeRange {
    TimeRange::new(TimeNs(a), TimeNs(b))
}

fn set() -> AnnotationSet {
    let mut set = AnnotationSet::default();
    set.add_marker(TimeNs(50));
    set.add_region(range(10, 30));
    set.add_marker(TimeNs(20));
    set
}

#[test]
fn annotations_stand_by_time_and_get_names() {
    let set = set();
    let got: Vec<(u32, &str)> = set.items.iter().map(|a| (a.id, a.name.as_str())).collect();
    assert_eq!(got, [(2, "Region 1"), (3, "Marker 2"), (1, "Marker 1")]);
    let mut empty = AnnotationSet::default();
    assert_eq!(empty.add_region(range(5, 5)), None);
}

#[test]
fn a_name_that_is_free_again_is_used_again() {
    let mut set = set();
    set.remove(1);
    let id = set.add_marker(TimeNs(70)).expect("room");
    assert_eq!(set.get(id).map(|a| a.name.as_str()), Some("Marker 1"));
}

#[test]
fn differences_are_to_the_one_before_or_to_the_chosen_one() {
    let mut set = set();
    assert_eq!((set.difference_ns(2), set.difference_ns(3), set.difference_ns(1)), (None, Some(10), Some(30)));
    set.change(1, |a| a.versus = Some(2));
    assert_eq!((set.difference_ns(1), set.span(1)), (Some(40), Some(range(10, 50))));
    set.change(3, |a| a.versus = Some(1));
    assert_eq!((set.difference_ns(3), set.span(3), set.span(2)), (Some(-30), Some(range(20, 50)), Some(range(10, 30))));
    set.remove(1);
    assert_eq!((set.get(3).and_then(|a| a.versus), set.difference_ns(3)), (None, Some(10)));
    set.change(3, |a| a.versus = Some(3));
    assert_eq!(set.get(3).and_then(|a| a.versus), None);
}

#[test]
fn ends_of_a_region_stay_in_order() {
    let mut set = set();
    set.move_part(2, Part::Start, TimeNs(40));
    assert_eq!(set.get(2).map(Annotation::range), Some(range(30, 40)));
    set.move_part(2, Part::End, TimeNs(5));
    assert_eq!(set.get(2).map(Annotation::range), Some(range(5, 30)));
    set.move_part(1, Part::Start, TimeNs(1));
    assert_eq!(set.items[0].id, 1);
}

#[test]
fn sets_are_saved_loaded_and_forgotten_by_name() {
    let mut book = Book { current: set(), saved: Vec::new() };
    book.save_as("  ");
    assert!(book.saved.is_empty());
    book.save_as("first");
    book.current.remove(1);
    book.save_as("second");
    book.load("first");
    assert_eq!((book.current.items.len(), book.saved.len()), (3, 2));
    book.save_as("second");
    assert_eq!(book.saved.len(), 2);
    book.forget("second");
    book.load("second");
    assert_eq!((book.current.items.len(), book.saved.len()), (3, 1));
}

#[test]
fn a_set_is_bounded() {
    let mut set = AnnotationSet::default();
    for i in 0..MOST as i64 {
        assert!(set.add_marker(TimeNs(i)).is_some());
    }
    assert_eq!(set.add_marker(TimeNs(0)), None);
    set.change(1, |a| (a.name, a.colour) = ("x".repeat(500), 99));
    assert_eq!(set.get(1).map(|a| (a.name.len(), a.colour)), Some((LONGEST_NAME, 99 % N_COLOURS)));
}

#[test]
fn another_set_is_added_under_new_ids() {
    let (mut both, mut other) = (set(), set());
    other.change(1, |a| a.versus = Some(2));
    assert_eq!(both.append(other), 0);
    assert_eq!(both.items.len(), 6);
    let mut ids: Vec<u32> = both.items.iter().map(|a| a.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 6, "no two of one id");
    let versus: Vec<_> = both.items.iter().filter_map(|a| a.versus.map(|v| (a.start.0, both.get(v).map(|v| v.start.0)))).collect();
    assert_eq!(versus, [(50, Some(10))], "measured from the one that came with it");
    let mut full = AnnotationSet::default();
    for at in 0..MOST as i64 - 1 {
        full.add_marker(TimeNs(at));
    }
    assert_eq!((full.append(set()), full.items.len()), (2, MOST));
}
