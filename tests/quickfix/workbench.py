"""A folder of source files, their findings, and repairs applied to them with what must hold for every repair."""

from __future__ import annotations

import difflib
import os
from itertools import pairwise
from pathlib import Path

from pto_lsp.checking import checked
from pto_lsp.config import Settings
from pto_lsp.diagnostics import Applicability, Diagnostic, Fix
from pto_lsp.project import Project
from pto_lsp.quickfix.edits import apply_edits
from pto_lsp.quickfix.engine import FixEngine


class Workbench:
    """``files`` are written below ``root``. Files are named by their path relative to it."""

    def __init__(self, root: Path, files: dict[str, str]) -> None:
        self.root = root
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        self.names = tuple(files)
        self.project = Project()
        self.engine = FixEngine(self.project, lambda path: str(root))
        for name in files:
            self.project.open(self.path(name), files[name])

    def path(self, name: str) -> str:
        return os.path.join(self.root, name)

    def text(self, name: str = "layer.py") -> str:
        text = self.project.text(self.path(name))
        assert text is not None
        return text

    def texts(self) -> dict[str, str]:
        return {name: self.text(name) for name in self.names}

    def findings(self, name: str = "layer.py") -> tuple[Diagnostic, ...]:
        return checked(self.project, self.path(name), Settings())

    def finding(self, code: str, subject: str = "", name: str = "layer.py") -> Diagnostic:
        found = [d for d in self.findings(name) if d.code == code and subject in ("", d.subject)]
        assert found, [(d.code, d.subject) for d in self.findings(name)]
        return found[0]

    def fix(self, code: str, subject: str = "", name: str = "layer.py") -> Fix:
        """The repair of a finding. Raises `Refused`."""
        return self.engine.attempt(self.path(name), self.finding(code, subject, name))

    def repair(self, code: str, subject: str = "", name: str = "layer.py") -> str:
        """Apply the repair of a finding; its text afterwards."""
        self.apply(self.fix(code, subject, name))
        return self.text(name)

    def changes(self, code: str, subject: str = "") -> str:
        """Apply a repair (of the first file that has such a finding): its title, then what changed, file by file.

        Titles of unsafe repairs end with "?". Lines that go begin with "-", new ones with "+".
        """
        name = next(n for n in self.names if any(d.code == code for d in self.findings(n)))
        before = self.texts()
        fix = self.fix(code, subject, name)
        self.apply(fix)
        lines = [fix.title + ("" if fix.applicability is Applicability.SAFE else "?")]
        for name, text in self.texts().items():
            if text != before[name]:
                lines += [f"# {name}"] if len(self.names) > 1 else []
                lines += _delta(before[name], text)
        return "\n".join(lines) + "\n"

    def apply(self, fix: Fix) -> None:
        """Change the open documents as an editor would; holds what holds for every fix."""
        assert_well_formed(fix, {self.path(name): text for name, text in self.texts().items()})
        for path in {edit.path for edit in fix.edits}:
            self.project.open(path, apply_edits(self.project.text(path) or "", fix.edits, path))


def assert_well_formed(fix: Fix, texts: dict[str, str]) -> None:
    """Edits are sorted, apart, each changes something, and none carries lines along that it leaves as they are."""
    assert fix.edits
    for before, after in pairwise(fix.edits):
        assert (before.path, before.range.end) <= (after.path, after.range.start)
    for edit in fix.edits:
        old = apply_edits(texts[edit.path], ())
        new = apply_edits(old, (edit,))
        assert old != new, edit
        lines = edit.range.end.line - edit.range.start.line
        changed = _changed_lines(old, new)
        assert lines <= changed + 1, edit
        if "\r\n" in old and "\n" not in old.replace("\r\n", ""):
            assert "\n" not in new.replace("\r\n", ""), "a line end of another kind"


def _delta(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def _changed_lines(old: str, new: str) -> int:
    delta = difflib.ndiff(old.splitlines(), new.splitlines())
    return sum(line.startswith("- ") for line in delta)
