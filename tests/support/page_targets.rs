//! What the page reads that others may have written, run on hostile bytes: links, annotations, workspaces.

use axonscope::state::annotations::text as annotations;
use axonscope::state::url::UrlState;
use axonscope::state::workspace::Workspace;

/// A name, and what is run on bytes.
type Target = (&'static str, fn(&[u8]));

/// The targets, by name.
pub const PAGE: &[Target] = &[("url", url), ("annotations", notes), ("workspace", workspace)];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A link that is read and written is read as the same again.
fn url(bytes: &[u8]) {
    let state = UrlState::from_fragment(&text(bytes));
    let once = UrlState::from_fragment(&state.to_fragment()).to_fragment();
    assert_eq!(UrlState::from_fragment(&once).to_fragment(), once);
}

/// A file of annotations that is read keeps its rules, and is written as one that is read as the same.
fn notes(bytes: &[u8]) {
    let book = annotations::book_from_text(&text(bytes));
    assert_eq!(annotations::book_from_text(&annotations::book_to_text(&book)), book);
    let Ok(found) = annotations::from_file(&text(bytes)) else { return };
    let mut tidied = found.set.clone();
    tidied.tidy();
    assert_eq!(tidied, found.set, "a second time changes nothing");
    let of = found.of.unwrap_or_default();
    let again = annotations::from_file(&annotations::to_json(&found.set, &of)).expect("what was written is read");
    assert_eq!(again.set, found.set);
    annotations::from_file(&annotations::to_csv(&found.set)).expect("what was written is read");
}

/// The same of a workspace.
fn workspace(bytes: &[u8]) {
    let Ok(read) = Workspace::from_text(&text(bytes)) else { return };
    assert_eq!(Workspace::from_text(&read.to_text()).as_ref(), Ok(&read));
    read.profiles.iter().for_each(|profile| drop(profile.state()));
    let _ = read.sentence(|hash| hash.len() % 2 == 0);
}
