//! The sessions as a table: as wide as the terminal, or as wide as it is where it goes into a pipe or file.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use unicode_width::UnicodeWidthStr;

use crate::discover::SessionNo;
use crate::text::columns::{left, right, shorten, shorten_start};
use crate::text::display::safe;
use crate::text::numbers::{age, short};

use super::super::Failure;
use super::listing::{Counted, Listing, title};

const HEADINGS: [&str; 8] = ["agent", "project", "title", "turns", "tokens", "comp", "age", "path"];
const AGENT: usize = 0;
const PROJECT: usize = 1;
const TITLE: usize = 2;
const PATH: usize = 7;
/// Columns between two fields.
const GAP: usize = 2;

/// Prints one row for each session.
pub(super) fn print(listing: &Listing, counts: &[&Counted], out: &mut dyn Write) -> Result<(), Failure> {
    let terminal = io::stdout().is_terminal().then(crossterm::terminal::size).and_then(Result::ok);
    let home = terminal.and_then(|_| std::env::home_dir());
    let rows: Vec<[String; 8]> = listing
        .chosen
        .iter()
        .zip(counts)
        .map(|((no, depth), counted)| row(listing, *no, *depth, counted, home.as_deref()))
        .collect();
    let natural = |column: usize| {
        let widest = rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
        widest.max(HEADINGS[column].len())
    };
    let natural: [usize; 8] = std::array::from_fn(natural);
    let widths = terminal.map_or(natural, |(width, _)| fitted(natural, usize::from(width)));
    line(&HEADINGS.map(str::to_owned), &widths, out)?;
    for row in &rows {
        line(row, &widths, out)?;
    }
    Ok(())
}

/// Widths that fit into `width` columns: project, title and path give way.
fn fitted(mut widths: [usize; 8], width: usize) -> [usize; 8] {
    let gaps = GAP * (widths.len() - 1);
    let fixed: usize = widths.iter().sum::<usize>() - widths[PROJECT] - widths[TITLE] - widths[PATH] + gaps;
    let mut room = width.saturating_sub(fixed);
    // What one of them does not need is the others'.
    let mut parts = [(PROJECT, 2), (PATH, 4), (TITLE, 4)];
    parts.sort_by_key(|(column, share)| widths[*column] * 10 / share);
    let mut shares: usize = parts.iter().map(|(_, share)| share).sum();
    for (column, share) in parts {
        widths[column] = widths[column].min(room * share / shares);
        room -= widths[column];
        shares -= share;
    }
    widths
}

fn row(
    listing: &Listing,
    no: SessionNo,
    depth: usize,
    counted: &Counted,
    home: Option<&Path>,
) -> [String; 8] {
    let session = listing.catalogue.get(no);
    let short_path = |path: &Path| match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => Path::new("~").join(rest).display().to_string(),
        None => path.display().to_string(),
    };
    let kin = match depth {
        0 => String::new(),
        _ if session.glance.as_ref().is_some_and(|glance| glance.fork) => "fork: ".to_owned(),
        _ => "agent: ".to_owned(),
    };
    let text = match counted {
        Err(problem) => format!("✗ {}", problem.lines().next().unwrap_or_default()),
        Ok(counts) => {
            let mark = if counts.incomplete.is_some() { "✗ incomplete: " } else { "" };
            format!("{mark}{}", title(session, counted).map_or_else(|| session.name(), str::to_owned))
        }
    };
    let counts = counted.as_ref().ok();
    let number = |n: Option<u64>| n.map_or_else(String::new, short);
    let seconds = (listing.now - session.modified()).max(0) / 1000;
    [
        session.agent().unwrap_or_default().to_owned(),
        session.project().map(|project| short_path(Path::new(&project))).unwrap_or_default(),
        format!("{}{kin}{text}", "  ".repeat(depth)),
        number(counts.map(|counts| counts.turns)),
        number(counts.and_then(|counts| counts.tokens)),
        number(counts.map(|counts| counts.compactions)),
        age(seconds as u64),
        short_path(&session.path),
    ]
    .map(|field| safe(&field).into_owned())
}

fn line(fields: &[String; 8], widths: &[usize; 8], out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::new();
    for (column, (field, width)) in fields.iter().zip(widths).enumerate() {
        match column {
            PATH => text.push_str(&shorten_start(field, *width)),
            PROJECT => text.push_str(&left(&shorten_start(field, *width), *width)),
            AGENT | TITLE => text.push_str(&left(&shorten(field, *width), *width)),
            _ => text.push_str(&right(field, *width)),
        }
        text.extend(std::iter::repeat_n(' ', GAP));
    }
    writeln!(out, "{}", text.trim_end())
}
