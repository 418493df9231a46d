//! Whether a text is what was searched for: holds a text, or matches a pattern.

use regex_lite::{Regex, RegexBuilder};

/// A text that is not a regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a valid regular expression: {why}.")]
pub struct PatternError {
    /// The text.
    pub pattern: String,
    /// What is wrong with it, in the words of the library.
    pub why: String,
}

/// Decides whether a string is a hit.
pub enum Matcher {
    /// Holds this text.
    Exact(String),
    /// Holds this text, which is in lower case, in any case.
    IgnoreCase(String),
    /// Matches.
    Pattern(Regex),
}

impl Matcher {
    /// For a text or pattern; case counts when it holds an upper-case letter.
    pub fn new(text: &str, is_regex: bool) -> Result<Self, PatternError> {
        let keeps_case = text.chars().any(char::is_uppercase);
        if is_regex {
            let built = RegexBuilder::new(text).case_insensitive(!keeps_case).build();
            return built.map(Matcher::Pattern).map_err(|e| PatternError { pattern: text.into(), why: e.to_string() });
        }
        Ok(if keeps_case { Matcher::Exact(text.into()) } else { Matcher::IgnoreCase(text.to_lowercase()) })
    }

    /// Whether a string is one.
    pub fn is_hit(&self, text: &str) -> bool {
        match self {
            Matcher::Exact(part) => text.contains(part.as_str()),
            Matcher::IgnoreCase(part) if text.is_ascii() && part.is_ascii() => {
                text.as_bytes().windows(part.len().max(1)).any(|w| w.eq_ignore_ascii_case(part.as_bytes()))
            }
            Matcher::IgnoreCase(part) => text.to_lowercase().contains(part.as_str()),
            Matcher::Pattern(regex) => regex.is_match(text),
        }
    }
}

/// A matcher for a text, or for a pattern between slashes: with an `i` behind them case never matters.
pub fn matcher(text: &str, is_regex: bool) -> Result<Matcher, PatternError> {
    let inner = text.strip_prefix('/').unwrap_or_default();
    match (inner.strip_suffix('/'), inner.strip_suffix("/i")) {
        (Some(pattern), _) if !pattern.is_empty() => Matcher::new(pattern, true),
        (_, Some(pattern)) if !pattern.is_empty() => Matcher::new(&format!("(?i:{pattern})"), true),
        _ => Matcher::new(text, is_regex),
    }
}
