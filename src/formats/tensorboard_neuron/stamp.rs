//! Names of runs as dates that sort.

/// `2022_10_14_19_22_22[_16][_<id>…]` as `2022-10-14 19:22:22.016 · id`, ten digits as seconds since 1970; `None` for any other name.
pub(super) fn date(name: &str) -> Option<String> {
    if name.len() == 10
        && let Ok(seconds) = name.parse::<i64>()
    {
        return Some(from_epoch(seconds));
    }
    let parts: Vec<&str> = name.split('_').collect();
    let numbers: Vec<u32> = parts.iter().map_while(|p| p.parse().ok().filter(|_| p.len() <= 4)).collect();
    let [year, month, day, hour, minute, second] = *numbers.get(..6)? else {
        return None;
    };
    let is_date = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut out = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
    let mut rest = &parts[6..];
    if let Some(millis) = numbers.get(6).filter(|m| **m < 1000) {
        out.push_str(&format!(".{millis:03}"));
        rest = &rest[1..];
    }
    if !rest.is_empty() {
        out.push_str(&format!(" · {}", rest.join("_")));
    }
    Some(out)
}

/// Date and time of seconds since 1970, by the civil calendar (days counted in eras of 400 years, years from March).
fn from_epoch(seconds: i64) -> String {
    let (days, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", time / 3600, time / 60 % 60, time % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_become_dates() {
        let check = |name: &str, want: Option<&str>| assert_eq!(date(name).as_deref(), want, "{name}");
        check("2022_10_14_19_22_22", Some("2022-10-14 19:22:22"));
        check("2022_10_14_9_2_2_16", Some("2022-10-14 09:02:02.016"));
        check("2023_1_4_19_22_22_116_a1b2_1", Some("2023-01-04 19:22:22.116 · a1b2_1"));
        check("2023_1_4_19_22_22_a1b2_1", Some("2023-01-04 19:22:22 · a1b2_1"));
        check("1681335781", Some("2023-04-12 21:43:01 UTC"));
        check("markstep_version", None);
        check("2022_13_14_19_22_22", None);
        check("", None);
    }
}
