//! The `pentimento` binary: reads the command line and hands over.

use std::process::ExitCode;

use clap::Parser;
use pentimento::commands::{self, cli::Arguments};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match &arguments.command {
        Some(command) => commands::run(command),
        None => ExitCode::from(2),
    }
}
