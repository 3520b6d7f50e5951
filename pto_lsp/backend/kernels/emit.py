"""One kernel as a C++ file in PTO-ISA tile code."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator

from pto_lsp.analysis.ir.expressions import Const
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.types import UNKNOWN, TensorType, Type
from pto_lsp.backend.kernels.code import Branch, Declaration, InPlace, Instruction, Line, Loop, Node
from pto_lsp.backend.kernels.control import Locate
from pto_lsp.backend.kernels.frame import Frame
from pto_lsp.backend.kernels.lowering import KernelLowering
from pto_lsp.backend.kernels.placement import place_buffers
from pto_lsp.backend.kernels.synchronisation import synchronised
from pto_lsp.backend.kernels.tiles import Buffer, Tile
from pto_lsp.backend.kernels.values import KernelText, Tensor
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.kernels import cores

_WORD = re.compile(r"[A-Za-z_]\w*")
_HEAD = """\
// Kernel '{name}' ({file}) for {core}; written by pto-lsp.

#include <cstdint>

#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

#include "pipe_sync.h"
{topology}
#ifndef __gm__
#define __gm__
#endif

#ifndef __aicore__
#define __aicore__ [aicore]
#endif

extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t *args) {{
"""


def emit_kernel(program: Program, function: Function, core: str, locate: Locate) -> str:
    """The source of ``function`` for ``core`` ("aic" or "aiv"). ``locate`` names places in comments.

    Raises `NotEmitted`, whose place is the operation for which there is no tile code.
    """
    here = place(function.at, function.name_span)
    if function.body is None:
        raise NotEmitted(f"'{function.name}', whose body is not known,", here)
    if not function.complete:
        raise NotEmitted(f"'{function.name}', which is not understood completely,", here)
    mixed = all(cores(program, function))
    frame = Frame(core == "aic" or mixed)
    lowering = KernelLowering(program, function, frame, locate)
    try:
        lowering.parameters(function)
        lowering.block(function.body)
        code = frame.code.root
        addresses = place_buffers(code)
    except NotEmitted as fault:
        fault.place = fault.place or here
        raise
    except RecursionError:
        raise NotEmitted(f"'{function.name}', whose expressions are nested too deeply,", here) from None
    if mixed and core == "aiv":
        # Its lane belongs to the task all the same.
        return _head(function, core, False) + "    // The cube core does all of this kernel.\n    (void)args;\n}\n"
    return _head(function, core, frame.topology) + _text(frame, synchronised(code), addresses)


def computed_types(program: Program, function: Function) -> tuple[Type, ...]:
    """The types of what ``function`` returns, as far as its code shows them; () where there is no code."""
    lowering = KernelLowering(program, function, Frame(cores(program, function)[0]), lambda where: "")
    try:
        lowering.parameters(function)
        values = lowering.block(function.body or ())
    except (NotEmitted, RecursionError):
        return ()
    return tuple([_type_of(value) for value in values])


def _type_of(value: KernelText) -> Type:
    if not isinstance(value, Tensor):
        return UNKNOWN
    extents = [Const(extent) for extent in value.shape if isinstance(extent, int)]
    return TensorType(tuple(extents), value.dtype) if len(extents) == len(value.shape) else UNKNOWN


def _head(function: Function, core: str, topology: bool) -> str:
    return _HEAD.format(
        name=function.task_name,
        file=os.path.basename(function.at.source.path),
        core="the cube core" if core == "aic" else "a vector core",
        topology='#include "intrinsic.h"\n' if topology else "",
    )


def _text(frame: Frame, code: list[Node], addresses: dict[Buffer, int]) -> str:
    code = _without_unused(code)
    lines: list[str] = []
    _write(code, addresses, 1, lines)
    used = _tiles(code)
    parameters = _parameter_lines(code)
    tiles: list[str] = []
    for tile in frame.tiles:
        if tile in used:
            tiles.extend(_declaration(tile, addresses))
    parts = [lines[:parameters], [f"    {line}" for line in tiles], lines[parameters:], ["    pipe_sync();"]]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n}\n"


def _parameter_lines(code: list[Node]) -> int:
    """How many lines at the beginning only look at the arguments."""
    count = 0
    for node in code:
        if not isinstance(node, Declaration):
            break
        count += 1
    return count


def _declaration(tile: Tile, addresses: dict[Buffer, int]) -> list[str]:
    base = addresses[tile.buffer]
    if isinstance(tile.offset, int):
        address = f"0x{base + tile.offset:x}"
    else:
        address = f"0x{base:x} + {tile.offset}"
    given = f"({', '.join(tile.run_time)})" if tile.run_time else ""
    return [f"{tile.type} {tile.name}{given};", f"TASSIGN({tile.name}, {address});"]


def _write(code: list[Node], addresses: dict[Buffer, int], depth: int, lines: list[str]) -> None:
    indent = "    " * depth
    for node in code:
        if isinstance(node, (Line, Declaration, Instruction)):
            lines.extend([indent + line for line in node.text.split("\n")])
        elif isinstance(node, InPlace):
            lines.extend([indent + line for line in _declaration(node.tile, addresses)])
        elif isinstance(node, Loop):
            lines.append(f"{indent}{node.head} {{")
            _write(node.body, addresses, depth + 1, lines)
            lines.append(f"{indent}}}")
        elif isinstance(node, Branch):
            lines.append(f"{indent}if ({node.condition}) {{")
            _write(node.then, addresses, depth + 1, lines)
            if node.orelse:
                lines.append(f"{indent}}} else {{")
                _write(node.orelse, addresses, depth + 1, lines)
            lines.append(f"{indent}}}")


def _tiles(code: list[Node]) -> set[Tile]:
    found: set[Tile] = set()
    for node in _flat(code):
        if isinstance(node, Instruction):
            found.update(node.tiles)
    return found


def _without_unused(code: list[Node]) -> list[Node]:
    """Without declarations of what nothing uses."""
    texts = Counter(_words(code))
    declared: list[Declaration] = [node for node in _flat(code) if isinstance(node, Declaration)]
    unused: set[str] = set()
    # What is declared later uses what is declared earlier.
    for node in reversed(declared):
        if texts[node.name] == 1:
            unused.add(node.name)
            texts.subtract(set(_WORD.findall(node.text)))
    return _kept(code, unused)


def _kept(code: list[Node], unused: set[str]) -> list[Node]:
    result: list[Node] = []
    for node in code:
        if isinstance(node, Loop):
            result.append(Loop(node.head, _kept(node.body, unused)))
        elif isinstance(node, Branch):
            result.append(Branch(node.condition, _kept(node.then, unused), _kept(node.orelse, unused)))
        elif not isinstance(node, Declaration) or node.name not in unused:
            result.append(node)
    return result


def _flat(code: list[Node]) -> Iterator[Node]:
    for node in code:
        yield node
        for block in (
            (node.body,) if isinstance(node, Loop) else (node.then, node.orelse) if isinstance(node, Branch) else ()
        ):
            yield from _flat(block)


def _words(code: list[Node]) -> Iterator[str]:
    """The words of each text, each once for a text that has it."""
    for node in _flat(code):
        text = ""
        if isinstance(node, (Line, Declaration, Instruction)):
            text = "" if node.text.startswith("//") else node.text
        elif isinstance(node, Loop):
            text = node.head
        elif isinstance(node, Branch):
            text = node.condition
        elif isinstance(node, InPlace):
            text = " ".join([str(node.tile.offset), *node.tile.run_time])
        yield from set(_WORD.findall(text))
