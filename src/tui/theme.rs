//! Colours by role. Widgets ask for a role, never for a colour; meaning is never carried by colour alone.

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

/// A style for each role.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, try_from = "Names")]
pub struct Theme {
    /// What nothing else is said of.
    pub text: Style,
    /// What the model does not see, and what matters less.
    pub dim: Style,
    /// The program's name and headings.
    pub heading: Style,
    /// Addresses.
    pub address: Style,
    /// A person's words.
    pub user: Style,
    /// The model's.
    pub assistant: Style,
    /// A tool's.
    pub tool: Style,
    /// Summaries.
    pub summary: Style,
    /// What to watch for.
    pub warn: Style,
    /// The selected row in the pane that has the keys.
    pub selected: Style,
    /// The selected row in the other pane.
    pub selected_away: Style,
    /// What a search found.
    pub found: Style,
    /// Lines around the pane that has the keys.
    pub focus: Style,
    /// Lines around the other.
    pub border: Style,
    /// The context gauge.
    pub gauge: Style,
    /// Words that are new.
    pub added: Style,
    /// Words that are gone.
    pub removed: Style,
    /// Words that a sentence and its source share.
    pub shared: Style,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    text: String,
    dim: String,
    heading: String,
    address: String,
    user: String,
    assistant: String,
    tool: String,
    summary: String,
    warn: String,
    selected: String,
    selected_away: String,
    found: String,
    focus: String,
    border: String,
    gauge: String,
    added: String,
    removed: String,
    shared: String,
}

impl TryFrom<Names> for Theme {
    type Error = String;

    fn try_from(names: Names) -> Result<Self, String> {
        Ok(Self {
            text: style(&names.text)?,
            dim: style(&names.dim)?,
            heading: style(&names.heading)?,
            address: style(&names.address)?,
            user: style(&names.user)?,
            assistant: style(&names.assistant)?,
            tool: style(&names.tool)?,
            summary: style(&names.summary)?,
            warn: style(&names.warn)?,
            selected: style(&names.selected)?,
            selected_away: style(&names.selected_away)?,
            found: style(&names.found)?,
            focus: style(&names.focus)?,
            border: style(&names.border)?,
            gauge: style(&names.gauge)?,
            added: style(&names.added)?,
            removed: style(&names.removed)?,
            shared: style(&names.shared)?,
        })
    }
}

/// `cyan bold`, `#d0d0d0 on #303030`, `reversed`: a colour, a background after `on`, modifiers.
fn style(words: &str) -> Result<Style, String> {
    let mut style = Style::new();
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        style = match word {
            "bold" => style.add_modifier(Modifier::BOLD),
            "dim" => style.add_modifier(Modifier::DIM),
            "italic" => style.add_modifier(Modifier::ITALIC),
            "underlined" => style.add_modifier(Modifier::UNDERLINED),
            "reversed" => style.add_modifier(Modifier::REVERSED),
            "crossed" => style.add_modifier(Modifier::CROSSED_OUT),
            "on" => style.bg(color(words.next().unwrap_or_default())?),
            _ => style.fg(color(word)?),
        };
    }
    Ok(style)
}

fn color(word: &str) -> Result<Color, String> {
    word.parse().map_err(|_| format!("\"{word}\" is no colour: write a name such as lightblue, or #rrggbb"))
}

/// The built-in themes.
const BUILT_IN: [(&str, &str); 4] = [
    ("ansi", include_str!("../../assets/themes/ansi.toml")),
    ("dark", include_str!("../../assets/themes/dark.toml")),
    ("light", include_str!("../../assets/themes/light.toml")),
    ("mono", include_str!("../../assets/themes/mono.toml")),
];

impl Theme {
    /// The built-in theme called `name`.
    pub fn named(name: &str) -> Result<Self, String> {
        let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
            return Err(format!("\"{name}\" is no theme: {}", names.join(", ")));
        };
        toml::from_str(text).map_err(|error| format!("theme {name}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_theme_reads() {
        for (name, _) in BUILT_IN {
            Theme::named(name).unwrap();
        }
        assert!(Theme::named("pink").unwrap_err().contains("mono"));
    }

    #[test]
    fn the_mono_theme_has_no_colour() {
        let theme = format!("{:?}", Theme::named("mono").unwrap());
        assert!(!theme.contains("fg: Some"), "{theme}");
        assert!(!theme.contains("bg: Some"), "{theme}");
    }
}
