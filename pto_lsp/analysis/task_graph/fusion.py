"""Buffers that are written straight into their parent (semantics.md §2.20, FuseCreateAssembleToSlice).

``row = pl.create_tensor(…)``, launches that write ``row``, then ``out = pl.assemble(out, row, [b, 0])`` at
orchestration level: the compiler lets the launches write the slice of ``out`` instead. Not so when the assemble is
atomic, or when the buffer is assembled more than once.
"""

from __future__ import annotations

from collections.abc import Sequence

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.ir.statements import Assign, Stmt, Unpack
from pto_lsp.analysis.passes.operator_effects import is_atomic
from pto_lsp.analysis.task_graph.results import ResultSources


def fused_creates(program: Program, statements: Sequence[Stmt], results: ResultSources) -> dict[int, Op]:
    """By the identity of the ``tensor.create`` operator: the one assemble its buffer goes into.

    ``statements`` are all of a function, in source order.
    """
    assembles = [
        stmt.value
        for stmt in statements
        if isinstance(stmt, Assign) and isinstance(stmt.value, Op) and stmt.value.name == "tensor.assemble"
    ]
    if not assembles:
        return {}
    definitions: dict[str, tuple[Assign | Unpack, int]] = {}
    for stmt in statements:
        if isinstance(stmt, Assign):
            definitions[stmt.target.name] = (stmt, 0)
        elif isinstance(stmt, Unpack):
            for position, target in enumerate(stmt.targets):
                definitions[target.name] = (stmt, position)
    found: dict[int, Op] = {}
    several: set[int] = set()
    for assemble in assembles:
        create = _created(program, assemble.args[1], definitions, results) if len(assemble.args) > 2 else None
        if create is None:
            continue
        if id(create) in found or is_atomic(assemble):
            several.add(id(create))
        found[id(create)] = assemble
    return {key: assemble for key, assemble in found.items() if key not in several}


def _created(
    program: Program, expr: Expr, definitions: dict[str, tuple[Assign | Unpack, int]], results: ResultSources
) -> Op | None:
    """The ``tensor.create`` behind a name, through renames and write-back calls."""
    for _ in range(64):
        if not isinstance(expr, Var):
            return expr if isinstance(expr, Op) and expr.name == "tensor.create" else None
        found = definitions.get(expr.name)
        if found is None:
            return None
        stmt, position = found
        value = stmt.value
        if isinstance(value, (Call, Submit)):
            callee = program.functions.get(value.callee)
            sources = () if callee is None else results.of(callee)
            source = sources[position] if position < len(sources) else None
            if source is None or source >= len(value.args):
                return None
            expr = value.args[source]
        elif isinstance(stmt, Assign):
            expr = value
        else:
            return None
    return None


def earlier_versions(statements: Sequence[Stmt]) -> dict[str, Expr]:
    """Name of an assembled tensor → the version it was assembled into."""
    found: dict[str, Expr] = {}
    for stmt in statements:
        if isinstance(stmt, Assign) and isinstance(stmt.value, Op) and stmt.value.name == "tensor.assemble":
            found[stmt.target.name] = stmt.value.args[0]
    return found
