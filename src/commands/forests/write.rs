//! A session's forest into files: the published format for others, the own one to go on from.

use std::path::Path;

use crate::cli::TreeArguments;
use crate::export;
use crate::log::Source;
use crate::session::open::OpenLog;
use crate::session::text::shown;
use crate::strategies::union_find::exchange::{self, Content};
use crate::strategies::union_find::forest::Stamp;
use crate::strategies::union_find::replay::{Message, turns};
use crate::strategies::union_find::saved;

use super::super::{Failure, iso};
use super::Cold;

/// Writes what `--write` and `--save` name.
pub(in crate::commands) fn run(
    log: &OpenLog,
    cold: &mut Cold,
    arguments: &TreeArguments,
) -> Result<(), Failure> {
    let forest = cold.replay.forest();
    for (path, saves) in [(&arguments.write, false), (&arguments.save, true)]
        .into_iter()
        .filter_map(|(path, saves)| Some((path.as_ref()?, saves)))
    {
        may_replace(path, &log.path, saves, arguments.force)?;
    }
    if let (Some(write), Some(save)) = (&arguments.write, &arguments.save)
        && is_same_place(write, save)
    {
        let shown = crate::log::name::shown(write);
        return Err(Failure::Usage(format!("--write and --save both name {shown}: give each its own file")));
    }
    if arguments.write.is_some() {
        // Before the work that it takes.
        exchange::fits(forest).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    let nodes = 0..forest.forest().len() as u32;
    let contents = nodes.map(|node| content(log, cold.replay.message(node)));
    let contents: Vec<Content> = contents.collect::<Result<_, Failure>>()?;
    if let Some(path) = &arguments.save {
        let messages = forest.hot().iter().map(|hot| &cold.replay.messages()[hot.message as usize]);
        let hot: Vec<Content> =
            messages.map(|message| content(log, message)).collect::<Result<_, Failure>>()?;
        let bytes = saved::write(forest, &contents, &hot)
            .map_err(|error| Failure::Unreadable(format!("the forest cannot be put down: {error}")))?;
        export::whole(path, |out| out.write_all(&bytes)).map_err(|error| unwritten(path, &error))?;
    }
    if let Some(path) = &arguments.write {
        let inner = forest.forest();
        let roots = inner.roots(Stamp::MAX).into_iter().filter(|root| inner.size(*root, Stamp::MAX) > 1);
        let roots: Vec<u32> = roots.collect();
        let mut summaries = Vec::new();
        for root in roots {
            summaries.push((root, cold.summary(root)?.summary.text.clone()));
        }
        let forest = cold.replay.forest();
        export::whole(path, |out| exchange::write(forest, &contents, &summaries, out))
            .map_err(|error| unwritten(path, &error))?;
    }
    Ok(())
}

/// Whether two names are one file, be it there or not.
fn is_same_place(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let whole = path.canonicalize().ok();
        whole.or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)))
    };
    a == b || matches!((place(a), place(b)), (Some(a), Some(b)) if a == b)
}

/// Refuses what would destroy something else: no log is ever written to, and a file that is there stays unless it is a
/// forest that was saved here, or somebody says so.
fn may_replace(path: &Path, log: &Path, saves: bool, force: bool) -> Result<(), Failure> {
    let Ok(known) = std::fs::metadata(path) else { return Ok(()) };
    let shown = crate::log::name::shown(path);
    let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if same(path, log) {
        return Err(Failure::Usage(format!("{shown} is the log itself: logs are only read")));
    }
    if !known.is_file() {
        return Err(Failure::Usage(format!("{shown} is no file that could be replaced")));
    }
    if force || (saves && is_saved(path)) {
        return Ok(());
    }
    let what = if saves { " and is no forest that --save wrote" } else { "" };
    Err(Failure::Usage(format!("{shown} is there{what}: --force replaces it, or choose another name")))
}

/// Whether a file holds a forest that was saved here, of whatever version.
fn is_saved(path: &Path) -> bool {
    let read = |path: &Path| Source::open(path)?.read_all();
    read(path).is_ok_and(|bytes| saved::is_one(&bytes))
}

/// What a message says, whole, and when it was said.
fn content(log: &OpenLog, message: &Message) -> Result<Content, Failure> {
    let mut texts = Vec::new();
    let mut time = None;
    for id in turns(&log.session, message) {
        time = time.or_else(|| iso(log.session.turn(id).time));
        texts.extend(log.texts(id)?.iter().map(|located| shown(&located.text)));
    }
    Ok(Content { text: texts.join("\n"), time })
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Unreadable(format!("{}: cannot be written: {error}", crate::log::name::shown(path)))
}
