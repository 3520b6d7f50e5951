"""Changes of sources that bring findings into them; `inject_findings` applies and repairs them.

Every injection yields (what was done, the changed text of the file).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from pto_lsp.analysis.frontend.blocks import Line
from pto_lsp.analysis.ir.expressions import Const
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.source import syntax
from pto_lsp.project import Project
from pto_lsp.quickfix.convert import convert
from pto_lsp.quickfix.edits import apply_edits
from pto_lsp.quickfix.file_index import FileIndex
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused

Injected = tuple[str, str]
GRAPH = 'with pl.graph("injected"):'
_LAUNCHING = (FunctionKind.ORCHESTRATION, FunctionKind.OPAQUE)


def orchestrations(project: Project, path: str) -> Iterator[FunctionText]:
    """The functions of a file that launch tasks from outside of any Graph."""
    module = project.module(path)
    for placed in module.syntax.functions if module is not None else ():
        text = FunctionText(module, placed, module.document.chunk_start(placed.chunk_index))  # type: ignore[union-attr,arg-type]
        if project.linker.lowered(path, text.module, placed).lowered.function.kind in _LAUNCHING:
            yield text


def regions(project: Project, path: str, text: FunctionText) -> Iterator[Injected]:
    """A Graph region around the body of the function and around that of each of its loops, as a region and as a
    function of its own; and in it a scalar, a rename, a view and an allocation.
    """
    body = text.placed.function.lines
    scopes: list[tuple[str, tuple[Line, ...], str]] = [("body", _inner(body), "")]
    scopes += [("loop", line.body, variable) for line, variable in _loops(body) if line.body]
    tensor = _tensor(project, path, text)
    for where, lines, variable in scopes:
        plain = _wrapped(text, lines, ())
        if plain is None:
            continue
        extra = ["injected_buffer = pl.create_tensor([16, 16], dtype=pl.FP32)"]
        if variable:
            extra += [f"injected_scalar = {variable} * 2 + 1", f"injected_alias = {variable}"]
            extra += ["injected_more = injected_scalar * 4"]
        if tensor is not None:
            name, rank = tensor
            offsets = [variable if variable and position == 0 else "0" for position in range(rank)]
            extra += [f"injected_view = pl.slice({name}, {[1] * rank}, [{', '.join(offsets)}])"]
        more = _wrapped(text, lines, extra)
        yield f"Graph around a {where}", plain
        yield f"Graph with statements around a {where}", more or plain
        function = _as_function(project, path, more or plain)
        if function is not None:
            yield f"Graph function of a {where}", function


def launches(project: Project, path: str, text: FunctionText, random: Random) -> Iterator[Injected]:
    """Waits that are lost, doubled or made useless, loops of another kind, ids nobody wants, opt-outs."""
    begin, end = text.start, text.chunk_start + text.placed.found.end
    for what, pattern, change in _CHANGES:
        found = list(re.compile(pattern).finditer(text.text, begin, end))
        random.shuffle(found)
        for match in found[:2]:
            new = change(match)
            if new != match[0]:
                yield what, text.text[: match.start()] + new + text.text[match.end() :]


def _without_first(match: re.Match[str]) -> str:
    entries = [entry for entry in match[1].split(",") if entry.strip()]
    return f"deps=[{','.join(entries[1:]).strip()}]"


_Change = Callable[["re.Match[str]"], str]
_CHANGES: tuple[tuple[str, str, _Change], ...] = (
    ("wait removed", r"deps=\[([^\[\]()]+)\]", _without_first),
    ("wait doubled", r"deps=\[(\w+)([^\[\]()]*)\]", lambda m: f"deps=[{m[1]}, {m[1]}{m[2]}]"),
    ("wait on a name", r"deps=\[(\w+)\]", lambda m: f"deps={m[1]}"),
    ("parallel made sequential", r"\bpl\.parallel\(", lambda m: "pl.range("),
    ("sequential made parallel", r"\bpl\.range\(", lambda m: "pl.parallel("),
    ("unused id", r"(with pl\.(?:at|spmd)\([^\n]*\)):(?=\n)", lambda m: f"{m[1]} as injected_tid:"),
    ("early resolve", r"(with pl\.at\([^\n]*)\):(?=\n)", lambda m: f"{m[1]}, allow_early_resolve=True):"),
    (
        "opt-out",
        r"(with pl\.at\([^\n]*)\)((?: as \w+)?):\n(\s+)(\w+)\[",
        lambda m: f"{m[1]}, no_dep_args=[{m[4]}]){m[2]}:\n{m[3]}{m[4]}[",
    ),
    ("predicate on a region", r"(with pl\.at\([^\n]*)\):(?=\n)", lambda m: f"{m[1]}, predicate=(injected[0] > 0)):"),
    ("direction lost", r"pl\.Out\[(pl\.Tensor\[\[[^\]]*\], [\w.]+\])\]", lambda m: m[1]),
    ("longer array", r"array\.create\((\d+), pl\.TASK_ID\)", lambda m: f"array.create({int(m[1]) + 1}, pl.TASK_ID)"),
    ("scope made manual", r"with pl\.scope\(\):", lambda m: "with pl.manual_scope():"),
    ("scope removed", r"with pl\.manual_scope\(\):", lambda m: "if True:"),
)  # fmt: skip


def _inner(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """A body without its docstring and its return."""
    kept = list(lines)
    first = kept[0].unit.statements[:1] if kept else ()
    if first and isinstance(first[0], syntax.ExprStmt) and isinstance(first[0].value, syntax.Literal):
        del kept[0]
    last = kept[-1].unit.statements[:1] if kept else ()
    if last and isinstance(last[0], syntax.Return):
        del kept[-1]
    return tuple(kept)


def _loops(lines: tuple[Line, ...]) -> Iterator[tuple[Line, str]]:
    """The DSL loops in a body, with the names of their variables."""
    for line in lines:
        head = line.unit.statements[0] if line.unit.statements else None
        if isinstance(head, syntax.For) and isinstance(head.target, syntax.Name):
            func = head.iterable.func if isinstance(head.iterable, syntax.Call) else None
            if isinstance(func, syntax.Attribute) and func.attr in ("range", "parallel"):
                yield line, head.target.id
        if not isinstance(head, syntax.With):
            yield from _loops(line.body)


def _wrapped(text: FunctionText, lines: tuple[Line, ...], extra: list[str] | tuple[()]) -> str | None:
    """The text with a Graph region around ``lines``; None where it holds strings of several lines."""
    if not lines:
        return None
    first, last = lines[0], lines[-1]
    while last.body:
        last = last.body[-1]
    begin = text.begin_of_line(text.start + first.start.offset)
    end = text.end_of_line(text.start + last.start.offset + len(last.unit.text))
    block = text.text[begin:end]
    indent = text.text[begin : text.start + first.start.offset]
    if '"""' in block or "'''" in block or "return" in block or indent.strip():
        return None
    inside = "".join(f"    {line}" if line.strip() else line for line in block.splitlines(keepends=True))
    more = "".join(f"{indent}    {line}\n" for line in extra)
    return f"{text.text[:begin]}{indent}{GRAPH}\n{more}{inside}{text.text[end:]}"


def _tensor(project: Project, path: str, text: FunctionText) -> tuple[str, int] | None:
    """A tensor parameter of known rank, and that rank."""
    function = project.linker.lowered(path, text.module, text.placed).lowered.function
    for param in function.params:
        if (
            isinstance(param.type, TensorType)
            and param.type.shape
            and all(isinstance(e, Const) for e in param.type.shape)
        ):
            return param.name, len(param.type.shape)
    return None


def _as_function(project: Project, path: str, text: str) -> str | None:
    """The same with the region as a Graph function; None where the conversion is refused."""
    trial = project.copy()
    trial.open(path, text)
    try:
        fix = convert(trial, path, text.index(GRAPH), lambda _: "", FileIndex())
    except Refused:
        return None
    return apply_edits(text, fix.edits, path)
