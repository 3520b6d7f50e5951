"""What planning, legalizing and verifying an edited Graph of 300 statements costs beside its front end.

    python benchmarks/boundary_cost.py [--statements 300] [--edits 30]

CPU milliseconds at the median. Front end: scanning, parsing and lowering the text, and the passes over the program.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.graph_boundary.plan import plan_program
from pto_lsp.analysis.graph_boundary.verify import verify
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.passes.standard import run_standard
from pto_lsp.project import Project

HEAD = """import pypto.language as pl

T = pl.Tensor[[128, 128], pl.FP32]
W = pl.Tensor[[4096, 128], pl.FP32]


@pl.jit.incore
def mix(a: T, w: T, c: pl.InOut[T], off: pl.Scalar[pl.INDEX]):
    t = pl.load(w, [off, 0], [64, 128])
    c = pl.store(t, [0, 0], c)
    return c


@pl.jit.graph
def layer(a: T, w: W, c: pl.InOut[T], n: pl.Scalar[pl.INDEX]):
"""

TAIL = """    return c


@pl.jit
def main(a: T, w: W, c: pl.InOut[T]):
    for i in pl.range(8):
        c = layer(a, w, c, i)
    return c
"""


def source(statements: int) -> str:
    lines = []
    for number in range(statements // 6):
        lines += [
            f"    s{number} = n * {number + 1} + {number}",
            f"    c = mix(a, a, c, s{number % 40})",
            "    for i in pl.range(2):",
            f"        o{number} = i * 64 + {number}",
            f"        v{number} = pl.slice(w, [128, 128], [i * 128, 0])",
            f"        c = mix(a, v{number}, c, o{number})",
        ]
    return HEAD + "\n".join(lines) + "\n" + TAIL


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--statements", type=int, default=300)
    parser.add_argument("--edits", type=int, default=30)
    options = parser.parse_args()
    text = source(options.statements)
    front: list[float] = []
    core: list[float] = []
    gc.collect()
    gc.disable()
    for edit in range(options.edits):
        changed = text.replace("* 7 + 6", f"* 7 + {edit + 100}")
        started = time.process_time()
        project = Project(task_rules=False)
        project.open("/layer.py", changed)
        module = project.module("/layer.py")
        assert module is not None
        module.parse_all()
        roots = tuple(p for p in module.syntax.functions if p.found.name == "main")
        program: Program = project.linker.program(module, roots, "main")[0]
        final = run_standard(program).final
        middle = time.process_time()
        plan = plan_program(final)
        violations = verify(legalize(plan))
        ended = time.process_time()
        assert not violations and plan.accepted
        front.append((middle - started) * 1000)
        core.append((ended - middle) * 1000)
    one, other = statistics.median(front), statistics.median(core)
    share = other / one
    print(
        f"{options.statements} statements: front end {one:.1f} ms, plan + legalize + verify {other:.1f} ms: {share:.2f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
