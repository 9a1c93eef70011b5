//! The `pentimento` binary: reads the command line and hands over.

use std::process::ExitCode;

use clap::Parser;
use pentimento::cli::{Arguments, Command};
use pentimento::{commands, message, store, tui};

fn main() -> ExitCode {
    store::outlive_file_limits();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return message::refuse(&error),
    };
    match &arguments.command {
        Some(Command::Last(arguments)) => tui::run_last(arguments),
        Some(command) => commands::run(command),
        None => tui::run(&arguments.interface),
    }
}
