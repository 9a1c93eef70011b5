//! The binary in a pseudo-terminal of 120 columns and 40 rows, with what it shows parsed as a terminal would.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::process::BINARY;

/// Columns and rows.
const SIZE: (u16, u16) = (120, 40);
/// Columns of the tree pane: 45 in a hundred.
const TREE: u16 = 54;

/// A running interface.
pub struct Interface {
    /// When its process was started.
    pub begun: Instant,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    parser: vt100::Parser,
    _terminal: Box<dyn MasterPty + Send>,
}

impl Interface {
    /// Starts it.
    pub fn start(arguments: &[&OsStr]) -> Self {
        Self::start_with(arguments, |_| {})
    }

    /// The same, with more to be said about the process.
    pub fn start_with(arguments: &[&OsStr], prepare: impl FnOnce(&mut CommandBuilder)) -> Self {
        let size = PtySize { rows: SIZE.1, cols: SIZE.0, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(BINARY);
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        prepare(&mut command);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = vec![0; 64 << 10];
            // Each piece carries the time at which it came: what parsing it takes does not count.
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send((Instant::now(), bytes[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        let begun = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        let parser = vt100::Parser::new(SIZE.1, SIZE.0, 0);
        Self { begun, child, keys, output, parser, _terminal: pair.master }
    }

    /// Waits until `holds` is true of the screen; when the bytes that made it so came. Nothing after `limit`.
    pub fn until(&mut self, limit: Duration, holds: impl Fn(&vt100::Screen) -> bool) -> Option<Instant> {
        let end = Instant::now() + limit;
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok((came, bytes)) => {
                    self.parser.process(&bytes);
                    if holds(self.parser.screen()) {
                        return Some(came);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// As [`Interface::until`], for what has to come: prints the screen and ends the program where it does not.
    pub fn wait_for(&mut self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) -> Instant {
        self.until(Duration::from_mins(2), holds).unwrap_or_else(|| {
            eprintln!("no {what} within two minutes; the screen is:\n{}", self.parser.screen().contents());
            std::process::exit(1)
        })
    }

    /// Whether `holds` is true of the screen as it is.
    pub fn shows(&self, holds: impl Fn(&vt100::Screen) -> bool) -> bool {
        holds(self.parser.screen())
    }

    /// The screen as it is.
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Takes in what was shown meanwhile.
    pub fn rest(&mut self, time: Duration) {
        self.until(time, |_| false);
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Types `keys`; the moment before.
    pub fn press(&mut self, keys: &str) -> Instant {
        let pressed = Instant::now();
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        pressed
    }

    /// Presses `q` and waits for the end.
    pub fn quit(self) {
        self.quit_by("q");
    }

    /// Presses a key that ends it, and waits for the end.
    pub fn quit_by(mut self, key: &str) {
        self.press(key);
        while self.output.recv().is_ok() {}
        self.child.wait().unwrap();
    }
}

/// Whether the tree pane shows at least ten turns.
pub fn is_useful(screen: &vt100::Screen) -> bool {
    let is_turn = |row: &String| {
        let label = row.trim_start_matches(['│', ' ', '▾', '▸']);
        label
            .strip_prefix('t')
            .is_some_and(|number| number.starts_with(|c: char| c == '…' || c.is_ascii_digit()))
    };
    screen.rows(0, TREE).filter(is_turn).count() >= 10
}

/// Whether the header tells the number of records, as it does once the whole log is read, and no more of reading.
pub fn is_whole(screen: &vt100::Screen) -> bool {
    let header = screen.rows(0, SIZE.0).next().unwrap_or_default();
    header.contains(" records ") && !header.contains("reading")
}
