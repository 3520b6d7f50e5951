"""Finding the files to check and reading them: nothing here knows what is in them."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

DSL_MARKER = b"pypto"
"""A file that nowhere contains this cannot hold DSL code and is not looked at."""

_NEVER_WALKED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".tox",
        ".nox",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        "__pypackages__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".pto",
    }
)
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")


class SourceError(Exception):
    """A file that cannot be read as Python source; the text says why, without the file's name."""


class SourceFile(NamedTuple):
    """``shown`` is the path as messages name it: built from what the user gave. ``path`` is absolute."""

    shown: str
    path: str


class Missing(NamedTuple):
    """A path from the command line that leads to no file; ``reason`` says so in words."""

    shown: str
    reason: str


def discover(
    paths: Sequence[str], exclude: Callable[[str], Exclusion], force_exclude: bool = False
) -> Iterator[SourceFile | Missing]:
    """The files that ``paths`` mean, in a stable order, each once.

    A file that is named is taken whatever it is called. A directory is walked for ``*.py``: links to directories are
    not followed (so a loop of links cannot trap the walk), and what ``.gitignore`` or ``exclude`` names is left out;
    ``exclude`` gives the patterns that hold inside an absolute directory; with ``force_exclude`` they hold for what is
    named as well.
    """
    seen: set[str] = set()
    for given in paths:
        path = os.path.abspath(given)
        try:
            mode = os.stat(path).st_mode
        except OSError as fault:
            yield Missing(given, (fault.strerror or str(fault)).lower())
            continue
        except ValueError:
            yield Missing(given, "not a valid path")
            continue
        directory = stat.S_ISDIR(mode)
        if force_exclude and exclude(path if directory else os.path.dirname(path)).covers_below(path, directory):
            continue
        if directory:
            walked: Iterator[SourceFile | Missing] = _walk(given, path, exclude)
        elif stat.S_ISREG(mode):
            walked = iter((SourceFile(given, path),))
        else:
            walked = iter((Missing(given, "not a regular file"),))
        for found in walked:
            if isinstance(found, Missing):
                yield found
            elif found.path not in seen:
                seen.add(found.path)
                yield found


class Exclusion:
    """Patterns as in ``.gitignore``, counted from ``root`` (absolute)."""

    def __init__(self, root: str, patterns: Sequence[str]) -> None:
        self._root = root
        self._spec = _compile(patterns)

    def covers(self, path: str, directory: bool) -> bool:
        """Whether the patterns name the absolute ``path`` itself (its parents are not looked at)."""
        return self._spec is not None and _verdict(self._spec, self._root, path, directory) is True

    def covers_below(self, path: str, directory: bool) -> bool:
        """Whether a walk from the root would leave out ``path``: itself, or a directory that it lies in."""
        relative = os.path.relpath(path, self._root)
        if relative == os.curdir or relative.startswith(os.pardir):
            return False
        parts = relative.split(os.sep)
        if not _NEVER_WALKED.isdisjoint(parts if directory else parts[:-1]):
            return True
        parents = [os.path.join(self._root, *parts[:count]) for count in range(1, len(parts))]
        return any(self.covers(parent, True) for parent in parents) or self.covers(path, directory)


def _walk(shown: str, path: str, exclude: Callable[[str], Exclusion]) -> Iterator[SourceFile | Missing]:
    prefix = "" if shown in ("", ".", "./") else shown
    stack = [(prefix, path, _ignores_above(path))]
    while stack:
        shown_directory, directory, ignores = stack.pop()
        try:
            with os.scandir(directory) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as fault:
            yield Missing(shown_directory or ".", (fault.strerror or str(fault)).lower())
            continue
        own = _read_ignores(directory)
        if own is not None:
            ignores = (*ignores, own)
        excluded = exclude(directory)
        deeper = []
        for entry in entries:
            shown_entry = os.path.join(shown_directory, entry.name)
            if entry.is_dir(follow_symlinks=False):
                skipped = entry.name in _NEVER_WALKED or os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))
                if not skipped and not _left_out(entry.path, True, ignores, excluded):
                    deeper.append((shown_entry, entry.path, ignores))
            elif entry.name.endswith(".py") and _is_file(entry) and not _left_out(entry.path, False, ignores, excluded):
                yield SourceFile(shown_entry, entry.path)
        stack.extend(reversed(deeper))


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        # A link that leads back to itself.
        return False


_Ignores = tuple[tuple[str, "GitIgnoreSpec"], ...]


def _left_out(path: str, directory: bool, ignores: _Ignores, exclude: Exclusion) -> bool:
    if exclude.covers(path, directory):
        return True
    # The file nearest to the path decides, as in git.
    for base, spec in reversed(ignores):
        verdict = _verdict(spec, base, path, directory)
        if verdict is not None:
            return verdict
    return False


def _verdict(spec: GitIgnoreSpec, base: str, path: str, directory: bool) -> bool | None:
    relative = os.path.relpath(path, base)
    if relative.startswith(os.pardir):
        return None
    return spec.check_file(relative.replace(os.sep, "/") + ("/" if directory else "")).include


def _ignores_above(path: str) -> _Ignores:
    """The ignore files that apply to ``path`` from its parents, outermost first, up to the root of its repository."""
    found: list[tuple[str, GitIgnoreSpec]] = []
    directory = path
    while not os.path.exists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return ()
        directory = parent
        own = _read_ignores(directory)
        if own is not None:
            found.append(own)
    return tuple(reversed(found))


def _read_ignores(directory: str) -> tuple[str, GitIgnoreSpec] | None:
    try:
        with open(os.path.join(directory, ".gitignore"), encoding="utf-8", errors="replace") as file:
            spec = _compile(file.read().splitlines())
    except OSError:
        return None
    return None if spec is None else (directory, spec)


def _compile(patterns: Sequence[str]) -> GitIgnoreSpec | None:
    if not any(line.strip() and not line.startswith("#") for line in patterns):
        return None
    # Imported only where there is something to match: a run on named files need not pay for it.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


def read_bytes(path: str) -> bytes:
    """The bytes of a file; `SourceError` where the system refuses."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as fault:
        raise SourceError(f"cannot be read: {(fault.strerror or str(fault)).lower()}") from fault
    except ValueError as fault:
        raise SourceError("cannot be read: not a valid path") from fault


def decode(data: bytes) -> str:
    """Source text as Python would decode it (byte order mark, coding cookie, UTF-8), without the mark.

    Line ends are kept as they are. `SourceError` for binary data, an unknown encoding or bytes outside the encoding.
    """
    if b"\x00" in data:
        raise SourceError("not a text file: it contains null bytes")
    encoding = "utf-8"
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    else:
        encoding = _cookie(data) or encoding
    try:
        return data.decode(encoding)
    except LookupError as fault:
        raise SourceError(f"unknown encoding '{encoding}'") from fault
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise SourceError(f"line {line} is not valid {encoding}") from fault


def encode(text: str, like: bytes) -> bytes:
    """``text`` in the encoding of ``like``, the former content of the file, with its mark if that had one.

    `SourceError` where that encoding cannot express it.
    """
    if like.startswith(codecs.BOM_UTF8):
        return codecs.BOM_UTF8 + text.encode("utf-8")
    encoding = _cookie(like) or "utf-8"
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as fault:
        raise SourceError(f"{encoding} cannot express {text[fault.start]!r}") from fault


def _cookie(data: bytes) -> str | None:
    # PEP 263: in the first line, or in the second where the first is blank or a comment.
    first, _, rest = data[:1000].partition(b"\n")
    for line in (first, rest.partition(b"\n")[0]):
        found = _COOKIE.match(line)
        if found is not None:
            return found[1].decode("ascii", "replace")
        if _BLANK_OR_COMMENT.match(line.rstrip(b"\r")) is None:
            return None
    return None


def mentions_dsl(data: bytes) -> bool:
    return DSL_MARKER in data
