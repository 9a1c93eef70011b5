//! A summary's outline: its headings and what stands under each.

use std::ops::Range;

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its heading without marks; empty for text before the first heading.
    pub heading: String,
    /// Where it stands in the summary, heading included.
    pub range: Range<usize>,
}

/// Longest line taken for a heading.
const HEADING: usize = 80;

/// The sections of `summary` in order; together they are all of it. Blank stretches are no sections.
pub fn split(summary: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut at = 0;
    let mut fenced = false;
    for line in summary.split_inclusive('\n') {
        let trimmed = line.trim_end();
        if trimmed.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let heading = if fenced { None } else { heading(trimmed) };
        match (heading, sections.last_mut()) {
            (Some(heading), _) => {
                sections.push(Section { heading: heading.to_owned(), range: at..at + line.len() });
            }
            (None, Some(section)) => section.range.end = at + line.len(),
            (None, None) => sections.push(Section { heading: String::new(), range: at..at + line.len() }),
        }
        at += line.len();
    }
    sections.retain(|section| !summary[section.range.clone()].trim().is_empty());
    sections
}

/// The heading that a line is: `## Title`, `3. Title:`, `**Title**`, `Title:` of a few words.
fn heading(line: &str) -> Option<&str> {
    if line.len() > HEADING || line.starts_with([' ', '\t', '-', '*']) && !line.starts_with("**") {
        return None;
    }
    if let Some(rest) = line.strip_prefix('#') {
        let title = rest.trim_start_matches('#');
        return title.starts_with(' ').then(|| title.trim()).filter(|title| !title.is_empty());
    }
    if let Some(bold) = line.strip_prefix("**").and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"))
    {
        return (!bold.contains("**")).then(|| bold.trim_end_matches(':'));
    }
    let title = line.strip_suffix(':')?;
    let digits = title.bytes().take_while(u8::is_ascii_digit).count();
    let title = match title[digits..].strip_prefix(". ") {
        Some(title) if digits > 0 => title,
        _ if digits > 0 => return None,
        _ => title,
    };
    let starts_high = title.chars().next().is_some_and(char::is_uppercase);
    (starts_high && title.split_whitespace().count() <= 8 && !title.contains(['`', '"']))
        .then(|| title.trim_matches('*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(summary: &str) -> Vec<String> {
        split(summary).into_iter().map(|section| section.heading).collect()
    }

    #[test]
    fn the_fixed_outline_is_found() {
        let summary = "Opening sentence.\n\nAnalysis:\nLet me look.\n\nSummary:\n1. Primary Request and Intent:\n   - one\n\n2. Key Technical Concepts:\n   text\n";
        assert_eq!(
            headings(summary),
            ["", "Analysis", "Summary", "Primary Request and Intent", "Key Technical Concepts"]
        );
    }

    #[test]
    fn sections_cover_the_text_and_fences_hide_headings() {
        let summary = "## Goal\nx\n```\n# not one\n```\n**Bold**\ny\n";
        assert_eq!(headings(summary), ["Goal", "Bold"]);
        let joined: String = split(summary).iter().map(|s| &summary[s.range.clone()]).collect();
        assert_eq!(joined, summary);
    }

    #[test]
    fn sentences_and_bullets_are_no_headings() {
        assert_eq!(
            headings("- item:\nthis is a sentence that ends with a colon and has many words in it:\n"),
            [""]
        );
    }
}
