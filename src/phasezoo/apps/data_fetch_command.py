"""``phasezoo data fetch``: download a file of games, and go on where a download was cut."""

import contextlib
import hashlib
import http.client
import re
import shlex
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Any
from urllib.parse import unquote, urlsplit

from phasezoo._interrupt import continuing, saying
from phasezoo._progress import bar
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.runs.files import check_parent
from phasezoo.runs.lock import LockedFile
from phasezoo.specs import Argument

LICHESS = "https://database.lichess.org/standard/lichess_db_standard_rated_{month}.pgn.zst"
"""Rated standard games of a month: the database that Lichess publishes (CC0)."""

CHUNK = 1 << 18
TIMEOUT_SECONDS = 60
ATTEMPTS = 5
"""Connections in a row that may end without one new byte."""


@dataclass(frozen=True)
class FetchOptions:
    """Download a file of games; the same command again continues what was interrupted.

    The unfinished file has .part at the end of its name.
    """

    source: Annotated[str, Argument(positional=True, metavar="URL")]
    """Address (http, https), or lichess:YYYY-MM for the standard rated games of a month, which are
    many gigabytes from 2016 on."""
    out: Path | None = None
    """File to write, or a folder that exists (none: the address' last part, here)."""
    sha256: str | None = None
    """Checksum that the file must have, as 64 hexadecimal digits."""
    overwrite: bool = False
    """Replace the file if it exists."""

    def run(self) -> int:
        """Download, check, and print what to do with the file."""
        url = _address(self.source)
        if self.sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", self.sha256):
            message = f"--sha256 {self.sha256}: expected 64 hexadecimal digits"
            raise InvalidConfig(message)
        name = PurePosixPath(unquote(urlsplit(url).path)).name
        out = self.out or Path(name or "games.pgn")
        if out.is_dir():
            out /= name or "games.pgn"
        if out.exists() and not self.overwrite:
            message = f"{out}: exists already; give --overwrite, or another --out"
            raise StoreError(message)
        check_parent(out, StoreError)
        part = out.with_name(out.name + ".part")
        how = "The same command continues the download."
        with contextlib.ExitStack() as stack:
            lock = stack.enter_context(LockedFile(part.with_suffix(".lock"), "the lock is"))
            stack.callback(lock.discard)
            stack.enter_context(saying(continuing(part.parent, part.name, how)))
            fetch(url, part, stack.enter_context(_bar(name, sys.stderr)))
            self._check(part)
            if not _size(part):
                part.unlink(missing_ok=True)
                message = f"{url}: the server's file is empty; check the address"
                raise StoreError(message)
            part.replace(out)
        store = out.name.partition(".")[0]
        target = shlex.quote(str(out.with_name(f"{store}.parquet")))
        sys.stdout.write(
            f"{out}: {out.stat().st_size:,} bytes\n"
            f"next: phasezoo data import {shlex.quote(str(out))} {target}\n"
        )
        return 0

    def _check(self, part: Path) -> None:
        """Remove a file of another checksum, which no further download would mend."""
        if self.sha256 is None:
            return
        with part.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != self.sha256.lower():
            part.unlink()
            message = (
                f"{self.source}: its SHA-256 is {found}, expected {self.sha256.lower()}; the file "
                "was removed; fetch it again, or correct --sha256"
            )
            raise StoreError(message)


def fetch(url: str, part: Path, progress: Callable[[int, int | None], None]) -> None:
    """Download a file, from where an earlier download ended if the server can.

    Args:
        url: The address.
        part: The file to write or continue.
        progress: Called with bytes done and bytes in total, None if the server says none.
    """
    failures = 0
    while failures < ATTEMPTS:
        before = _size(part)
        try:
            _continue(url, part, progress)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < 500:
                message = f"{url}: the server answers {error.code} {error.reason}"
                raise StoreError(message) from error
            reason: object = f"{error.code} {error.reason}"
        except urllib.error.URLError as error:
            reason = error.reason
        except (http.client.HTTPException, ConnectionError, TimeoutError) as error:
            reason = error
        else:
            return
        failures = 0 if _size(part) > before else failures + 1
    message = f"{url}: {reason}; the same command continues the download"
    raise StoreError(message)


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _continue(url: str, part: Path, progress: Callable[[int, int | None], None]) -> None:
    """Read one answer to its end."""
    done = _size(part)
    # Its validator shows whether the file has changed since; without one, a part is no beginning.
    note = part.with_name(part.name + ".etag")
    known = note.read_text(encoding="utf-8") if note.exists() else ""
    request = urllib.request.Request(url, headers={"User-Agent": "phasezoo"})
    if done and known:
        request.add_header("Range", f"bytes={done}-")
        request.add_header("If-Range", known)
    try:
        answer: Any = urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as error:
        total = (error.headers.get("Content-Range") or "").rpartition("/")[2]
        if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        error.close()
        if total != str(done):  # longer than the file is now
            part.unlink()
            message = "the file on the server changed"
            raise ConnectionError(message) from error
        note.unlink()
        return
    with answer:
        resumed = answer.status == http.HTTPStatus.PARTIAL_CONTENT
        done = done if resumed else 0
        length = answer.headers.get("Content-Length")
        total_bytes = None if length is None else done + int(length)
        etag = answer.headers.get("ETag") or answer.headers.get("Last-Modified") or ""
        strong = "" if etag.startswith("W/") else etag
        if not resumed:  # before the note, which would make the old bytes a beginning of the new
            part.unlink(missing_ok=True)
        note.write_text(strong, encoding="utf-8")
        with part.open("ab") as file:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
                done += len(chunk)
                progress(done, total_bytes)
    if total_bytes is not None and done < total_bytes:
        message = f"the connection ended after {done:,} of {total_bytes:,} bytes"
        raise ConnectionError(message)
    note.unlink()


def _address(source: str) -> str:
    """Return the address that a name or an address means."""
    kind, colon, rest = source.partition(":")
    if kind == "lichess" and colon:
        if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", rest):
            message = f"{source}: expected a month such as lichess:2017-04"
            raise InvalidConfig(message)
        return LICHESS.format(month=rest)
    try:
        host = urlsplit(source).hostname
    except ValueError:  # brackets that are no address of IPv6
        host = None
    if kind not in ("http", "https") or not host:
        message = f"{source}: expected an address (http://, https://) or lichess:YYYY-MM"
        raise InvalidConfig(message)
    return source


@contextmanager
def _bar(name: str, file: IO[str]) -> Iterator[Callable[[int, int | None], None]]:
    """A bar of bytes; a file that is no terminal gets a line a minute."""
    from rich import progress as rich

    columns = (
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(),
        rich.DownloadColumn(),
        rich.TransferSpeedColumn(),
        rich.TimeRemainingColumn(),
    )
    with bar(file, *columns) as update:
        yield lambda done, total: update(description=name, completed=done, total=total)
