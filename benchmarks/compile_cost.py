"""What compiling costs after the check: a program of 40 layers and 30 kernels, orchestration, kernels and manifest.

    python benchmarks/compile_cost.py [--layers 40] [--kernels 30] [--rounds 5]

CPU milliseconds at the median. Each layer is a Graph of its own number of launches, called with its own weights.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from pto_lsp.analysis.entries import orchestration_entry
from pto_lsp.backend.compile import compile_entry
from pto_lsp.backend.kernels.emit import emit_kernel
from pto_lsp.project import Project

PATH = "/model.py"
LIMIT = 1000.0
"""Milliseconds (issue: "Compiling a program of 40 layers and 30 kernels")."""
HEAD = """import pypto.language as pl

T = pl.Tensor[[128, 128], pl.FP32]
W = pl.Tensor[[8192, 128], pl.FP32]
"""
KERNEL = """

@pl.jit.incore
def kernel{number}(a: T, w: T, c: pl.InOut[T], off: pl.Scalar[pl.INDEX]):
    for i in pl.range(4):
        t = pl.load(a, [i * 32, 0], [32, 128])
        u = pl.load(w, [i * 32, 0], [32, 128])
        s = pl.add(pl.mul(t, u), pl.exp(pl.sub(t, {number}.0)))
        m = pl.row_max(s)
        c = pl.store(pl.row_expand_sub(s, m), [i * 32, 0], c)
    return c
"""


def source(layers: int, kernels: int) -> str:
    """Layers that launch kernels in turn; every second layer is a Graph region in a loop."""
    lines = [HEAD, *(KERNEL.format(number=number) for number in range(kernels))]
    lines.append("\n\n@pl.jit\ndef main(a: T, w: W, c: pl.InOut[T]):\n")
    for layer in range(layers):
        lines.append(f"    for i{layer} in pl.range(4):\n")
        pad = "        "
        if layer < 16:
            lines.append(f'{pad}with pl.graph("layer{layer}"):\n')
            pad += "    "
        lines.append(f"{pad}v{layer} = pl.slice(w, [128, 128], [i{layer} * 128 + {layer}, 0])\n")
        lines.append(f"{pad}t{layer} = pl.create_tensor([128, 128], dtype=pl.FP32)\n")
        for step in range(6):
            kernel = (layer * 6 + step) % kernels
            target = "c" if step % 2 else f"t{layer}"
            lines.append(f"{pad}{target} = kernel{kernel}({'a' if step else 'c'}, v{layer}, {target}, {step})\n")
    lines.append("    return c\n")
    return "".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=40)
    parser.add_argument("--kernels", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    text = source(options.layers, options.kernels)
    check: list[float] = []
    compiling: list[float] = []
    for _ in range(options.rounds):
        project = Project()
        project.open(PATH, text)
        module = project.module(PATH)
        assert module is not None
        started = time.process_time()
        project.check(PATH)
        entry = orchestration_entry(project.analyzer(PATH), module)
        assert entry is not None and entry.orchestration is not None
        checked = time.process_time()
        artefacts = compile_entry(entry.analysis, entry.orchestration, project, emit_kernel)
        ended = time.process_time()
        assert not artefacts.findings, artefacts.findings[0].message
        check.append((checked - started) * 1000)
        compiling.append((ended - checked) * 1000)
    cost = statistics.median(compiling)
    lines = sum(content.count("\n") for content in artefacts.files.values())
    print(
        f"{options.layers} layers, {options.kernels} kernels: check {statistics.median(check):.0f} ms, "
        f"compile {cost:.0f} ms ({len(artefacts.files)} files, {lines} lines)"
    )
    return 0 if cost < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
