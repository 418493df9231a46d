//! A cache of slow answers: a view that is shown again does not wait twice.

use super::{Answer, Query};
use std::collections::VecDeque;

/// Answers of one session, most recently used first. A session never changes, so an entry never expires.
#[derive(Debug, Default)]
pub struct Kept {
    answers: VecDeque<(Query, Answer)>,
}

impl Kept {
    /// Capacity; the least recently used answer is dropped first.
    const MOST: usize = 16;

    /// The cached answer to a question.
    pub fn get(&mut self, query: &Query) -> Option<Answer> {
        let at = self.answers.iter().position(|(known, _)| known == query)?;
        let found = self.answers.remove(at)?;
        let answer = found.1.clone();
        self.answers.push_front(found);
        Some(answer)
    }

    /// Stores an answer. Refusals are not stored.
    pub fn keep(&mut self, query: Query, answer: Answer) {
        if !matches!(answer, Answer::Refused(_)) {
            self.answers.truncate(Self::MOST - 1);
            self.answers.push_front((query, answer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::query::TableHelpQuery;

    fn query(i: usize) -> Query {
        TableHelpQuery { id: i.to_string() }.into()
    }

    #[test]
    fn what_was_used_last_stays() {
        let answer = |i: usize| Answer::Refused(i.to_string());
        let mut kept = Kept::default();
        kept.keep(query(0), answer(0));
        assert_eq!(kept.get(&query(0)), None, "a refusal may be another one next time");
        let help = |i: usize| Answer::TableHelpQuery(Box::new(vec![i.to_string()]));
        for i in 0..Kept::MOST {
            kept.keep(query(i), help(i));
        }
        assert_eq!(kept.get(&query(0)), Some(help(0)));
        kept.keep(query(99), help(99));
        let has = |kept: &mut Kept, i| kept.get(&query(i)).is_some();
        assert_eq!([0, 1, 2, 99].map(|i| has(&mut kept, i)), [true, false, true, true]);
    }
}
