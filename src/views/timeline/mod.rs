//! The timeline: every slice, counter and instant of a profile over time.
//!
//! Pure, tested natively: [`viewport`], [`ticks`], [`lod`] and [`index`] (lookups), [`rows`] (layout), [`lane`], [`counter`], [`scene`] and
//! [`raster`] (the picture), [`core`](state::core) with [`gesture`], [`hit_test`], [`overview`], [`arrows`], [`marks`], [`moments`] and [`card`] (state and what it says).
//! With a browser: [`surface`] (canvases), [`frame`] and [`stage`] (at most one frame per animation frame), [`events`], [`labels`], [`toolbar`].

pub mod aligned;
pub mod around;
mod bands;
pub mod events;
pub mod flows;
pub mod frame;
pub mod input;
pub mod labels;
pub mod legend;
pub mod lookup;
pub mod marking;
pub mod paint;
pub mod picture;
pub mod rows;
mod settings;
pub mod stage;
pub mod state;
pub mod steps;
mod surroundings;
pub mod toolbar;
pub mod view;

pub use view::Timeline;
