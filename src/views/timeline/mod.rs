//! The timeline: every slice, counter and instant of a profile over time.
//!
//! Pure, tested natively: [`viewport`], [`ticks`], [`lod`] and [`index`] (lookups), [`rows`] (layout), [`lane`], [`counter`], [`scene`] and
//! [`raster`] (the picture), [`core`](self::core) with [`gesture`], [`hit_test`], [`overview`], [`arrows`], [`marks`], [`moments`] and [`card`] (state and what it says).
//! With a browser: [`surface`] (canvases), [`frame`] and [`stage`] (at most one frame per animation frame), [`events`], [`labels`], [`toolbar`].

pub mod around;
pub mod arrange;
pub mod arrows;
mod bands;
mod box_paint;
mod box_rows;
pub mod boxes;
pub mod by_path;
mod by_path_text;
pub mod card;
pub mod core;
pub mod counter;
mod deep_stacks;
pub mod dma;
pub mod events;
mod flow_lines;
mod flow_menu;
pub mod flows;
pub mod folding;
pub mod frame;
pub mod gesture;
pub mod hit_test;
pub mod in_view;
pub mod index;
pub mod labels;
pub mod lane;
pub mod legend;
mod lines;
pub mod lod;
pub mod logical;
mod mark_paint;
pub mod marking;
pub mod marks;
pub mod memory;
mod moments;
pub mod names;
pub mod overview;
mod parts;
pub mod picture;
pub mod places;
pub mod raster;
pub mod regroup;
pub mod row_kinds;
pub mod row_labels;
pub mod rows;
pub mod sample;
pub mod scene;
mod semaphore_numbers;
pub mod settings;
mod settings_device;
mod settings_filter;
mod settings_menu;
mod settings_own;
mod settings_semaphores;
mod settings_window;
pub mod stack;
pub mod stack_asks;
mod stack_clock;
pub mod stack_colours;
mod stack_flows;
pub mod stage;
pub mod steps;
mod strips;
pub mod surface;
mod surroundings;
pub mod theme;
pub mod ticks;
pub mod toolbar;
pub mod view;
pub mod viewport;

pub use view::Timeline;
