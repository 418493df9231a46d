//! The semaphores to draw, by number, and the numbers that the profile does not have.

use super::semaphore_numbers::numbers;
pub use super::semaphore_numbers::semaphores;
use crate::base::text;
use crate::engine::page_columns::PageColumns;
use crate::ui::controls::unique;
use crate::views::timeline::rows::choices::Settings;
use leptos::prelude::*;
use std::sync::Arc;

/// Numbers listed in a sentence; more are only counted.
const NAMED: usize = 12;

/// A sentence about the typed numbers that are none of `known`; `None` where each is.
fn unknown(known: &[String], typed: &str) -> Option<String> {
    let mut missing: Vec<&str> = numbers(typed).filter(|w| known.iter().all(|k| k != w)).collect();
    missing.dedup();
    if missing.is_empty() {
        return None;
    }
    let (is_none_known, one) = (numbers(typed).count() == missing.len(), missing.len() == 1);
    let list = |all: &[&str]| {
        let more = if all.len() > NAMED { format!(" and {} more", text::count((all.len() - NAMED) as u64)) } else { String::new() };
        format!("{}{more}", all[..all.len().min(NAMED)].iter().map(|w| text::middle_ellipsis(w, 20)).collect::<Vec<_>>().join(", "))
    };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let drawn = match (is_none_known, one) {
        (true, _) => "so all are drawn",
        (false, true) => "so it is not drawn",
        (false, false) => "so they are not drawn",
    };
    let what = if one { "no semaphore" } else { "no semaphores" };
    let is = if one { "is" } else { "are" };
    Some(format!("{} {is} {what} of this profile, {drawn}. Its semaphores: {}.", list(&missing), list(&known)))
}

/// The part of the panel of choices that picks semaphores; absent where a profile has none.
#[component]
pub fn Semaphores(settings: Settings, columns: Signal<Option<Arc<PageColumns>>>) -> impl IntoView {
    let known = Memo::new(move |_| columns.with(|h| h.as_ref().map(|h| semaphores(&h.info)).unwrap_or_default()));
    let (chosen, choose) = settings.semaphores;
    let wrong = Memo::new(move |_| known.with(|k| unknown(k, &chosen.get())));
    let list = format!("semaphores-{}", unique());
    let note = format!("{list}-note");
    view! {
        <Show when=move || known.with(|k| !k.is_empty())>
            <fieldset class="flows">
                <legend class="flows__title">"Semaphores"</legend>
                <label class="flows__item">
                    "Only"
                    <input
                        class="input mono" list=list.clone() placeholder="all; or numbers: 5, 24" data-setting="semaphores"
                        aria-invalid=move || wrong.with(Option::is_some).to_string() aria-describedby=note.clone()
                        prop:value=move || chosen.get() on:change:target=move |e| choose.set(e.target().value().trim().to_string())
                    />
                    <datalist id=list.clone()>{move || known.get().into_iter().map(|k| view! { <option value=k></option> }).collect_view()}</datalist>
                </label>
                <p class="flows__wrong" role="status" id=note.clone() data-wrong="semaphores">{move || wrong.get()}</p>
            </fieldset>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::super::semaphore_numbers::picked;
    use super::*;
    use crate::engine::page_columns::PageMeta;

    #[test]
    fn semaphores_are_picked_by_number() {
        let mut info = PageMeta::default();
        for text in ["S[24] = 1", "S[5] = 2", "S[5] = 3", "mark"] {
            info.strings.push(text);
        }
        assert_eq!(semaphores(&info), ["5", "24"]);
        assert_eq!(picked(&info, ""), None);
        let picked = picked(&info, "5, 7").expect("some");
        assert_eq!(picked[picked.len() - 4..], [false, true, true, true]);
        assert_eq!(super::super::semaphore_numbers::picked(&info, "abc, 999"), None, "nothing that is known: all are drawn");
    }

    #[test]
    fn numbers_that_no_semaphore_has_are_reported() {
        let known = ["5".to_string(), "24".to_string()];
        let check = |typed: &str, want: Option<&str>| assert_eq!(unknown(&known, typed).as_deref(), want, "{typed}");
        check("", None);
        check("24, 5", None);
        check("5 abc", Some("abc is no semaphore of this profile, so it is not drawn. Its semaphores: 5, 24."));
        check("abc, 999", Some("abc, 999 are no semaphores of this profile, so all are drawn. Its semaphores: 5, 24."));
        check("x, 5, y", Some("x, y are no semaphores of this profile, so they are not drawn. Its semaphores: 5, 24."));
        let many: Vec<String> = (0..40).map(|i| i.to_string()).collect();
        assert!(unknown(&many, "99").is_some_and(|s| s.ends_with("11 and 28 more.")));
    }
}
