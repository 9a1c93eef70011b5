//! A pseudo-terminal that runs the binary, understands what it draws, and keeps every byte it received.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// The bundled session.
pub fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/session.jsonl")
}

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Time enough to do something wrong.
const REST: Duration = Duration::from_millis(300);

/// The model of the screen cannot be smaller: it fails on a glyph that is wider than itself.
const LEAST: u16 = 2;

/// What the model of the screen is given for U+FFFD, which it leaves out as if it took no column: what a terminal draws
/// behind one would stand too far to the left.
const STAND_IN: &[u8] = "□".as_bytes();

/// Puts [`STAND_IN`] in for U+FFFD in bytes that come piece by piece.
#[derive(Default)]
struct Drawable {
    /// The beginning of a U+FFFD, maybe.
    held: Vec<u8>,
}

impl Drawable {
    fn of(&mut self, bytes: &[u8]) -> Vec<u8> {
        const REPLACED: &[u8] = "\u{fffd}".as_bytes();
        let mut drawable = std::mem::take(&mut self.held);
        drawable.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(found) = drawable[at..].windows(REPLACED.len()).position(|three| three == REPLACED) {
            drawable[at + found..][..REPLACED.len()].copy_from_slice(STAND_IN);
            at += found + REPLACED.len();
        }
        let begun = (1..REPLACED.len()).rev().find(|length| drawable.ends_with(&REPLACED[..*length]));
        self.held = drawable.split_off(drawable.len() - begun.unwrap_or(0));
        drawable
    }
}

/// The binary on a screen.
pub struct Screen {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    parser: Arc<Mutex<vt100::Parser>>,
    received: Arc<Mutex<Vec<u8>>>,
    /// Reads until nobody has the terminal open any more.
    listener: Option<JoinHandle<()>>,
}

impl Screen {
    /// Starts the binary with `arguments` on a screen of `columns` × `rows`.
    pub fn start<A: AsRef<OsStr>>(arguments: &[A], columns: u16, rows: u16) -> Self {
        Self::start_with(arguments, columns, rows, |_| {})
    }

    /// The same, with more to be said about the process.
    pub fn start_with<A: AsRef<OsStr>>(
        arguments: &[A],
        columns: u16,
        rows: u16,
        prepare: impl FnOnce(&mut CommandBuilder),
    ) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_pentimento"));
        command.args(arguments);
        let mut screen = Self::run(command, columns, rows, prepare);
        screen.listen();
        screen
    }

    /// Starts `program`, which becomes the binary, with more to be said about the process.
    pub fn program<A: AsRef<OsStr>>(
        program: &str,
        arguments: &[A],
        columns: u16,
        rows: u16,
        prepare: impl FnOnce(&mut CommandBuilder),
    ) -> Self {
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        let mut screen = Self::run(command, columns, rows, prepare);
        screen.listen();
        screen
    }

    /// Starts `program` on a screen that shows nothing until it listens.
    pub fn silent<A: AsRef<OsStr>>(program: &str, arguments: &[A], columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        Self::run(command, columns, rows, |_| {})
    }

    /// Starts it with `pipe` for its standard input, which waits until somebody writes there, and `state` for its
    /// state folder.
    pub fn start_on(pipe: &Path, state: &Path, arguments: &[&str], columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", r#"pipe=$1; shift; exec "$0" "$@" < "$pipe""#, env!("CARGO_BIN_EXE_pentimento")]);
        command.arg(pipe);
        command.args(arguments);
        command.env("PENTIMENTO_STATE", state);
        let mut screen = Self::run(command, columns, rows, |_| {});
        screen.listen();
        screen
    }

    fn run(
        mut command: CommandBuilder,
        columns: u16,
        rows: u16,
        prepare: impl FnOnce(&mut CommandBuilder),
    ) -> Self {
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        command.env("TERM", "xterm-256color");
        command.env("TZ", "UTC");
        command.env_remove("NO_COLOR");
        command.env_remove("TMUX");
        prepare(&mut command);
        let child = pair.slave.spawn_command(command).unwrap();
        let parser = Arc::new(Mutex::new(vt100::Parser::new(rows.max(LEAST), columns.max(LEAST), 0)));
        let keyboard = pair.master.take_writer().unwrap();
        Self { master: pair.master, child, keyboard, parser, received: Arc::default(), listener: None }
    }

    /// Takes in what the binary writes from now on.
    pub fn listen(&mut self) {
        let mut output = self.master.try_clone_reader().unwrap();
        let (drawn, received) = (Arc::clone(&self.parser), Arc::clone(&self.received));
        self.listener = Some(std::thread::spawn(move || {
            let (mut bytes, mut drawable) = ([0; 4096], Drawable::default());
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                received.lock().unwrap().extend_from_slice(&bytes[..count]);
                drawn.lock().unwrap().process(&drawable.of(&bytes[..count]));
            }
        }));
    }

    /// Types `keys` as a terminal sends them.
    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// What is on the screen.
    pub fn text(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    /// Every byte received so far.
    pub fn received(&self) -> Vec<u8> {
        self.received.lock().unwrap().clone()
    }

    /// Waits until `text` is on the screen.
    pub fn wait(&mut self, text: &str) {
        self.until(&format!("\"{text}\" on the screen"), |screen| screen.contains(text));
    }

    /// Waits until `text` is no more on the screen.
    pub fn wait_without(&mut self, text: &str) {
        self.until(&format!("screen without \"{text}\""), |screen| !screen.contains(text));
    }

    /// Waits until the screen is as wanted; `what` is said where it never is. The answer is the screen.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let text = self.text();
            if wanted(&text) {
                return text;
            }
            assert!(begun.elapsed() < PATIENCE, "no {what}:\n{text}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the end, and gives the exit status.
    pub fn ended(&mut self) -> u32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What was written last may still be on its way.
                let begun = Instant::now();
                while self.listener.as_ref().is_some_and(|listener| !listener.is_finished())
                    && begun.elapsed() < REST
                {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return status.exit_code();
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The process's id.
    pub fn process(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let id = self.process().to_string();
        let status = std::process::Command::new("kill").args([format!("-{name}"), id]).status();
        assert!(status.unwrap().success());
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.lock().unwrap().screen_mut().set_size(rows.max(LEAST), columns.max(LEAST));
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Whether the alternate screen is on.
    pub fn is_alternate(&self) -> bool {
        self.parser.lock().unwrap().screen().alternate_screen()
    }

    /// Whether mouse events are asked for.
    pub fn captures_mouse(&self) -> bool {
        self.parser.lock().unwrap().screen().mouse_protocol_mode() != vt100::MouseProtocolMode::None
    }

    /// Whether the cursor is hidden.
    pub fn hides_cursor(&self) -> bool {
        self.parser.lock().unwrap().screen().hide_cursor()
    }
}

/// Gives the binary time to do something wrong.
pub fn rest() {
    std::thread::sleep(REST);
}

/// Gives the binary time for a frame.
pub fn tick() {
    std::thread::sleep(Duration::from_millis(20));
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}
