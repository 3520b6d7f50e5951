"""The form of ``predicate=`` (TG002, TG003; semantics.md §11.2)."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.task_graph.checks.naming import declared

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
SIGNED = ("INT8", "INT16", "INT32", "INT64")
MAX_RANK = 5


def predicate_findings(function: Function, stmt: Stmt, options: ir.LaunchOptions, name: str) -> Iterator[Finding]:
    """Findings about the guard of the launch ``name``."""
    predicate = options.predicate
    if predicate is None:
        return
    wrong = _wrong_rank(predicate)
    if wrong is not None:
        side, tensor, given = wrong
        assert isinstance(tensor.type, TensorType) and tensor.type.shape is not None
        rank = len(tensor.type.shape)
        count = "more indices" if given > rank else f"{given} indices" if given != 1 else "one index"
        message = f"the guard of '{name}' reads '{tensor.label}', which has rank {rank}, with {count}"
        notes, data = declared(function, tensor.label), (("rank", rank), ("given", given))
        yield Finding("PTO603", tensor.label, place(stmt.at, side.span), message, function.name, notes, data)
        return
    read, what, at = _parts(predicate)
    if what:
        message = (
            f"the guard of '{name}' must be one comparison of a single element with an integer literal: this is {what}"
        )
        yield Finding("PTO602", name, place(stmt.at, at.span), message, function.name)
    if read is not None:
        yield from _operand(function, stmt, read, name)


def _parts(predicate: ir.Expr) -> tuple[ir.Op | None, str, ir.Expr]:
    """The element read, what is wrong ("" for nothing or not known), and where."""
    if isinstance(predicate, ir.Unknown) and predicate.what == "chained comparison":
        return None, "a chain of them", predicate
    if not isinstance(predicate, ir.Binary):
        unknown = isinstance(predicate, (ir.Unknown, ir.Var))
        return None, "" if unknown else "no comparison", predicate
    if predicate.op in ("and", "or"):
        return None, f"joined with '{predicate.op}'", predicate
    if predicate.op not in COMPARISONS:
        return None, "no comparison", predicate
    sides = (predicate.left, predicate.right)
    reads = [side for side in sides if isinstance(side, ir.Op) and side.name == "tensor.read"]
    others = [side for side in sides if not (isinstance(side, ir.Op) and side.name == "tensor.read")]
    if len(reads) != 1:
        if any(isinstance(side, (ir.Unknown, ir.Var)) for side in sides):
            return None, "", predicate
        at = next((side for side in sides if isinstance(side, ir.Binary)), predicate)
        return None, "computed from more than one element" if reads else "arithmetic", at
    read, other = reads[0], others[0]
    assert isinstance(read, ir.Op)
    literal = other.operand if isinstance(other, ir.Unary) and other.op == "-" else other
    if isinstance(literal, ir.Const):
        whole = isinstance(literal.value, int) and not isinstance(literal.value, bool)
        return read, "" if whole else "compared with something that is no integer", other
    if isinstance(literal, (ir.Unknown, ir.Cast)):
        return read, "", other
    return read, "compared with a value that is not written out", other


def _wrong_rank(predicate: ir.Expr) -> tuple[ir.Expr, ir.Var, int] | None:
    """A subscript in a comparison with too few or too many indices: it, its tensor, and how many there are."""
    if not isinstance(predicate, ir.Binary) or predicate.op not in COMPARISONS:
        return None
    for side in (predicate.left, predicate.right):
        if isinstance(side, ir.Op) and side.name == "tensor.slice" and side.sugar and isinstance(side.args[0], ir.Var):
            dropped = next((k.value for k in side.keywords if k.name == "drop"), None)
            # Slices take no part in an element: of those written, only trailing ones are left out here.
            if isinstance(dropped, ir.ListExpr) and [_integer(i) for i in dropped.items] == list(
                range(len(dropped.items))
            ):
                return side, side.args[0], len(dropped.items)
        if isinstance(side, ir.Unknown) and side.what == "subscript" and side.names:
            tensor = side.names[0]
            if isinstance(tensor.type, TensorType) and tensor.type.shape is not None:
                return side, tensor, len(tensor.type.shape) + 1
    return None


def _operand(function: Function, stmt: Stmt, read: ir.Op, name: str) -> Iterator[Finding]:
    tensor = read.args[0]
    index = read.args[1] if len(read.args) > 1 else None
    if not isinstance(tensor, ir.Var) or not isinstance(tensor.type, TensorType):
        return
    type_ = tensor.type
    label, where = tensor.label, place(stmt.at, read.span)
    shape = type_.shape
    notes = declared(function, label)
    if type_.dtype and type_.dtype not in SIGNED:
        message = f"the guard of '{name}' reads '{label}', which is {type_.dtype}: expected a signed integer element"
        yield Finding("PTO603", label, where, message, function.name, notes)
        return
    if shape is None or not isinstance(index, ir.ListExpr):
        return
    given = len(index.items)
    if given != len(shape) or given > MAX_RANK:
        message = f"the guard of '{name}' reads '{label}', which has rank {len(shape)}, with {given} indices"
        yield Finding("PTO603", label, where, message, function.name, notes)
        return
    for item, extent in zip(index.items, shape):
        number = _integer(item)
        if number is not None and number < 0:
            message = f"the guard of '{name}' reads '{label}' at the negative index {number}"
            yield Finding("PTO603", label, place(stmt.at, item.span), message, function.name, notes)
            continue
        limit = _integer(extent)
        if number is not None and limit is not None and number >= limit:
            message = f"the guard of '{name}' reads '{label}' at index {number}, but its extent is {limit}"
            yield Finding("PTO603", label, place(stmt.at, item.span), message, function.name, notes)


def _integer(expr: ir.Expr) -> int | None:
    if isinstance(expr, ir.Unary) and expr.op == "-":
        inner = _integer(expr.operand)
        return None if inner is None else -inner
    if isinstance(expr, ir.Const) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
        return expr.value
    return None
