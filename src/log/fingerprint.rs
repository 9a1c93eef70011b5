//! What a file looked like when it was read, so that a rewrite in place is noticed.
//!
//! An append keeps the head of the file and the bytes before the old end. A rewrite of the same length may keep
//! both, so then every block is compared: one CRC-32 for each MiB read, computed on the way.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of the head, and before the end, that are kept to compare.
const EDGE: usize = 4096;
/// Bytes under one checksum.
const BLOCK: usize = 1 << 20;

/// Checksums and edges of the bytes read so far.
#[derive(Debug, Default)]
pub struct Fingerprint {
    head: Vec<u8>,
    tail: Vec<u8>,
    blocks: Vec<u32>,
    current: crc32fast::Hasher,
    in_current: usize,
    length: u64,
    /// The last bytes could not be kept: nothing can be compared any more.
    blurred: bool,
}

impl Fingerprint {
    /// Takes note of the next bytes of the file.
    pub fn add(&mut self, mut bytes: &[u8]) {
        let wanted = EDGE.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..wanted]);
        if bytes.len() >= EDGE {
            self.tail.clear();
            self.tail.extend_from_slice(&bytes[bytes.len() - EDGE..]);
        } else {
            let keep = self.tail.len().min(EDGE - bytes.len());
            self.tail.drain(..self.tail.len() - keep);
            self.tail.extend_from_slice(bytes);
        }
        self.length += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK - self.in_current));
            self.current.update(now);
            self.in_current += now.len();
            bytes = rest;
            if self.in_current == BLOCK {
                self.blocks.push(std::mem::take(&mut self.current).finalize());
                self.in_current = 0;
            }
        }
    }

    /// The last `count` bytes will be read again. Happens only behind a line over the limit.
    pub fn forget(&mut self, count: usize) {
        self.blurred |= count > 0;
    }

    /// Whether head and end are still as they were: all that an append needs.
    pub fn same_edges(&self, file: &File) -> io::Result<bool> {
        if self.blurred {
            return Ok(true);
        }
        let mut bytes = vec![0; self.head.len()];
        if file.read_at(&mut bytes, 0)? != bytes.len() || bytes != self.head {
            return Ok(false);
        }
        bytes.resize(self.tail.len(), 0);
        let at = self.length - self.tail.len() as u64;
        Ok(file.read_at(&mut bytes, at)? == bytes.len() && bytes == self.tail)
    }

    /// Whether every byte is as it was.
    pub fn same_bytes(&self, file: &File) -> io::Result<bool> {
        if self.blurred {
            return Ok(true);
        }
        let mut now = Self::default();
        let mut bytes = vec![0; BLOCK];
        while now.length < self.length {
            let wanted = bytes.len().min((self.length - now.length) as usize);
            let count = file.read_at(&mut bytes[..wanted], now.length)?;
            if count == 0 {
                return Ok(false);
            }
            now.add(&bytes[..count]);
            let done = now.blocks.len();
            if done > 0 && now.blocks[done - 1] != self.blocks[done - 1] {
                return Ok(false);
            }
        }
        Ok(now.current.finalize() == self.current.clone().finalize())
    }
}
