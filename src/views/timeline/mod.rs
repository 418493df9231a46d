//! The timeline: every slice, counter and instant of a profile over time.
//!
//! Without a browser, tested natively: [`lookup`], [`rows`] (layout), [`state`], [`input`], and of [`paint`] all but the surface. With one: the
//! files beside these folders, of which [`stage`] holds the state and asks for at most one frame per animation frame. ARCHITECTURE.md says who
//! may import whom.

pub mod aligned;
pub mod around;
pub mod events;
pub mod flows;
pub mod frame;
pub mod handle;
mod highlights;
pub mod input;
pub mod labels;
pub mod legend;
pub mod lookup;
pub mod marking;
pub mod paint;
pub mod picture;
pub mod rows;
mod settings;
pub mod state;
pub mod steps;
mod surroundings;
pub mod toolbar;
pub mod view;

pub use view::Timeline;
