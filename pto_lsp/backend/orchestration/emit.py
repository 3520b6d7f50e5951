"""The orchestration source of a program."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.backend.orchestration.body import BodyEmitter, Locate
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.kernels import Kernel, KernelTable
from pto_lsp.backend.orchestration.launches import graph_name

ENTRY_SYMBOL = "aicpu_orchestration_entry"
_WINDOW = """\
// The part of a view that lies inside its tensor.
static ChipTensor window(const ChipTensor &source, const uint32_t sizes[], const uint32_t offsets[]) {
    uint32_t inside[5] = {};
    for (uint32_t axis = 0; axis < source.ndims; ++axis) {
        const uint32_t left = offsets[axis] < source.shapes[axis] ? source.shapes[axis] - offsets[axis] : 0;
        inside[axis] = std::min(sizes[axis], left);
    }
    return source.view(inside, offsets);
}

"""


@dataclass(frozen=True, slots=True)
class Orchestration:
    """``text`` is one C++17 file; ``kernels`` by id, as its tasks name them."""

    text: str
    entry: str
    kernels: tuple[Kernel, ...]


def emit_orchestration(program: Program, entry: Function, locate: Locate) -> Orchestration:
    """C++ for a legalized program. ``locate`` names places in comments. Raises `NotEmitted`."""
    if entry.kind is FunctionKind.GRAPH or entry.kind.is_kernel:
        raise NotEmitted(f"'{entry.name}' as an entry: it is called by an orchestration")
    kernels = KernelTable(program)
    main = BodyEmitter(program, entry, kernels, "", False, locate)
    main.run()
    graphs: list[str] = []
    clamps = main.uses_window
    for index, graph in enumerate(main.graphs.values()):
        body = BodyEmitter(program, graph, kernels, f"g{index}_", True, locate)
        body.run()
        if body.graphs:
            raise NotEmitted(f"a Graph called by the Graph '{graph.name}'")
        clamps = clamps or body.uses_window
        graphs.append(f"static void {graph_name(graph)}(const GraphTaskArgs &args) {{\n{_indented(body)}}}\n\n")
    count = len(entry.params)
    text = "#include <algorithm>\n#include <array>\n#include <cstdint>\n#include <cstdlib>\n\n"
    text += '#include "pto_orchestration_api.h"\n\n'
    text += (_WINDOW if clamps else "") + "".join(graphs)
    text += 'extern "C" {\n\n__attribute__((visibility("default")))\n'
    text += "PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) {\n"
    text += f"    return PTO2OrchestrationConfig{{{count}}};\n}}\n\n"
    text += '__attribute__((visibility("default")))\n'
    text += f"void {ENTRY_SYMBOL}([[maybe_unused]] const ChipTaskArgs &args) {{\n{_indented(main)}}}\n\n}}\n"
    return Orchestration(text, ENTRY_SYMBOL, tuple(kernels.kernels))


def _indented(body: BodyEmitter) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in body.lines.used_text().splitlines())
