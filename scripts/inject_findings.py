"""Brings findings into copies of real sources, repairs them, and checks what must hold for every repair.

    python scripts/inject_findings.py PATH [PATH ...] [--every N [--first M]] [--seed S] [--each K] [--progress]

Takes every N-th file below the paths, from the M-th on, changes it in several ways (see `injections`), and tries the
repair of up to K findings of a code and change that were not there before. Of a repair that is offered it checks: the
finding is gone; no finding above a hint is new, none but those announced; every call still has as many arguments as its
function has parameters; the legalized program launches the same tasks up to names; undone, the text is what it was.
Prints counts and ends with 1 when something did not hold. The paths themselves stay as they are.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from injections import Injected, launches, orchestrations, regions

from pto_lsp.checking import checked
from pto_lsp.config import Settings
from pto_lsp.diagnostics import Applicability, Diagnostic
from pto_lsp.discovery import DSL_MARKER
from pto_lsp.project import Project
from pto_lsp.quickfix.edits import apply_edits
from pto_lsp.quickfix.engine import FixEngine
from pto_lsp.quickfix.registry import FIXABLE, HOISTS, Action
from pto_lsp.quickfix.rewriter import Refused
from pto_lsp.quickfix.tasks import streams

ARITY = "PTO414"
EXPECTED = {"PTO719": "PTO810", "PTO101": "PTO424", "PTO201": "PTO424", "PTO301": "PTO424", "PTO614": "PTO705"}
"""What a repair brings to light, as its page says."""
MEMORY = ("PTO304", "PTO302")
"""Repairs after which tasks work on other buffers, the same data all the same."""


class Run:
    """The counts of one run."""

    def __init__(self, root: str, each: int, seed: int) -> None:
        self.root = root
        self.each = each
        self.random = Random(seed)
        self.injected: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.safe: Counter[str] = Counter()
        self.unsafe: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()
        self.broken: list[str] = []

    def file(self, path: str) -> None:
        """Every injection of one file."""
        text = Path(path).read_text(encoding="utf-8")
        project = Project(lambda _: Settings())
        project.open(path, text)
        before = Counter(key(each) for each in checked(project, path, Settings()))
        for what, new in self.injections(project, path):
            self.injected[what] += 1
            self.repair(path, what, new, before)

    def injections(self, project: Project, path: str) -> list[Injected]:
        made: list[Injected] = []
        for text in orchestrations(project, path):
            made += regions(project, path, text)
            made += launches(project, path, text, self.random)
        self.random.shuffle(made)
        # All kinds of change, but not the same one all over a large file.
        seen: Counter[str] = Counter()
        kept = []
        for what, new in made:
            seen[what] += 1
            if seen[what] <= self.each:
                kept.append((what, new))
        return kept

    def repair(self, path: str, what: str, text: str, before: Counter[tuple[str, str]]) -> None:
        project = Project(lambda _: Settings())
        project.open(path, text)
        engine = FixEngine(project, lambda _: self.root)
        counts: Counter[str] = Counter()
        whole: set[str] = set()
        for finding in checked(project, path, Settings()):
            if finding.code not in FIXABLE or counts[finding.code] >= self.each or before[key(finding)]:
                continue
            counts[finding.code] += 1
            self.found[finding.code] += 1
            self.attempt(engine, project, path, what, finding, Action.FIX)
            if finding.code in HOISTS and finding.function not in whole:
                whole.add(finding.function)
                self.attempt(engine, project, path, what, finding, Action.GRAPH)

    def attempt(
        self, engine: FixEngine, project: Project, path: str, what: str, finding: Diagnostic, action: Action
    ) -> None:
        name = finding.code if action is Action.FIX else "all hoists"
        try:
            fix = engine.attempt(path, finding, action)
        except Refused as why:
            self.refused[name, str(why)] += 1
            return
        safe = fix.applicability is Applicability.SAFE
        (self.safe if safe else self.unsafe)[name] += 1
        trial = project.copy()
        for each in {edit.path for edit in fix.edits}:
            trial.open(each, apply_edits(project.text(each) or "", fix.edits, each))
        fault = self.fault(project, trial, path, finding, safe)
        if fault:
            where = os.path.relpath(path, self.root)
            self.broken.append(f"{where}:{finding.range.start.line + 1}: {what}: {name} '{finding.subject}': {fault}")

    def fault(self, project: Project, trial: Project, path: str, finding: Diagnostic, safe: bool) -> str:
        """What does not hold after a repair; "" when everything does."""
        old = Counter(loud(project, path))
        new = Counter(loud(trial, path))
        like = [key(each) for each in checked(project, path, Settings())].count(key(finding))
        if [key(each) for each in checked(trial, path, Settings())].count(key(finding)) >= like:
            return "the finding is still there"
        more = {code for code, _ in new - old} - {EXPECTED.get(finding.code, "")}
        if not safe:
            more -= {ARITY}
        if more:
            return f"{', '.join(sorted(more))} is new"
        if not safe or finding.code in MEMORY or finding.code > "PTO6":
            return ""
        here, there = streams(project.analysis(path).programs), streams(trial.analysis(path).programs)
        for entry in here.keys() & there.keys():
            if here[entry].tasks != there[entry].tasks:
                return f"'{entry[1]}' launches other tasks"
        return ""


def key(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.subject


def loud(project: Project, path: str) -> list[tuple[str, str]]:
    """Findings that are more than a hint."""
    return [key(each) for each in checked(project, path, Settings()) if each.severity.rank < 3]


def sources(root: str) -> list[str]:
    """Files below ``root`` that may hold DSL code."""
    found = []
    for path in sorted(Path(root).rglob("*.py")):
        data = path.read_bytes()
        if DSL_MARKER in data and b"pl." in data:
            found.append(str(path))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Repair findings that were brought into copies of real sources.")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th file")
    parser.add_argument("--first", type=int, default=0, metavar="M", help="the number of the first file (default: 0)")
    parser.add_argument("--each", type=int, default=2, metavar="K", help="findings of a code and change (default: 2)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--progress", action="store_true", help="say which file is done")
    options = parser.parse_args()
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(options.paths):
            shutil.copytree(path, os.path.join(folder, str(number)), ignore=shutil.ignore_patterns(".git", "build"))
        run = Run(folder, options.each, options.seed)
        files = sources(folder)[options.first :: options.every]
        for number, path in enumerate(files, start=1):
            run.file(path)
            if options.progress:
                print(f"{number}/{len(files)} {os.path.relpath(path, folder)}", file=sys.stderr, flush=True)
    show(run, len(files), time.process_time() - started)
    return 1 if run.broken else 0


def show(run: Run, files: int, seconds: float) -> None:
    print(f"{files} files, {sum(run.injected.values())} changes, {sum(run.found.values())} findings, {seconds:.0f} s")
    print(f"repairs: {sum(run.safe.values())} safe, {sum(run.unsafe.values())} not safe, ", end="")
    print(f"{sum(run.refused.values())} refused, {len(run.broken)} broken")
    for what, count in sorted(run.injected.items()):
        print(f"  {what:<40} {count:>6}")
    names = sorted({*run.found, *run.safe, *run.unsafe})
    for name in names:
        refused = sum(count for (code, _), count in run.refused.items() if code == name)
        print(f"  {name:<12} safe {run.safe[name]:>5}   not safe {run.unsafe[name]:>5}   refused {refused:>5}")
    for (code, why), count in sorted(run.refused.items(), key=lambda item: (item[0][0], -item[1])):
        print(f"  {code}: {why} ({count})")
    for each in run.broken:
        print(f"BROKEN {each}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
