//! What can keep a spool from holding all of a log. What it holds by then stays.

use std::io;

/// Why a spool does not hold the whole log. Offsets count the bytes that came in: of the compressed file, where it
/// is one.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The input ends within compressed data.
    #[error("the {kind} data is cut off at offset {offset} of the compressed log")]
    CutOff {
        /// The compression.
        kind: &'static str,
        /// Where the input ends.
        offset: u64,
    },
    /// The data is not what it should be.
    #[error("the {kind} data cannot be decompressed beyond offset {offset} of the compressed log ({reason})")]
    Damaged {
        /// The compression.
        kind: &'static str,
        /// Where the block or piece begins that cannot be read.
        offset: u64,
        /// What the decompressor said.
        reason: String,
    },
    /// What came out is not what went in.
    #[error(
        "the {kind} data from offset {began} of the compressed log on does not match its checksum at offset {offset}"
    )]
    Checksum {
        /// The compression.
        kind: &'static str,
        /// Where the frame or member begins.
        began: u64,
        /// Where its checksum stands.
        offset: u64,
    },
    /// It needs more memory than a log may take.
    #[error(
        "the zstd data from offset {offset} on needs more than 128 MiB of memory to decompress; `zstd -d --long=31` does it, and what comes out can be opened"
    )]
    Window {
        /// Where its frame begins.
        offset: u64,
    },
    /// Other bytes follow.
    #[error(
        "behind the compressed data, at offset {offset} of the compressed log, stand bytes that are neither zstd nor gzip"
    )]
    Trailing {
        /// Where they begin.
        offset: u64,
    },
    /// There is no room for more.
    #[error(
        "only the first {length} bytes of the log were kept: {reason}. Set PENTIMENTO_STATE to a folder with more room"
    )]
    Full {
        /// How many bytes were kept.
        length: u64,
        /// What the system said.
        reason: String,
    },
    /// A fault of this program.
    #[error("the log could not be read beyond offset {offset}: a fault of this program")]
    Broken {
        /// How far it was read.
        offset: u64,
    },
    /// The system refused to read on.
    #[error("cannot read on at offset {offset}: {error}")]
    Unreadable {
        /// How far it was read.
        offset: u64,
        /// What the system said.
        error: io::Error,
    },
}

impl Trouble {
    /// What became of the rest of the log, behind a semicolon.
    pub(super) fn rest(&self) -> &'static str {
        match self {
            Self::CutOff { .. } | Self::Damaged { .. } => "; all that comes before was read",
            Self::Checksum { .. } => "; some of what was read may be wrong, and nothing behind it is read",
            Self::Trailing { .. } => "; they were left out",
            Self::Window { .. } | Self::Full { .. } | Self::Broken { .. } | Self::Unreadable { .. } => "",
        }
    }
}
