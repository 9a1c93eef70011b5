//! One line that a person types: a search, an address, a filter.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular expression.
    Search,
    /// An address or a clock time.
    Jump,
    /// Roles, tools, threads.
    Filter,
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
            Self::Sessions => "> ",
        }
    }

    /// What may be typed, shown while nothing is.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Search => "regular expression; capitals make it exact",
            Self::Jump => "t489  t489.2  L560  g3  g3.s12  @NAME/t12  14:02",
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
    fn pasted_line_breaks_become_spaces() {
        let mut prompt = Prompt::new(Kind::Jump);
        prompt.paste("a\nb\u{1b}");
        assert_eq!(prompt.text, "a b ");
    }
}
