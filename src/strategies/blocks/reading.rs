//! What is read of a turn while it is replayed: never more than a key may wait for.
//!
//! Replaying goes on between two frames and can only stop between turns. So what is large is left out by its size, before
//! anything of it is read: nobody types or says so much, and it binds nothing, answers nothing and ends no plan.

use crate::log::LogError;
use crate::session::open::OpenLog;
use crate::session::text::LocatedText;
use crate::session::{Part, TurnId};

/// The largest text that is looked at, in bytes: more than a model writes at once.
const TEXT: u32 = 256 << 10;
/// The largest records of a turn that are read for what stands in them: a prompt may come with pictures.
pub(super) const RECORDS: u64 = 24 << 20;
/// The same where only words are counted, and another turn has some too.
pub(super) const WORDS: u64 = 2 << 20;

/// The texts of the parts of turn `id` that are `wanted`, less what is too large; none of a turn whose records have more
/// than `most` bytes.
pub(super) fn texts(
    log: &OpenLog,
    id: TurnId,
    most: u64,
    wanted: impl Fn(&Part) -> bool,
) -> Result<Vec<LocatedText>, LogError> {
    let session = &log.session;
    let fits = |part: &Part| wanted(part) && part.bytes <= TEXT;
    let is_any = session.parts(id).any(|(_, part)| fits(&part));
    if !is_any || session.rows_of(id).map(|(_, row)| u64::from(row.length)).sum::<u64>() > most {
        return Ok(Vec::new());
    }
    let mut texts = log.texts(id)?;
    texts.retain(|located| fits(&session.part(located.place)));
    Ok(texts)
}
