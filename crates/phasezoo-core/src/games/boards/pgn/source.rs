//! Text out of plain or compressed files, in blocks.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;

use crate::error::{Error, Result};

/// Bytes of text in a block.
const BLOCK: usize = 4 << 20;

/// The largest window of a zstd file, as a power of two: files made with `--long=31` are read too.
const ZSTD_WINDOW_LOG: u32 = 31;

/// A file's text in blocks. A damaged end is remembered, what came before it is handed out.
pub(super) struct Source {
    reader: Box<dyn Read + Send>,
    damage: Option<String>,
    finished: bool,
    bytes: u64,
}

impl Source {
    /// Opens a file. How it is compressed is read from its first bytes, not from its name.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let unreadable = |error: io::Error| {
            Error::InvalidPgn(format!("{}: cannot be read ({error})", path.display()))
        };
        let file = File::open(path).map_err(unreadable)?;
        let mut file = BufReader::with_capacity(1 << 17, file);
        let head = file.fill_buf().map_err(unreadable)?;
        let reader: Box<dyn Read + Send> = match head {
            [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(file)),
            [b'B', b'Z', b'h', ..] => Box::new(MultiBzDecoder::new(file)),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Box::new(XzDecoder::new_multi_decoder(file)),
            // A frame, or a skippable frame that stands before one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                let mut decoder =
                    zstd::stream::read::Decoder::with_buffer(file).map_err(unreadable)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(unreadable)?;
                Box::new(decoder)
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                return Err(Error::InvalidPgn(format!(
                    "{}: this is UTF-16 text; PGN is UTF-8 or Latin-1: convert it first, for example \
                     with iconv -f UTF-16 -t UTF-8",
                    path.display()
                )));
            }
            _ => Box::new(file),
        };
        Ok(Self { reader, damage: None, finished: false, bytes: 0 })
    }

    /// The next block; `None` at the end.
    pub(super) fn next_block(&mut self) -> Option<Vec<u8>> {
        if self.finished {
            return None;
        }
        let mut block = Vec::with_capacity(BLOCK);
        // On an error `read_to_end` leaves in the block what it had read.
        match self.reader.by_ref().take(BLOCK as u64).read_to_end(&mut block) {
            Ok(_) => self.finished = block.len() < BLOCK,
            Err(error) => {
                self.finished = true;
                let read = self.bytes + block.len() as u64;
                self.damage = Some(format!("damaged after {read} bytes of text ({error})"));
            }
        }
        self.bytes += block.len() as u64;
        (!block.is_empty()).then_some(block)
    }

    /// What is wrong with the file's end, once all blocks have been read.
    pub(super) fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }
}
