//! The colours and fonts of a chart, as the stylesheet has them where its canvas is.

use crate::ui::palette;
use leptos::prelude::*;
use plotters::style::RGBColor;
use web_sys::HtmlCanvasElement;

/// Colours and fonts of the page around a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Ink {
    /// Text, and the outline of what is highlighted.
    pub text: RGBColor,
    /// Labels of axes.
    pub quiet: RGBColor,
    /// Grid.
    pub line: RGBColor,
    /// Axis.
    pub axis: RGBColor,
    /// Behind the chart.
    pub surface: RGBColor,
    /// Selections.
    pub accent: RGBColor,
    /// Whether the page is dark.
    pub is_dark: bool,
    /// Families of the page's font.
    pub font: String,
    /// Families of the font of names.
    pub mono: String,
}

impl Default for Ink {
    /// Black on white: what an SVG has where there is no page.
    fn default() -> Self {
        let grey = |level| RGBColor(level, level, level);
        Ink {
            text: grey(0),
            quiet: grey(0x66),
            line: grey(0xdd),
            axis: grey(0x88),
            surface: grey(0xff),
            accent: RGBColor(0, 0x66, 0xcc),
            is_dark: false,
            font: "system-ui, sans-serif".into(),
            mono: "ui-monospace, monospace".into(),
        }
    }
}

impl Ink {
    /// As the stylesheet has it.
    pub fn of(canvas: &HtmlCanvasElement) -> Ink {
        let style = window().get_computed_style(canvas).ok().flatten();
        let value = |name: &str| style.as_ref().and_then(|s| s.get_property_value(name).ok()).unwrap_or_default();
        let or = Ink::default();
        let colour = |name: &str, or: RGBColor| parsed(&value(name)).unwrap_or(or);
        let family = |name: &str, or: String| Some(value(name).trim().to_string()).filter(|v| !v.is_empty()).unwrap_or(or);
        let text = colour("color", or.text);
        Ink {
            text,
            quiet: colour("--text-3", or.quiet),
            line: colour("--line", or.line),
            axis: colour("--line-strong", or.axis),
            surface: colour("--bg", or.surface),
            accent: colour("--accent", or.accent),
            // Light text is on a dark page.
            is_dark: u16::from(text.0) + u16::from(text.1) + u16::from(text.2) > 384,
            font: family("font-family", or.font),
            mono: family("--font-mono", or.mono),
        }
    }

    /// The colour of a slot.
    pub fn slot(&self, slot: u16) -> RGBColor {
        rgb(palette::colour(slot, self.is_dark))
    }

    /// The colour of a curve or a dot of a slot: thin marks need more contrast to the page than areas.
    pub fn mark(&self, slot: u16) -> RGBColor {
        rgb(palette::line(slot, self.is_dark))
    }

    /// The colour of text on a slot's colour.
    pub fn on_slot(&self, slot: u16) -> RGBColor {
        rgb(palette::text_on(palette::colour(slot, self.is_dark)))
    }
}

/// A colour of the palette.
fn rgb([red, green, blue]: [u8; 3]) -> RGBColor {
    RGBColor(red, green, blue)
}

/// `#rgb`, `#rrggbb` and `rgb(r, g, b)`, as tokens and browsers write colours.
fn parsed(text: &str) -> Option<RGBColor> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix('#') {
        let digit = |at: usize| hex.get(at..at + 1).and_then(|d| u8::from_str_radix(d, 16).ok());
        let byte = |at: usize| hex.get(at..at + 2).and_then(|d| u8::from_str_radix(d, 16).ok());
        return match hex.len() {
            3 => Some(RGBColor(digit(0)? * 17, digit(1)? * 17, digit(2)? * 17)),
            6 | 8 => Some(RGBColor(byte(0)?, byte(2)?, byte(4)?)),
            _ => None,
        };
    }
    let inner = text.strip_prefix("rgb")?.split_once('(')?.1;
    let mut parts = inner.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|p| p.parse::<f64>().ok());
    let mut next = || parts.next().map(|v| v.round().clamp(0.0, 255.0) as u8);
    Some(RGBColor(next()?, next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_browsers_write_them() {
        let rgb = |text| parsed(text).map(|c| (c.0, c.1, c.2));
        assert_eq!(rgb(" #0f1217 "), Some((15, 18, 23)));
        assert_eq!(rgb("#fc0"), Some((255, 204, 0)));
        assert_eq!(rgb("rgb(232, 235, 240)"), Some((232, 235, 240)));
        assert_eq!(rgb("rgb(20 24 31 / 40%)"), Some((20, 24, 31)));
        for bad in ["", "#", "#12", "#ääx", "red", "rgb(", "rgb(1,2)"] {
            assert_eq!(rgb(bad), None, "{bad}");
        }
    }
}
