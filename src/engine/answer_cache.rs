//! A cache of slow answers: a view that is shown again does not wait twice.

use super::{EncodedAnswer, EncodedQuery};
use std::collections::VecDeque;
use std::rc::Rc;

/// Answers of one session, most recently used first. A session never changes, so an entry never expires.
#[derive(Debug, Default)]
pub struct AnswerCache {
    answers: VecDeque<(EncodedQuery, Rc<EncodedAnswer>)>,
}

impl AnswerCache {
    /// Capacity; the least recently used answer is dropped first.
    const MOST: usize = 16;

    /// The cached answer to a question.
    pub fn get(&mut self, query: &EncodedQuery) -> Option<Rc<EncodedAnswer>> {
        let at = self.answers.iter().position(|(known, _)| known == query)?;
        let found = self.answers.remove(at)?;
        let answer = found.1.clone();
        self.answers.push_front(found);
        Some(answer)
    }

    /// Stores an answer. Refusals are not stored.
    pub fn keep(&mut self, query: EncodedQuery, answer: Rc<EncodedAnswer>) {
        if !answer.is_refused() {
            self.answers.truncate(Self::MOST - 1);
            self.answers.push_front((query, answer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::query::TableHelpQuery;

    fn query(i: usize) -> EncodedQuery {
        EncodedQuery::of(&TableHelpQuery { id: i.to_string() })
    }

    #[test]
    fn what_was_used_last_stays() {
        let answer = |i: usize| Rc::new(EncodedAnswer::of::<TableHelpQuery>(Ok(&vec![i.to_string()])));
        let mut cache = AnswerCache::default();
        cache.keep(query(0), Rc::new(EncodedAnswer::refused("No.")));
        assert_eq!(cache.get(&query(0)), None, "a refusal may be another one next time");
        for i in 0..AnswerCache::MOST {
            cache.keep(query(i), answer(i));
        }
        assert_eq!(cache.get(&query(0)), Some(answer(0)));
        cache.keep(query(99), answer(99));
        let has = |cache: &mut AnswerCache, i| cache.get(&query(i)).is_some();
        assert_eq!([0, 1, 2, 99].map(|i| has(&mut cache, i)), [true, false, true, true]);
    }
}
