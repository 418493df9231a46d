//! Comma-separated values after RFC 4180: one writer for every table that is saved or printed.

/// Adds one record to `out`. Fields are written as they are, quoted where they must be.
pub fn record<'a>(out: &mut String, fields: impl IntoIterator<Item = &'a str>) {
    for (at, field) in fields.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        if field.contains([',', '"', '\r', '\n']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push_str("\r\n");
}

/// A field that a spreadsheet does not take for a formula: what starts like one gets an apostrophe. A minus before a digit is a number.
pub fn no_formula(field: &str) -> String {
    let is_formula = field.starts_with(['=', '+', '@', '\t']) || (field.starts_with('-') && field.parse::<f64>().is_err());
    if is_formula { format!("'{field}") } else { field.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let mut out = String::new();
        record(&mut out, ["a,b", "plain", "say \"x\"", "", "two\nlines"]);
        assert_eq!(out, "\"a,b\",plain,\"say \"\"x\"\"\",,\"two\nlines\"\r\n");
    }

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        assert_eq!(["=1+1", "-2.5", "-x", "+1", "@x", "a=1"].map(no_formula), ["'=1+1", "-2.5", "'-x", "'+1", "'@x", "a=1"]);
    }
}
