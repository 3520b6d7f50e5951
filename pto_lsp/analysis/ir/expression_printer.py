"""Expressions and types as PyPTO surface text: in messages, in JSON, in quick fixes and in printed programs."""

from __future__ import annotations

from collections.abc import Callable

from pto_lsp.analysis.ir.affine import structural_key
from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Const,
    DType,
    Enumerator,
    Expr,
    Item,
    Keyword,
    LaunchOptions,
    ListExpr,
    Op,
    Submit,
    Symbol,
    TupleExpr,
    Unary,
    Unknown,
    Var,
)
from pto_lsp.analysis.ir.types import ArrayType, ScalarType, TensorType, TileType, TupleType, Type
from pto_lsp.analysis.ir.visitor import left_spine

SURFACE = {
    "tensor.create": "pl.create_tensor",
    "tensor.full": "pl.full",
    "tensor.slice": "pl.slice",
    "tensor.view": "pl.tensor.view",
    "tensor.reshape": "pl.reshape",
    "tensor.transpose": "pl.transpose",
    "tensor.reinterpret_view": "pl.reinterpret_view",
    "tensor.assemble": "pl.assemble",
    "tensor.read": "pl.read",
    "tensor.write": "pl.write",
}
"""Surface names of operators whose canonical name is not what people write after ``pl.``."""

_WINDOWED = frozenset({"tensor.slice", "tensor.assemble"})
INTERNAL_KEYWORDS = frozenset({"drop", "size"})
"""Keywords of subscript forms that are part of the subscript's text, not arguments."""

LAUNCH_KEYWORDS = frozenset({"device", "dumps", "attrs"})
"""Keywords of a call or submit that LaunchOptions has no field for (surface.md §8)."""
REGION_KEYWORDS = frozenset({"role", "optimizations", "dumps", "windowize"})
"""Likewise of a region (surface.md §7)."""

_POSTFIX = 14
_UNARY = 12
_LEVELS = {
    "or": 1,
    "and": 2,
    "==": 4,
    "!=": 4,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "|": 5,
    "^": 6,
    "&": 7,
    "<<": 8,
    ">>": 8,
    "+": 9,
    "-": 9,
    "*": 10,
    "/": 10,
    "//": 10,
    "%": 10,
    "**": 13,
}
_NOT = 3
_COMPARISON = 4
_CALLED = frozenset({"min", "max"})


def label_of(var: Var) -> str:
    """The author's name, or the unique name of a value that has none."""
    return var.label or var.name


def bare_callee(key: str) -> str:
    """The last part of a function key: the name the author gave the function."""
    return key.rsplit(".", 1)[-1].rsplit(":", 1)[-1]


class ExpressionPrinter:
    """Writes expressions with as few parentheses as Python needs. ``variable`` and ``callee`` choose the names."""

    def __init__(self, variable: Callable[[Var], str] = label_of, callee: Callable[[str], str] = bare_callee) -> None:
        self._variable = variable
        self._callee = callee

    def text(self, expr: Expr, level: int = 0) -> str:
        """``expr`` as it has to be written where operators of ``level`` and above bind directly."""
        if isinstance(expr, Var):
            return self._variable(expr)
        if isinstance(expr, Const):
            return self._constant(expr, level)
        if isinstance(expr, Binary):
            return self._binary(expr, level)
        if isinstance(expr, Op):
            return self._op(expr)
        if isinstance(expr, Unary):
            return self._unary(expr, level)
        if isinstance(expr, Cast):
            return f"pl.cast({self.text(expr.operand)}, pl.{expr.dtype})"
        if isinstance(expr, ListExpr):
            return f"[{self.items(expr.items)}]"
        if isinstance(expr, TupleExpr):
            return f"({self.items(expr.items)}{',' if len(expr.items) == 1 else ''})"
        if isinstance(expr, Item):
            return f"{self.text(expr.base, _POSTFIX)}[{expr.index}]"
        if isinstance(expr, Call):
            return f"{self._callee(expr.callee)}({', '.join(self.launch_arguments(expr))})"
        if isinstance(expr, Submit):
            form = "pl.submit" if expr.options.core_num is None else "pl.spmd_submit"
            return f"{form}({', '.join([self._callee(expr.callee), *self.launch_arguments(expr)])})"
        if isinstance(expr, Symbol):
            return expr.name
        if isinstance(expr, DType):
            return f"pl.{expr.name}"
        if isinstance(expr, Enumerator):
            return expr.dotted if expr.dotted.startswith(("pl.", "pld.")) else f"pl.{expr.dotted}"
        assert isinstance(expr, Unknown)
        return "..."

    def items(self, exprs: tuple[Expr, ...]) -> str:
        return ", ".join([self.text(e) for e in exprs])

    def launch_arguments(self, launch: Call | Submit) -> list[str]:
        """Arguments of a call or submit, opt-outs wrapped, options as keywords."""
        arguments = [
            f"pl.no_dep({self.text(arg)})" if index in launch.no_dep else self.text(arg)
            for index, arg in enumerate(launch.args)
        ]
        return arguments + self.options(launch.options, LAUNCH_KEYWORDS, region=False)

    def options(self, options: LaunchOptions, keywords: frozenset[str], region: bool) -> list[str]:
        """Scheduling keywords in one fixed order, then those of ``keywords`` that the author wrote.

        A ``region`` has its opt-outs and its name here and its block count elsewhere; a launch the other way round.
        """
        found: list[str] = []
        if options.core_num is not None and not region:
            found.append(f"core_num={self.text(options.core_num)}")
        if options.sync_start is not None:
            found.append(f"sync_start={options.sync_start}")
        if options.deps is not None:
            found.append(f"deps=[{self.items(options.deps)}]" if options.deps_known else "deps=...")
        if options.no_dep_args and region:
            found.append(f"no_dep_args=[{self.items(options.no_dep_args)}]")
        if options.predicate is not None:
            found.append(f"predicate={self.text(options.predicate, _POSTFIX)}")
        if options.allow_early_resolve is not None:
            found.append(f"allow_early_resolve={options.allow_early_resolve}")
        if options.name_hint and region:
            found.append(f'name_hint="{options.name_hint}"')
        found.extend([self.keyword(k) for k in options.keywords if k.name in keywords])
        return found

    def keyword(self, keyword: Keyword) -> str:
        return f"{keyword.name}={self.text(keyword.value)}"

    def subscript(self, base: Expr, sizes: Expr, offsets: Expr, drop: Expr | None) -> str | None:
        """The inside of ``base[…]`` for a window; None when the window cannot be written as one."""
        if not isinstance(sizes, (ListExpr, TupleExpr)) or not isinstance(offsets, (ListExpr, TupleExpr)):
            return None
        if len(sizes.items) != len(offsets.items) or not sizes.items:
            return None
        dropped = {i.value for i in drop.items if isinstance(i, Const)} if isinstance(drop, ListExpr) else set()
        shape = _shape_of(base)
        parts: list[str] = []
        for axis, (size, offset) in enumerate(zip(sizes.items, offsets.items)):
            if axis in dropped:
                parts.append(self.text(offset))
                continue
            extent = shape[axis] if shape is not None and axis < len(shape) else None
            window = self._window(base, axis, extent, size, offset)
            if window is None:
                return None
            parts.append(window)
        return ", ".join(parts)

    def _window(self, base: Expr, axis: int, extent: Expr | None, size: Expr, offset: Expr) -> str | None:
        zero = isinstance(offset, Const) and offset.value == 0
        if zero and (isinstance(size, Unknown) or _same(size, extent) or _is_dim(size, base, axis)):
            return ":"
        if isinstance(size, Binary) and size.op == "-" and _same(size.right, offset):
            upper: Expr = size.left
        elif zero:
            upper = size
        elif not isinstance(size, Const) or not isinstance(size.value, int):
            return None
        elif isinstance(offset, Const) and isinstance(offset.value, int):
            upper = Const(offset.value + size.value)
        else:
            upper = Binary("+", offset, size)
        lower = "" if zero else self.text(offset)
        space = " " if _is_wide(offset) or _is_wide(upper) else ""
        return f"{lower}{space if lower else ''}:{space}{self.text(upper)}"

    def _constant(self, expr: Const, level: int) -> str:
        value = expr.value
        if isinstance(value, str):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        text = repr(value)
        return f"({text})" if text[0] == "-" and level > _UNARY else text

    def _binary(self, expr: Binary, level: int) -> str:
        spine = left_spine(expr)
        # What each operation's left operand needs; the text grows from the innermost one outwards.
        needs = [_left_level(step.op) for step in spine]
        text = self.text(spine[0].left, needs[0])
        for step, outer in zip(spine, [*needs[1:], level]):
            op = step.op
            if op in _CALLED:
                text = f"pl.{op}({text}, {self.text(step.right)})"
                continue
            own = _LEVELS[op]
            # A power associates to the right, everything else to the left.
            text = f"{text} {op} {self.text(step.right, own if op == '**' else own + 1)}"
            if own < outer:
                text = f"({text})"
        return text

    def _unary(self, expr: Unary, level: int) -> str:
        if expr.op == "abs":
            return f"pl.abs({self.text(expr.operand)})"
        own = _NOT if expr.op == "not" else _UNARY
        text = f"{expr.op}{' ' if expr.op == 'not' else ''}{self.text(expr.operand, own)}"
        return f"({text})" if own < level else text

    def _op(self, expr: Op) -> str:
        if expr.sugar:
            text = self._subscript_form(expr)
            if text is not None:
                return text
        name = expr.name
        if name == "array.create":
            dtype = [self.text(k.value) for k in expr.keywords if k.name == "dtype"]
            return f"pl.array.create({', '.join([*(self.text(a) for a in expr.args), *dtype])})"
        head = SURFACE.get(name) or (name if name.startswith("pld.") else f"pl.{name}")
        parts = [self.text(a) for a in expr.args]
        hidden = INTERNAL_KEYWORDS if name in _WINDOWED else frozenset()
        parts.extend([self.keyword(k) for k in expr.keywords if k.name not in hidden])
        return f"{head}({', '.join(parts)})"

    def _subscript_form(self, expr: Op) -> str | None:
        args = expr.args
        if expr.name == "tensor.dim" and len(args) == 2:
            return f"{self.text(args[0], _POSTFIX)}.shape[{self.text(args[1])}]"
        if expr.name == "array.get_element" and len(args) == 2:
            return f"{self.text(args[0], _POSTFIX)}[{self.text(args[1])}]"
        if expr.name == "tensor.read" and len(args) == 2 and isinstance(args[1], (ListExpr, TupleExpr)):
            return f"{self.text(args[0], _POSTFIX)}[{self.items(args[1].items)}]"
        if expr.name == "tensor.slice" and len(args) == 3:
            inside = self.subscript(args[0], args[1], args[2], keyword_value(expr, "drop"))
            return None if inside is None else f"{self.text(args[0], _POSTFIX)}[{inside}]"
        return None


def keyword_value(expr: Op, name: str) -> Expr | None:
    """The value of keyword ``name`` of an operator."""
    for keyword in expr.keywords:
        if keyword.name == name:
            return keyword.value
    return None


def _left_level(op: str) -> int:
    if op in _CALLED:
        return 0
    own = _LEVELS[op]
    # Comparisons do not chain in the DSL.
    return own + 1 if own == _COMPARISON or op == "**" else own


def _shape_of(expr: Expr) -> tuple[Expr, ...] | None:
    type_ = expr.type if isinstance(expr, (Var, Op, Call, Submit)) else None
    return type_.shape if isinstance(type_, TensorType) else None


def _same(left: Expr, right: Expr | None) -> bool:
    if right is None:
        return False
    key = structural_key(left)
    return key is not None and key == structural_key(right)


def _is_dim(size: Expr, base: Expr, axis: int) -> bool:
    return isinstance(size, Op) and size.name == "tensor.dim" and _same(size, Op("tensor.dim", (base, Const(axis))))


def _is_wide(expr: Expr) -> bool:
    return not isinstance(expr, (Var, Const, Symbol))


_DEFAULT = ExpressionPrinter()


def print_expr(expr: Expr) -> str:
    """``expr`` in surface syntax under the author's names: ``pl.slice(w, [64, 64], [i * 128, 0])``."""
    return _DEFAULT.text(expr)


def print_type(type_: Type, printer: ExpressionPrinter = _DEFAULT) -> str:
    """The annotation of a value of this type; "" where none can be written."""
    if isinstance(type_, ScalarType):
        return f"pl.Scalar[pl.{type_.dtype}]" if type_.dtype else ""
    if isinstance(type_, TensorType):
        head = "pld.DistributedTensor" if type_.distributed else "pl.Tensor"
        if type_.shape is None or not type_.dtype:
            return head
        return f"{head}[[{printer.items(type_.shape)}], pl.{type_.dtype}]"
    if isinstance(type_, ArrayType):
        return f"pl.Array[{type_.extent}, pl.{type_.dtype}]" if type_.extent is not None and type_.dtype else ""
    if isinstance(type_, TupleType):
        items = [print_type(t, printer) for t in type_.items]
        return f"tuple[{', '.join(items)}]" if items and all(items) else ""
    if isinstance(type_, TileType):
        return "pl.Tile"
    return ""
