//! Conditions of a search as text: a round trip, and no panic on any text.

use crate::analysis::filter::{Filter, Term};
use crate::analysis::matcher::matcher;
use crate::model::{Meta, ProfileBuilder};
use crate::state::search::{terms_from, terms_text};
use proptest::prelude::*;

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[%&=0-9A-F/<>.,_ -]{0,24}", "(>=|<=|>|<|/)?-?[0-9_,]{0,24}(\\.\\.)?-?[0-9]{0,24}/?",]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn conditions_come_back_from_their_text(pairs in prop::collection::vec((texts(), texts()), 0..20)) {
        let terms: Vec<Term> = pairs.into_iter().map(|(field, text)| Term { field, text }).collect();
        prop_assert_eq!(terms_from(&terms_text(&terms)), terms);
    }

    #[test]
    fn reading_what_is_no_condition_never_panics_and_settles(text in texts()) {
        let read = terms_from(&text);
        prop_assert_eq!(terms_from(&terms_text(&read)), read);
    }

    #[test]
    fn any_condition_is_read_or_refused_with_a_sentence(field in texts(), text in texts(), category in texts(), is_regex in any::<bool>()) {
        let profile = ProfileBuilder::new().finish(Meta::default()).profile;
        for field in [field.as_str(), "", "name", "start_ns", "duration_ns", "semaphore"] {
            let terms = [Term { field: field.into(), text: text.clone() }];
            if let Err(sentence) = Filter::new(&profile, &category, &terms) {
                prop_assert!(sentence.to_string().ends_with('.'), "{}", sentence);
            }
        }
        if let Ok(matcher) = matcher(&text, is_regex) {
            matcher.is_hit(&category);
        }
    }
}
