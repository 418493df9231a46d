//! What the user has chosen inside views: a map from key to text for each view. It is part of the address, so both sides are tolerant:
//! a view ignores values that it cannot read.

use leptos::prelude::*;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Maximum bytes of a value; longer ones are not stored.
const LONGEST: usize = 4_000;
/// More choices than these are not kept.
const MOST: usize = 200;

/// Choices by view and key. Missing ones have the view's default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices(BTreeMap<(String, String), String>);

impl Choices {
    /// What was chosen; `None` is the default.
    pub fn get(&self, view: &str, key: &str) -> Option<&str> {
        self.0.get(&(view.to_string(), key.to_string())).map(String::as_str)
    }

    /// Notes a choice, or goes back to the default. Too long a value, or one too many, is not kept.
    pub fn set(&mut self, view: &str, key: &str, value: Option<String>) {
        let at = (view.to_string(), key.to_string());
        match value {
            Some(value) if value.len() <= LONGEST && (self.0.len() < MOST || self.0.contains_key(&at)) => drop(self.0.insert(at, value)),
            _ => drop(self.0.remove(&at)),
        }
    }

    /// (view, key, value), by view and key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.0.iter().map(|((view, key), value)| (view.as_str(), key.as_str(), value.as_str()))
    }

    /// Whether everything is as by default.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A value that is read in one place and written in another, both by signals.
pub type Choice<T> = (Signal<T>, SignalSetter<T>);

/// The choices of one view.
#[derive(Debug, Clone, Copy)]
pub struct ViewState {
    view: &'static str,
    choices: RwSignal<Choices>,
}

impl ViewState {
    /// Those of `view` among `choices`.
    pub fn new(view: &'static str, choices: RwSignal<Choices>) -> Self {
        ViewState { view, choices }
    }

    /// Choices of a single view that are not shared.
    pub fn detached(view: &'static str) -> Self {
        ViewState::new(view, RwSignal::default())
    }

    /// What was chosen. Tracked.
    pub fn get(&self, key: &str) -> Option<String> {
        self.choices.with(|c| c.get(self.view, key).map(Into::into))
    }

    /// Notes a choice; `None` is the default.
    pub fn set(&self, key: &str, value: Option<String>) {
        if self.choices.with_untracked(|c| c.get(self.view, key) != value.as_deref()) {
            self.choices.update(|c| c.set(self.view, key, value));
        }
    }

    /// The choice as a value. What cannot be read is `default`; the default itself is not written into the address.
    pub fn choice<T>(&self, key: &str, default: T) -> Choice<T>
    where
        T: FromStr + ToString + PartialEq + Clone + Send + Sync + 'static,
    {
        let state = *self;
        let (key, ours) = (key.to_string(), default.clone());
        let read_key = key.clone();
        let value = Memo::new(move |_| state.get(&read_key).and_then(|text| text.parse().ok()).unwrap_or_else(|| ours.clone()));
        let write = move |value: T| state.set(&key, (value != default).then(|| value.to_string()));
        (value.into(), SignalSetter::map(write))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_values_with_a_default() {
        let owner = Owner::new();
        owner.set();
        let state = ViewState::detached("operators");
        let (limit, set_limit) = state.choice("top", 10usize);
        assert_eq!(limit.get_untracked(), 10);
        set_limit.set(7);
        assert_eq!((limit.get_untracked(), state.get("top").as_deref()), (7, Some("7")));
        state.set("top", Some("many".into()));
        assert_eq!(limit.get_untracked(), 10);
        set_limit.set(10);
        assert!(state.choices.with_untracked(Choices::is_empty));
    }

    #[test]
    fn too_much_is_not_kept() {
        let mut choices = Choices::default();
        choices.set("v", "long", Some("x".repeat(LONGEST + 1)));
        assert!(choices.is_empty());
        for i in 0..2 * MOST {
            choices.set("v", &i.to_string(), Some("1".into()));
        }
        choices.set("v", "0", Some("2".into()));
        assert_eq!((choices.iter().count(), choices.get("v", "0")), (MOST, Some("2")));
    }
}
