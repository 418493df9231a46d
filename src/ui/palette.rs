//! Colours of categories: a slot number to red, green, blue in each theme. The same everywhere: slices, pies, legends.
//!
//! Slots 0 to 11 are distinct also to protan, deutan and tritan eyes: lightness varies with hue. Slots 12 to 43 are muted, for the many
//! names that have none of their own.

use std::sync::LazyLock;

/// Distinct slots.
const DISTINCT: usize = 12;
/// Muted slots.
const MUTED: usize = 32;
/// Their chroma: about half of what the distinct ones have, so that those stand out and these can still be told apart.
const MUTED_CHROMA: f64 = 0.065;
const ALL: usize = DISTINCT + MUTED;

/// Lightness, chroma, hue in degrees (OKLCH) of the distinct slots on a light surface. Found by a search that maximises the least
/// distance between any two, as seen with normal, protan, deutan and tritan eyes, at a contrast of 3 to the surface.
const LIGHT: [[f64; 3]; DISTINCT] = [
    [0.420, 0.173, 264.0],
    [0.396, 0.131, 37.0],
    [0.375, 0.076, 166.0],
    [0.631, 0.177, 311.0],
    [0.484, 0.099, 95.0],
    [0.612, 0.104, 205.0],
    [0.535, 0.072, 11.0],
    [0.340, 0.117, 295.0],
    [0.617, 0.071, 127.0],
    [0.458, 0.146, 342.0],
    [0.517, 0.101, 242.0],
    [0.622, 0.148, 58.0],
];

/// The same hues, more or less, on a dark surface.
const DARK: [[f64; 3]; DISTINCT] = [
    [0.548, 0.105, 250.0],
    [0.768, 0.171, 66.0],
    [0.920, 0.119, 154.0],
    [0.754, 0.180, 313.0],
    [0.877, 0.174, 100.0],
    [0.674, 0.110, 207.0],
    [0.671, 0.082, 32.0],
    [0.629, 0.188, 288.0],
    [0.779, 0.082, 131.0],
    [0.565, 0.190, 359.0],
    [0.844, 0.092, 229.0],
    [0.547, 0.114, 78.0],
];

static TABLES: LazyLock<[[[u8; 3]; ALL]; 2]> =
    LazyLock::new(|| [table(&LIGHT, [0.44, 0.52, 0.60, 0.64]), table(&DARK, [0.56, 0.64, 0.72, 0.80])]);

/// Slots whose colour means the same in every profile: what a step's time goes to, and which way a figure moved.
pub mod fixed {
    /// The first; numbers below are by name.
    pub(super) const FIRST: u16 = 60_000;
    /// Kernels, computation.
    pub const KERNEL: u16 = FIRST;
    /// Copies between host and device.
    pub const MEMCPY: u16 = FIRST + 1;
    /// Memory set on the device.
    pub const MEMSET: u16 = FIRST + 2;
    /// Collective and point-to-point communication.
    pub const COMMUNICATION: u16 = FIRST + 3;
    /// Calls of the device's runtime.
    pub const RUNTIME: u16 = FIRST + 4;
    /// Waiting for data.
    pub const DATA_LOADER: u16 = FIRST + 5;
    /// Everything else on the host.
    pub const CPU_EXEC: u16 = FIRST + 6;
    /// The rest; also the others of a pie.
    pub const OTHER: u16 = FIRST + 7;
    /// Computation and communication at once.
    pub const OVERLAP: u16 = FIRST + 8;
    /// Less than before.
    pub const LESS: u16 = FIRST + 9;
    /// More than before.
    pub const MORE: u16 = FIRST + 10;
}

/// Token, light and dark value of each fixed slot. All differ to protan, deutan and tritan eyes too; found by the same search.
const FIXED: [(&str, [u32; 2]); 11] = [
    ("--cat-kernel", [0x59_89ff, 0x66_97ff]),
    ("--cat-memcpy", [0x00_4550, 0x9d_efee]),
    ("--cat-memset", [0x03_6ea6, 0x6e_c4ff]),
    ("--cat-communication", [0xd9_7400, 0xb8_4a00]),
    ("--cat-runtime", [0x54_008c, 0x94_47b9]),
    ("--cat-data-loader", [0x79_0015, 0xff_9aae]),
    ("--cat-cpu-exec", [0x54_6407, 0x8c_a361]),
    ("--cat-other", [0x7f_8895, 0x6b_7685]),
    ("--cat-overlap", [0x1a_7f5a, 0x7b_d389]),
    ("--cat-less", [0x1f_5fc4, 0x6e_a8ff]),
    ("--cat-more", [0xc8_321f, 0xff_7a66]),
];

/// The colour of a slot. Slots past the last wrap round the muted ones, but for those of [`fixed`].
pub fn colour(slot: u16, is_dark: bool) -> [u8; 3] {
    if let Some(found) = slot.checked_sub(fixed::FIRST).and_then(|at| FIXED.get(usize::from(at))) {
        let [_, r, g, b] = found.1[usize::from(is_dark)].to_be_bytes();
        return [r, g, b];
    }
    let slot = usize::from(slot);
    let at = if slot < DISTINCT { slot } else { DISTINCT + (slot - DISTINCT) % MUTED };
    TABLES[usize::from(is_dark)][at]
}

/// Steps of [`ramp`].
pub const RAMP: u16 = 9;

/// A colour of a scale from little to much: much stands out from the surface.
pub fn ramp(step: u16, is_dark: bool) -> [u8; 3] {
    let share = f64::from(step.min(RAMP - 1)) / f64::from(RAMP - 1);
    // From a greenish yellow over teal to violet, and back in the dark: lightness tells the order by itself.
    if is_dark { rgb([0.52 + 0.40 * share, 0.11, 295.0 - 190.0 * share]) } else { rgb([0.66 - 0.36 * share, 0.11, 110.0 + 190.0 * share]) }
}

/// The colour of everything that has no slot: the rest of a pie. `--line-strong` in the tokens.
pub fn other(is_dark: bool) -> [u8; 3] {
    if is_dark { [0x6b, 0x76, 0x85] } else { [0x7f, 0x88, 0x95] }
}

/// Black or white, whichever reads better on `rgb`.
pub fn text_on(rgb: [u8; 3]) -> [u8; 3] {
    let white = [255; 3];
    let black = [0; 3];
    if contrast(rgb, white) >= contrast(rgb, black) { white } else { black }
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

fn table(distinct: &[[f64; 3]; DISTINCT], lightness: [f64; 4]) -> [[u8; 3]; ALL] {
    std::array::from_fn(|slot| {
        if slot < DISTINCT {
            return rgb(distinct[slot]);
        }
        let n = slot - DISTINCT;
        // Neighbouring slots lie five eighths of the circle apart and differ in lightness.
        let hue = (n * 5 % 8) as f64 * 45.0 + (n / 8) as f64 * 11.0;
        rgb([lightness[(n + n / 8) % lightness.len()], MUTED_CHROMA, hue % 360.0])
    })
}

/// OKLCH to sRGB, clipped to what a screen can show.
fn rgb([lightness, chroma, hue]: [f64; 3]) -> [u8; 3] {
    let (sin, cos) = hue.to_radians().sin_cos();
    let (a, b) = (chroma * cos, chroma * sin);
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let linear = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ];
    linear.map(|c| {
        let c = c.clamp(0.0, 1.0);
        let encoded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (encoded * 255.0).round() as u8
    })
}

fn luminance(rgb: [u8; 3]) -> f64 {
    let [r, g, b] = rgb.map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
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

    #[test]
    fn marks_stand_out_from_the_surface() {
        for (is_dark, token) in themes() {
            for slot in 0..ALL as u16 {
                for surface in ["--bg", "--surface-1"] {
                    let ratio = contrast(colour(slot, is_dark), token[surface]);
                    assert!(ratio >= 3.0, "slot {slot} dark {is_dark} on {surface}: {ratio:.2}");
                }
            }
            assert_eq!(other(is_dark), token["--line-strong"]);
            for mark in ["--pred", "--succ", "--accent", "--line-strong"] {
                assert!(contrast(token[mark], token["--bg"]) >= 3.0, "{mark} dark {is_dark}");
            }
        }
    }

    #[test]
    fn text_reads_well() {
        for (is_dark, token) in themes() {
            for slot in 0..ALL as u16 {
                let fill = colour(slot, is_dark);
                assert!(contrast(text_on(fill), fill) >= 4.5, "slot {slot} dark {is_dark}");
            }
            for text in ["--text", "--text-2", "--text-3", "--accent", "--danger", "--warn", "--ok"] {
                for surface in ["--bg", "--surface-1", "--surface-2"] {
                    let ratio = contrast(token[text], token[surface]);
                    assert!(ratio >= 4.5, "{text} on {surface} dark {is_dark}: {ratio:.2}");
                }
            }
            assert!(contrast(token["--accent-text"], token["--accent"]) >= 4.5);
            assert!(contrast(token["--text"], token["--accent-soft"]) >= 4.5);
            assert!(contrast([0x14, 0x18, 0x1f], token["--hit"]) >= 4.5);
        }
    }

    #[test]
    fn fixed_slots_are_the_tokens_and_stand_out() {
        for (is_dark, token) in themes() {
            for (i, (name, _)) in FIXED.iter().enumerate() {
                let found = colour(fixed::FIRST + i as u16, is_dark);
                assert_eq!(Some(&found), token.get(name), "{name} dark {is_dark}");
                assert!(contrast(found, token["--bg"]) >= 3.0, "{name} dark {is_dark}");
                assert!(contrast(text_on(found), found) >= 4.5, "{name} dark {is_dark}");
            }
            assert_eq!(colour(fixed::OTHER, is_dark), other(is_dark));
        }
        assert_eq!(colour(fixed::FIRST + FIXED.len() as u16, false), colour(12 + (60_011 - 12) % 32, false));
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
            for a in 0..ALL as u16 {
                for b in 0..a {
                    assert_ne!(colour(a, is_dark), colour(b, is_dark), "{a} and {b}");
                }
            }
            assert_eq!(colour(44, is_dark), colour(12, is_dark));
            assert_ne!(colour(u16::MAX, is_dark), colour(0, is_dark));
        }
    }
}
