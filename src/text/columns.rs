//! Display text cut and filled to columns of a terminal.
//!
//! Expects text that passed [`super::display::safe`]: widths are those of what is drawn.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The longest prefix of `text` that fits into `width` columns.
pub fn cut(text: &str, width: usize) -> &str {
    let mut columns = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        columns += cluster.width();
        if columns > width {
            return &text[..at];
        }
    }
    text
}

/// `text`, or as much of its beginning as fits into `width` columns with an ellipsis.
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    match width {
        0 => String::new(),
        _ => format!("{}…", cut(text, width - 1)),
    }
}

/// `text`, or as much of its end as fits into `width` columns behind an ellipsis: paths tell most at their end.
pub fn shorten_start(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    let mut columns = 0;
    let mut from = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        columns += cluster.width();
        if columns > room {
            break;
        }
        from = at;
    }
    format!("…{}", &text[from..])
}

/// `text` in exactly `width` columns, shortened or filled at its end.
pub fn left(text: &str, width: usize) -> String {
    let mut out = shorten(text, width);
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(out.width())));
    out
}

/// `text` in exactly `width` columns, shortened or filled at its beginning.
pub fn right(text: &str, width: usize) -> String {
    let out = shorten(text, width);
    format!("{}{out}", " ".repeat(width.saturating_sub(out.width())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cut_text_says_that_it_is_cut() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten_start("/home/me/project", 8), "…project");
        assert_eq!(shorten("日本語", 4), "日…");
        assert_eq!((shorten("abc", 0), shorten_start("abc", 0)), (String::new(), String::new()));
    }

    #[test]
    fn fields_fill_their_columns() {
        assert_eq!((left("ab", 4), right("ab", 4)), ("ab  ".to_owned(), "  ab".to_owned()));
        assert_eq!((left("abcdef", 4), right("日本", 3)), ("abc…".to_owned(), "日…".to_owned()));
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_its_field(text in "\\PC{0,12}", width in 0usize..9) {
            let text = crate::text::display::safe(&text).into_owned();
            prop_assert!(shorten(&text, width).width() <= width);
            prop_assert!(shorten_start(&text, width).width() <= width);
            prop_assert_eq!(left(&text, width).width(), width);
            prop_assert_eq!(right(&text, width).width(), width);
        }
    }
}
