"""A cold check in process, as a ratio to what one `libcst.parse_module` of the same file costs.

    python benchmarks/cold_check.py [--lines 1000 3300] [--files PATH ...]

CPU milliseconds, best of five; modules that the file imports are read and lowered as well.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import libcst
from generate import SIZES, model

from pto_lsp.project import Project


def best(function: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        gc.collect()
        started = time.process_time()
        function()
        times.append(time.process_time() - started)
    return min(times) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="*", default=[1000, 3300])
    parser.add_argument("--files", nargs="*", default=[])
    options = parser.parse_args()
    print(f"{'file':28} {'lines':>6} {'libcst ms':>10} {'check ms':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "sizes.py").write_text(SIZES)
        files = [Path(name).resolve() for name in options.files]
        for lines in () if files else options.lines:
            for graph in (False, True):
                path = root / f"{'graph' if graph else 'model'}_{lines}.py"
                path.write_text(model(lines, graph))
                files.append(path)
        for file in files:
            text = file.read_text(encoding="utf-8")
            parse = best(lambda text=text: libcst.parse_module(text))
            check = best(lambda file=file: Project().check(str(file)))
            print(f"{file.name:28} {text.count(chr(10)):6} {parse:10.0f} {check:10.0f} {check / parse:6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
