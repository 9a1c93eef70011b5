//! Which turns a filter lets through.

use crate::session::{Session, TurnId};

/// Words that a turn must fit: one of the roles, one of the tools, one of the threads named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// As typed.
    pub text: String,
    roles: Vec<String>,
    tools: Vec<String>,
    threads: Vec<String>,
    error: bool,
    voice: bool,
}

const ROLES: [&str; 4] = ["user", "assistant", "tool", "summary"];

impl Filter {
    /// Reads `user Bash @a881341 error`: roles, threads after `@`, `error`, `voice`, and any other word a tool's
    /// name, whatever its case. Nothing where no word is left.
    pub fn new(text: &str) -> Option<Self> {
        let mut filter = Self {
            text: text.trim().to_owned(),
            roles: Vec::new(),
            tools: Vec::new(),
            threads: Vec::new(),
            error: false,
            voice: false,
        };
        for word in text.split_whitespace() {
            let word = word.strip_prefix("tool:").or_else(|| word.strip_prefix("role:")).unwrap_or(word);
            match word {
                "error" => filter.error = true,
                "voice" => filter.voice = true,
                _ if ROLES.contains(&word) => filter.roles.push(word.to_owned()),
                _ => match word.strip_prefix('@') {
                    Some(thread) => filter.threads.push(thread.to_owned()),
                    None => filter.tools.push(word.to_lowercase()),
                },
            }
        }
        (!filter.text.is_empty()).then_some(filter)
    }

    /// Whether turn `id` passes.
    pub fn passes(&self, session: &Session, id: TurnId) -> bool {
        let turn = session.turn(id);
        let role = self.roles.is_empty() || self.roles.iter().any(|role| role == turn.role.name());
        let named = &*session.threads()[usize::from(turn.thread)].name;
        let is = |thread: &String| thread == named || (thread == "main" && turn.thread == 0);
        let thread = if self.threads.is_empty() { turn.thread == 0 } else { self.threads.iter().any(is) };
        let tool = self.tools.is_empty()
            || session.parts(id).filter_map(|(_, part)| session.named(part.tool)).any(|name| {
                let name = name.to_lowercase();
                self.tools.iter().any(|tool| name.contains(tool.as_str()))
            });
        role && thread && tool && (!self.error || turn.has_error()) && (!self.voice || turn.has_voice())
    }

    /// All turns as of `as_of` of the main thread that pass, in file order.
    pub fn all(&self, session: &Session, as_of: u32) -> Vec<TurnId> {
        let ids = (0..session.turns().len() as u32).map(TurnId);
        ids.filter(|id| session.turn(*id).thread > 0 || session.turn(*id).number <= as_of)
            .filter(|id| self.passes(session, *id))
            .collect()
    }
}
