//! Colours of categories: a slot number to red, green, blue in each theme. The same everywhere: slices, pies, legends.
//!
//! All have the same chroma and nearly the same lightness, so that none stands out by its hue alone and the same ink reads on all; hues that lie
//! beside each other on the circle are a little lighter and a little darker, which distinguishes them better. Areas take [`colour`], and what is
//! thin, such as the line of a curve, takes [`line`]: the same hue with more contrast to the page.

pub use crate::base::colour_slots::fixed;
use crate::base::colour_slots::{HUES, N_SLOTS, N_TOP, hue};
use std::sync::LazyLock;

/// Lightness and chroma (OKLCH) of areas, light and dark. Chroma gives way where a screen cannot show it.
const AREA: [[f64; 2]; 2] = [[0.78, 0.115], [0.65, 0.11]];
/// The same for lines.
const LINE: [[f64; 2]; 2] = [[0.57, 0.14], [0.72, 0.13]];
/// Every second hue of the circle is so much lighter than that, and the others so much darker.
const STEP: f64 = 0.02;
/// Share of the chroma that names with little time have.
const QUIET: f64 = 0.42;
/// Chroma of communication: many of its slices are long, and it is no work of the device's own.
const COMMUNICATION_CHROMA: f64 = 0.08;

/// Text on a colour: the page's ink in the light theme, and that in the dark one for the few dark colours.
const INK: [[u8; 3]; 2] = [[0x14, 0x18, 0x1f], [0xe8, 0xeb, 0xf0]];

/// Areas and lines by theme and slot.
static AREAS: LazyLock<[[[u8; 3]; N_SLOTS as usize]; 2]> = LazyLock::new(|| AREA.map(table));
static LINES: LazyLock<[[[u8; 3]; N_SLOTS as usize]; 2]> = LazyLock::new(|| LINE.map(table));

/// What the colour of a fixed slot is.
#[derive(Clone, Copy)]
enum Meaning {
    /// A hue at the chroma of all.
    Hue(u16),
    /// A hue at the chroma of communication.
    Pale(u16),
    /// Fixed colours for the light and the dark theme.
    Exact([u32; 2]),
}

use Meaning::{Exact, Hue, Pale};

/// Token and colour of each fixed slot.
const FIXED: [(&str, Meaning); fixed::COUNT as usize] = [
    ("--cat-kernel", Hue(hue::MATMUL)),
    ("--cat-memcpy", Hue(hue::COPY)),
    ("--cat-memset", Hue(68)),
    ("--cat-communication", Pale(hue::COMMUNICATION)),
    ("--cat-runtime", Hue(294)),
    ("--cat-data-loader", Hue(5)),
    ("--cat-cpu-exec", Hue(117)),
    ("--cat-other", Exact([0xc9_d0d8, 0x5d_6773])),
    ("--cat-overlap", Hue(hue::ELEMENTWISE)),
    ("--cat-less", Exact([0x1f_5fc4, 0x6e_a8ff])),
    ("--cat-more", Exact([0xc8_321f, 0xff_7a66])),
    ("--cat-tensor", Hue(hue::MATMUL)),
    ("--cat-vector", Hue(hue::ELEMENTWISE)),
    ("--cat-scalar", Hue(hue::OPTIMIZER)),
    ("--cat-gpsimd", Hue(hue::ATTENTION)),
    ("--cat-dma", Hue(hue::COPY)),
    ("--cat-sync", Pale(hue::COMMUNICATION)),
];

/// The colour of an area of a slot. Slots past the last wrap round, except for those of [`fixed`].
pub fn colour(slot: u16, is_dark: bool) -> [u8; 3] {
    look_up(slot, is_dark, &AREAS, &AREA)
}

/// The colour of thin marks of a slot, with a contrast of at least 3 to the page.
pub fn line(slot: u16, is_dark: bool) -> [u8; 3] {
    if slot == fixed::OTHER {
        return exact(NEUTRAL_LINE, is_dark);
    }
    look_up(slot, is_dark, &LINES, &LINE)
}

/// The neutral colour of lines: `--line-strong` in the tokens.
const NEUTRAL_LINE: [u32; 2] = [0x7f_8895, 0x6b_7685];

fn look_up(slot: u16, is_dark: bool, tables: &[[[u8; 3]; N_SLOTS as usize]; 2], looks: &[[f64; 2]; 2]) -> [u8; 3] {
    let theme = usize::from(is_dark);
    if let Some((_, meaning)) = slot.checked_sub(fixed::FIRST).and_then(|at| FIXED.get(usize::from(at))) {
        let [lightness, chroma] = looks[theme];
        return match *meaning {
            Hue(degrees) => shade(lightness, chroma, degrees),
            Pale(degrees) => shade(lightness, chroma.min(COMMUNICATION_CHROMA), degrees),
            Exact(both) => exact(both, is_dark),
        };
    }
    tables[theme][usize::from(slot % N_SLOTS)]
}

fn exact(both: [u32; 2], is_dark: bool) -> [u8; 3] {
    let [_, r, g, b] = both[usize::from(is_dark)].to_be_bytes();
    [r, g, b]
}

/// Steps of [`ramp`].
pub const RAMP: u16 = 9;

/// A colour of a scale from small to large; large contrasts with the surface.
pub fn ramp(step: u16, is_dark: bool) -> [u8; 3] {
    let share = f64::from(step.min(RAMP - 1)) / f64::from(RAMP - 1);
    // From greenish yellow over teal to violet, reversed in the dark theme. Lightness alone is ordered.
    if is_dark { rgb([0.52 + 0.40 * share, 0.11, 295.0 - 190.0 * share]) } else { rgb([0.66 - 0.36 * share, 0.11, 110.0 + 190.0 * share]) }
}

/// The colour without a slot: the remainder of a pie.
pub fn other(is_dark: bool) -> [u8; 3] {
    colour(fixed::OTHER, is_dark)
}

/// What text is written with on `rgb`: the page's ink, on the few dark colours that of the dark page, and black or white where neither reads well.
pub fn text_on(rgb: [u8; 3]) -> [u8; 3] {
    let found = INK.into_iter().find(|ink| contrast(rgb, *ink) >= 4.5);
    let (black, white) = ([0; 3], [255; 3]);
    found.unwrap_or(if contrast(rgb, black) >= contrast(rgb, white) { black } else { white })
}

/// Contrast ratio of two colours after WCAG 2: 1 to 21.
pub fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// `rgb(…)` as CSS and canvas read it.
pub fn css(rgb: [u8; 3]) -> String {
    format!("rgb({} {} {})", rgb[0], rgb[1], rgb[2])
}

/// Reads `#rgb`, `#rrggbb`, `rgb(1, 2, 3)` or `rgb(1 2 3)`.
pub fn parsed(text: &str) -> Option<[u8; 3]> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix('#') {
        let wide: String = if hex.len() == 3 { hex.chars().flat_map(|c| [c, c]).collect() } else { hex.get(..6)?.to_string() };
        let n = u32::from_str_radix(&wide, 16).ok()?;
        return Some([(n >> 16) as u8, (n >> 8) as u8, n as u8]);
    }
    let inner = text.strip_prefix("rgba(").or_else(|| text.strip_prefix("rgb("))?.trim_end_matches(')');
    let mut parts = inner.split([',', ' ', '/']).filter(|p| !p.is_empty()).map(|p| p.parse::<f64>().ok());
    let mut next = || parts.next().flatten().map(|v| v.clamp(0.0, 255.0) as u8);
    Some([next()?, next()?, next()?])
}

fn table([lightness, chroma]: [f64; 2]) -> [[u8; 3]; N_SLOTS as usize] {
    std::array::from_fn(|slot| {
        let is_quiet = slot >= usize::from(N_TOP);
        shade(lightness, if is_quiet { chroma * QUIET } else { chroma }, HUES[slot % usize::from(N_TOP)])
    })
}

/// A hue in the lightness of its place on the circle, with as much of the chroma as a screen can show.
fn shade(lightness: f64, chroma: f64, degrees: u16) -> [u8; 3] {
    let place = HUES.iter().filter(|h| (**h + 360 - hue::COPY) % 360 < (degrees + 360 - hue::COPY) % 360).count();
    let lightness = if place % 2 == 0 { lightness - STEP } else { lightness + STEP };
    let chroma_at = |share: u32| chroma * f64::from(share) / 100.0;
    let shown = (1..=100).rev().map(chroma_at).find(|c| is_shown([lightness, *c, f64::from(degrees)]));
    rgb([lightness, shown.unwrap_or(0.0), f64::from(degrees)])
}

/// Whether a screen can show a colour.
fn is_shown(oklch: [f64; 3]) -> bool {
    linear(oklch).iter().all(|c| (-0.0005..=1.0005).contains(c))
}

/// OKLCH to linear sRGB.
fn linear([lightness, chroma, hue]: [f64; 3]) -> [f64; 3] {
    let (sin, cos) = hue.to_radians().sin_cos();
    let (a, b) = (chroma * cos, chroma * sin);
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

/// OKLCH to sRGB, clipped to what a screen can show.
fn rgb(oklch: [f64; 3]) -> [u8; 3] {
    linear(oklch).map(|c| {
        let c = c.clamp(0.0, 1.0);
        let encoded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (encoded * 255.0).round() as u8
    })
}

fn luminance(rgb: [u8; 3]) -> f64 {
    let [r, g, b] = decoded(rgb);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// sRGB to linear sRGB.
fn decoded(rgb: [u8; 3]) -> [f64; 3] {
    rgb.map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const TOKENS: &str = include_str!("../../styles/tokens.css");

    /// Colours by name in one rule of the tokens.
    fn tokens(selector: &str) -> HashMap<&'static str, [u8; 3]> {
        let start = TOKENS.find(selector).unwrap() + selector.len();
        let rule = TOKENS[start..].split('}').next().unwrap();
        let colour = |line: &'static str| {
            let (name, value) = line.split_once(':')?;
            let hex = value.trim().strip_prefix('#')?.get(..6)?;
            let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            Some((name.trim(), [byte(0), byte(2), byte(4)]))
        };
        rule.lines().filter_map(colour).collect()
    }

    fn themes() -> [(bool, HashMap<&'static str, [u8; 3]>); 2] {
        [(false, tokens("\n:root {")), (true, tokens("html[data-theme=\"dark\"] {"))]
    }

    /// All slots there are.
    fn all() -> impl Iterator<Item = u16> {
        (0..N_SLOTS).chain(fixed::FIRST..fixed::FIRST + fixed::COUNT)
    }

    #[test]
    fn colours_are_read() {
        assert_eq!(parsed(" #2457d6"), Some([0x24, 0x57, 0xd6]));
        assert_eq!(parsed("#fff"), Some([255; 3]));
        assert_eq!(parsed("rgb(1, 2, 3)"), Some([1, 2, 3]));
        assert_eq!(parsed("rgb(1 2 3 / 0.5)"), Some([1, 2, 3]));
        assert_eq!(parsed("none"), None);
    }

    #[test]
    fn lines_stand_out_from_the_surface() {
        for (is_dark, token) in themes() {
            for slot in all() {
                for surface in ["--bg", "--surface-1"] {
                    let ratio = contrast(line(slot, is_dark), token[surface]);
                    assert!(ratio >= 3.0, "slot {slot} dark {is_dark} on {surface}: {ratio:.2}");
                }
            }
            assert_eq!(line(fixed::OTHER, is_dark), token["--line-strong"]);
            for mark in ["--pred", "--succ", "--accent", "--line-strong"] {
                assert!(contrast(token[mark], token["--bg"]) >= 3.0, "{mark} dark {is_dark}");
            }
        }
    }

    /// Areas are wide, and their names are written on them or beside them. On a light page their lightness alone parts them from it.
    #[test]
    fn areas_can_be_seen() {
        for (is_dark, token) in themes() {
            let least = if is_dark { 3.0 } else { 1.5 };
            for slot in all() {
                let ratio = contrast(colour(slot, is_dark), token["--bg"]);
                assert!(ratio >= least, "slot {slot} dark {is_dark}: {ratio:.2}");
            }
        }
    }

    #[test]
    fn text_reads_well() {
        for (is_dark, token) in themes() {
            for slot in all() {
                for fill in [colour(slot, is_dark), line(slot, is_dark)] {
                    let ratio = contrast(text_on(fill), fill);
                    assert!(ratio >= 4.5, "slot {slot} dark {is_dark}: {ratio:.2}");
                }
            }
            // One ink on all names.
            assert!((0..N_SLOTS).all(|slot| text_on(colour(slot, is_dark)) == INK[0]), "dark {is_dark}");
            for text in ["--text", "--text-2", "--text-3", "--accent", "--danger", "--warn", "--ok"] {
                for surface in ["--bg", "--surface-1", "--surface-2"] {
                    let ratio = contrast(token[text], token[surface]);
                    assert!(ratio >= 4.5, "{text} on {surface} dark {is_dark}: {ratio:.2}");
                }
            }
            assert!(contrast(token["--accent-text"], token["--accent"]) >= 4.5);
            assert!(contrast(token["--text"], token["--accent-soft"]) >= 4.5);
            assert!(contrast(INK[0], token["--hit"]) >= 4.5);
        }
        let [(_, light), (_, dark)] = themes();
        assert_eq!(INK, [light["--text"], dark["--text"]]);
    }

    #[test]
    fn fixed_slots_are_the_tokens() {
        for (is_dark, token) in themes() {
            for (i, (name, _)) in FIXED.iter().enumerate() {
                let found = colour(fixed::FIRST + i as u16, is_dark);
                let [r, g, b] = found;
                assert_eq!(Some(&found), token.get(name), "{name} dark {is_dark}: #{r:02x}{g:02x}{b:02x}");
            }
            assert_eq!(colour(fixed::OTHER, is_dark), other(is_dark));
        }
    }

    #[test]
    fn the_ramp_is_in_order_and_stands_out() {
        for (is_dark, token) in themes() {
            let steps: Vec<[u8; 3]> = (0..RAMP).map(|s| ramp(s, is_dark)).collect();
            assert!(steps.windows(2).all(|w| (luminance(w[0]) < luminance(w[1])) == is_dark && w[0] != w[1]), "dark {is_dark}");
            for (step, found) in steps.iter().enumerate() {
                assert!(contrast(*found, token["--bg"]) >= 3.0, "step {step} dark {is_dark}: {:.2}", contrast(*found, token["--bg"]));
                assert!(contrast(text_on(*found), *found) >= 4.5, "step {step} dark {is_dark}");
            }
        }
    }

    #[test]
    fn both_dark_rules_agree() {
        assert_eq!(tokens("html[data-theme=\"dark\"] {"), tokens("html:not([data-theme]) {"));
    }

    #[test]
    fn slots_differ_and_wrap() {
        for is_dark in [false, true] {
            for a in 0..N_SLOTS {
                for b in 0..a {
                    assert_ne!(colour(a, is_dark), colour(b, is_dark), "{a} and {b}");
                }
            }
            assert_eq!(colour(N_SLOTS + 3, is_dark), colour(3, is_dark));
            assert_ne!(colour(u16::MAX, is_dark), colour(0, is_dark));
        }
    }

    type Matrix = [[f64; 3]; 3];
    /// What eyes without red, and those without green, see (Machado, Oliveira and Fernandes 2009, severity 1), in linear sRGB.
    const PROTAN: Matrix = [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]];
    const DEUTAN: Matrix = [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
    const ALL_EYES: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// Lightness, green to red, blue to yellow (OKLab) of a colour as such eyes see it.
    fn seen(rgb: [u8; 3], eyes: Matrix) -> [f64; 3] {
        let times = |m: Matrix, v: [f64; 3]| m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>());
        let linear = times(eyes, decoded(rgb)).map(|c| c.clamp(0.0, 1.0));
        let to_lms = [[0.412_221, 0.536_333, 0.051_446], [0.211_903, 0.680_700, 0.107_397], [0.088_302, 0.281_719, 0.629_979]];
        let to_lab = [[0.210_454, 0.793_618, -0.004_072], [1.977_998, -2.428_592, 0.450_594], [0.025_904, 0.782_772, -0.808_676]];
        times(to_lab, times(to_lms, linear).map(f64::cbrt))
    }

    /// The least distance of two slots in both themes.
    fn distance(a: u16, b: u16, eyes: Matrix) -> f64 {
        let of = |is_dark: bool| {
            let (a, b) = (seen(colour(a, is_dark), eyes), seen(colour(b, is_dark), eyes));
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        of(false).min(of(true))
    }

    #[test]
    fn two_dozen_colours_are_distinguishable() {
        for a in 0..N_TOP {
            for b in 0..a {
                let found = distance(a, b, ALL_EYES);
                assert!(found >= 0.04, "{a} and {b}: {found:.3}");
            }
        }
    }

    #[test]
    fn neighbours_differ_to_all_eyes() {
        for eyes in [ALL_EYES, PROTAN, DEUTAN] {
            for a in 0..N_TOP {
                let found = distance(a, (a + 1) % N_TOP, eyes);
                assert!(found >= 0.05, "{a} and the next: {found:.3}");
            }
            for (a, b) in (0..8).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let found = distance(a, b, eyes);
                assert!(found >= 0.04, "{a} and {b} of the first eight: {found:.3}");
            }
        }
    }

    #[test]
    fn lightness_and_chroma_are_the_same() {
        for (is_dark, want) in [(false, AREA[0]), (true, AREA[1])] {
            for slot in 0..N_TOP {
                let [lightness, a, b] = seen(colour(slot, is_dark), ALL_EYES);
                assert!((lightness - want[0]).abs() <= STEP + 0.005, "slot {slot} dark {is_dark}: {lightness:.3}");
                let chroma = a.hypot(b);
                assert!((want[1] * 0.85..=want[1] + 0.005).contains(&chroma), "slot {slot} dark {is_dark}: {chroma:.3}");
            }
        }
    }
}
