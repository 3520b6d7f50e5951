"""``pto-lsp check --fix`` and ``--diff``: repairs written to files, or shown."""

from __future__ import annotations

import difflib
import os
import re
import stat
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from pto_lsp.cli.messages import complain, counted, note
from pto_lsp.cli.run import Outcome
from pto_lsp.config import SettingsResolver
from pto_lsp.discovery import SourceError, SourceFile, decode, encode, mentions_dsl, read_bytes
from pto_lsp.quickfix.file_index import FileIndex, project_root
from pto_lsp.quickfix.fix_all import FixAll, Repaired

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Repair:
    """What would be written: ``before`` has the bytes that the repairs were computed from."""

    repaired: Repaired
    before: dict[str, bytes]
    shown: Outcome


def repair(files: Sequence[SourceFile], resolver: SettingsResolver, unsafe: bool) -> Repair:
    """Compute the repairs of ``files``. Files that cannot be read are left to the check that follows."""
    from pto_lsp.project import Project

    # Not opened: a copy of the project, which every repair is tried out in, then holds only what was changed before.
    project = Project(resolver.for_file)
    before: dict[str, bytes] = {}
    for file in files:
        try:
            content = read_bytes(file.path)
            if mentions_dsl(content):
                decode(content)
                before[file.path] = content
        except SourceError:
            continue
    fixes = FixAll(project, project_root, resolver.for_file, unsafe, FileIndex())
    repaired = fixes.run([file.path for file in files if file.path in before])
    for path in repaired.texts:
        if path not in before:
            before[path] = encode(project.text(path) or "", read_bytes(path))
    return Repair(repaired, before, Outcome((), (), {file.path: file.shown for file in files}, {}))


def repair_text(file: SourceFile, data: bytes, resolver: SettingsResolver, unsafe: bool) -> Repair:
    """The repairs of ``data`` as the content of ``file``, as far as they change nothing else. Raises `SourceError`."""
    from pto_lsp.project import Project

    project = Project(resolver.for_file)
    project.open(file.path, decode(data))
    fixes = FixAll(project, project_root, resolver.for_file, unsafe, FileIndex(), {file.path})
    return Repair(fixes.run([file.path]), {file.path: data}, Outcome((), (), {file.path: file.shown}, {}))


def show_diff(found: Repair) -> None:
    """The repairs as one patch on standard output."""
    for path, text in found.repaired.texts.items():
        name = found.shown.shown_as(path).lstrip("/")
        old, new = _LINE.findall(decode(found.before[path])), _LINE.findall(text)
        for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"):
            sys.stdout.write(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n")


def write(found: Repair) -> bool:
    """Replace the files that change; those that must change together all or none. False when some could not be."""
    complete = True
    written = 0
    for group in found.repaired.groups:
        changed = sorted(path for path in group if _present(path) != found.before[path])
        if changed:
            names = ", ".join(found.shown.shown_as(path) for path in changed)
            others = "" if len(changed) == len(group) else ", and with it what else the repair concerns"
            complain(f"{names}: changed meanwhile, left alone{others}")
            complete = False
            continue
        try:
            contents = {path: encode(found.repaired.texts[path], found.before[path]) for path in sorted(group)}
            for path, content in contents.items():
                replace_file(path, content)
                written += 1
        except (OSError, SourceError) as fault:
            complain(f"cannot be written: {fault}")
            complete = False
    report(found, written)
    return complete


def replace_file(path: str, content: bytes) -> None:
    """Put ``content`` in the place of a file at once, under its permissions; raises `OSError`."""
    target = os.path.realpath(path)
    mode = stat.S_IMODE(os.stat(target).st_mode)
    handle, temporary = tempfile.mkstemp(prefix=".pto-lsp-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def print_text(found: Repair, file: SourceFile) -> bytes:
    """The repaired text of ``file`` on standard output, in the encoding it came in; what was printed."""
    data = found.before[file.path]
    text = found.repaired.texts.get(file.path)
    content = data if text is None else encode(text, data)
    print_bytes(content)
    report(found, int(text is not None))
    return content


def print_bytes(content: bytes) -> None:
    """Standard output as it is, whatever encoding and line ends it is meant to have."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _present(path: str) -> bytes | None:
    try:
        return read_bytes(path)
    except SourceError:
        return None


def report(found: Repair, written: int) -> None:
    """What was repaired and what was left, on standard error; ``written`` is the number of files."""
    repaired = found.repaired
    fixed = repaired.fixed if written else 0
    note(f"{counted(fixed, 'finding')} fixed in {counted(written, 'file')}, {len(repaired.left)} left")
    for left in repaired.left:
        place = left.diagnostic.range.start
        where = f"{found.shown.shown_as(left.diagnostic.path)}:{place.line + 1}:{place.column + 1}"
        note(f"{where}: {left.diagnostic.code} '{left.diagnostic.subject}' left: {left.reason}")
