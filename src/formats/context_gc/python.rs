//! Values as Python prints them: prompts quote arguments and results this way.
//!
//! Owns `str()` and `repr()` of JSON values. The choice of what counts as printable is Rust's, which follows the same
//! rule as Python's over the Unicode tables of this build.

use std::fmt::Write;

use super::value::Value;

/// `str(value)`: a string bare, anything else as [`repr`].
pub(crate) fn str(value: &Value, out: &mut String) {
    match value {
        Value::Text(text) => out.push_str(text),
        other => repr(other, out),
    }
}

/// What is left to write, last first.
enum Step<'a> {
    Text(&'static str),
    Key(&'a str),
    Value(&'a Value),
}

/// `repr(value)`.
pub(crate) fn repr(value: &Value, out: &mut String) {
    let mut stack = vec![Step::Value(value)];
    while let Some(step) = stack.pop() {
        match step {
            Step::Text(text) => out.push_str(text),
            Step::Key(key) => quoted(key, out),
            Step::Value(Value::Null) => out.push_str("None"),
            Step::Value(Value::Bool(true)) => out.push_str("True"),
            Step::Value(Value::Bool(false)) => out.push_str("False"),
            Step::Value(Value::Whole(digits)) => out.push_str(digits),
            Step::Value(Value::Real(number)) => real(*number, out),
            Step::Value(Value::Text(text)) => quoted(text, out),
            Step::Value(Value::List(items)) => {
                stack.push(Step::Text("]"));
                for (index, item) in items.iter().enumerate().rev() {
                    stack.push(Step::Value(item));
                    stack.push(Step::Text(if index == 0 { "" } else { ", " }));
                }
                stack.push(Step::Text("["));
            }
            Step::Value(Value::Map(fields)) => {
                stack.push(Step::Text("}"));
                for (index, (key, field)) in fields.iter().enumerate().rev() {
                    stack.push(Step::Value(field));
                    stack.push(Step::Text(": "));
                    stack.push(Step::Key(key));
                    stack.push(Step::Text(if index == 0 { "" } else { ", " }));
                }
                stack.push(Step::Text("{"));
            }
        }
    }
}

/// `repr` of a string: in apostrophes, or in quotation marks where it holds apostrophes and no quotation mark.
pub(crate) fn quoted(text: &str, out: &mut String) {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(mark);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if character == mark => {
                out.push('\\');
                out.push(mark);
            }
            ' '..='~' => out.push(character),
            _ if is_printable(character) => out.push(character),
            _ => {
                let code = u32::from(character);
                let escaped = match code {
                    0..=0xff => write!(out, "\\x{code:02x}"),
                    0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
                escaped.unwrap_or_default();
            }
        }
    }
    out.push(mark);
}

/// Whether Python prints a character as it is. Rust escapes the same categories when it debugs a string; behind a
/// letter, since it escapes a combining mark at the start.
fn is_printable(character: char) -> bool {
    let mut pair = String::from("a");
    pair.push(character);
    !pair.escape_debug().to_string().contains('\\')
}

/// `repr` of a float: the shortest digits that read back, with an exponent below 10⁻⁴ and from 10¹⁶ on.
fn real(number: f64, out: &mut String) {
    if !number.is_finite() {
        // Numbers too large for a float are infinite to Python too.
        out.push_str(if number.is_nan() {
            "nan"
        } else if number > 0.0 {
            "inf"
        } else {
            "-inf"
        });
        return;
    }
    let short = format!("{number:e}");
    let (digits, exponent) = short.split_once('e').unwrap_or((&short, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        // Debug writes a fraction where there is none, and no exponent in this range but below 10⁻⁴ and above 10¹⁵.
        let plain = format!("{number}");
        out.push_str(&plain);
        if !plain.contains('.') {
            out.push_str(".0");
        }
        return;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(out, "{digits}e{sign}{:02}", exponent.unsigned_abs()).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(json: &str) -> String {
        let mut out = String::new();
        repr(&Value::read(json).unwrap(), &mut out);
        out
    }

    #[test]
    fn numbers() {
        for (json, python) in [
            ("1", "1"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("1.0", "1.0"),
            ("1e2", "100.0"),
            ("1e20", "1e+20"),
            ("1e-7", "1e-07"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1.5e300", "1.5e+300"),
            ("1e999", "inf"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            assert_eq!(printed(json), python, "{json}");
        }
    }

    #[test]
    fn strings() {
        for (json, python) in [
            (r#""plain""#, "'plain'"),
            (r#""it's""#, r#""it's""#),
            (r#""say \"hi\"""#, r#"'say "hi"'"#),
            (r#""it's \"both\"""#, r#"'it\'s "both"'"#),
            (r#""a\\b\n\t\r""#, r"'a\\b\n\t\r'"),
            (r#""\u0000\u007f\u00a0\u00ad""#, r"'\x00\x7f\xa0\xad'"),
            (r#""\u200b\ud83d\ude00e\u0301""#, "'\\u200b\u{1f600}e\u{301}'"),
            (r#""\udb40\udc01""#, r"'\U000e0001'"),
        ] {
            assert_eq!(printed(json), python, "{json}");
        }
    }

    #[test]
    fn containers() {
        assert_eq!(printed(r#" { "a" : [ 1 , "x", [] ] , "b":{}, "a": null } "#), "{'a': None, 'b': {}}");
        assert_eq!(printed("[true,[null,[false]]]"), "[True, [None, [False]]]");
    }

    #[test]
    fn depth_has_a_limit() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(printed(&deep(500)), deep(500));
        assert!(Value::read(&deep(501)).is_err());
    }
}
