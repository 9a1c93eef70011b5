//! Messages to a person on standard error.
//!
//! They quote paths, addresses and first lines of files, so they pass [`display::safe`]. Nothing here fails: where
//! standard error is gone there is nobody to tell.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::text::display;

/// Says why something could not be done.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "pentimento: {}", safe_lines(message));
}

/// Says what is wrong with the command line, or prints the help that it asked for. The answer is the exit status.
pub fn refuse(error: &clap::Error) -> ExitCode {
    // It quotes what was typed, or what a pattern of the shell's has found: a file may have any name.
    if std::env::args_os().all(|argument| display::is_safe(&argument.to_string_lossy())) {
        // Coloured where the terminal wants colours.
        let _ = error.print();
    } else {
        let _ = writeln!(io::stderr(), "{}", safe_lines(error.render().to_string().trim_end()));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn safe_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(display::safe).collect();
    lines.join("\n")
}
