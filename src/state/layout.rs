//! Where the details stand, and how large they are. A setting of the page, not of a profile: kept by the browser, not in the link.

/// The smallest size that can be used, CSS pixels.
pub const LEAST_PX: u32 = 140;
/// The largest size that is stored, CSS pixels.
pub const MOST_PX: u32 = 4_000;

/// Place and size of the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whether they are at the right; else at the bottom.
    pub is_right: bool,
    /// Height at the bottom, CSS pixels; `None` until it was chosen.
    pub height_px: Option<u32>,
    /// Width at the right, CSS pixels.
    pub width_px: u32,
}

impl Default for Layout {
    fn default() -> Self {
        Layout { is_right: false, height_px: None, width_px: 380 }
    }
}

impl Layout {
    /// The size along the border that can be dragged.
    pub fn set_size(&mut self, px: f64) {
        let px = (px as u32).clamp(LEAST_PX, MOST_PX);
        if self.is_right { self.width_px = px } else { self.height_px = Some(px) }
    }

    /// As stored: `right 380 260`; the height may be missing.
    pub fn to_text(self) -> String {
        let height = self.height_px.map(|h| format!(" {h}")).unwrap_or_default();
        format!("{} {}{height}", if self.is_right { "right" } else { "bottom" }, self.width_px)
    }

    /// Reads the stored text; unreadable values become defaults.
    pub fn from_text(text: &str) -> Layout {
        let mut parts = text.split(' ');
        let is_right = parts.next() == Some("right");
        let mut px = || parts.next().and_then(|p| p.parse::<u32>().ok()).map(|p| p.clamp(LEAST_PX, MOST_PX));
        let width_px = px().unwrap_or(Layout::default().width_px);
        Layout { is_right, width_px, height_px: px() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_come_back_within_bounds() {
        let mut layout = Layout::default();
        assert_eq!(Layout::from_text(&layout.to_text()), layout);
        layout.set_size(300.4);
        layout.is_right = true;
        layout.set_size(1.0);
        assert_eq!((layout.height_px, layout.width_px), (Some(300), LEAST_PX));
        assert_eq!(Layout::from_text(&layout.to_text()), layout);
        assert_eq!(Layout::from_text("nonsense"), Layout::default());
        assert_eq!(Layout::from_text("right 99999999 x").width_px, MOST_PX);
    }
}
