//! What fills a context: by kind and tool, by file, and which turns cost far more than the rest.

use std::borrow::Borrow;
use std::collections::HashMap;

use crate::formats::facts::{PartKind, Role};
use crate::session::{NO_NAME, Session, Turn, TurnId};

use super::Entry;

/// A share of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// `tool:Read`, `text`, `thinking`, `prompts`, `summary`, `ledger`, `receipts`, `images`; or `file:src/main.rs`.
    pub what: String,
    /// Estimated tokens.
    pub tokens: u64,
    /// How many turns have a part in it.
    pub turns: u32,
}

/// What fills a context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// By kind and tool, largest first: together they are the whole context.
    pub kinds: Vec<Share>,
    /// By file, largest first: a second cut through calls and results that name one.
    pub files: Vec<Share>,
    /// Turns that cost far more than the rest, in order.
    pub outliers: Vec<TurnId>,
}

/// Turns below this many tokens are never called outliers.
const OUTLIER_AT_LEAST: u64 = 1_000;
/// Contexts of fewer turns have no outliers: there is no rest to compare with.
const OUTLIER_TURNS: u64 = 8;
/// How many times the mean of the rest an outlier costs at least.
const OUTLIER_TIMES: u64 = 10;

/// What fills a context of these entries, which may come in any order.
pub fn fill(session: &Session, entries: impl IntoIterator<Item: Borrow<Entry>>) -> Fill {
    let mut kinds = Shares::default();
    let mut files = Shares::default();
    let mut costs = Costs::default();
    for entry in entries {
        let entry: &Entry = entry.borrow();
        match entry {
            Entry::Summary { .. } | Entry::Made(_) | Entry::Cluster(_) => {
                kinds.add("summary", entry.tokens(session), entry.turn());
            }
            Entry::Ledger(_) => kinds.add("ledger", entry.tokens(session), None),
            Entry::Said { turn, .. } => kinds.add("text", entry.tokens(session), Some(*turn)),
            Entry::Receipt { .. } | Entry::Stubs(_) => {
                kinds.add("receipts", entry.tokens(session), entry.turn());
            }
            Entry::Turn(turn) => {
                let Turn { role, tokens, .. } = session.turn(*turn);
                costs.add(*turn, u64::from(tokens));
                for (_, part) in session.parts(*turn) {
                    let tokens = u64::from(part.tokens);
                    match (part.kind, role) {
                        (PartKind::ToolCall | PartKind::ToolResult, _) => {
                            let tool = session.named(part.tool).unwrap_or("unknown");
                            kinds.add(&format!("tool:{tool}"), tokens, Some(*turn));
                        }
                        (PartKind::Thinking, _) => kinds.add("thinking", tokens, Some(*turn)),
                        (PartKind::Image, _) => kinds.add("images", tokens, Some(*turn)),
                        (_, Role::User) => kinds.add("prompts", tokens, Some(*turn)),
                        _ => kinds.add("text", tokens, Some(*turn)),
                    }
                    if part.path != NO_NAME {
                        files.add(&format!("file:{}", session.name(part.path)), tokens, Some(*turn));
                    }
                }
            }
        }
    }
    Fill { kinds: kinds.sorted(), files: files.sorted(), outliers: costs.outliers() }
}

/// Whether a turn of `tokens` costs far more than the rest of a context: at least `OUTLIER_AT_LEAST` tokens and
/// `OUTLIER_TIMES` times the mean of the `turns` − 1 others, which cost `others` together. The mean, not a
/// quantile: it is kept up to date by adding.
pub fn is_outlier(tokens: u64, others: u64, turns: u64) -> bool {
    turns >= OUTLIER_TURNS && tokens >= OUTLIER_AT_LEAST && tokens * (turns - 1) >= OUTLIER_TIMES * others
}

/// The whole turns of a context, and those of them that may cost far more than the rest.
#[derive(Default)]
struct Costs {
    sum: u64,
    turns: u64,
    high: Vec<(TurnId, u64)>,
}

impl Costs {
    fn add(&mut self, turn: TurnId, tokens: u64) {
        self.sum += tokens;
        self.turns += 1;
        if tokens >= OUTLIER_AT_LEAST {
            self.high.push((turn, tokens));
        }
    }

    fn outliers(self) -> Vec<TurnId> {
        let above = |(_, cost): &(TurnId, u64)| is_outlier(*cost, self.sum - cost, self.turns);
        let mut outliers: Vec<TurnId> = self.high.into_iter().filter(above).map(|(turn, _)| turn).collect();
        outliers.sort_unstable();
        outliers
    }
}

#[derive(Default)]
struct Shares {
    by_what: HashMap<String, (u64, u32, Option<TurnId>)>,
}

impl Shares {
    fn add(&mut self, what: &str, tokens: u64, turn: Option<TurnId>) {
        if !self.by_what.contains_key(what) {
            self.by_what.insert(what.to_owned(), (0, 0, None));
        }
        if let Some((sum, turns, last)) = self.by_what.get_mut(what) {
            *sum += tokens;
            if turn.is_some() && std::mem::replace(last, turn) != turn {
                *turns += 1;
            }
        }
    }

    fn sorted(self) -> Vec<Share> {
        let mut shares: Vec<Share> = self
            .by_what
            .into_iter()
            .map(|(what, (tokens, turns, _))| Share { what, tokens, turns })
            .collect();
        shares.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.what.cmp(&b.what)));
        shares
    }
}

/// About how many turns are left until the next compaction at the pace since the last one, and the size at which
/// it is expected: that of the compaction before, or four fifths of the window. An estimate for display.
pub fn turns_left(session: &Session, as_of: u32) -> Option<u32> {
    let (now, at) = session.context_size(as_of)?;
    let since = session.path(at).take_while(|id| !session.turn(*id).is_summary());
    let logged: Vec<(u32, u32)> = since
        .map(|id| session.turn(id))
        .filter(|turn| turn.context > 0)
        .map(|turn| (turn.number, turn.context))
        .take(PACE_TURNS)
        .collect();
    let (first_number, first) = *logged.last()?;
    let (last_number, _) = *logged.first()?;
    let turns = last_number.checked_sub(first_number).filter(|turns| *turns > 0)?;
    let growth = f64::from(now.checked_sub(first)?) / f64::from(turns);
    if growth <= 0.0 {
        return None;
    }
    let (window, _) = session.window();
    let usual = u64::from(window) * 4 / 5;
    let limit =
        session.compaction_before(as_of).and_then(|c| c.tokens_before).unwrap_or(usual).max(u64::from(now));
    let left = ((limit - u64::from(now)) as f64 / growth) as u32;
    (left <= FORESEEN).then_some(left)
}

/// Beyond so many turns the pace says nothing.
const FORESEEN: u32 = 10_000;

/// How many messages back the pace is measured.
const PACE_TURNS: usize = 60;
