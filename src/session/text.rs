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
    pub part: u32,
    /// What it says.
    pub text: PartText,
}

/// The bytes of a row's line, without its newline.
pub fn line(source: &Source, row: &Row) -> Result<Vec<u8>, LogError> {
    source.read(row.offset, row.length as usize)
}

/// A record as a person reads it: pretty where it is JSON, as it stands where it is not.
pub fn record(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    serde_json::from_str::<serde_json::Value>(&text)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| text.into_owned())
}

/// The texts of a turn's parts, in order.
pub fn turn(session: &Session, source: &Source, id: TurnId) -> Result<Vec<LocatedText>, LogError> {
    let rows = session.rows_of(id);
    let lines = rows.map(|(_, row)| Ok(session.format.texts(&line(source, &row)?)));
    Ok(located(session, id, lines.collect::<Result<_, LogError>>()?))
}

/// Gives the texts of each of a turn's rows, in `lines`, their places.
pub(super) fn located(session: &Session, id: TurnId, lines: Vec<Vec<PartText>>) -> Vec<LocatedText> {
    let mut out = Vec::new();
    let mut parts = (0..).zip(session.parts(id)).peekable();
    for ((row_number, row), texts) in session.rows_of(id).zip(lines) {
        let mut texts: Vec<_> = texts.into_iter().map(Some).collect();
        while let Some((index, (place, part))) = parts.next_if(|(_, (_, part))| part.row == row_number) {
            let Some(text) = texts.get_mut(part.index as usize).and_then(Option::take) else { continue };
            out.push(LocatedText { index, place, line: row.line, part: part.index, text });
        }
    }
    out
}

/// Texts as one string: the parts, one after another.
pub fn whole(texts: &[LocatedText]) -> String {
    let texts: Vec<String> = texts.iter().map(|located| shown(&located.text)).collect();
    texts.join("\n")
}

/// The text of a summary alone, without the messages that its compaction wrote down again.
pub fn summary(session: &Session, texts: &[LocatedText]) -> String {
    let own = texts.iter().filter(|located| !session.part(located.place).again);
    own.map(|located| shown(&located.text)).collect::<Vec<_>>().join("\n")
}

/// A part's text with the name of its tool before it.
pub fn shown(text: &PartText) -> String {
    match &text.tool {
        Some(tool) if text.text.is_empty() => tool.clone(),
        Some(tool) => format!("{tool}\n{}", text.text),
        None => text.text.clone(),
    }
}
