//! One line that a person types: a search, an address, a filter.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_width::UnicodeWidthStr;

use crate::text::columns::{shorten, shorten_start};
use crate::text::display::safe;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular expression.
    Search,
    /// An address or a clock time.
    Jump,
    /// Roles, tools, threads.
    Filter,
    /// A question to the cold forest.
    Question,
    /// Words that sessions are filtered by.
    Sessions,
}

impl Kind {
    /// What stands before the line.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Search => "/",
            Self::Jump => ":",
            Self::Filter => "filter ",
            Self::Question => "ask ",
            Self::Sessions => "> ",
        }
    }

    /// What may be typed, shown while nothing is.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Search => "regular expression; capitals make it exact",
            Self::Jump => "t489  t489.2  L560  g3  g3.s12  b4  c45  u7  @NAME/t12  14:02",
            Self::Question => "a question: which clusters a reader would get, and what of them",
            Self::Filter => "user assistant tool summary  Bash  @NAME  error  voice; empty shows all",
            Self::Sessions => "type to filter by title, project, agent and path",
        }
    }
}

/// The line as typed so far.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What is asked for.
    pub kind: Kind,
    /// The text.
    pub text: String,
    /// Where the cursor stands, in bytes.
    pub cursor: usize,
}

/// What a key did to the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on.
    Typing,
    /// It is finished.
    Done,
    /// It was given up.
    Cancelled,
}

impl Prompt {
    /// An empty line.
    pub fn new(kind: Kind) -> Self {
        Self { kind, text: String::new(), cursor: 0 }
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Outcome {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Outcome::Done,
            // A line feed, as a terminal sends Enter for what is typed before the program takes it over.
            KeyCode::Char('j') if control => return Outcome::Done,
            KeyCode::Esc => return Outcome::Cancelled,
            KeyCode::Char('c') if control => return Outcome::Cancelled,
            KeyCode::Char('u') if control => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            KeyCode::Char('w') if control => {
                let kept = self.text[..self.cursor].trim_end();
                let from = kept.rfind(' ').map_or(0, |at| at + 1);
                self.text.drain(from..self.cursor);
                self.cursor = from;
            }
            KeyCode::Char(c) if !control => self.insert(c),
            KeyCode::Backspace if self.text.is_empty() => return Outcome::Cancelled,
            KeyCode::Backspace => {
                let before = self.before();
                self.text.drain(before..self.cursor);
                self.cursor = before;
            }
            KeyCode::Delete => {
                let after = self.after();
                self.text.drain(self.cursor..after);
            }
            KeyCode::Left => self.cursor = self.before(),
            KeyCode::Right => self.cursor = self.after(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => {}
        }
        Outcome::Typing
    }

    /// Takes pasted text, its line breaks as spaces.
    pub fn paste(&mut self, text: &str) {
        for c in text.chars() {
            self.insert(if c.is_control() { ' ' } else { c });
        }
    }

    /// As much of the line as `width` columns show, the cursor among it, and the column the cursor stands at.
    pub fn window(&self, width: usize) -> (String, usize) {
        let (before, after) = (safe(&self.text[..self.cursor]), safe(&self.text[self.cursor..]));
        if before.width() + after.width() < width {
            return (format!("{before}{after}"), before.width());
        }
        // What follows the cursor gets at most a quarter, and the cursor its column.
        let behind = after.width().min(width / 4).max(1);
        let mut shown = shorten_start(&before, width.saturating_sub(behind));
        let column = shown.width();
        shown.push_str(&shorten(&after, width.saturating_sub(column)));
        (shown, column)
    }

    fn insert(&mut self, c: char) {
        self.text.insert(self.cursor, c);
        self.cursor += c.len_utf8();
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.text[self.cursor..].chars().next().map_or(self.cursor, |c| self.cursor + c.len_utf8())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[KeyCode]) -> Prompt {
        let mut prompt = Prompt::new(Kind::Search);
        for key in keys {
            prompt.key(KeyEvent::new(*key, KeyModifiers::NONE));
        }
        prompt
    }

    #[test]
    fn a_line_is_edited_by_characters() {
        use KeyCode::{Backspace, Char, Delete, Home, Left, Right};
        assert_eq!(typed(&[Char('é'), Char('x'), Left, Backspace, Char('a')]).text, "ax");
        assert_eq!(typed(&[Char('a'), Char('é'), Home, Delete, Right, Char('b')]).text, "éb");
    }

    #[test]
    fn a_line_too_long_is_shown_around_its_cursor() {
        let mut prompt = Prompt::new(Kind::Search);
        prompt.paste("0123456789");
        assert_eq!(prompt.window(11), ("0123456789".to_owned(), 10));
        assert_eq!(prompt.window(10), ("…23456789".to_owned(), 9));
        assert_eq!(prompt.window(4), ("…89".to_owned(), 3));
        prompt.cursor = 5;
        assert_eq!(prompt.window(8), ("0123456…".to_owned(), 5));
        prompt.cursor = 0;
        assert_eq!(prompt.window(8), ("0123456…".to_owned(), 0));
        assert_eq!(prompt.window(0), (String::new(), 0));
    }

    #[test]
    fn pasted_line_breaks_become_spaces() {
        let mut prompt = Prompt::new(Kind::Jump);
        prompt.paste("a\nb\u{1b}");
        assert_eq!(prompt.text, "a b ");
    }
}
