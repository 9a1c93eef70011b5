//! The thread that fills a spool, and what it needs to go on where it stopped.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::super::fingerprint::Fingerprint;
use super::Spool;
use super::trouble::Trouble;
use super::unpack::Unpacker;

/// Bytes asked of the system at a time.
const CHUNK: usize = 128 << 10;
/// How long to wait for a stream that has nothing and does not wait itself.
const NOTHING: Duration = Duration::from_millis(20);

/// Where the bytes come from.
pub(super) enum Origin {
    Stream(Box<dyn Read + Send>),
    File(File),
}

/// Whoever waits for the spool must not wait for ever, whatever a decompressor does.
struct Unwinds(Weak<Spool>);

impl Drop for Unwinds {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(spool) = self.0.upgrade()
        {
            spool.broke();
        }
    }
}

/// Reads, decompresses and puts on the shelf.
pub(in super::super) struct Pump {
    origin: Origin,
    read: u64,
    /// Of a file: what was read of it.
    fingerprint: Fingerprint,
    unpacker: Unpacker,
}

impl Pump {
    pub(super) fn new(origin: Origin) -> Self {
        Self { origin, read: 0, fingerprint: Fingerprint::default(), unpacker: Unpacker::new() }
    }

    /// The compressed file, if it is one.
    pub(in super::super) fn file(&self) -> Option<&File> {
        match &self.origin {
            Origin::File(file) => Some(file),
            Origin::Stream(_) => None,
        }
    }

    /// How much of it was read.
    pub(in super::super) fn read(&self) -> u64 {
        self.read
    }

    /// Whether its file is longer than what was read.
    pub(super) fn has_more(&self) -> bool {
        let length = self.file().and_then(|file| Some(file.metadata().ok()?.len()));
        length.is_some_and(|length| length > self.read)
    }

    /// What that looked like.
    pub(in super::super) fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// Begins to fill `spool`, on a thread of its own. It stops when the input ends or nobody has the spool any more.
    pub(super) fn start(self, spool: &Arc<Spool>) -> io::Result<()> {
        let spool = Arc::downgrade(spool);
        let filling = move || {
            let _unwinds = Unwinds(Weak::clone(&spool));
            self.run(&spool);
        };
        std::thread::Builder::new().name("spool".to_owned()).spawn(filling).map(drop)
    }

    fn run(mut self, spool: &Weak<Spool>) {
        let mut buffer = vec![0; CHUNK];
        loop {
            let outcome = self.fill(&mut buffer);
            // While it was waiting, everybody may have left.
            let Some(spool) = spool.upgrade() else { return };
            let done = match outcome {
                Ok(0) => Some(self.unpacker.end(&mut |bytes| spool.append(bytes)).err()),
                Ok(count) => self.put(&buffer[..count], &spool).err().map(Some),
                Err(error) => Some(Some(Trouble::Unreadable { offset: self.read, error })),
            };
            if let Some(trouble) = done {
                spool.end(self, trouble);
                return;
            }
        }
    }

    fn put(&mut self, bytes: &[u8], spool: &Spool) -> Result<(), Trouble> {
        self.read += bytes.len() as u64;
        let whole = match &self.origin {
            Origin::Stream(_) => 0,
            Origin::File(file) => {
                self.fingerprint.add(bytes);
                file.metadata().map_or(0, |meta| meta.len())
            }
        };
        spool.advance(self.read, whole);
        self.unpacker.push(bytes, &mut |bytes| spool.append(bytes))
    }

    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let outcome = match &mut self.origin {
                Origin::Stream(stream) => stream.read(buffer),
                Origin::File(file) => file.read_at(buffer, self.read),
            };
            match outcome {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Whoever shares the other end may have made it so.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(NOTHING),
                outcome => return outcome,
            }
        }
    }
}
