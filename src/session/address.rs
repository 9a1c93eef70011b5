//! Addresses: how a person names a place in a session, and how the program names it back.

use std::fmt;
use std::str::FromStr;

use crate::text::preview::quoted;

use super::{Session, TurnId};

/// A place in a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// `t489`, `t489.2`, `@a881341/t12`: a turn, or one of its parts numbered from 0.
    Turn {
        /// The thread's name; none for the main thread.
        thread: Option<String>,
        /// The turn's number in its thread.
        number: u32,
        /// A part.
        part: Option<u32>,
    },
    /// `L560`: a physical line.
    Line(u32),
    /// `g3`: a generation.
    Generation(u32),
    /// `g3.s12`: a sentence of its summary.
    Sentence {
        /// The generation.
        generation: u32,
        /// The sentence's number, from 1.
        sentence: u32,
    },
    /// `@a881341`: a sub-agent's whole thread.
    Thread(String),
    /// `r:t88`, `r:e002`: what stands behind a receipt, a turn of a session or an event of a trace.
    Receipt(String),
    /// `b4`: a block.
    Block(u32),
    /// `p2`: a span.
    Span(u32),
    /// `b4.s2`, `p2.s1`: a sentence of their summary.
    MadeSentence {
        /// Of a span, not of a block.
        span: bool,
        /// Its number.
        of: u32,
        /// The sentence's number, from 1.
        sentence: u32,
    },
    /// `i9`: an item of the ledger.
    Item(u32),
    /// `c45`: the cluster that holds turn 45.
    Cluster(u32),
    /// `c45.s1`: a sentence of its summary.
    ClusterSentence {
        /// A turn that the cluster holds.
        of: u32,
        /// The sentence's number, from 1.
        sentence: u32,
    },
    /// `u7`: a union of clusters.
    Union(u32),
}

/// A text that is no address.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "\"{}\" is no address here: write t489 for a turn, t489.2 for a part, @NAME/t12 for a sub-agent's turn, L560 for a line, g3 for a generation, g3.s12 for a sentence of its summary, b4 for a block, p2 for a span, b4.s2 for a sentence of theirs, i9 for an item of the ledger, c45 for the cluster that holds turn 45, u7 for a union, r:t88 for what a receipt stands for",
    quoted(.0)
)]
pub struct NotAnAddress(pub String);

/// A sentence that a summary does not have.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no sentence {0}: the summary has {1}")]
pub struct NoSentence(pub Address, pub usize);

impl Address {
    /// The address of a sentence, numbered from 1, of the summary that stands here; this place itself where none can.
    #[must_use]
    pub fn sentence(self, sentence: u32) -> Self {
        match self {
            Self::Generation(generation) => Self::Sentence { generation, sentence },
            Self::Block(of) => Self::MadeSentence { span: false, of, sentence },
            Self::Span(of) => Self::MadeSentence { span: true, of, sentence },
            Self::Cluster(of) => Self::ClusterSentence { of, sentence },
            other => other,
        }
    }

    /// The place from 0 of the sentence that this is the address of, in a summary of `all` sentences.
    pub fn place_in(self, all: usize) -> Result<u32, NoSentence> {
        let number = match self {
            Self::Sentence { sentence, .. }
            | Self::MadeSentence { sentence, .. }
            | Self::ClusterSentence { sentence, .. } => sentence,
            _ => 0,
        };
        let place = number.checked_sub(1).filter(|place| (*place as usize) < all);
        place.ok_or(NoSentence(self, all))
    }
}

impl FromStr for Address {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        let fail = || NotAnAddress(text.to_owned());
        if let Some(rest) = text.strip_prefix("r:") {
            return if rest.is_empty() { Err(fail()) } else { Ok(Self::Receipt(rest.to_owned())) };
        }
        if let Some(rest) = text.strip_prefix('@') {
            let Some((thread, turn)) = rest.split_once('/') else {
                return if rest.is_empty() { Err(fail()) } else { Ok(Self::Thread(rest.to_owned())) };
            };
            return match turn.parse().map_err(|_| fail())? {
                Self::Turn { thread: None, number, part } if !thread.is_empty() => {
                    Ok(Self::Turn { thread: Some(thread.to_owned()), number, part })
                }
                _ => Err(fail()),
            };
        }
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse::<u32>().ok()).flatten().ok_or_else(fail)
        };
        match text.split_at_checked(1) {
            Some(("t", rest)) => match rest.split_once('.') {
                Some((turn, part)) => {
                    Ok(Self::Turn { thread: None, number: number(turn)?, part: Some(number(part)?) })
                }
                None => Ok(Self::Turn { thread: None, number: number(rest)?, part: None }),
            },
            Some(("L" | "l", rest)) => Ok(Self::Line(number(rest)?)),
            Some(("g", rest)) => match rest.split_once(".s") {
                Some((generation, sentence)) => {
                    Ok(Self::Sentence { generation: number(generation)?, sentence: number(sentence)? })
                }
                None => Ok(Self::Generation(number(rest)?)),
            },
            Some((kind @ ("b" | "p"), rest)) => {
                let span = kind == "p";
                match rest.split_once(".s") {
                    Some((of, sentence)) => {
                        Ok(Self::MadeSentence { span, of: number(of)?, sentence: number(sentence)? })
                    }
                    None if span => Ok(Self::Span(number(rest)?)),
                    None => Ok(Self::Block(number(rest)?)),
                }
            }
            Some(("i", rest)) => Ok(Self::Item(number(rest)?)),
            Some(("u", rest)) => Ok(Self::Union(number(rest)?)),
            Some(("c", rest)) => match rest.split_once(".s") {
                Some((of, sentence)) => {
                    Ok(Self::ClusterSentence { of: number(of)?, sentence: number(sentence)? })
                }
                None => Ok(Self::Cluster(number(rest)?)),
            },
            _ => Err(fail()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Turn { thread, number, part } => {
                if let Some(thread) = thread {
                    write!(f, "@{thread}/")?;
                }
                write!(f, "t{number}")?;
                part.map_or(Ok(()), |part| write!(f, ".{part}"))
            }
            Self::Line(line) => write!(f, "L{line}"),
            Self::Generation(generation) => write!(f, "g{generation}"),
            Self::Sentence { generation, sentence } => write!(f, "g{generation}.s{sentence}"),
            Self::Thread(thread) => write!(f, "@{thread}"),
            Self::Receipt(target) => write!(f, "r:{target}"),
            Self::Block(block) => write!(f, "b{block}"),
            Self::Span(span) => write!(f, "p{span}"),
            Self::MadeSentence { span, of, sentence } => {
                write!(f, "{}{of}.s{sentence}", if *span { 'p' } else { 'b' })
            }
            Self::Item(item) => write!(f, "i{item}"),
            Self::Cluster(turn) => write!(f, "c{turn}"),
            Self::ClusterSentence { of, sentence } => write!(f, "c{of}.s{sentence}"),
            Self::Union(union) => write!(f, "u{union}"),
        }
    }
}

/// A moment in a session, as a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// `489` or `t489`: after that turn.
    Turn(u32),
    /// `g2`: just after that summary.
    After(u32),
    /// `g2-`: just before it.
    Before(u32),
    /// A clock time: the last turn at or before it.
    Clock(String),
}

/// A moment that the session does not have.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NoSuchMoment {
    /// Not written as one.
    #[error(
        "\"{}\" is no moment: write 489 or t489 for a turn, g2 for just after a compaction, g2- for just before it, or a clock time such as 14:02 or 2026-01-23T14:02",
        quoted(.0)
    )]
    Unreadable(String),
    /// Beyond the end.
    #[error("there is no turn {0}: the main thread has {1}")]
    Turn(u32, u32),
    /// Beyond the last compaction.
    #[error("there is no generation {0}: the log has {1}")]
    Generation(u32, usize),
    /// A boundary stands alone.
    #[error("generation {0} is a boundary without a summary: it changed no context")]
    NoSummary(u32),
    /// No turn is that old.
    #[error("no turn was logged at or before {0}")]
    Clock(String),
}

impl NoSuchMoment {
    /// Whether the text could not be read at all: wrong usage rather than something not found.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }
}

impl FromStr for Moment {
    type Err = NoSuchMoment;

    fn from_str(text: &str) -> Result<Self, NoSuchMoment> {
        let digits = text.strip_prefix('t').unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            return digits.parse().map(Self::Turn).map_err(|_| NoSuchMoment::Unreadable(text.to_owned()));
        }
        if let Some(rest) = text.strip_prefix('g') {
            let (number, before) = rest.strip_suffix('-').map_or((rest, false), |number| (number, true));
            let number = number.parse().map_err(|_| NoSuchMoment::Unreadable(text.to_owned()))?;
            return Ok(if before { Self::Before(number) } else { Self::After(number) });
        }
        let is_time = text.parse::<jiff::civil::Time>().is_ok() && text.contains(':');
        let is_date =
            || text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok();
        if is_time || is_date() {
            return Ok(Self::Clock(text.to_owned()));
        }
        Err(NoSuchMoment::Unreadable(text.to_owned()))
    }
}

impl Session {
    /// The number of the main thread's turn that `moment` means; 0 is before the first turn.
    pub fn resolve(&self, moment: &Moment) -> Result<u32, NoSuchMoment> {
        match moment {
            Moment::Turn(number) if *number <= self.last() => Ok(*number),
            Moment::Turn(number) => Err(NoSuchMoment::Turn(*number, self.last())),
            Moment::After(generation) => self.summary_of(*generation).map(|id| self.turn(id).number),
            Moment::Before(generation) => {
                let summary = self.summary_of(*generation)?;
                Ok(self.before(summary).map_or(0, |before| self.turn(before).number))
            }
            Moment::Clock(text) => self.at_clock(text),
        }
    }

    fn summary_of(&self, generation: u32) -> Result<TurnId, NoSuchMoment> {
        let compaction = self
            .generation(generation)
            .ok_or(NoSuchMoment::Generation(generation, self.compactions.len()))?;
        compaction.summary.ok_or(NoSuchMoment::NoSummary(generation))
    }

    fn at_clock(&self, text: &str) -> Result<u32, NoSuchMoment> {
        let unreadable = || NoSuchMoment::Unreadable(text.to_owned());
        let newest =
            self.main().turns.iter().rev().map(|id| self.turn(id).time).find(|time| *time != i64::MIN);
        let limit = if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
            stamp.as_millisecond()
        } else {
            let zone = jiff::tz::TimeZone::system();
            let at = match text.parse::<jiff::civil::DateTime>() {
                Ok(at) => at,
                Err(_) => {
                    let time: jiff::civil::Time = text.parse().map_err(|_| unreadable())?;
                    let day =
                        jiff::Timestamp::from_millisecond(newest.unwrap_or(0)).map_err(|_| unreadable())?;
                    day.to_zoned(zone.clone()).date().to_datetime(time)
                }
            };
            let stamp = at.to_zoned(zone).map_err(|_| unreadable())?.timestamp().as_millisecond();
            // A clock time without seconds means the whole minute.
            let whole_minute = text.bytes().filter(|b| *b == b':').count() == 1;
            if whole_minute { stamp + 59_999 } else { stamp }
        };
        let at = |id: &TurnId| (i64::MIN + 1..=limit).contains(&self.turn(*id).time);
        let found = self.main().turns.iter().rev().find(at);
        found.map(|id| self.turn(id).number).ok_or_else(|| NoSuchMoment::Clock(text.to_owned()))
    }

    /// The address of a turn.
    pub fn address(&self, id: TurnId) -> Address {
        let turn = self.turn(id);
        let name = &self.threads[turn.thread as usize].name;
        let thread = (!name.is_empty()).then(|| name.to_string());
        Address::Turn { thread, number: turn.number, part: None }
    }

    /// The thread with this name; the main one has none.
    pub fn thread_named(&self, name: Option<&str>) -> Option<usize> {
        match name {
            None => Some(0),
            Some(name) => self.threads.iter().position(|thread| &*thread.name == name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_back_as_written() {
        for text in [
            "t489",
            "t489.2",
            "@a881341/t12",
            "@a881341/t12.0",
            "L560",
            "g3",
            "@a881341",
            "b4",
            "p2",
            "b4.s2",
            "p2.s1",
            "i9",
            "c45",
            "c45.s1",
            "u7",
            "r:t88",
            "r:e 2#3",
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in [
            "@/t1", "", "t", "t-1", "tx", "489", "@", "@a/g2", "g", "t1.x", "L", "b", "p2.s", "i", "i1.s2",
            "r:",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    #[test]
    fn moments() {
        assert_eq!("489".parse(), Ok(Moment::Turn(489)));
        assert_eq!("t489".parse(), Ok(Moment::Turn(489)));
        assert_eq!("g2".parse(), Ok(Moment::After(2)));
        assert_eq!("g2-".parse(), Ok(Moment::Before(2)));
        assert_eq!("14:02".parse(), Ok(Moment::Clock("14:02".into())));
        for text in ["soon", "25:99", "14:", "g", "gx-"] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}
