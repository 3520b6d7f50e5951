"""IR as PyPTO source text that reads in again to the same IR.

Functions print as methods of one ``@pl.program`` class when some of them are methods, or when the program holds what
can only be written there (submits, functions of the core-specific kinds); otherwise as ``@pl.jit`` functions. Names are
the author's where that is possible (``surface_names``). A statement that was never understood prints as a comment.
"""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.ir.expression_printer import ExpressionPrinter, print_expr, print_type
from pto_lsp.analysis.ir.expressions import Call, Expr, Submit, Symbol
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.statement_printer import StatementPrinter
from pto_lsp.analysis.ir.statements import For, If, Stmt, While
from pto_lsp.analysis.ir.surface_names import SurfaceNames
from pto_lsp.analysis.ir.types import TensorType, TupleType, Type
from pto_lsp.analysis.ir.visitor import bound_variables, statement_exprs, walk, walk_block
from pto_lsp.analysis.ir.wrapping import WIDTH
from pto_lsp.analysis.ir.write_backs import parameter_aliases

__all__ = ["print_expr", "print_function", "print_program", "print_type"]

_STEP = "    "
_TYPES = {
    FunctionKind.ORCHESTRATION: "Orchestration",
    FunctionKind.GRAPH: "Graph",
    FunctionKind.INCORE: "InCore",
    FunctionKind.AIC: "AIC",
    FunctionKind.AIV: "AIV",
    FunctionKind.GROUP: "Group",
    FunctionKind.SPMD: "Spmd",
    FunctionKind.INLINE: "Inline",
    FunctionKind.OPAQUE: "Opaque",
}
_JIT = {
    FunctionKind.ORCHESTRATION: "pl.jit",
    FunctionKind.GRAPH: "pl.jit.graph",
    FunctionKind.INCORE: "pl.jit.incore",
    FunctionKind.INLINE: "pl.jit.inline",
    FunctionKind.OPAQUE: "pl.jit.opaque",
    FunctionKind.HOST: "pl.jit.host",
}


def print_program(program: Program) -> str:
    """The whole program as a module, its dynamic symbols and imports included."""
    functions = _callees_first(program)
    names = _function_names(functions)
    in_class = any(f.method or _needs_class(f) for f in functions)
    lines = ["import pypto.language as pl"]
    if any(_mentions_distributed(f) for f in functions):
        lines.append("import pypto.language.distributed as pld")
    symbols = _symbols(functions)
    if symbols:
        lines.extend(["", *[f'{s} = pl.dynamic("{s}")' for s in symbols]])
    # Methods are called through self: their names are free for variables.
    reserved = set(symbols) if in_class else {*symbols, *names.values()}
    if in_class:
        lines.extend(["", "", "@pl.program", f"class {_class_name(functions)}:"])
        for position, function in enumerate(functions):
            if position:
                lines.append("")
            lines.extend(_function_lines(function, program, names, reserved, _STEP, True))
        if not functions:
            lines.append(f"{_STEP}pass")
    else:
        for function in functions:
            lines.extend(["", "", *_function_lines(function, program, names, reserved, "", False)])
    return "\n".join(lines) + "\n"


def print_function(function: Function, program: Program) -> str:
    """One function as it stands in the printed ``program``, without indentation around it."""
    functions = _callees_first(program)
    names = _function_names(functions)
    in_class = any(f.method or _needs_class(f) for f in functions)
    reserved = {*_symbols(functions), *(() if in_class else names.values())}
    return "\n".join(_function_lines(function, program, names, reserved, "", in_class)) + "\n"


def _function_lines(
    function: Function, program: Program, names: dict[str, str], reserved: set[str], indent: str, method: bool
) -> list[str]:
    surface = SurfaceNames(function, reserved, parameter_aliases(function, program))

    def callee(key: str) -> str:
        return f"self.{names.get(key, key)}" if method else names.get(key, key)

    printer = StatementPrinter(surface, callee)
    lines = [f"{indent}@{_decorator(function, method)}"]
    lines.extend(_header(function, names, printer.expressions, indent, method))
    if function.body is None:
        return [*lines, f"{indent}{_STEP}..."]
    return [*lines, *printer.block(function.body, indent + _STEP)]


def _decorator(function: Function, method: bool) -> str:
    kind = function.kind
    arguments: list[str] = []
    if not method and function.body is None and kind in (FunctionKind.AIC, FunctionKind.AIV, FunctionKind.GROUP):
        core = {FunctionKind.AIC: "aic", FunctionKind.AIV: "aiv", FunctionKind.GROUP: "mixed"}[kind]
        return f'pl.jit.extern(core_type="{core}")'
    if not method and kind in _JIT:
        return f"{_JIT[kind]}(auto_scope=False)" if not function.auto_scope else _JIT[kind]
    if kind is FunctionKind.HOST:
        arguments.extend(["level=pl.Level.HOST", "role=pl.Role.Orchestrator"])
    else:
        arguments.append(f"type=pl.FunctionType.{_TYPES[kind]}")
    if not function.auto_scope:
        arguments.append("auto_scope=False")
    if function.body is None:
        arguments.append('external_source="..."')
    return f"pl.function({', '.join(arguments)})"


def _header(
    function: Function, names: dict[str, str], printer: ExpressionPrinter, indent: str, method: bool
) -> list[str]:
    params = ["self"] if method else []
    params.extend([_parameter(p, printer) for p in function.params])
    returns = _return_annotation(function.returns, printer)
    head, tail = f"{indent}def {names[function.key]}(", f"){returns}:"
    line = head + ", ".join(params) + tail
    if len(line) <= WIDTH:
        return [line]
    return [head, *[f"{indent}{_STEP}{p}," for p in params], indent + tail]


def _parameter(param: Param, printer: ExpressionPrinter) -> str:
    annotation = print_type(param.type, printer)
    if param.direction is not Direction.IN:
        wrapper = "pl.Out" if param.direction is Direction.OUT else "pl.InOut"
        annotation = f"{wrapper}[{annotation or 'pl.Tensor'}]"
    return f"{param.name}: {annotation}" if annotation else param.name


def _return_annotation(returns: tuple[Type, ...], printer: ExpressionPrinter) -> str:
    texts = [print_type(t, printer) for t in returns]
    if not texts or not all(texts):
        return ""
    if len(texts) > 1:
        return f" -> tuple[{', '.join(texts)}]"
    # One result that is a tuple is not the same as several results (rules.md R2).
    return f" -> {texts[0].replace('tuple[', 'pl.Tuple[', 1) if isinstance(returns[0], TupleType) else texts[0]}"


def _callees_first(program: Program) -> list[Function]:
    """Functions in the program's order, but each after those it calls: the type of a result is known only then."""
    found: dict[str, Function] = {}
    opened: set[str] = set()
    stack: list[tuple[str, bool]] = [(key, False) for key in reversed(program.functions)]
    while stack:
        key, done = stack.pop()
        function = program.functions.get(key)
        if function is None or key in found:
            continue
        if done:
            found[key] = function
        elif key not in opened:
            opened.add(key)
            stack.append((key, True))
            callees = [e.callee for e in _expressions(function) if isinstance(e, (Call, Submit))]
            stack.extend([(callee, False) for callee in reversed(callees)])
    return list(found.values())


def _function_names(functions: list[Function]) -> dict[str, str]:
    """Printed name of each function: its key, which differs from what the author wrote only where names clash.

    A region's name may be a parameter's too, which would hide the function made of the region; parameters keep theirs.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    parameters = {param.name for function in functions for param in function.params}
    for function in functions:
        wish = function.key.replace("~", "_")
        name, number = wish, 0
        while name in taken or (function.generated and name in parameters):
            number += 1
            name = f"{wish}_{number}"
        taken.add(name)
        found[function.key] = name
    return found


def _class_name(functions: list[Function]) -> str:
    for function in functions:
        owner, dot, _ = function.at.source.qualname.rpartition(".")
        if function.method and dot:
            return owner.rpartition(".")[2]
    return "Program"


_ONLY_IN_CLASSES = frozenset({FunctionKind.AIC, FunctionKind.AIV, FunctionKind.GROUP, FunctionKind.SPMD})


def _needs_class(function: Function) -> bool:
    if function.body is None:
        return False
    if function.kind in _ONLY_IN_CLASSES:
        return True
    return any(isinstance(e, Submit) for e in _expressions(function))


def _expressions(function: Function) -> Iterator[Expr]:
    for stmt in walk_block(function.body or ()):
        for expr in statement_exprs(stmt):
            yield from walk(expr)
        if isinstance(stmt, (For, While)):
            for carry in stmt.carries:
                yield from walk(carry.update)
        elif isinstance(stmt, If):
            for phi in stmt.phis:
                yield from walk(phi.then)
                yield from walk(phi.orelse)


def _symbols(functions: list[Function]) -> list[str]:
    """Dynamic symbols of all functions, in order of appearance."""
    found: dict[str, None] = {}
    for function in functions:
        for type_ in [*[p.type for p in function.params], *function.returns]:
            _type_symbols(type_, found)
        for stmt in walk_block(function.body or ()):
            _statement_symbols(stmt, found)
    return list(found)


def _statement_symbols(stmt: Stmt, found: dict[str, None]) -> None:
    for expr in statement_exprs(stmt):
        for each in walk(expr):
            if isinstance(each, Symbol):
                found[each.name] = None
    for var in bound_variables(stmt):
        _type_symbols(var.type, found)


def _type_symbols(type_: Type, found: dict[str, None]) -> None:
    if isinstance(type_, TupleType):
        for item in type_.items:
            _type_symbols(item, found)
    elif isinstance(type_, TensorType):
        for extent in type_.shape or ():
            for each in walk(extent):
                if isinstance(each, Symbol):
                    found[each.name] = None


def _mentions_distributed(function: Function) -> bool:
    if any(isinstance(p.type, TensorType) and p.type.distributed for p in function.params):
        return True
    return any(getattr(e, "name", "").startswith("pld.") for e in _expressions(function))
