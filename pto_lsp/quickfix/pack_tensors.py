"""PTO403: boundary tensors of one type become windows of one buffer (rules.md D5).

A window with constant offsets would be hoisted and so be a boundary tensor again (B10). One whose offset is a multiple
of an extent of a boundary tensor, as in ``3 * pl.tensor.dim(x, 0)``, is the same in every replay but not what the
caller could compute from scalars: it stays in the region (B6, I3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.graph_boundary.hoisting import HoistKind
from pto_lsp.analysis.ir.affine import affine
from pto_lsp.analysis.ir.expressions import Op, Var
from pto_lsp.analysis.ir.program import Direction, FunctionKind, Param
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.call_text import CallText, call_text
from pto_lsp.quickfix.callers import TextualCall
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.listing import Listing
from pto_lsp.quickfix.mentions import fresh, mentions, names_of
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.signature_text import SignatureText


@dataclass(frozen=True, slots=True)
class _Type:
    """The constant extents and the data type that packed tensors have in common."""

    extents: tuple[int, ...]
    dtype: str

    def packed(self, count: int) -> str:
        """The shape of the buffer for ``count`` of them, in brackets."""
        return f"[{', '.join(map(str, (self.extents[0] * count, *self.extents[1:])))}]"

    @property
    def window(self) -> str:
        return f"[{', '.join(map(str, self.extents))}]"

    @property
    def zeros(self) -> str:
        return ", 0" * (len(self.extents) - 1)


def build(context: Context) -> Draft:
    plan = context.plan
    excess = int(context.data("count")) - int(context.data("limit"))
    created = _allocations(plan)
    if len(created) > excess:
        return Draft(_pack_allocations(context, plan, created), False, True, frozenset({"PTO301"}))
    return _pack_parameters(context, plan, excess)


def _type_of(type_: object) -> _Type | None:
    if not isinstance(type_, TensorType) or not type_.shape or not type_.dtype:
        return None
    forms = [affine(extent) for extent in type_.shape]
    if any(form is None or not form.is_constant for form in forms):
        return None
    return _Type(tuple(form.const for form in forms if form is not None), type_.dtype)


def _offset(plan: GraphPlan, number: int, rows: int, without: Iterable[str], buffer: tuple[str, _Type] | None) -> str:
    """``number * rows``, written with an extent of a tensor on the boundary. Raises `Refused`."""
    left = set(without)
    known = [(p.name, found) for p in plan.function.params if p.name not in left and (found := _type_of(p.type))]
    candidates = known + ([buffer] if buffer is not None else [])
    for name, type_ in candidates:
        for axis, extent in enumerate(type_.extents):
            if extent and rows % extent == 0 and (buffer is None or (name, axis) != (buffer[0], 0)):
                unit = f"pl.tensor.dim({name}, {axis})"
                times = number * rows // extent
                if times == 0:
                    # A plain zero would be hoisted.
                    return f"{unit} - {extent}"
                return unit if times == 1 else f"{times} * {unit}"
    raise Refused("no boundary tensor has an extent that the windows can be counted in")


# -- allocations of the region ---------------------------------------------------------------------------------------


def _allocations(plan: GraphPlan) -> list[Assign]:
    """The largest group of hoisted allocations of one type that have no options besides it."""
    groups: dict[_Type, list[Assign]] = {}
    for hoist in plan.hoisted:
        value, found = hoist.statement.value, _type_of(hoist.var.type)
        if hoist.kind is not HoistKind.CREATE or found is None or not isinstance(value, Op) or not hoist.var.label:
            continue
        if [keyword.name for keyword in value.keywords] == ["dtype"]:
            groups.setdefault(found, []).append(hoist.statement)
    return max(groups.values(), key=len, default=[])


def _pack_allocations(context: Context, plan: GraphPlan, created: list[Assign]) -> Rewriter:
    text = context.text_of(created[0].at.source)
    type_ = _type_of(created[0].target.type)
    assert type_ is not None
    lexical = Lexical(context.project, text)
    places = [lexical.at(stmt.at) for stmt in created]
    if any(place.chain != places[0].chain for place in places):
        raise Refused("the allocations are in different blocks")
    buffer = fresh("packed", names_of(text))
    rewriter = Rewriter()
    begin = text.begin_of_line(text.chunk_start + places[0].line.start)
    create = f"{buffer} = pl.create_tensor({type_.packed(len(created))}, dtype=pl.{type_.dtype})"
    rewriter.insert(text.path, begin, f"{text.indentation(places[0].line)}{create}{text.newline}")
    for number, stmt in enumerate(created):
        offset = _offset(plan, number, type_.extents[0], (), None)
        view = f"pl.slice({buffer}, {type_.window}, [{offset}{type_.zeros}])"
        span = stmt.value.span
        rewriter.replace(text.path, text.offset(stmt.at, span.start), text.offset(stmt.at, span.end), view)
    return rewriter


# -- parameters ------------------------------------------------------------------------------------------------------


def _pack_parameters(context: Context, plan: GraphPlan, excess: int) -> Draft:
    """Read-only parameters of one type, where every caller has one buffer for them or can have it."""
    text = context.text
    if text.placed.found.declaration.kind is not FunctionKind.GRAPH:
        raise Refused("the region has no parameters of its own: pack the tensors where they are created")
    groups: dict[_Type, list[int]] = {}
    for index, param in enumerate(plan.function.params):
        found = _type_of(param.type)
        if found is not None and param.direction is Direction.IN and not param.hoisted:
            groups.setdefault(found, []).append(index)
    type_, chosen = max(groups.items(), key=lambda item: len(item[1]), default=(None, []))
    if type_ is None or len(chosen) <= excess:
        raise Refused("not enough tensors that are only read have one and the same type")
    callers = context.callers(plan.function.at.source)
    for call in callers.calls:
        chosen = [index for index in chosen if _provided(context, call, plan.function.params, index)]
    if not callers.calls or len(chosen) <= excess:
        raise Refused("a caller passes tensors that are neither created by it nor parts of one buffer")
    params = [plan.function.params[index] for index in chosen]
    rewriter = Rewriter()
    buffer = fresh("packed", names_of(text))
    _signature(rewriter, text, chosen, f"{buffer}: pl.Tensor[{type_.packed(len(chosen))}, pl.{type_.dtype}]")
    _windows(rewriter, text, plan, params, buffer, type_)
    done: dict[tuple[str, ...], str] = {}
    for call in callers.calls:
        _call(context, rewriter, call, plan.function.params, chosen, type_, done)
    return Draft(rewriter, False, moves_memory=True)


def _windows(
    rewriter: Rewriter, text: FunctionText, plan: GraphPlan, params: list[Param], buffer: str, type_: _Type
) -> None:
    """The parameters that the region uses, as windows at its beginning."""
    used = {mention.name for mention in mentions(text)}
    lines = text.placed.function.lines
    if not lines:
        raise Refused("the Graph has no body")
    begin = text.begin_of_line(text.start + lines[0].start.offset)
    indent = text.text[begin : text.start + lines[0].start.offset]
    packed = _Type((type_.extents[0] * len(params), *type_.extents[1:]), type_.dtype)
    names = [param.name for param in params]
    for number, param in enumerate(params):
        if param.name in used:
            offset = _offset(plan, number, type_.extents[0], names, (buffer, packed))
            view = f"{param.name} = pl.slice({buffer}, {type_.window}, [{offset}{type_.zeros}])"
            rewriter.insert(text.path, begin, f"{indent}{view}{text.newline}")


def _signature(rewriter: Rewriter, text: FunctionText, chosen: Sequence[int], written: str) -> None:
    signature = SignatureText(text)
    _replace_run(rewriter, text, signature.listing, [signature.leading + index for index in chosen], written)


def _replace_run(rewriter: Rewriter, text: FunctionText, listing: Listing, chosen: Sequence[int], written: str) -> None:
    """The first chosen item becomes ``written``; the others go, neighbours together."""
    items = listing.items
    first = items[chosen[0]]
    rewriter.replace(text.path, first.start, first.end, written)
    position = 1
    while position < len(chosen):
        last = position
        while last + 1 < len(chosen) and chosen[last + 1] == chosen[last] + 1:
            last += 1
        start, end = chosen[position], chosen[last]
        # With the comma in front: something stands before, for the first item stays.
        rewriter.replace(text.path, items[start - 1].end, items[end].end, "")
        position = last + 1


def _call(
    context: Context,
    rewriter: Rewriter,
    call: TextualCall,
    params: tuple[Param, ...],
    chosen: list[int],
    type_: _Type,
    done: dict[tuple[str, ...], str],
) -> None:
    """Pass one buffer for the arguments, which is there or replaces their allocations."""
    written = call_text(call, params)
    if written is None or written.positional < len(written.arguments) or len(written.arguments) < len(params):
        raise Refused("a call does not pass its tensors by position")
    caller = call.caller
    names = [written.arguments[index] for index in chosen]
    key = (caller.path, caller.placed.source.qualname, *names)
    if key not in done:
        done[key] = _buffer_of(context, rewriter, call, written, names, type_)
    items = [written.leading + index for index in chosen]
    _replace_run(rewriter, caller, written.listing, items, done[key])


def _provided(context: Context, call: TextualCall, params: tuple[Param, ...], index: int) -> bool:
    """Whether the caller creates, or slices, what it passes for a parameter."""
    written = call_text(call, params)
    if written is None or index >= len(written.arguments):
        return False
    stmt = _bindings(context, call.caller).get(written.arguments[index])
    return stmt is not None and isinstance(stmt.value, Op) and stmt.value.name in ("tensor.create", "tensor.slice")


def _bindings(context: Context, caller: FunctionText) -> dict[str, Assign]:
    """The first binding of every name."""
    first: dict[str, Assign] = {}
    for stmt in Lexical(context.project, caller).statements():
        if isinstance(stmt, Assign):
            first.setdefault(stmt.target.label, stmt)
    return first


def _buffer_of(
    context: Context, rewriter: Rewriter, call: TextualCall, written: CallText, names: list[str], type_: _Type
) -> str:
    """The buffer that ``names`` are, or become, the windows of, in order. Raises `Refused`."""
    caller = call.caller
    lexical = Lexical(context.project, caller)
    first = _bindings(context, caller)
    bound = [first.get(name) for name in names]
    ops = [stmt.value for stmt in bound if stmt is not None and isinstance(stmt.value, Op)]
    if len(ops) < len(names) or len(set(names)) < len(names):
        raise Refused("a caller passes tensors that are neither created by it nor parts of one buffer")
    statements = [stmt for stmt in bound if stmt is not None]
    if all(op.name == "tensor.slice" for op in ops):
        return _sliced(ops, type_)
    if any(op.name != "tensor.create" or [k.name for k in op.keywords] != ["dtype"] for op in ops):
        raise Refused("a caller creates its tensors in different ways")
    places = [lexical.of(stmt) for stmt in statements]
    if any(place.chain != places[0].chain or place.line.kind is not LineKind.SIMPLE for place in places):
        raise Refused("a caller creates its tensors in different blocks")
    buffer = fresh("packed", call.names)
    line = min((place.line for place in places), key=_start)
    create = f"{buffer} = pl.create_tensor({type_.packed(len(names))}, dtype=pl.{type_.dtype})"
    begin = caller.begin_of_line(caller.chunk_start + line.start)
    rewriter.insert(caller.path, begin, f"{caller.indentation(line)}{create}{caller.newline}")
    for number, (stmt, op) in enumerate(zip(statements, ops)):
        view = f"pl.slice({buffer}, {type_.window}, [{number * type_.extents[0]}{type_.zeros}])"
        span = Span(caller.offset(stmt.at, op.span.start), caller.offset(stmt.at, op.span.end))
        rewriter.replace(caller.path, span.start, span.end, view)
    return buffer


def _start(line: LogicalLine) -> int:
    return line.start


def _sliced(ops: list[Op], type_: _Type) -> str:
    """The buffer whose consecutive rows the slices are, all of them."""
    sources = {op.args[0].label for op in ops if isinstance(op.args[0], Var)}
    source = ops[0].args[0]
    whole = _type_of(source.type) if isinstance(source, Var) else None
    rows = type_.extents[0]
    if len(sources) != 1 or whole is None or whole.extents != (rows * len(ops), *type_.extents[1:]):
        raise Refused("a caller passes parts of a buffer that is no more than them, or less")
    for number, op in enumerate(ops):
        items = getattr(op.args[2], "items", ())
        forms = [affine(item) for item in items]
        wanted = (number * rows, *(0 for _ in type_.extents[1:]))
        if tuple(form.const if form is not None and form.is_constant else None for form in forms) != wanted:
            raise Refused("a caller passes the parts of its buffer in another order")
    return sources.pop()
