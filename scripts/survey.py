"""Reads PyPTO sources and prints how much of them the front end understands.

    python scripts/survey.py PATH [PATH ...]

One row per path: files with DSL functions, functions, those lowered completely, loop bounds and block counts at
orchestration level that are known integers, findings by severity, CPU and wall time.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator

from pto_lsp.analysis.ir.expressions import Const, Expr
from pto_lsp.analysis.ir.program import Function, FunctionKind
from pto_lsp.analysis.ir.statements import Block, For, Region, RegionKind
from pto_lsp.analysis.ir.visitor import blocks
from pto_lsp.config import Settings
from pto_lsp.discovery import Exclusion, Missing, discover
from pto_lsp.project import Project

DEVICE = (FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV, FunctionKind.GROUP, FunctionKind.SPMD)


def bounds(block: Block) -> Iterator[Expr]:
    """Stop expressions and block counts of a body, those inside device regions left out."""
    for stmt in block:
        if isinstance(stmt, Region):
            if stmt.kind is RegionKind.SPMD and stmt.options.core_num is not None:
                yield stmt.options.core_num
            continue
        if isinstance(stmt, For):
            yield stmt.stop
        for body in blocks(stmt):
            yield from bounds(body)


def survey(path: str) -> Counter[str]:
    """The counts of one row."""
    found: Counter[str] = Counter()
    started, cpu = time.perf_counter(), time.process_time()
    project = Project(lambda _: Settings())
    for file in discover([path], lambda directory: Exclusion(directory, ())):
        if isinstance(file, Missing):
            print(f"{file.shown}: {file.reason}", file=sys.stderr)
            continue
        module = project.module(file.path)
        if module is None or not module.syntax.functions:
            continue
        found["files"] += 1
        for diagnostic in project.check(file.path):
            found[diagnostic.severity.value] += 1
        for placed in module.syntax.functions:
            function: Function = project.linker.lowered(file.path, module, placed).lowered.function
            found["functions"] += 1
            found["complete"] += function.complete
            if function.kind not in DEVICE:
                stops = list(bounds(function.body or ()))
                found["bounds"] += len(stops)
                found["known"] += sum(isinstance(s, Const) and isinstance(s.value, int) for s in stops)
    found["cpu ms"] = round((time.process_time() - cpu) * 1000)
    found["wall ms"] = round((time.perf_counter() - started) * 1000)
    return found


COLUMNS = ("files", "functions", "complete", "bounds", "known", "error", "warning", "cpu ms", "wall ms")


def main(paths: list[str]) -> int:
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    width = max(len(os.path.normpath(path)) for path in paths)
    print(f"{'path':{width}}  " + "  ".join(f"{column:>9}" for column in COLUMNS))
    for path in paths:
        row = survey(path)
        print(f"{os.path.normpath(path):{width}}  " + "  ".join(f"{row[column]:>9}" for column in COLUMNS))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
