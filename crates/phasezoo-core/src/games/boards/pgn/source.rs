//! Text out of plain or compressed files and the archives that hold some, in blocks.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::Stream;
use tar::{EntryType, Header, PaxExtensions};
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::tags::decoded;
use crate::error::{Error, Result};

/// Bytes of text in a block.
const BLOCK: usize = 4 << 20;

/// The largest window of a zstd file, as a power of two: files made with `--long=31` are read too.
const ZSTD_WINDOW_LOG: u32 = 31;

/// Bytes at a text's front by which it is told from an archive: a block of tar.
const HEAD: usize = 512;

/// The longest name of a member of a tar archive that is looked at.
const LONGEST_NAME: u64 = 1 << 16;

/// Names that the error of an archive without games quotes.
const NAMES_QUOTED: usize = 3;

/// Formats that are not read, by their first bytes.
const FOREIGN: [(&[u8], &str); 7] = [
    (b"LZIP", "compressed by lzip: unpack it first, for example with lzip -d"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first, for example with 7z x"),
    (b"Rar!\x1a\x07", "a rar archive: unpack it first, for example with unrar x"),
    (b"\x04\x22\x4d\x18", "compressed by lz4: unpack it first, for example with lz4 -d"),
    (b"\x1f\x9d", "compressed by compress: unpack it first, for example with uncompress"),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
];

const UTF_16: &str = "UTF-16 text; PGN is UTF-8, Latin-1 or Windows-1252: convert it first, for \
                      example with iconv -f UTF-16 -t UTF-8";

/// A text in blocks. A damaged end is remembered, what came before it is handed out.
pub(super) struct Source<'a> {
    reader: Box<dyn Read + Send + 'a>,
    damage: Option<String>,
    finished: bool,
    bytes: u64,
}

/// Takes a text, with its name if it is a member of an archive.
type Visit<'a> = &'a mut dyn FnMut(Option<&str>, &mut Source<'_>) -> Result<()>;

/// Makes the error of a file from a reason.
type Wrong<'a> = &'a dyn Fn(&str) -> Error;

/// Opens a file and hands its text to `read`; of a zip or tar archive the text of each member whose
/// name ends in `.pgn`, with that name. What the file is says its content, not its name.
pub(super) fn each_text(
    path: &Path,
    mut read: impl FnMut(Option<&str>, &mut Source<'_>) -> Result<()>,
) -> Result<()> {
    let read: Visit<'_> = &mut read;
    let wrong = |reason: &str| Error::InvalidPgn(format!("{}: {reason}", path.display()));
    let unreadable = |error: io::Error| wrong(&format!("cannot be read ({error})"));
    refuse_endless(path).map_err(|reason| wrong(&reason))?;
    let mut file = BufReader::with_capacity(1 << 17, File::open(path).map_err(unreadable)?);
    let head = file.fill_buf().map_err(unreadable)?;
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return each_in_zip(file, &wrong, read);
    }
    let plain: Box<dyn Read + Send> = match head {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(file)),
        [b'B', b'Z', b'h', ..] => Box::new(MultiBzDecoder::new(file)),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Box::new(XzDecoder::new_multi_decoder(file)),
        head if is_lzma(head) => {
            let lzma =
                Stream::new_lzma_decoder(u64::MAX).map_err(|error| unreadable(error.into()))?;
            Box::new(XzDecoder::new_stream(file, lzma))
        }
        // A frame, or a skippable frame that stands before one.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(file).map_err(unreadable)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(unreadable)?;
            Box::new(decoder)
        }
        _ => Box::new(file),
    };
    let text = Peeked::new(plain);
    if let Some((_, name)) = FOREIGN.iter().find(|(magic, _)| text.head.starts_with(magic)) {
        return Err(wrong(&format!("this is {name}")));
    }
    if text.head.starts_with(b"PK\x03\x04") {
        return Err(wrong("this is a compressed zip archive: unpack it first"));
    }
    if is_tar(&text.head) {
        return each_in_tar(text, &wrong, read);
    }
    read(None, &mut Source::new(text))
}

/// Whether a file begins as those of the old LZMA format do: the usual properties, a dictionary of a
/// power of two or three halves of one, and a size that is left open or below a terabyte.
fn is_lzma(head: &[u8]) -> bool {
    let [0x5d, a, b, c, d, size @ ..] = head else { return false };
    let Some(size) = size.first_chunk().map(|&size| u64::from_le_bytes(size)) else { return false };
    let dictionary = u32::from_le_bytes([*a, *b, *c, *d]);
    let is_usual = dictionary >= 1 << 12 && dictionary.count_ones() <= 2;
    is_usual && (size == u64::MAX || size < 1 << 40)
}

/// Whether a text begins with the header of a tar archive: the formats since POSIX say so, and in all
/// of them the sum of the header's bytes stands in it.
fn is_tar(head: &[u8]) -> bool {
    let Ok(block) = <&[u8; HEAD]>::try_from(head) else { return false };
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    let field: u32 = block[148..156].iter().map(|&byte| u32::from(byte)).sum();
    let spaces = 8 * u32::from(b' ');
    let found = Header::from_byte_slice(block).cksum();
    block[0] != 0
        && (&block[257..262] == b"ustar" || found.is_ok_and(|it| it == sum - field + spaces))
}

/// The whole text of a file, all members of an archive one after another.
///
/// Bytes that are no UTF-8 are read as Windows-1252.
pub fn read_text(path: &Path, most_bytes: usize) -> Result<String> {
    let mut bytes = Vec::new();
    each_text(path, |_, source| {
        while let Some(block) = source.next_block() {
            bytes.extend(block);
            if bytes.len() > most_bytes {
                let most = most_bytes >> 20;
                let message = format!("{}: has more than {most} MiB of text", path.display());
                return Err(Error::InvalidPgn(message));
            }
        }
        bytes.extend(b"\n\n");
        match source.damage() {
            Some(damage) => Err(Error::InvalidPgn(format!("{}: {damage}", path.display()))),
            None => Ok(()),
        }
    })?;
    Ok(decoded(&bytes).0.into_owned())
}

/// Refuses what has no end, or may never begin: devices, and pipes that have a name.
fn refuse_endless(path: &Path) -> std::result::Result<(), String> {
    let Ok(found) = path.metadata() else { return Ok(()) };
    if found.is_file() {
        return Ok(());
    }
    if found.is_dir() {
        return Err("cannot be read (it is a folder): name the files in it".into());
    }
    // A pipe of the shell, `<(zcat games.gz)`, is open at its other end and lies nowhere.
    let is_pipe_of_shell = is_fifo(&found) && path.canonicalize().is_err();
    let message = "cannot be read (it is a device, a socket or a named pipe, not a file): write the \
                   games to a file first";
    if is_pipe_of_shell { Ok(()) } else { Err(message.into()) }
}

#[cfg(unix)]
fn is_fifo(found: &std::fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type())
}

#[cfg(not(unix))]
fn is_fifo(_found: &std::fs::Metadata) -> bool {
    false
}

/// Whether a member of an archive is looked at.
fn is_pgn(name: &str) -> bool {
    let hidden = name.rsplit('/').next().is_some_and(|file| file.starts_with('.'));
    !hidden && name.to_ascii_lowercase().ends_with(".pgn")
}

/// The error of an archive of which no member was read.
fn none_of(kind: &str, names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(NAMES_QUOTED).map(|name| format!("{name:?}")).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    let held = if shown.is_empty() {
        "it is empty".into()
    } else {
        format!("it holds {}{more}", shown.join(", "))
    };
    format!(
        "this is a {kind} archive without a member whose name ends in .pgn ({held}): unpack it first"
    )
}

/// Compressions of members of zip archives that are read.
const READ_IN_ZIP: [CompressionMethod; 3] =
    [CompressionMethod::Stored, CompressionMethod::Deflated, CompressionMethod::Bzip2];

/// Hands out the members of a zip archive.
fn each_in_zip(file: BufReader<File>, wrong: Wrong<'_>, read: Visit<'_>) -> Result<()> {
    let damaged = |error: ZipError| wrong(&format!("this is a damaged zip archive ({error})"));
    let mut archive = ZipArchive::new(file).map_err(damaged)?;
    let names: Vec<String> =
        archive.file_names_raw().map(|name| decoded(name).0.into_owned()).collect();
    let games: Vec<usize> = (0..names.len()).filter(|&index| is_pgn(&names[index])).collect();
    if games.is_empty() {
        return Err(wrong(&none_of("zip", &names)));
    }
    for index in games {
        let name = &names[index];
        let member = archive
            .by_index(index)
            .map_err(|error| wrong(&format!("{name:?} in this zip archive: {error}")))?;
        let method = member.compression();
        if !READ_IN_ZIP.contains(&method) {
            let way = format!("compressed in a way that is not read ({method}): unpack it first");
            return Err(wrong(&format!("{name:?} in this zip archive is {way}")));
        }
        read(Some(name), &mut Source::new(member))?;
    }
    Ok(())
}

/// Hands out the members of a tar archive. One that is damaged, or ends too soon, is a text with a
/// damaged end: of the member in which that is, or else of the archive.
fn each_in_tar(mut text: Peeked<'_>, wrong: Wrong<'_>, read: Visit<'_>) -> Result<()> {
    let mut names = Vec::new();
    let mut found = false;
    loop {
        match next_in_tar(&mut text, &mut names) {
            Ok(None) if found => return Ok(()),
            Ok(None) => return Err(wrong(&none_of("tar", &names))),
            Ok(Some((name, size))) => {
                found = true;
                let mut member = Source::new(Member(text.by_ref().take(size)));
                read(Some(&name), &mut member)?;
                if member.damage.is_some() {
                    return Ok(());
                }
                drop(member);
                if let Err(error) = skip(&mut text, padding(size)) {
                    return read(None, &mut Source::of_damage(&error));
                }
            }
            Err(error) => return read(None, &mut Source::of_damage(&error)),
        }
    }
}

/// The name and the size of the next member that is PGN, whose bytes come next; the names of all
/// members are added to `names`.
fn next_in_tar(
    text: &mut Peeked<'_>,
    names: &mut Vec<String>,
) -> io::Result<Option<(String, u64)>> {
    let (mut block, mut long_name) = ([0; HEAD], None);
    // Two empty blocks end an archive, and so does its file.
    while text.read_block(&mut block)? && block[0] != 0 {
        let header = Header::from_byte_slice(&block);
        let size = header.entry_size()?;
        let mut passed = 0;
        match header.entry_type() {
            kind @ (EntryType::GNULongName | EntryType::XHeader) => {
                let mut data = Vec::new();
                passed = size.min(LONGEST_NAME);
                Member(text.by_ref().take(passed)).read_to_end(&mut data)?;
                long_name = if kind == EntryType::GNULongName {
                    Some(data)
                } else {
                    let pairs = PaxExtensions::new(&data).filter_map(io::Result::ok);
                    let paths = pairs.filter(|pair| pair.key_bytes() == b"path");
                    paths.last().map(|pair| pair.value_bytes().to_vec()).or(long_name)
                };
            }
            kind => {
                let name = long_name.take().unwrap_or_else(|| header.path_bytes().into_owned());
                let name = decoded(&name).0.trim_end_matches('\0').to_string();
                names.push(name.clone());
                if kind.is_file() && is_pgn(&name) {
                    return Ok(Some((name, size)));
                }
            }
        }
        skip(text, size - passed)?;
        skip(text, padding(size))?;
    }
    Ok(None)
}

/// Bytes behind a member of this size that fill its last block.
fn padding(size: u64) -> u64 {
    (HEAD as u64 - size % HEAD as u64) % HEAD as u64
}

/// Passes over so many bytes of a tar archive.
fn skip(text: &mut Peeked<'_>, bytes: u64) -> io::Result<()> {
    io::copy(&mut Member(text.by_ref().take(bytes)), &mut io::sink()).map(drop)
}

/// Bytes of a tar archive, all of which must be there.
struct Member<R>(io::Take<R>);

impl<R: Read> Read for Member<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let found = self.0.read(buffer)?;
        let is_cut = found == 0 && self.0.limit() > 0 && !buffer.is_empty();
        if is_cut { Err(cut_archive()) } else { Ok(found) }
    }
}

fn cut_archive() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the tar archive ends too soon")
}

/// A reader whose first bytes were looked at; an error that was met there is met again.
struct Peeked<'a> {
    head: Vec<u8>,
    rest: io::Chain<Cursor<Vec<u8>>, Box<dyn Read + Send + 'a>>,
    error: Option<io::Error>,
}

impl<'a> Peeked<'a> {
    fn new(mut reader: Box<dyn Read + Send + 'a>) -> Self {
        let mut head = Vec::with_capacity(HEAD);
        let error = reader.by_ref().take(HEAD as u64).read_to_end(&mut head).err();
        Self { rest: Cursor::new(head.clone()).chain(reader), head, error }
    }

    /// Fills a block, or nothing of it at the end.
    fn read_block(&mut self, block: &mut [u8; HEAD]) -> io::Result<bool> {
        let mut bytes = Vec::with_capacity(HEAD);
        self.by_ref().take(HEAD as u64).read_to_end(&mut bytes)?;
        match bytes.len() {
            0 => Ok(false),
            HEAD => {
                block.copy_from_slice(&bytes);
                Ok(true)
            }
            _ => Err(cut_archive()),
        }
    }
}

impl Read for Peeked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.error.is_some() {
            let found = self.rest.get_mut().0.read(buffer)?;
            return if found > 0 { Ok(found) } else { self.error.take().map_or(Ok(0), Err) };
        }
        self.rest.read(buffer)
    }
}

impl<'a> Source<'a> {
    fn new(reader: impl Read + Send + 'a) -> Self {
        Self { reader: Box::new(reader), damage: None, finished: false, bytes: 0 }
    }

    /// The text of an archive that is damaged between its members.
    fn of_damage(error: &io::Error) -> Self {
        let damage = Some(format!("a damaged archive ({error})"));
        Self { reader: Box::new(io::empty()), damage, finished: true, bytes: 0 }
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

    /// What is wrong with the text's end, once all blocks have been read.
    pub(super) fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }
}
