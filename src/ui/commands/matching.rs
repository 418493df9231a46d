//! How well a text matches what is typed: words in any order, each as letters in their order.

use crate::base::Order as _;

/// Points for a match; higher is better. `None` where a word of `typed` is not in `text`. Nothing typed matches everything equally.
pub fn score(typed: &str, text: &str) -> Option<i32> {
    let text: Vec<char> = text.chars().collect();
    let lower: Vec<char> = text.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let mut sum = 0;
    for word in typed.split_whitespace() {
        let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        sum += of_word(&word, &text, &lower)?;
    }
    // Between equal matches the shorter text is meant.
    Some(if sum > 0 { sum - (text.len() as i32).min(200) / 8 } else { 0 })
}

/// A letter.
const LETTER: i32 = 4;
/// A letter that begins a word of the text.
const START: i32 = 12;
/// A letter right after the last one that matched.
const NEXT: i32 = 10;
/// The whole word in one piece.
const WHOLE: i32 = 30;

/// A word in one piece, the earliest at the start of a word; else its letters from left to right.
fn of_word(word: &[char], text: &[char], lower: &[char]) -> Option<i32> {
    let n = word.len();
    let pieces = lower.windows(n).enumerate().filter(|(_, piece)| *piece == word).map(|(at, _)| at);
    let piece = pieces.map(|at| (is_start(text, at), at)).reduce(|best, next| if next.0 && !best.0 { next } else { best });
    if let Some((is_start, _)) = piece {
        return Some(WHOLE + n as i32 * (LETTER + NEXT) + if is_start { START * 2 } else { 0 });
    }
    let (mut points, mut from, mut last) = (0, 0, None);
    for letter in word {
        let rest = lower.get(from..)?;
        let first = rest.iter().position(|c| c == letter)? + from;
        // The start of a word further on is what a typist means, unless the letter follows the last one.
        let start = (first..lower.len()).find(|&at| lower[at] == *letter && is_start(text, at));
        let follows = last.is_some_and(|last: usize| last + 1 == first);
        let at = if follows { first } else { start.filter(|&at| at - first < 24).unwrap_or(first) };
        points += LETTER + if follows { NEXT } else { 0 } + if is_start(text, at) { START } else { 0 };
        (from, last) = (at + 1, Some(at));
    }
    Some(points)
}

/// Whether a word begins there: after what is no letter or digit, or where a capital follows a small letter.
fn is_start(text: &[char], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|b| text.get(b)) else { return true };
    let Some(here) = text.get(at) else { return false };
    here.is_alphanumeric() && (!before.is_alphanumeric() || (here.is_uppercase() && before.is_lowercase()))
}

/// Positions of the best matches, best first, as many as `most`; equal ones in the order given.
pub fn best<'a>(typed: &str, texts: impl Iterator<Item = (usize, &'a str)>, most: usize) -> Vec<usize> {
    let mut found: Vec<(i32, usize)> = Vec::new();
    for (at, text) in texts {
        if let Some(points) = score(typed, text) {
            found.push((-points, at));
        }
        // Never many more than are shown: the texts may be a million names.
        if found.len() >= 8 * most.max(1) {
            found.order();
            found.truncate(most);
        }
    }
    found.order();
    found.truncate(most);
    found.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, texts: &[&str], want: &[&str]) {
        let found = best(typed, texts.iter().copied().enumerate(), 10);
        assert_eq!(found.into_iter().map(|at| texts[at]).collect::<Vec<_>>(), want, "{typed}");
    }

    #[test]
    fn the_best_match_comes_first() {
        check("tim", &["Optimizer", "Timeline", "Ledger"], &["Timeline", "Optimizer"]);
        check("gpu mem", &["Memory of GPU 0", "GPU 0", "Memory"], &["Memory of GPU 0"]);
        check("bn", &["aten::binary", "aten::batch_norm", "cudnn::bn"], &["cudnn::bn", "aten::batch_norm", "aten::binary"]);
        check("addmm", &["aten::addmm_backward", "aten::addmm"], &["aten::addmm", "aten::addmm_backward"]);
        check("MFW", &["MyForwardWork", "mfwx"], &["mfwx", "MyForwardWork"]);
        check("", &["b", "a"], &["b", "a"]);
        check("   ", &["b", "a"], &["b", "a"]);
        check("xyz", &["abc", ""], &[]);
        check("ä", &["Ärger", "größe"], &["Ärger"]);
    }

    #[test]
    fn only_the_best_of_very_many_are_kept() {
        let texts: Vec<String> = (0..5_000).map(|i| format!("kernel {i}")).collect();
        let found = best("kernel 4999", texts.iter().map(String::as_str).enumerate(), 3);
        assert_eq!(found, [4_999]);
        assert_eq!(best("kernel", texts.iter().map(String::as_str).enumerate(), 3), [0, 1, 2]);
    }
}
