//! What surrounds the view in front: toolbar, sidebar, command palette, dialogs, search.

pub(in crate::app) mod commands;
pub(in crate::app) mod front_profile;
pub(in crate::app) mod guide;
pub(in crate::app) mod help;
pub(in crate::app) mod hover_card;
pub(in crate::app) mod notices;
pub(in crate::app) mod profile_views;
pub(in crate::app) mod runs;
pub(in crate::app) mod search;
pub(in crate::app) mod sidebar;
pub(in crate::app) mod toolbar;
