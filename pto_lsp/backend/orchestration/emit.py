"""The orchestration source of a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Expr
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.backend.orchestration.body import BodyEmitter, Locate
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.kernels import Kernel, KernelTable
from pto_lsp.backend.orchestration.text import Lines

NO_SYMBOLS: Mapping[str, Expr] = {}
ENTRY_SYMBOL = "aicpu_orchestration_entry"
_VISIBLE = '__attribute__((visibility("default")))'
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
_WITHOUT_AXES = """\
// A view without those of its dimensions that a single index names.
static ChipTensor without_axes(const ChipTensor &source, uint32_t axes) {
    ChipTensor part = source;
    part.ndims = 0;
    bool empty = false;
    for (uint32_t axis = 0; axis < source.ndims; ++axis) {
        empty = empty || source.shapes[axis] == 0;
        if ((axes >> axis & 1) != 0) continue;
        part.shapes[part.ndims] = source.shapes[axis];
        part.strides[part.ndims++] = source.strides[axis];
    }
    if (part.ndims == 0) part.shapes[part.ndims] = part.strides[part.ndims] = 1, ++part.ndims;
    if (empty) part.shapes[0] = 0;
    uint64_t stride = 1;
    part.is_contiguous = true;
    for (uint32_t axis = part.ndims; axis-- > 0; stride *= part.shapes[axis])
        part.is_contiguous = part.is_contiguous && part.strides[axis] == stride;
    part.is_contiguous = part.is_contiguous || empty;
    return part;
}

"""
_HELPERS = {"window(": _WINDOW, "without_axes(": _WITHOUT_AXES}


@dataclass(frozen=True, slots=True)
class Fault:
    """``function`` is the one in which ``cause`` is."""

    function: Function
    cause: NotEmitted


@dataclass(frozen=True, slots=True)
class Orchestration:
    """``text`` is one C++17 file, "" where there are ``faults``; ``kernels`` by id, as its tasks name them.

    ``places``: what each line of ``text`` was made from.
    """

    text: str
    entry: str
    kernels: tuple[Kernel, ...]
    places: tuple[Place | None, ...]
    faults: tuple[Fault, ...] = ()


def emit_orchestration(
    program: Program, entry: Function, locate: Locate, title: str = "", symbols: Mapping[str, Expr] = NO_SYMBOLS
) -> Orchestration:
    """C++ for a legalized program. ``locate`` names places in comments, ``title`` is the first comment.

    ``symbols`` are those of `spliced_symbols`.
    """
    if entry.kind is FunctionKind.GRAPH or entry.kind.is_kernel:
        cause = NotEmitted("a program without an orchestration", place(entry.at, entry.name_span))
        return Orchestration("", ENTRY_SYMBOL, (), (), (Fault(entry, cause),))
    kernels = KernelTable(program)
    main = BodyEmitter(program, entry, kernels, "", False, locate, symbols)
    main.run()
    faults = [Fault(entry, cause) for cause in main.faults]
    graphs = Lines()
    for index, graph in enumerate(main.graphs.values()):
        body = BodyEmitter(program, graph, kernels, f"g{index}_", True, locate, symbols)
        body.run()
        faults += [Fault(graph, cause) for cause in body.faults]
        if body.graphs:
            nested = NotEmitted("a Graph that calls a Graph", place(graph.at, graph.name_span))
            faults.append(Fault(graph, nested))
        _function(graphs, graph, f"static void {main.graph_names[graph.key]}(const GraphTaskArgs &args)", body)
        graphs.add("")
    if faults:
        return Orchestration("", ENTRY_SYMBOL, tuple(kernels.kernels), (), tuple(faults))
    rest = Lines()
    _entry(rest, entry, main)
    lines = Lines()
    written = [line.text for line in (*graphs.all(), *rest.all())]
    helpers = [text for call, text in _HELPERS.items() if any(call in line for line in written)]
    for head in _head(title, helpers):
        lines.add(head)
    lines.append(graphs)
    lines.append(rest)
    text = "".join(f"{line.text}\n" for line in lines.all())
    return Orchestration(text, ENTRY_SYMBOL, tuple(kernels.kernels), tuple([line.place for line in lines.all()]))


def _entry(lines: Lines, entry: Function, body: BodyEmitter) -> None:
    lines.place = place(entry.at, entry.name_span)
    for text in ('extern "C" {', "", _VISIBLE):
        lines.add(text)
    with lines.block("PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &)"):
        lines.add(f"return PTO2OrchestrationConfig{{{len(entry.params)}}};")
    lines.add("")
    lines.add(_VISIBLE)
    _function(lines, entry, f"void {ENTRY_SYMBOL}([[maybe_unused]] const ChipTaskArgs &args)", body)
    lines.add("")
    lines.add("}")


def _head(title: str, helpers: list[str]) -> list[str]:
    lines = [f"// {title}", ""] if title else []
    lines += ["#include <algorithm>", "#include <array>", "#include <cstdint>", "#include <cstdlib>", ""]
    lines += ['#include "pto_orchestration_api.h"', ""]
    return lines + [line for helper in helpers for line in helper.splitlines()]


def _function(lines: Lines, function: Function, head: str, body: BodyEmitter) -> None:
    lines.place = place(function.at, function.name_span)
    with lines.block(head):
        lines.append(body.lines, used=True)
