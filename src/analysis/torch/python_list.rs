//! Lists of a record, as Python prints them.

/// A JSON list as Python prints it: `[[32, 3], [], None]`.
pub fn python_list(json: &str) -> String {
    if json.trim().is_empty() {
        return "[]".into();
    }
    let mut out = String::with_capacity(json.len() + 8);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            c if c.is_whitespace() => {}
            ',' => out.push_str(", "),
            '"' => {
                out.push('\'');
                while let Some(c) = rest.next() {
                    match c {
                        '"' => break,
                        '\\' => out.extend(rest.next()),
                        c => out.push(c),
                    }
                }
                out.push('\'');
            }
            c if c.is_ascii_alphabetic() => {
                let mut word = String::from(c);
                while let Some(c) = rest.next_if(|c| c.is_ascii_alphanumeric()) {
                    word.push(c);
                }
                out.push_str(match word.as_str() {
                    "null" => "None",
                    "true" => "True",
                    "false" => "False",
                    word => word,
                });
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::python_list;

    #[test]
    fn shapes_are_printed_as_python_does() {
        assert_eq!(python_list("[[32,3, 224],[ ], null,\"a\"]"), "[[32, 3, 224], [], None, 'a']");
        assert_eq!(python_list(""), "[]");
        assert_eq!(python_list("[]"), "[]");
    }
}
