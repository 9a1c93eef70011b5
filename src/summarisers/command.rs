//! Summaries written by a program of the user's: the prompt goes to its standard input, its standard output is the summary.
//!
//! The command runs by `sh -c` in a process group of its own, behind a guard: a shell that leads the group, waits for the
//! end of a pipe that this process holds, and then kills the group. So the command and what it started in that group end
//! when they are done, when the time is up, when somebody says stop, and when this process is gone, however it went. What
//! leaves the group (`setsid`) is out of reach and has to end by itself; its output is not waited for.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::text::{display, preview};

use super::prompts::Prompts;
use super::{Failure, Request, Summariser, Summary, SummaryLine};

/// How long a command may take, unless told otherwise.
pub const LIMIT: Duration = Duration::from_mins(2);
/// How often the command is looked at.
const TICK: Duration = Duration::from_millis(15);
/// How long output may still come once the command has ended: something it started may hold the pipe.
const GRACE: Duration = Duration::from_secs(1);
/// Output that is always taken, in bytes, and beyond that for each token asked for.
const BOUND: usize = 64 << 10;
const BOUND_OF_TOKEN: usize = 32;
/// How much of what it says on standard error is kept.
const ERRORS: usize = 16 << 10;

/// A program that writes summaries.
#[derive(Clone, Debug)]
pub struct Program {
    command: String,
    limit: Duration,
    prompts: Prompts,
}

impl Program {
    /// The program that the shell command is.
    pub fn new(command: &str) -> Self {
        Self { command: command.to_owned(), limit: LIMIT, prompts: Prompts::default() }
    }

    /// With another time limit.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// With prompts of the user's own.
    #[must_use]
    pub fn with_prompts(self, prompts: Prompts) -> Self {
        Self { prompts, ..self }
    }
}

impl Summariser for Program {
    fn name(&self) -> String {
        format!("command prompts/{} {}", self.prompts.id(), self.command)
    }

    fn summarise(&self, request: &Request, stop: &AtomicBool) -> Result<Summary, Failure> {
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        let prompt = self.prompts.prompt(request);
        let bound = BOUND + BOUND_OF_TOKEN * request.budget as usize;
        let mut run = Run::start(&self.command, prompt, bound)
            .map_err(|error| failed(&format!("the summariser cannot be started: {error}")))?;
        let outcome = run.wait(self.limit, stop);
        run.end();
        read(&outcome?, request)
    }
}

fn failed(what: &str) -> Failure {
    Failure::Failed(what.to_owned())
}

/// What came of a command.
struct Outcome {
    status: ExitStatus,
    output: Vec<u8>,
    errors: Vec<u8>,
}

fn read(outcome: &Outcome, request: &Request) -> Result<Summary, Failure> {
    let says = said(&outcome.errors);
    if !outcome.status.success() {
        let hint = if outcome.status.code() == Some(127) { " (no such program?)" } else { "" };
        return Err(failed(&format!("the summariser ended with {}{hint}{says}", outcome.status)));
    }
    let text = match std::str::from_utf8(&outcome.output) {
        Ok(text) => text.trim(),
        Err(error) => {
            let at = error.valid_up_to();
            return Err(failed(&format!("the summariser's output is no UTF-8 (byte {at}){says}")));
        }
    };
    if text.is_empty() {
        return Err(failed(&format!("the summariser answered nothing{says}")));
    }
    let mut lines = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let end = from + line.trim_end_matches(['\n', '\r']).len();
        if !line.trim().is_empty() {
            lines.push(SummaryLine { range: from..end, turns: named(&text[from..end], request) });
        }
        from += line.len();
    }
    Ok(Summary { text: text.to_owned(), lines })
}

/// The turns that a line names at its end, as it was told to: `(t12, t15)`. Those that it was not given are left out.
fn named(line: &str, request: &Request) -> Vec<u32> {
    let line = line.trim_end().trim_end_matches('.');
    let Some((_, inside)) = line.strip_suffix(')').and_then(|line| line.rsplit_once('(')) else {
        return Vec::new();
    };
    let number = |name: &str| name.trim().strip_prefix('t')?.parse::<u32>().ok();
    let given =
        |turn: &u32| request.sources.iter().any(|source| (source.turns.0..=source.turns.1).contains(turn));
    let Some(mut turns) = inside.split(',').map(number).collect::<Option<Vec<u32>>>() else {
        return Vec::new();
    };
    turns.retain(given);
    turns.sort_unstable();
    turns.dedup();
    turns
}

/// The first line of standard error that says something, made safe.
fn said(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let first = text.lines().map(|line| preview::first(line, 200)).find(|line| !line.is_empty());
    first.map_or_else(String::new, |line| format!(": {}", display::safe(&line)))
}

/// A command that runs.
struct Run {
    guard: Child,
    /// The guard kills the group once this is closed.
    leash: Option<ChildStdin>,
    child: Child,
    output: Receiver<Piece>,
    errors: Receiver<Piece>,
    bound: usize,
}

/// What came through a pipe: all of it up to a bound, and whether there was more.
type Piece = (Vec<u8>, bool);

impl Run {
    fn start(command: &str, prompt: String, bound: usize) -> io::Result<Self> {
        let mut guard = Command::new("sh")
            .args(["-c", "read -r _; kill -9 0"])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let leash = guard.stdin.take();
        let group = guard.id().cast_signed();
        let child = Command::new("sh")
            .args(["-c", command])
            .process_group(group)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                let _ = guard.kill();
                let _ = guard.wait();
                return Err(error);
            }
        };
        if let Some(mut stdin) = child.stdin.take() {
            // A command need not read its prompt to the end.
            thread::spawn(move || stdin.write_all(prompt.as_bytes()));
        }
        let output = reader(child.stdout.take(), bound, false);
        let errors = reader(child.stderr.take(), ERRORS, true);
        Ok(Self { guard, leash, child, output, errors, bound })
    }

    /// Waits until it has ended and all of its output is there, or it is to be ended.
    fn wait(&mut self, limit: Duration, stop: &AtomicBool) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let (mut output, mut ended) = (None, None);
        loop {
            if output.is_none() {
                output = match self.output.try_recv() {
                    Ok(piece) => Some(piece),
                    Err(TryRecvError::Empty) => None,
                    Err(TryRecvError::Disconnected) => Some((Vec::new(), false)),
                };
            }
            if matches!(output, Some((_, true))) {
                return Err(failed(&format!(
                    "the summariser wrote more than {} bytes and was ended",
                    self.bound
                )));
            }
            if ended.is_none() {
                let status = self.child.try_wait();
                let status = status.map_err(|error| failed(&format!("the summariser was lost: {error}")))?;
                ended = status.map(|status| (status, Instant::now()));
            }
            match (&output, ended) {
                (Some(_), Some((status, _))) => {
                    let (output, _) = output.unwrap_or_default();
                    return Ok(Outcome { status, output, errors: self.errors() });
                }
                (None, Some((_, since))) if since.elapsed() > GRACE => {
                    let what = "the summariser ended, but something it started kept its output open";
                    return Err(failed(&format!("{what}{}", said(&self.errors()))));
                }
                _ => {}
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            if start.elapsed() >= limit {
                let seconds = limit.as_secs_f64();
                self.kill();
                let says = said(&self.errors());
                return Err(failed(&format!(
                    "the summariser did not answer within {seconds} s and was ended{says}"
                )));
            }
            thread::sleep(TICK);
        }
    }

    fn errors(&self) -> Vec<u8> {
        self.errors.recv_timeout(Duration::from_millis(200)).map(|(bytes, _)| bytes).unwrap_or_default()
    }

    /// Kills everything in the group. The guard is not waited for before that, so the group's number is still its own.
    fn kill(&self) {
        if let Some(group) = Pid::from_raw(self.guard.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
    }

    fn end(&mut self) {
        self.kill();
        self.leash = None;
        let _ = self.child.wait();
        let _ = self.guard.wait();
    }
}

/// Reads a pipe on a thread of its own. With `drain`, what comes beyond the bound is read and dropped.
fn reader(pipe: Option<impl Read + Send + 'static>, bound: usize, drain: bool) -> Receiver<Piece> {
    let (send, receive) = channel();
    if let Some(pipe) = pipe {
        thread::spawn(move || {
            let mut pipe = pipe.take(bound as u64 + 1);
            let mut bytes = Vec::new();
            // What came before an error counts.
            let _ = pipe.read_to_end(&mut bytes);
            let over = bytes.len() > bound;
            bytes.truncate(bound);
            if drain {
                let _ = io::copy(&mut pipe.into_inner(), &mut io::sink());
            }
            let _ = send.send((bytes, over));
        });
    }
    receive
}

#[cfg(test)]
mod tests;
