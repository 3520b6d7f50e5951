"""Expressions of the IR. Spans are relative to the anchor of the statement that holds the expression."""

from __future__ import annotations

from typing import Union

from pto_lsp.analysis.ir.types import UNKNOWN, Type
from pto_lsp.analysis.node import node
from pto_lsp.diagnostics import Span

NO_SPAN = Span(0, 0)


@node
class Const:
    """int, float, bool, str, or None (the invalid task id). ``written`` is the source name it was folded from, if
    any.
    """

    value: int | float | bool | str | None
    span: Span = NO_SPAN
    written: str = ""


@node
class Symbol:
    """A ``pl.dynamic`` extent."""

    name: str
    span: Span = NO_SPAN


@node
class DType:
    """A data type used as a value: ``pl.FP32``."""

    name: str
    span: Span = NO_SPAN


@node
class Enumerator:
    """Another constant of the DSL's own, by its dotted name: ``pl.Level.CORE_GROUP``, ``pl.TensorLayout.ND``."""

    dotted: str
    span: Span = NO_SPAN


@node
class Var:
    """A DSL variable. ``name`` is unique in its function once in SSA form; ``label`` is what the author wrote."""

    name: str
    label: str
    type: Type = UNKNOWN
    span: Span = NO_SPAN


@node
class Unary:
    """``op``: "-", "not", "~", "abs"."""

    op: str
    operand: Expr
    span: Span = NO_SPAN


@node
class Binary:
    """Scalar operation. ``op``: + - * / // % ** << >> & | ^, comparisons, "and", "or", "min", "max"."""

    op: str
    left: Expr
    right: Expr
    span: Span = NO_SPAN


@node
class Cast:
    """Scalar conversion, ``pl.cast(value, dtype)``."""

    operand: Expr
    dtype: str
    span: Span = NO_SPAN


@node
class ListExpr:
    items: tuple[Expr, ...]
    span: Span = NO_SPAN


@node
class TupleExpr:
    items: tuple[Expr, ...]
    span: Span = NO_SPAN


@node
class Item:
    """Element of a tuple value, ``t[1]``."""

    base: Expr
    index: int
    span: Span = NO_SPAN


@node
class Keyword:
    """A keyword argument that is kept as written: ``dtype=pl.FP32``. ``span`` covers name and value."""

    name: str
    value: Expr
    span: Span = NO_SPAN


@node
class Op:
    """An operator of the DSL under its canonical name: ``pl.slice`` and ``x[a:b]`` are both "tensor.slice".

    ``sugar`` marks a subscript form, so that it prints back as one. Canonical positional arguments:

    * tensor.create: (shape list); keywords dtype=, init_value=, manual_dep= …
    * tensor.full: (shape list); keywords dtype=, value=
    * tensor.slice: (tensor, size list, offset list[, valid shape list]); dropped scalar dimensions of a subscript
      are in the keyword ``drop`` (a ListExpr of Const)
    * tensor.view, tensor.reshape: (tensor, shape list[, …]); tensor.transpose: (tensor, axis, axis)
    * tensor.assemble: (target tensor, value, offset list); a subscript assignment ``t[a:b] = v`` has the keyword
      ``size`` (the extent list written) and ``drop`` as above
    * tensor.dim: (tensor, axis), with ``sugar`` where nobody wrote it: ``x.shape[axis]``, or an open bound of a
    subscript
      of a tensor whose shape is not declared. Such an extent is a constant once the function is specialised; Simplify
      puts it in where it is known by then, and ``Unknown`` at orchestration level where it is not
    * tensor.read: (tensor, index list); tensor.write: (tensor, index list, value)
    * array.create: (extent,) with keyword dtype=; array.get_element: (array, index);
      array.update_element: (array, index, value)
    * system.task_dummy: () with keyword deps=; system.task_invalid: ()
    * everything else: ``pl.`` dropped, arguments as written ("add", "load", "tile.get_block_idx", "pld.window" …)
    """

    name: str
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...] = ()
    type: Type = UNKNOWN
    span: Span = NO_SPAN
    sugar: bool = False


@node
class LaunchOptions:
    """Scheduling attributes of a launch; absent ones are None. ``keywords`` keeps every keyword as written, with
    spans.
    """

    deps: tuple[Expr, ...] | None = None
    deps_known: bool = True
    core_num: Expr | None = None
    predicate: Expr | None = None
    no_dep_args: tuple[Expr, ...] = ()
    allow_early_resolve: bool | None = None
    sync_start: bool | None = None
    name_hint: str = ""
    keywords: tuple[Keyword, ...] = ()


PLAIN = LaunchOptions()


@node
class Call:
    """Call of a program function (kernel, Graph, inline …). Not a submit: it yields no task id.

    ``callee`` is the key of the function in the program. Arguments are positional, keyword arguments already
    moved to their place; ``no_dep`` has the indices of arguments wrapped in ``pl.no_dep``.
    """

    callee: str
    args: tuple[Expr, ...]
    type: Type = UNKNOWN
    options: LaunchOptions = PLAIN
    no_dep: tuple[int, ...] = ()
    callee_span: Span = NO_SPAN
    span: Span = NO_SPAN


@node
class Submit:
    """``pl.submit`` / ``pl.spmd_submit``, or a region that binds a task id: results and, last, the task id."""

    callee: str
    args: tuple[Expr, ...]
    type: Type = UNKNOWN
    options: LaunchOptions = PLAIN
    no_dep: tuple[int, ...] = ()
    callee_span: Span = NO_SPAN
    span: Span = NO_SPAN


NO_LIST = "no list: "
"""How ``Unknown.what`` begins for a ``deps=`` that is no list whatever its names stand for."""


@node
class Unknown:
    """Something the front end did not understand or may not guess; ``names`` are the variables seen inside.

    ``python`` is the name of a value of Python outside the function that nothing says.
    """

    what: str
    names: tuple[Var, ...] = ()
    span: Span = NO_SPAN
    python: str = ""


Expr = Union[
    Const, Symbol, DType, Enumerator, Var, Unary, Binary, Cast, ListExpr, TupleExpr, Item, Op, Call, Submit, Unknown
]
