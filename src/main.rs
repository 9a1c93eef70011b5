//! The `pentimento` binary: reads the command line and hands over.

use std::process::ExitCode;

use clap::Parser;
use pentimento::cli::{Arguments, Command};
use pentimento::{commands, tui};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match &arguments.command {
        Some(Command::Last(arguments)) => tui::run_last(arguments),
        Some(command) => commands::run(command),
        None => tui::run(&arguments.interface),
    }
}
