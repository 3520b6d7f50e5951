"""IR as compact text under its unique names, with carries and phis spelled out: what tests of passes compare."""

from __future__ import annotations

from pto_lsp.analysis.ir.expression_printer import ExpressionPrinter
from pto_lsp.analysis.ir.expressions import Call, Expr, LaunchOptions, Op, Submit
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    GraphScope,
    If,
    Jump,
    Opaque,
    Region,
    Return,
    Scope,
    Stmt,
    Unpack,
    While,
    Yield,
)


class _DumpPrinter(ExpressionPrinter):
    """Shows every option of a launch, as a test wants to see it."""

    def launch_arguments(self, launch: Call | Submit) -> list[str]:
        found = super().launch_arguments(launch)
        if launch.options.no_dep_args:
            found.append(f"no_dep_args=[{self.items(launch.options.no_dep_args)}]")
        if launch.options.name_hint:
            found.append(f'name_hint="{launch.options.name_hint}"')
        return found


_PRINTER = _DumpPrinter(variable=lambda v: v.name, callee=lambda key: key)


def dump(function: Function) -> list[str]:
    """The lines of a function's body, two blanks per level."""
    assert function.body is not None
    return dump_block(function.body)


def header(function: Function) -> str:
    """``graph block(a: in, c: inout)``."""
    params = ", ".join([f"{p.name}: {p.direction.value}" for p in function.params])
    return f"{function.kind.value} {function.key}({params})"


def dump_block(block: Block, level: int = 0) -> list[str]:
    lines: list[str] = []
    for stmt in block:
        lines.extend(_statement(stmt, level))
    return lines


def text(expr: Expr) -> str:
    return _PRINTER.text(expr)


def _options(options: LaunchOptions) -> str:
    core_num = [] if options.core_num is None else [f"core_num={text(options.core_num)}"]
    return ", ".join([*core_num, *_PRINTER.options(options, frozenset(), region=True)])


def _statement(stmt: Stmt, level: int) -> list[str]:
    pad = "  " * level

    def body(block: Block) -> list[str]:
        return dump_block(block, level + 1) or [f"{pad}  pass"]

    if isinstance(stmt, Assign):
        return [f"{pad}{stmt.target.name} = {_value(stmt.value)}"]
    if isinstance(stmt, Unpack):
        return [f"{pad}{', '.join([t.name for t in stmt.targets])} = {_value(stmt.value)}"]
    if isinstance(stmt, Evaluate):
        return [f"{pad}{_value(stmt.value)}"]
    if isinstance(stmt, (For, While)):
        if isinstance(stmt, For):
            bounds = f"{text(stmt.start)}, {text(stmt.stop)}, {text(stmt.step)}"
            head = f"for {stmt.var.name} in {stmt.kind.value}({bounds})"
        else:
            head = f"while {text(stmt.condition)}"
        carried = [f"{c.result.name} <- {c.inner.name} from {text(c.init)} to {text(c.update)}" for c in stmt.carries]
        return [f"{pad}{head}{' [' + '; '.join(carried) + ']' if carried else ''}:", *body(stmt.body)]
    if isinstance(stmt, If):
        joined = [f"{p.result.name} <- {text(p.then)} | {text(p.orelse)}" for p in stmt.phis]
        lines = [f"{pad}if {text(stmt.condition)}{' [' + '; '.join(joined) + ']' if joined else ''}:", *body(stmt.then)]
        return [*lines, f"{pad}else:", *body(stmt.orelse)] if stmt.orelse else lines
    if isinstance(stmt, Return):
        return [f"{pad}return {', '.join([text(v) for v in stmt.values])}".rstrip()]
    if isinstance(stmt, Region):
        name = f" as {stmt.task_id.name}" if stmt.task_id is not None else ""
        index = f" for {stmt.index.name}" if stmt.index is not None else ""
        return [f"{pad}{stmt.kind.value}({_options(stmt.options)}){index}{name}:", *body(stmt.body)]
    if isinstance(stmt, GraphScope):
        return [f"{pad}graph {stmt.name}:", *body(stmt.body)]
    if isinstance(stmt, Scope):
        return [f"{pad}{stmt.mode.value} scope:", *body(stmt.body)]
    if isinstance(stmt, Yield):
        return [f"{pad}yield {', '.join([text(v) for v in stmt.values])}"]
    if isinstance(stmt, Jump):
        return [f"{pad}{stmt.word}"]
    assert isinstance(stmt, Opaque)
    return [f"{pad}opaque {', '.join([v.name for v in stmt.binds])}"]


def _value(expr: Expr) -> str:
    if isinstance(expr, Op) and expr.sugar and expr.name in ("tensor.assemble", "array.update_element"):
        return f"{expr.name}({', '.join([text(a) for a in expr.args])})"
    return text(expr)
