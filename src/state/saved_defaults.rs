//! The user's own choices of what the timeline shows: what the next profile of that kind begins with. Kept by the browser, not in the link;
//! a link, which says what its sender saw, is followed as it is.

use super::choices::Choices;
use super::url::UrlState;
use crate::worker::protocol::ProfileKind;
use leptos::prelude::*;
use std::collections::BTreeMap;

/// The choices that are kept: (view, key). Those of the panel, colours, and the fields of the details.
pub const KEYS: [(&str, &str); 16] = [
    ("timeline", "hidden"),
    ("timeline", "names"),
    ("timeline", "semaphores"),
    ("timeline", "depth"),
    ("timeline", "dma-colour"),
    ("timeline", "dma-rows"),
    ("timeline", "dma"),
    ("timeline", "cores"),
    ("timeline", "bands"),
    ("timeline", "legend"),
    ("timeline", "names-row"),
    ("timeline", "hide-tiny"),
    ("timeline", "from-view"),
    ("timeline", "smooth"),
    ("timeline", "colour"),
    ("details", "advanced"),
];

/// A longer text is not one of ours, bytes.
const LONGEST: usize = 100_000;

/// Kinds of profiles with separate defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefaultsKind {
    /// A run of a Neuron device.
    Device,
    /// A trace of PyTorch.
    Torch,
    /// All else.
    Other,
}

impl DefaultsKind {
    const ALL: [(DefaultsKind, &str); 3] =
        [(DefaultsKind::Device, "device"), (DefaultsKind::Torch, "torch"), (DefaultsKind::Other, "other")];

    /// The defaults of a kind of profile.
    pub fn of(kind: ProfileKind) -> Self {
        match kind {
            ProfileKind::NeuronDevice => DefaultsKind::Device,
            ProfileKind::Torch => DefaultsKind::Torch,
            _ => DefaultsKind::Other,
        }
    }

    /// In a sentence.
    pub fn label(self) -> &'static str {
        match self {
            DefaultsKind::Device => "Neuron device profiles",
            DefaultsKind::Torch => "PyTorch traces",
            DefaultsKind::Other => "Profiles of this kind",
        }
    }
}

/// Choices by kind of profile; none where all is as by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedDefaults(BTreeMap<DefaultsKind, Choices>);

impl SavedDefaults {
    /// What a profile of that kind begins with.
    pub fn of(&self, kind: DefaultsKind) -> Choices {
        self.0.get(&kind).cloned().unwrap_or_default()
    }

    /// Keeps the part of `choices` that is kept at all. Without any, it is as if nothing were saved.
    pub fn keep(&mut self, kind: DefaultsKind, choices: &Choices) {
        let own = part(choices);
        if own.is_empty() {
            self.0.remove(&kind)
        } else {
            self.0.insert(kind, own)
        };
    }

    /// As text: a line for each kind, its choices as in a link.
    pub fn to_text(&self) -> String {
        let line = |(kind, id): (DefaultsKind, &str)| {
            let choices = self.0.get(&kind)?.clone();
            Some(format!("{id} {}", UrlState { choices, ..UrlState::default() }.to_fragment()))
        };
        DefaultsKind::ALL.into_iter().filter_map(line).collect::<Vec<_>>().join("\n")
    }

    /// Reads the stored text; unreadable and unknown choices are ignored.
    pub fn from_text(text: &str) -> Self {
        let mut out = SavedDefaults::default();
        for line in text.lines().filter(|_| text.len() <= LONGEST) {
            let Some((id, fragment)) = line.split_once(' ') else { continue };
            if let Some((kind, _)) = DefaultsKind::ALL.iter().find(|k| k.1 == id) {
                out.keep(*kind, &UrlState::from_fragment(fragment).choices);
            }
        }
        out
    }
}

/// The part of `choices` that is kept.
fn part(choices: &Choices) -> Choices {
    let mut out = Choices::default();
    for (view, key) in KEYS {
        out.set(view, key, choices.get(view, key).map(Into::into));
    }
    out
}

/// The user's own choices, beside those of the profile in front.
#[derive(Debug, Clone, Copy)]
pub struct FrontDefaults {
    /// All of them.
    pub all: RwSignal<SavedDefaults>,
    /// Choices of the profile in front.
    pub choices: RwSignal<Choices>,
    /// Its kind.
    pub kind: DefaultsKind,
}

impl FrontDefaults {
    /// Whether any are saved for this kind. Tracked.
    pub fn is_saved(&self) -> bool {
        self.all.with(|o| o.0.contains_key(&self.kind))
    }

    /// Whether the profile in front has the saved choices, or the defaults if none are saved. Tracked.
    pub fn is_shown(&self) -> bool {
        self.all.with(|o| o.of(self.kind)) == self.choices.with(part)
    }

    /// Saves the current choices.
    pub fn save(&self) {
        self.choices.with_untracked(|choices| self.all.update(|o| o.keep(self.kind, choices)));
    }

    /// Applies the saved choices.
    pub fn show(&self) {
        let own = self.all.with_untracked(|o| o.of(self.kind));
        self.choices.update(|choices| {
            for (view, key) in KEYS {
                choices.set(view, key, own.get(view, key).map(Into::into));
            }
        });
    }

    /// Deletes the saved choices; the current ones are kept.
    pub fn forget(&self) {
        self.all.update(|o| drop(o.0.remove(&self.kind)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(all: &[(&str, &str, &str)]) -> Choices {
        let mut out = Choices::default();
        all.iter().for_each(|c| out.set(c.0, c.1, Some(c.2.into())));
        out
    }

    #[test]
    fn choices_of_each_kind_come_back() {
        let mut own = SavedDefaults::default();
        assert_eq!(own.to_text(), "");
        own.keep(DefaultsKind::Device, &choices(&[("timeline", "hidden", "DMA|a b\n&=%"), ("details", "advanced", "false")]));
        own.keep(
            DefaultsKind::Other,
            &choices(&[("timeline", "names", "false"), ("timeline", "annotations", "true"), ("x", "hidden", "1")]),
        );
        assert_eq!(SavedDefaults::from_text(&own.to_text()), own);
        assert_eq!(own.of(DefaultsKind::Other), choices(&[("timeline", "names", "false")]), "only what is kept at all");
        assert_eq!(own.of(DefaultsKind::Torch), Choices::default());
        own.keep(DefaultsKind::Other, &Choices::default());
        assert_eq!(own.to_text().lines().count(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_not_there() {
        for text in ["", "nonsense", "device", "device v=2&s.timeline.hidden=DMA", "tpu v=1&s.timeline.hidden=DMA", "device v=1&s.x.y=1"] {
            assert_eq!(SavedDefaults::from_text(text), SavedDefaults::default(), "{text}");
        }
        let long = format!("device v=1&s.timeline.hidden=DMA&s.x.y={}", "x".repeat(LONGEST));
        assert_eq!(SavedDefaults::from_text(&long), SavedDefaults::default());
        let torn = SavedDefaults::from_text("%%%\n torch \ndevice v=1&s.timeline.hidden=DMA&s.timeline.names\n");
        assert_eq!(torn.of(DefaultsKind::Device), choices(&[("timeline", "hidden", "DMA")]));
    }

    #[test]
    fn what_is_shown_is_saved_and_comes_back() {
        let owner = Owner::new();
        owner.set();
        let front_defaults = FrontDefaults { all: RwSignal::default(), choices: RwSignal::default(), kind: DefaultsKind::Device };
        assert!(front_defaults.is_shown() && !front_defaults.is_saved());
        let seen = choices(&[("timeline", "dma-rows", "engine"), ("timeline", "stack", "true")]);
        front_defaults.choices.set(seen.clone());
        assert!(!front_defaults.is_shown());
        front_defaults.save();
        assert!(front_defaults.is_shown() && front_defaults.is_saved());
        front_defaults.choices.set(choices(&[("timeline", "smooth", "true"), ("timeline", "stack", "true")]));
        front_defaults.show();
        assert_eq!(front_defaults.choices.get_untracked(), seen, "all else stays");
        front_defaults.forget();
        assert!(!front_defaults.is_saved() && front_defaults.choices.get_untracked() == seen);
    }

    #[test]
    fn views_tell_the_kind() {
        assert_eq!(DefaultsKind::of(ProfileKind::NeuronDevice), DefaultsKind::Device);
        assert_eq!(DefaultsKind::of(ProfileKind::Torch), DefaultsKind::Torch);
        assert_eq!(DefaultsKind::of(ProfileKind::NeuronSystem), DefaultsKind::Other);
    }
}
