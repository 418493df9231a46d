//! The colours of a frame: from the page's tokens and the palette, packed once per theme.

use crate::base::colour_slots::{N_SLOTS, fixed};
use crate::ui::palette;
use crate::ui::raster::{Pixel, blend, pixel};

/// Packed colours.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Behind the rows.
    pub background: Pixel,
    /// Behind group headers.
    pub raised: Pixel,
    /// Grid and separators.
    pub line: Pixel,
    /// Text, and the outline of the selection.
    pub text: Pixel,
    /// Quieter text.
    pub quiet: Pixel,
    /// Brush, band, density.
    pub accent: Pixel,
    /// Highlights.
    pub hit: Pixel,
    /// Arrows into the selection.
    pub predecessor: Pixel,
    /// Arrows out of it.
    pub successor: Pixel,
    /// Indexed by slot.
    pub slots: Vec<Pixel>,
    /// Indexed by slot, stepping back behind highlights.
    pub dimmed: Vec<Pixel>,
    /// Indexed by slot: thin lines, which need more contrast than areas.
    pub thin: Vec<Pixel>,
    /// Indexed by slot: text on the colour of a thin line, such as the flag of a marker.
    pub text_on_thin: Vec<Pixel>,
    /// Text on a highlight.
    pub text_on_hit: Pixel,
    /// Indexed by slot: text on it.
    pub text_on: Vec<Pixel>,
}

/// Index of a slot in the tables of a theme: names, durations, then fixed meanings. Other slots are neutral.
pub fn place(slot: u16) -> usize {
    let n_before = usize::from(N_SLOTS + palette::RAMP);
    let neutral = n_before + usize::from(fixed::OTHER - fixed::FIRST);
    match slot.checked_sub(fixed::FIRST) {
        Some(at) if at < fixed::COUNT => n_before + usize::from(at),
        None if usize::from(slot) < n_before => usize::from(slot),
        _ => neutral,
    }
}

/// What the page's tokens say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Page background.
    pub background: [u8; 3],
    /// A step above it.
    pub raised: [u8; 3],
    /// Lines.
    pub line: [u8; 3],
    /// Text.
    pub text: [u8; 3],
    /// Quieter text.
    pub quiet: [u8; 3],
    /// The accent.
    pub accent: [u8; 3],
    /// Search hits.
    pub hit: [u8; 3],
    /// Predecessors.
    pub predecessor: [u8; 3],
    /// Successors.
    pub successor: [u8; 3],
}

impl Tokens {
    /// Fallback for values that the style sheet does not set.
    pub fn fallback(is_dark: bool) -> Self {
        let hex = |n: u32| [(n >> 16) as u8, (n >> 8) as u8, n as u8];
        let pick = |light, dark| hex(if is_dark { dark } else { light });
        Tokens {
            background: pick(0xff_ffff, 0x0f_1217),
            raised: pick(0xf7_f8fa, 0x16_1a21),
            line: pick(0xec_eff3, 0x1e_242d),
            text: pick(0x14_181f, 0xe8_ebf0),
            quiet: pick(0x5b_6472, 0x8f_9aa8),
            accent: pick(0x24_57d6, 0x7a_a2ff),
            hit: pick(0xff_e14d, 0xff_e14d),
            predecessor: pick(0xc8_321f, 0xff_7a66),
            successor: pick(0x1f_5fc4, 0x6e_a8ff),
        }
    }

    /// The values of the style sheet, which `raw` returns by name; otherwise the fallback for a background of this darkness.
    pub fn read(raw: impl Fn(&str) -> String) -> Self {
        let background = palette::parsed(&raw("--bg")).unwrap_or([255; 3]);
        let mut tokens = Self::fallback(Tokens { background, ..Self::fallback(false) }.is_dark());
        let slots: [(&str, &mut [u8; 3]); 9] = [
            ("--bg", &mut tokens.background),
            ("--surface-1", &mut tokens.raised),
            ("--surface-2", &mut tokens.line),
            ("--text", &mut tokens.text),
            ("--text-3", &mut tokens.quiet),
            ("--accent", &mut tokens.accent),
            ("--hit", &mut tokens.hit),
            ("--pred", &mut tokens.predecessor),
            ("--succ", &mut tokens.successor),
        ];
        for (name, slot) in slots {
            *slot = palette::parsed(&raw(name)).unwrap_or(*slot);
        }
        tokens
    }

    /// Whether the background is dark.
    pub fn is_dark(&self) -> bool {
        self.background.iter().map(|&c| u32::from(c)).sum::<u32>() < 3 * 128
    }
}

impl Theme {
    /// Packs the tokens and the palette.
    pub fn new(t: &Tokens) -> Self {
        let is_dark = t.is_dark();
        let background = pixel(t.background);
        let of_names = (0..N_SLOTS).map(|s| palette::colour(s, is_dark));
        let of_durations = (0..palette::RAMP).map(|s| palette::ramp(s, is_dark));
        let of_meanings = (0..fixed::COUNT).map(|at| palette::colour(fixed::FIRST + at, is_dark));
        let rgb: Vec<[u8; 3]> = of_names.chain(of_durations).chain(of_meanings).collect();
        let slots: Vec<Pixel> = rgb.iter().map(|&c| pixel(c)).collect();
        Theme {
            background,
            raised: pixel(t.raised),
            line: pixel(t.line),
            text: pixel(t.text),
            quiet: pixel(t.quiet),
            accent: pixel(t.accent),
            hit: pixel(t.hit),
            predecessor: pixel(t.predecessor),
            successor: pixel(t.successor),
            dimmed: slots.iter().map(|&c| blend(background, c, 0.45)).collect(),
            text_on_thin: (0..N_SLOTS).map(|slot| pixel(palette::text_on(palette::line(slot, is_dark)))).collect(),
            text_on_hit: pixel(palette::text_on(t.hit)),
            thin: (0..N_SLOTS).map(|slot| pixel(palette::line(slot, is_dark))).collect(),
            text_on: rgb.iter().map(|&c| pixel(palette::text_on(c))).collect(),
            slots,
        }
    }
}

/// A pixel as CSS writes it.
pub fn css(colour: Pixel) -> String {
    let [r, g, b, _] = colour.to_le_bytes();
    format!("rgb({r} {g} {b})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_written_as_css() {
        assert_eq!(css(pixel([1, 2, 3])), "rgb(1 2 3)");
    }

    #[test]
    fn tokens_are_read_and_the_rest_fits_the_background() {
        let tokens = Tokens::read(|name| if name == "--bg" { "#101010".into() } else { "?".into() });
        assert_eq!(tokens, Tokens { background: [0x10; 3], ..Tokens::fallback(true) });
        let light = Tokens::read(|name| if name == "--accent" { "rgb(1 2 3)".into() } else { String::new() });
        assert_eq!(light.accent, [1, 2, 3]);
    }

    #[test]
    fn themes_differ() {
        let (light, dark) = (Theme::new(&Tokens::fallback(false)), Theme::new(&Tokens::fallback(true)));
        assert_ne!(light.background, dark.background);
        assert_eq!(light.slots.len(), usize::from(N_SLOTS + fixed::COUNT) + crate::analysis::colouring::STEPS.len());
        let longest = crate::analysis::colouring::duration_slot(crate::base::DurationNs(i64::MAX));
        assert_eq!(place(longest), usize::from(longest));
        let colour_of = |slot: u16| light.slots[place(slot)];
        assert_eq!(colour_of(longest), pixel(palette::ramp(palette::RAMP - 1, false)));
        assert_eq!(colour_of(fixed::MEMCPY), pixel(palette::colour(fixed::MEMCPY, false)));
        for unknown in [longest + 1, fixed::FIRST - 1, fixed::FIRST + fixed::COUNT, u16::MAX] {
            assert_eq!(colour_of(unknown), colour_of(crate::analysis::colour::NO_VALUE), "neutral, as in legends");
        }
    }
}
