//! `pentimento sessions`: the sessions there are.

mod listing;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::cli::SessionsArguments;
use crate::discover::agents::{Agent, places};
use crate::discover::newest::Directory;
use crate::discover::{Catalogue, Glance, Known, Listed, Look, News, Place, SessionNo, cache, now, walk};
use crate::store::cache::Cache;
use crate::text::display::safe;

use super::Failure;
use listing::Listing;

/// Lists the sessions.
pub(super) fn run(arguments: &SessionsArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let agent = arguments.agent.as_deref().and_then(Agent::named);
    let places = match &arguments.dir {
        Some(dir) => vec![Place::given(dir)],
        None => places(agent),
    };
    let mut cache = cache();
    let (catalogue, look) = glance(&places, &mut cache);
    complain(&look.troubles);
    complain(cache.trouble().as_slice());
    let chosen = chosen(&catalogue, arguments)?;
    if chosen.is_empty() {
        return Err(Failure::NotFound(nothing(&catalogue, arguments, &look)));
    }
    let listing = Listing::new(catalogue, chosen, cache);
    let outcome = if arguments.json { listing.print_json(out) } else { listing.print_table(out) };
    let mut cache = listing.into_cache();
    cache.save();
    complain(cache.trouble().as_slice());
    outcome
}

/// Troubles end nothing, and standard output carries only the result.
fn complain(troubles: &[String]) {
    for trouble in troubles {
        eprintln!("pentimento: {}", safe(trouble));
    }
}

/// Finds the sessions and looks at the ends of those that are not known.
fn glance(places: &[Place], cache: &mut Cache<Known>) -> (Catalogue, Look) {
    let mut found = Vec::new();
    let look = walk(places, &mut |session| {
        found.push(session);
        true
    });
    let mut catalogue = Catalogue::default();
    let now = now();
    for session in found {
        let known = cache.get(&session.stamp).cloned();
        let glanced = known.is_none().then(|| {
            let glance = Glance::of(&session.path, session.role);
            if glance.problem.is_none() && glance.format.is_some() {
                let known = Known { glance: glance.clone(), counts: None };
                cache.put(&session.path, session.stamp, known);
            }
            (session.path.clone(), session.stamp, glance)
        });
        catalogue.take(News::Found(vec![(session, known)]), now);
        if let Some(glanced) = glanced {
            catalogue.take(News::Glanced(vec![glanced]), now);
        }
    }
    (catalogue, look)
}

/// The sessions asked for, in order, each followed by those that stand under it, with how deep each stands.
fn chosen(catalogue: &Catalogue, arguments: &SessionsArguments) -> Result<Vec<(SessionNo, usize)>, Failure> {
    let directory = match (&arguments.project, arguments.here) {
        (Some(project), _) => Some(Directory::new(project)),
        (None, true) => Some(
            Directory::current()
                .map_err(|error| Failure::Usage(format!("the current directory cannot be told: {error}")))?,
        ),
        (None, false) => None,
    };
    let wanted = |session: &Listed| {
        let agent = arguments.agent.as_deref().is_none_or(|agent| session.agent() == Some(agent));
        let in_directory = |directory: &Directory| {
            session
                .glance
                .as_ref()
                .and_then(|glance| glance.project.as_deref())
                .is_some_and(|project| directory.holds(Path::new(project)))
        };
        agent && directory.as_ref().is_none_or(in_directory)
    };
    let mut chosen = Vec::new();
    let mut sessions = 0;
    for root in catalogue.roots() {
        let before = chosen.len();
        let mut waiting = vec![(root, 0)];
        while let Some((no, depth)) = waiting.pop() {
            if wanted(catalogue.get(no)) {
                chosen.push((no, depth));
            }
            waiting.extend(catalogue.children(no).into_iter().rev().map(|child| (child, depth + 1)));
        }
        sessions += usize::from(chosen.len() > before);
        if arguments.limit.is_some_and(|limit| sessions >= limit as usize) {
            break;
        }
    }
    Ok(chosen)
}

/// Why nothing is listed.
fn nothing(catalogue: &Catalogue, arguments: &SessionsArguments, look: &Look) -> String {
    let shown = catalogue.shown().count();
    let mut filters = Vec::new();
    filters.extend(arguments.agent.as_ref().map(|agent| format!("--agent {agent}")));
    filters.extend(arguments.project.as_ref().map(|project| format!("--project {}", project.display())));
    if arguments.here {
        let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        filters.push(format!("--here ({})", here.display()));
    }
    let what = match (shown, filters.is_empty()) {
        (0, _) | (_, true) => "no sessions found".to_owned(),
        (shown, false) => format!("none of {shown} sessions fits {}", filters.join(" ")),
    };
    format!("{what}. Looked in {}", look.places_line())
}
