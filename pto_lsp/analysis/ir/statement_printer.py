"""Statements as PyPTO source lines."""

from __future__ import annotations

from collections.abc import Callable

from pto_lsp.analysis.ir.expression_printer import REGION_KEYWORDS, ExpressionPrinter, keyword_value, print_type
from pto_lsp.analysis.ir.expressions import (
    Const,
    Expr,
    Op,
    Submit,
    TupleExpr,
    Unknown,
    Var,
)
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Carry,
    Evaluate,
    For,
    GraphScope,
    If,
    Jump,
    Opaque,
    Phi,
    Region,
    RegionKind,
    Return,
    Scope,
    ScopeMode,
    Stmt,
    Unpack,
    While,
    Yield,
)
from pto_lsp.analysis.ir.surface_names import SurfaceNames
from pto_lsp.analysis.ir.types import TupleType
from pto_lsp.analysis.ir.wrapping import wrapped


class StatementPrinter:
    """Prints the body of one function."""

    def __init__(self, names: SurfaceNames, callee: Callable[[str], str]) -> None:
        self._names = names
        self.expressions = ExpressionPrinter(names.name, callee)
        self._text = self.expressions.text

    def block(self, block: Block, indent: str) -> list[str]:
        """The lines of a body; ``pass`` for an empty one."""
        lines: list[str] = []
        for stmt in block:
            lines.extend(self._statement(stmt, indent))
        return lines or [f"{indent}pass"]

    def _statement(self, stmt: Stmt, indent: str) -> list[str]:
        if isinstance(stmt, Assign):
            return wrapped(self._assign(stmt), indent)
        if isinstance(stmt, Unpack):
            return wrapped(f"{self._targets(stmt)} = {self._bare(stmt.value)}", indent)
        if isinstance(stmt, Evaluate):
            text = self._text(stmt.value)
            return wrapped(f"_ = {text}" if isinstance(stmt.value, Submit) else text, indent)
        if isinstance(stmt, Return):
            return wrapped(f"return {self._values(stmt.values)}".rstrip(), indent)
        if isinstance(stmt, For):
            return self._for(stmt, indent)
        if isinstance(stmt, While):
            return self._while(stmt, indent)
        if isinstance(stmt, If):
            return self._if(stmt, indent, "if")
        if isinstance(stmt, Region):
            return [*wrapped(self._region(stmt), indent), *self.block(stmt.body, indent + _STEP)]
        if isinstance(stmt, GraphScope):
            return [f'{indent}with pl.graph("{stmt.name}"):', *self.block(stmt.body, indent + _STEP)]
        if isinstance(stmt, Scope):
            manager = "pl.manual_scope()" if stmt.mode is ScopeMode.MANUAL else "pl.scope()"
            return [f"{indent}with {manager}:", *self.block(stmt.body, indent + _STEP)]
        if isinstance(stmt, Yield):
            return wrapped(self._yield(stmt.targets, stmt.values), indent)
        if isinstance(stmt, Jump):
            return [f"{indent}{stmt.word}"]
        assert isinstance(stmt, Opaque)
        return [f"{indent}pass  # {stmt.what}", *(self.block(stmt.body, indent) if stmt.body else [])]

    # ---- simple statements

    def _assign(self, stmt: Assign) -> str:
        target = self._names.name(stmt.target)
        in_place = self._in_place(stmt, target)
        if in_place is not None:
            return in_place
        annotation = print_type(stmt.target.type, self.expressions) if stmt.annotated else ""
        return f"{target}{': ' if annotation else ''}{annotation} = {self._bare(stmt.value)}"

    def _in_place(self, stmt: Assign, target: str) -> str | None:
        """A subscript assignment; None when the value is none or is bound to another name than it writes."""
        op = stmt.value
        if not isinstance(op, Op) or not op.sugar or len(op.args) != 3 or not isinstance(op.args[0], Var):
            return None
        if self._names.name(op.args[0]) != target:
            return None
        if op.name == "array.update_element":
            return f"{target}[{self._text(op.args[1])}] = {self._text(op.args[2])}"
        size = keyword_value(op, "size")
        if op.name != "tensor.assemble" or size is None:
            return None
        inside = self.expressions.subscript(op.args[0], size, op.args[2], keyword_value(op, "drop"))
        return None if inside is None else f"{target}[{inside}] = {self._text(op.args[1])}"

    def _targets(self, stmt: Unpack) -> str:
        names = [self._names.name(t) for t in stmt.targets]
        if not isinstance(stmt.value, Submit):
            return ", ".join(names)
        results, task = names[:-1], names[-1]
        type_ = stmt.value.type
        if len(names) == 2 and isinstance(type_, TupleType) and len(type_.items) > 2:
            return f"{results[0]}, {task}"
        if len(results) > 1:
            return f"({', '.join(results)}), {task}"
        return f"{results[0] if results else '_'}, {task}"

    def _bare(self, expr: Expr) -> str:
        """A value on the right of ``=`` or after ``return``: a tuple needs no parentheses there."""
        if isinstance(expr, TupleExpr) and len(expr.items) > 1:
            return self.expressions.items(expr.items)
        return self._text(expr)

    def _values(self, values: tuple[Expr, ...]) -> str:
        return self.expressions.items(values)

    def _yield(self, targets: tuple[Var, ...], values: tuple[Expr, ...]) -> str:
        call = f"pl.yield_({self._values(values)})"
        return f"{', '.join([self._names.name(t) for t in targets])} = {call}" if targets else call

    # ---- compound statements

    def _for(self, stmt: For, indent: str) -> list[str]:
        bounds = [self._text(stmt.stop)]
        default_step = isinstance(stmt.step, Const) and stmt.step.value == 1
        if not default_step or not (isinstance(stmt.start, Const) and stmt.start.value == 0):
            bounds.insert(0, self._text(stmt.start))
        if not default_step:
            bounds.append(self._text(stmt.step))
        target = self._names.name(stmt.var)
        explicit = self._explicit_carries(stmt)
        if explicit:
            target = f"{target}, ({self._inner(explicit)})"
            bounds.append(self._init_values(explicit))
        head = f"for {target} in pl.{stmt.kind.value}({', '.join(bounds)}):"
        return [*wrapped(head, indent), *self._loop_body(stmt.body, explicit, indent + _STEP)]

    def _while(self, stmt: While, indent: str) -> list[str]:
        explicit = self._explicit_carries(stmt)
        if not explicit:
            head = f"while {self._text(stmt.condition)}:"
            return [*wrapped(head, indent), *self.block(stmt.body, indent + _STEP)]
        head = f"for ({self._inner(explicit)}) in pl.while_({self._init_values(explicit)}):"
        condition = wrapped(f"pl.cond({self._text(stmt.condition)})", indent + _STEP)
        return [*wrapped(head, indent), *condition, *self._loop_body(stmt.body, explicit, indent + _STEP)]

    def _explicit_carries(self, stmt: For | While) -> tuple[Carry, ...]:
        if not self._names.is_explicit(stmt):
            return ()
        # A value that does not exist before the loop cannot be given as an initial one.
        return tuple([c for c in stmt.carries if not isinstance(c.init, Unknown)])

    def _inner(self, carries: tuple[Carry, ...]) -> str:
        names = ", ".join([self._names.name(c.inner) for c in carries])
        return f"{names}," if len(carries) == 1 else names

    def _init_values(self, carries: tuple[Carry, ...]) -> str:
        return f"init_values={self._text(TupleExpr(tuple([c.init for c in carries])))}"

    def _loop_body(self, body: Block, carries: tuple[Carry, ...], indent: str) -> list[str]:
        if not carries:
            return self.block(body, indent)
        end = self._yield(tuple([c.result for c in carries]), tuple([c.update for c in carries]))
        return [*(self.block(body, indent) if body else []), *wrapped(end, indent)]

    def _if(self, stmt: If, indent: str, word: str) -> list[str]:
        phis = stmt.phis if self._names.is_explicit(stmt) else ()
        lines = wrapped(f"{word} {self._text(stmt.condition)}:", indent)
        lines.extend(self._arm(stmt.then, phis, tuple([p.then for p in phis]), indent + _STEP))
        if len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], If) and not phis:
            return [*lines, *self._if(stmt.orelse[0], indent, "elif")]
        if stmt.orelse or phis:
            lines.append(f"{indent}else:")
            lines.extend(self._arm(stmt.orelse, phis, tuple([p.orelse for p in phis]), indent + _STEP))
        return lines

    def _arm(self, block: Block, phis: tuple[Phi, ...], values: tuple[Expr, ...], indent: str) -> list[str]:
        if not phis:
            return self.block(block, indent)
        end = self._yield(tuple([p.result for p in phis]), values)
        return [*(self.block(block, indent) if block else []), *wrapped(end, indent)]

    def _region(self, stmt: Region) -> str:
        options = stmt.options
        arguments: list[str] = []
        if stmt.kind is RegionKind.SPMD:
            manager = "spmd"
            if options.core_num is not None:
                arguments.append(self._text(options.core_num))
        elif stmt.kind is RegionKind.CLUSTER:
            manager = "cluster"
        else:
            manager = "at"
            arguments.append(f"level=pl.Level.{stmt.level or 'CORE_GROUP'}")
        arguments.extend(self.expressions.options(options, REGION_KEYWORDS, region=True))
        call = f"pl.{manager}({', '.join(arguments)})"
        if stmt.index is not None:
            return f"for {self._names.name(stmt.index)} in {call}:"
        return f"with {call}{f' as {self._names.name(stmt.task_id)}' if stmt.task_id is not None else ''}:"


_STEP = "    "
