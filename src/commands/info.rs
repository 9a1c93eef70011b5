//! `pentimento info`: a session at a glance.

mod costs;

use std::io::Write;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::cli::CostOptions;
use crate::formats::facts::Role;
use crate::log::name::shown;
use crate::session::open::OpenLog;
use crate::session::{Compaction, RowKind, Session, SizeFrom};
use crate::strategies::fill::{Fill, fill};
use crate::strategies::recorded_newest_first;
use crate::text::display::safe;
use crate::text::numbers::{bytes, count, grouped, short};

use super::{Failure, SCHEMA};
use costs::Costs;

/// Prints what is known of the session as a whole.
pub(super) fn run(
    log: &OpenLog,
    as_json: bool,
    options: &CostOptions,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let costs = Costs::of(log, options)?;
    let facts = Facts::of(log);
    if as_json {
        return facts.json(costs.as_ref(), out);
    }
    facts.text(out)?;
    costs.map_or(Ok(()), |costs| costs.text(out))
}

/// What is written as JSON.
#[derive(Serialize)]
struct Info<C> {
    #[serde(flatten)]
    head: Value,
    compactions: C,
    microcompactions: Vec<Value>,
}

/// Elements that are made one at a time while they are written: a long session has thousands of compactions.
struct Each<F>(F);

impl<F: Fn() -> I, I: Iterator<Item = Value>> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

struct Facts<'a> {
    log: &'a OpenLog,
    session: &'a Session,
    fill: Fill,
    problem: Option<String>,
    by_role: [(Role, usize); 4],
}

impl<'a> Facts<'a> {
    fn of(log: &'a OpenLog) -> Self {
        let session = &log.session;
        let mut by_role = [Role::User, Role::Assistant, Role::Tool, Role::Summary].map(|role| (role, 0));
        for turn in session.turns().iter() {
            by_role[turn.role as usize].1 += 1;
        }
        let incomplete = log.source.flow().and_then(|flow| flow.trouble).map(|trouble| trouble.to_string());
        let problems: Vec<String> =
            crate::session::subagents::trouble(&log.path).into_iter().chain(incomplete).collect();
        let problem = (!problems.is_empty()).then(|| problems.join("; "));
        Self {
            log,
            session,
            fill: fill(session, recorded_newest_first(session, session.last())),
            problem,
            by_role,
        }
    }

    fn rows(&self, kind: RowKind) -> usize {
        self.session.rows().kinds().filter(|row| *row == kind).count()
    }

    fn json(&self, costs: Option<&Costs>, out: &mut dyn Write) -> Result<(), Failure> {
        let session = self.session;
        let shares: Vec<Value> = self
            .fill
            .kinds
            .iter()
            .chain(&self.fill.files)
            .map(|share| json!({"what": share.what, "tokens": share.tokens, "turns": share.turns}))
            .collect();
        let outliers: Vec<String> =
            self.fill.outliers.iter().map(|id| session.address(*id).to_string()).collect();
        let (window, logged) = session.window();
        let mut head = json!({
            "schema": SCHEMA,
            "path": self.log.path.to_string_lossy(),
            "format": session.format.name(),
            "agent_version": session.version,
            "session_ids": session.session_ids,
            "title": session.title,
            "forked_from": session.header().and_then(|header| header.forked_from.as_deref()),
            "parent_thread": session.header().and_then(|header| header.parent.as_deref()),
            "models": session.models,
            "bytes": session.bytes,
            "records": session.rows().len(),
            "malformed": session.malformed().len(),
            "malformed_lines": self.malformed_json(),
            "unknown": session.unknown,
            "turns": session.turns().len(),
            "notes": self.rows(RowKind::Note),
            "echoes": self.rows(RowKind::Echo),
            "by_role": self.by_role.iter().map(|(role, n)| (role.name().to_owned(), json!(n))).collect::<serde_json::Map<_, _>>(),
            "threads": self.log.thread_count(),
            "subagents": self.log.agents().iter().map(|agent| agent.file.name.clone()).collect::<Vec<_>>(),
            "problems": self.problem,
            "main_turns": session.last(),
            "branches": session.main().branches,
            "conversations": session.main().conversations,
            "tokens": {
                "input": session.usage.input,
                "output": session.usage.output,
                "cache_read": session.usage.cache_read,
                "cache_write": session.usage.cache_write,
            },
            "context_tokens": session.context_size(session.last()).map(|(tokens, _)| tokens),
            "context_window": {"value": window, "source": if logged { "logged" } else { "assumed" }},
            "window_by": shares,
            "window_outliers": outliers,
        });
        if let Some(costs) = costs {
            head["costs"] = costs.json();
        }
        let compactions = Each(|| session.compactions().iter().map(|c| compaction(session, c)));
        let info = Info { head, compactions, microcompactions: self.microcompactions() };
        serde_json::to_writer(&mut *out, &info).map_err(std::io::Error::from)?;
        Ok(writeln!(out)?)
    }

    fn malformed_json(&self) -> Vec<Value> {
        let session = self.session;
        session
            .malformed()
            .iter()
            .map(|(row, reason)| {
                let row = session.row(*row);
                json!({"line": row.line, "offset": row.offset, "reason": reason})
            })
            .collect()
    }

    fn microcompactions(&self) -> Vec<Value> {
        let session = self.session;
        session
            .clearings()
            .iter()
            .map(|clearing| {
                let cleared: Vec<u32> = clearing.turns.iter().map(|id| session.turn(*id).number).collect();
                json!({
                    "turn": clearing.turn,
                    "line": session.row(clearing.row).line,
                    "tokens_saved": clearing.tokens_saved,
                    "cleared": cleared,
                })
            })
            .collect()
    }

    fn text(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let session = self.session;
        writeln!(out, "{}", safe(&shown(&self.log.path)))?;
        let version = session.version.as_ref().map_or(String::new(), |version| format!(" {}", safe(version)));
        let row = |out: &mut dyn Write, name: &str, value: String| writeln!(out, "  {name:<12}{value}");
        if let Some(title) = &session.title {
            row(out, "title", safe(title).into_owned())?;
        }
        row(out, "format", format!("{}{version}", session.format.name()))?;
        row(
            out,
            "size",
            format!("{}, {}", bytes(session.bytes), count(session.rows().len() as u64, "record")),
        )?;
        let roles: Vec<String> = self
            .by_role
            .iter()
            .filter(|(_, n)| *n > 0)
            .map(|(role, n)| format!("{n} {}", role.name()))
            .collect();
        let roles = if roles.is_empty() { String::new() } else { format!(" ({})", roles.join(", ")) };
        row(out, "turns", format!("{}{roles}", session.turns().len()))?;
        if session.threads().len() > 1 {
            row(out, "", format!("{} of them in the main thread", session.last()))?;
        }
        row(out, "notes", format!("{}, echoes {}", self.rows(RowKind::Note), self.rows(RowKind::Echo)))?;
        row(out, "threads", format!("{}, branches {}", self.log.thread_count(), session.main().branches))?;
        let header = session.header();
        for (name, from) in [
            ("forked from", header.and_then(|header| header.forked_from.as_deref())),
            ("sub-agent of", header.and_then(|header| header.parent.as_deref())),
        ] {
            if let Some(from) = from {
                row(out, name, format!(" {}", safe(from)))?;
            }
        }
        let usage = session.usage;
        row(
            out,
            "tokens",
            format!(
                "{} in, {} out, {} read from the cache, {} written to it",
                grouped(usage.input),
                grouped(usage.output),
                grouped(usage.cache_read),
                grouped(usage.cache_write)
            ),
        )?;
        let (window, logged) = session.window();
        let source = if logged { "" } else { " (assumed)" };
        let size = session
            .context_size(session.last())
            .map_or("nothing logged yet".to_owned(), |(n, _)| grouped(n.into()));
        row(out, "context", format!("{size} of {}{source}", grouped(window.into())))?;
        if let Some(problem) = &self.problem {
            row(out, "problem", safe(problem).into_owned())?;
        }
        self.text_problems(out)?;
        self.text_fill(out)?;
        self.text_compactions(out)
    }

    fn text_problems(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let session = self.session;
        if !session.malformed().is_empty() {
            writeln!(out, "\nmalformed lines: {}", session.malformed().len())?;
            for (row, reason) in session.malformed().iter().take(10) {
                writeln!(out, "  L{:<8}{}", session.row(*row).line, safe(reason))?;
            }
            if session.malformed().len() > 10 {
                writeln!(out, "  and {} more (--json lists them all)", session.malformed().len() - 10)?;
            }
        }
        if !session.unknown.is_empty() {
            writeln!(out, "\nunknown to this build:")?;
            for (name, times) in &session.unknown {
                writeln!(out, "  {:<40} {times}", safe(name))?;
            }
        }
        Ok(())
    }

    fn text_fill(&self, out: &mut dyn Write) -> Result<(), Failure> {
        writeln!(out, "\nwhat fills the window (~ estimated):")?;
        for share in self.fill.kinds.iter().take(8).chain(self.fill.files.iter().take(4)) {
            writeln!(
                out,
                "  ~{:<6}{} · {}",
                short(share.tokens),
                safe(&share.what),
                count(share.turns.into(), "turn")
            )?;
        }
        if !self.fill.outliers.is_empty() {
            let turns: Vec<String> = self
                .fill
                .outliers
                .iter()
                .map(|id| {
                    format!("{} ~{}", self.session.address(*id), short(self.session.turn(*id).tokens.into()))
                })
                .collect();
            writeln!(out, "  far above the rest: {}", turns.join(", "))?;
        }
        Ok(())
    }

    fn text_compactions(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let session = self.session;
        writeln!(out, "\ncompactions: {}", session.compactions().len())?;
        for compaction in session.compactions() {
            let view =
                crate::outline::View::new(self.log, crate::outline::ViewKind::Generations, session.last());
            let label = crate::outline::Outline::label(
                &view,
                self.log,
                crate::outline::Node::Generation(compaction.generation),
            );
            writeln!(out, "  {}", crate::outline::one_line(&label))?;
        }
        for clearing in session.clearings() {
            let turns = count(clearing.turns.len() as u64, "turn");
            writeln!(out, "  after t{}: results of {turns} cleared (microcompaction)", clearing.turn)?;
        }
        Ok(())
    }
}

fn compaction(session: &Session, compaction: &Compaction) -> Value {
    let line = |row: u32| session.row(row).line;
    let summary = compaction.summary.map(|id| session.turn(id));
    let after = session.size_after(compaction);
    json!({
        "generation": compaction.generation,
        "turn": summary.map(|turn| turn.number),
        "line": summary.map(|turn| line(turn.first_row)),
        "boundary_line": compaction.boundary_row.map(line),
        "trigger": compaction.trigger,
        "tokens_before": compaction.tokens_before,
        "tokens_after": after.map(|(tokens, _)| tokens),
        "tokens_before_from": compaction.before_from.map(SizeFrom::name),
        "tokens_after_from": after.map(|(_, from)| from.name()),
        "summary_tokens": compaction.summary_tokens,
        "readable": summary.map(|_| compaction.is_readable()),
        "unreadable": compaction.unreadable(),
        "encrypted_bytes": compaction.encrypted,
        "told_anew": compaction.told_anew,
        "covers": compaction.covers,
        "kept": compaction.kept,
        "abandoned": compaction.abandoned,
        "provenance": session.provenance(compaction).name(),
        "complete": compaction.complete,
        "depth": compaction.depth,
    })
}
