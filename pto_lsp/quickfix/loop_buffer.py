"""PTO304: one buffer at the call site instead of one per trip of a loop in the region (rules.md F4)."""

from __future__ import annotations

from pto_lsp.analysis.graph_boundary.region import Region
from pto_lsp.analysis.graph_boundary.static_calls import loop_trips
from pto_lsp.analysis.ir.affine import affine
from pto_lsp.analysis.ir.expressions import ListExpr, Op
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.logical_lines import LineKind
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.mentions import fresh, names_of
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.steps import Steps


def build(context: Context) -> Draft:
    plan, text = context.plan, context.text
    region = Region(plan.function)
    name = context.data("variable")
    found = [s for s in walk_block(plan.function.body or ()) if isinstance(s, Assign) and s.target.name == name]
    stmt = found[0] if found else None
    op = stmt.value if stmt is not None else None
    if stmt is None or not isinstance(op, Op) or stmt.at.source is not text.placed.source or not stmt.target.label:
        raise Refused("the allocation has no line of its own")
    line = text.line(stmt.at)
    if line is None or line.kind is not LineKind.SIMPLE or ";" in line.text:
        raise Refused("the allocation shares its line with something else")
    entry = next(e for e in region.entries if e.stmt is stmt)
    trips = loop_trips(entry, region)
    if not trips or not all(steps for _, steps in trips):
        raise Refused("a loop around the allocation has no constant bounds")
    extents, shape = _shape(op, line.text)
    count = 1
    for _, steps in trips:
        count *= len(steps)
    buffer = fresh(f"{stmt.target.label}_buffer", names_of(text))
    create = text.slice(stmt.at, op.span)
    at = line.text.index(shape) - line.text.index(create)
    items = _items(shape)
    rows = str(extents[0] * count) if items[0].isdecimal() else f"{count} * {items[0]}"
    wide = f"[{', '.join([rows, *items[1:]])}]"
    create = create[:at] + wide + create[at + len(shape) :]
    index = _index([(region.label_of(atom), steps) for atom, steps in trips])
    offset = f"{index} * {items[0]}" if index.isidentifier() else f"({index}) * {items[0]}"
    offsets = ", ".join(["0" if index == "0" else offset, *["0"] * (len(extents) - 1)])
    rewriter = Rewriter()
    outermost = text.line(entry.loops[0].at)
    if outermost is None:
        raise Refused("the loop was not found")
    begin = text.begin_of_line(text.chunk_start + outermost.start)
    rewriter.insert(text.path, begin, f"{text.indentation(outermost)}{buffer} = {create}{text.newline}")
    view = f"pl.slice({buffer}, {shape}, [{offsets}])"
    rewriter.replace(text.path, text.offset(stmt.at, op.span.start), text.offset(stmt.at, op.span.end), view)
    repair = Steps(context)
    repair.rewrite(rewriter)
    repair.hoist(buffer)
    return repair.draft(moves_memory=True)


def _shape(op: Op, line: str) -> tuple[list[int], str]:
    """The extents, and the list of them as written."""
    sizes = op.args[0] if op.args else None
    if not isinstance(sizes, ListExpr) or not sizes.items:
        raise Refused("the shape is not written as a list")
    extents: list[int] = []
    for extent in sizes.items:
        form = affine(extent)
        if form is None or not form.is_constant:
            raise Refused("the shape is not constant")
        extents.append(form.const)
    written = line[sizes.span.start : sizes.span.end]
    if not written.startswith("["):
        raise Refused("the shape is not written as a list")
    return extents, written


def _items(shape: str) -> list[str]:
    unit = UnitCache().get(shape, UnitKind.SIMPLE)
    statement = unit.statements[0] if unit.statements else None
    value = statement.value if isinstance(statement, syntax.ExprStmt) else None
    if not isinstance(value, syntax.ListDisplay):
        raise Refused("the shape is not written as a list")
    return [shape[item.span.start : item.span.end] for item in value.items]


def _index(trips: list[tuple[str, range]]) -> str:
    """The number of the trip, counted over all loops."""
    index = ""
    for label, steps in trips:
        own = label if steps.start == 0 else f"({label} - {steps.start})"
        if steps.step != 1:
            own = f"{own} // {steps.step}"
        index = (
            f"({index}) * {len(steps)} + {own}"
            if index and not index.isidentifier()
            else (f"{index} * {len(steps)} + {own}" if index else own)
        )
    return index
