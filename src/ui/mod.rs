//! Widgets: table, chart, canvas, splitter, dialog. Know no profile.
