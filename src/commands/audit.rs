//! `pentimento audit`: what each compaction lost.
//!
//! Owns which logs are audited, what an audit is kept under, and when it fails; what it looks like is `text`, `json` and
//! `brief`. Each compaction is printed as soon as it is done. A log that cannot be read does not keep the others from being
//! audited.

mod brief;
mod json;
mod kept;
mod rules;
mod strategy;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::audit::pass::{Curves, Pass};
use crate::audit::running;
use crate::audit::work::Options;
use crate::cli::{AuditArguments, Rule};
use crate::discover::agents::Role;
use crate::discover::{Place, walk};
use crate::message::complain;
use crate::session::open::OpenLog;
use crate::store::OptionalStore;
use crate::strategies::NAMES;
use crate::text::lexicon::{self, Lexicon};

use super::{Failure, own_lexicon};
use kept::Kept;

/// What stands before the reports of a log.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Head {
    path: String,
    format: String,
    strategy: String,
    lexicon: String,
    /// How many compactions there are.
    passes: usize,
}

/// The whole audit of a log.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    head: Head,
    passes: Vec<Pass>,
    curves: Curves,
}

/// Who writes an audit down.
trait Print {
    /// Before the first report.
    fn head(&mut self, head: &Head) -> Result<(), Failure>;
    /// The next report.
    fn pass(&mut self, head: &Head, pass: &Pass) -> Result<(), Failure>;
    /// Behind the last one.
    fn end(&mut self, head: &Head, curves: &Curves) -> Result<(), Failure>;
}

/// Audits all that was asked for.
pub(super) fn run(arguments: &AuditArguments, out: &mut dyn Write) -> Result<(), Failure> {
    if !NAMES.contains(&&*arguments.strategy) {
        let names = NAMES.join(", ");
        return Err(Failure::Usage(format!(
            "\"{}\" is no strategy of this build: {names}",
            arguments.strategy
        )));
    }
    let own = arguments.lexicon.as_deref().map(own_lexicon).transpose()?;
    let lexicon = own.as_ref().unwrap_or_else(|| lexicon::built_in());
    let logs = logs(&arguments.paths)?;
    let store = OptionalStore::later();
    let mut rules = rules::Rules::new(&arguments.fail_on);
    let mut unread = 0;
    for (at, path) in logs.iter().enumerate() {
        if logs.len() > 1 {
            progress(&format!("{} of {}: {}", at + 1, logs.len(), path.display()));
        }
        let mut printer: Box<dyn Print + '_> = match (arguments.json, arguments.brief) {
            (true, _) => Box::new(json::Json::new(out)),
            (_, true) => Box::new(brief::Brief::new(out, path, arguments.show_secrets)),
            _ => Box::new(text::Text::new(out, arguments.all)),
        };
        match one(path, arguments, lexicon, &store, &mut *printer, &mut rules) {
            Ok(()) => {}
            Err(failure @ (Failure::Usage(_) | Failure::Write(_))) => return Err(failure),
            Err(failure) if logs.len() == 1 => return Err(failure),
            Err(failure) => {
                complain(&failure.to_string());
                unread += 1;
            }
        }
    }
    if let Some(trouble) = store.trouble() {
        complain(&trouble);
    }
    match unread {
        0 => rules.outcome(),
        unread => Err(Failure::Unreadable(format!("{unread} of {} logs could not be audited", logs.len()))),
    }
}

/// The logs that were named, and those in folders that were: sessions, not their sub-agents' parts.
fn logs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut out = Vec::new();
    for path in paths {
        if !path.is_dir() {
            out.push(path.clone());
            continue;
        }
        let mut found: Vec<PathBuf> = Vec::new();
        let look = walk(&[Place::given(path)], &mut |session| {
            if session.role == Role::Session {
                found.push(session.path.to_path_buf());
            }
            true
        });
        look.troubles.iter().for_each(|trouble| complain(trouble));
        found.sort();
        out.extend(found);
    }
    if out.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Failure::NotFound(format!("no sessions found in {}", names.join(", "))));
    }
    Ok(out)
}

/// Says on standard error how far it is, where somebody looks.
fn progress(what: &str) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() && !std::io::stdout().is_terminal() {
        complain(what);
    }
}

/// Audits one log, or says again what is kept of it.
fn one(
    path: &Path,
    arguments: &AuditArguments,
    lexicon: &Lexicon,
    store: &OptionalStore,
    printer: &mut dyn Print,
    rules: &mut rules::Rules,
) -> Result<(), Failure> {
    let unsupported = arguments.fail_on.contains(&Rule::Unsupported);
    let options = Options { tools: arguments.tools, unsupported };
    let kept = Kept::of(path, &arguments.strategy, lexicon, options, store);
    if let Some(report) = kept.as_ref().and_then(Kept::report) {
        let head = Head { path: path.display().to_string(), ..report.head };
        return print(&head, report.passes, &report.curves, arguments, printer, rules);
    }
    let log = OpenLog::load(path)?;
    log.notices().iter().for_each(|notice| complain(notice));
    let works = strategy::works(&log, arguments, options)?;
    let head = Head {
        path: path.display().to_string(),
        format: log.session.format.name().to_owned(),
        strategy: arguments.strategy.clone(),
        lexicon: lexicon.id().to_owned(),
        passes: works.len(),
    };
    printer.head(&head)?;
    let mut passes = Vec::new();
    let mut outcome = Ok(());
    let curves = running::run(works, lexicon, &mut |pass| {
        if !arguments.last || pass.about.generation as usize == head.passes {
            rules.take(&head, &pass);
            outcome = printer.pass(&head, &pass);
        }
        passes.push(pass);
        outcome.is_ok()
    })?;
    outcome?;
    printer.end(&head, &curves)?;
    if let Some(kept) = kept {
        kept.keep(&log, &Report { head, passes, curves });
    }
    Ok(())
}

/// Prints what was kept.
fn print(
    head: &Head,
    passes: Vec<Pass>,
    curves: &Curves,
    arguments: &AuditArguments,
    printer: &mut dyn Print,
    rules: &mut rules::Rules,
) -> Result<(), Failure> {
    printer.head(head)?;
    for pass in passes {
        if !arguments.last || pass.about.generation as usize == head.passes {
            rules.take(head, &pass);
            printer.pass(head, &pass)?;
        }
    }
    printer.end(head, curves)
}
