//! Whole texts of turns, read back from the log.

use crate::formats::facts::PartText;
use crate::log::{LogError, Source};

use super::{Row, Session, TurnId};

/// A part's text and where it stands.
#[derive(Clone, Debug)]
pub struct LocatedText {
    /// The part's number in its turn, from 0: `t12.0`.
    pub index: u32,
    /// The part's place among all parts of the session.
    pub place: u32,
    /// The physical line of its record.
    pub line: u32,
    /// Its number in its record, from 0.
    pub part: u16,
    /// What it says.
    pub text: PartText,
}

/// The bytes of a row's line, without its newline.
pub fn line(source: &Source, row: &Row) -> Result<Vec<u8>, LogError> {
    source.read(row.offset, row.length as usize)
}

/// The texts of a turn's parts, in order.
pub fn turn(session: &Session, source: &Source, id: TurnId) -> Result<Vec<LocatedText>, LogError> {
    let mut out = Vec::new();
    let mut parts = (0..).zip(session.parts(id)).peekable();
    for (row_number, row) in session.rows_of(id) {
        let mut texts: Vec<_> = session.format.texts(&line(source, row)?).into_iter().map(Some).collect();
        while let Some((index, (place, part))) = parts.next_if(|(_, (_, part))| part.row == row_number) {
            let Some(text) = texts.get_mut(usize::from(part.index)).and_then(Option::take) else { continue };
            out.push(LocatedText { index, place, line: row.line, part: part.index, text });
        }
    }
    Ok(out)
}

/// The text of a turn as one string: its parts, one after another.
pub fn whole(session: &Session, source: &Source, id: TurnId) -> Result<String, LogError> {
    let texts: Vec<String> =
        turn(session, source, id)?.into_iter().map(|located| shown(&located.text)).collect();
    Ok(texts.join("\n"))
}

/// The text of a summary alone, without the messages that its compaction wrote down again.
pub fn summary(session: &Session, source: &Source, id: TurnId) -> Result<String, LogError> {
    let own = turn(session, source, id)?.into_iter().filter(|located| !session.part(located.place).again);
    Ok(own.map(|located| shown(&located.text)).collect::<Vec<_>>().join("\n"))
}

/// A part's text with the name of its tool before it.
pub fn shown(text: &PartText) -> String {
    match &text.tool {
        Some(tool) if text.text.is_empty() => tool.clone(),
        Some(tool) => format!("{tool}\n{}", text.text),
        None => text.text.clone(),
    }
}
