"""OutlineIncoreScopes: each device region becomes a function and one launch (pipeline.md §2, §3; semantics.md 1.1-1.6).

``pl.at`` gives an InCore function, ``pl.spmd`` an Spmd, ``pl.cluster`` a Group; regions inside a cluster become members
of the Group, called from it, a ``pl.at`` inside ``pl.spmd`` is simply its body. The launch is a Submit when the region
has an ``as`` target, ``deps=`` or ``allow_early_resolve=``, a Call otherwise.

A tensor that the region computes, and does not store into a captured one, gets a buffer of its own when it is used
afterwards: an Out parameter and a ``tensor.create`` before the launch (1.14). Regions at another level than CORE_GROUP
launch nothing themselves and stay; what they hold is treated like the code around them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import is_

from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.ir.expressions import (
    Call,
    Const,
    DType,
    Expr,
    Keyword,
    ListExpr,
    Op,
    Submit,
    Symbol,
    Var,
)
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    Region,
    RegionKind,
    Return,
    Stmt,
    Unpack,
)
from pto_lsp.analysis.ir.types import INDEX, TASK_ID, UNKNOWN, TensorType, TupleType, Type
from pto_lsp.analysis.ir.uses import bound_in
from pto_lsp.analysis.ir.visitor import blocks, variables, with_blocks
from pto_lsp.analysis.passes.memo import Memo
from pto_lsp.analysis.passes.names import FunctionNames, NameRequest, unique_name
from pto_lsp.analysis.passes.outlining import (
    Scope,
    Signature,
    analyse_scope,
    make_function,
    make_params,
    parameters_for,
)
from pto_lsp.analysis.passes.outside_uses import OutsideUses
from pto_lsp.analysis.passes.return_lineage import BodyLineage, body_lineage
from pto_lsp.analysis.passes.scope_directions import captured_directions
from pto_lsp.analysis.passes.statement_results import StatementResults, settle
from pto_lsp.diagnostics import Span

_PARENTS = frozenset({FunctionKind.ORCHESTRATION, FunctionKind.GRAPH, FunctionKind.OPAQUE})
_KINDS = {
    RegionKind.AT: FunctionKind.INCORE,
    RegionKind.SPMD: FunctionKind.SPMD,
    RegionKind.CLUSTER: FunctionKind.GROUP,
}
_TASK = "_task"
"""What the task of a launch is called when the author does not name it."""


@dataclass(frozen=True, slots=True)
class _Outlined:
    """What became of one function: ``function`` and the ``made`` ones. It holds as long as the names asked for are
    given again and every function that its regions launch, directly or not, is the same object.
    """

    function: Function
    made: tuple[Function, ...]
    requests: tuple[NameRequest, ...]
    callees: tuple[tuple[str, Function | None], ...]


OutlineMemo = Memo[_Outlined]

_SPARE = 2
"""Launches of so many times the kernels of a function are known."""


def run(program: Program, memo: OutlineMemo | None = None, regions: StatementResults | None = None) -> Program:
    """Needs SSA form and keeps it. An Opaque function with a region becomes an Orchestration (pipeline.md §2)."""
    names = FunctionNames(program.functions)
    regions = regions or StatementResults()
    functions: dict[str, Function] = {}
    for key, function in program.functions.items():
        if function.body is None or function.kind not in _PARENTS:
            functions[key] = function
            continue
        known = memo.get(function) if memo is not None else None
        if known is None or not _still_holds(known, program, names):
            regions.next_function()
            known = _outlined(program, function, names, regions)
            if memo is not None:
                memo.put(function, known)
        functions[key] = known.function
        functions.update({made.key: made for made in known.made})
    return program.with_functions(functions)


def _still_holds(known: _Outlined, program: Program, names: FunctionNames) -> bool:
    same = all(program.functions.get(key) is callee for key, callee in known.callees)
    return same and names.replay(known.requests)


def _outlined(program: Program, function: Function, names: FunctionNames, regions: StatementResults) -> _Outlined:
    outliner = _Outliner(program, function, names, regions)
    body = outliner.block(function.body or ())
    outliner.keep_launches()
    if not outliner.made:
        return _Outlined(function, (), (), ())
    kind = FunctionKind.ORCHESTRATION if function.kind is FunctionKind.OPAQUE else function.kind
    made = tuple(outliner.made)
    launched = _reached(made, program, regions)
    whole = _settled(replace(function, body=body, kind=kind), regions)
    return _Outlined(whole, made, tuple(outliner.requests), launched)


def _settled(function: Function, regions: StatementResults) -> Function:
    """``function``, or its last version where that says the same: an edit inside a kernel is none of those who
    launch it.
    """
    source, key = function.at.source, function.key
    body = tuple(regions.settled("outlined", source, key, list(function.body or ())))
    known = regions.standing("outlined function", source, key)
    if isinstance(known, Function) and known.body is not None:
        same = len(known.body) == len(body) and all(map(is_, known.body, body))
        if same and alike(replace(known, body=None), replace(function, body=None)):
            return known
    function = replace(function, body=body)
    regions.put("outlined function", source, key, function)
    return function


def _reached(
    made: tuple[Function, ...], program: Program, regions: StatementResults
) -> tuple[tuple[str, Function | None], ...]:
    """Functions of the program that the new ones call, and what those call."""
    own = {f.key for f in made}
    found: dict[str, Function | None] = {}
    pending = list(made)
    while pending:
        for key in regions.callees(pending.pop()):
            if key not in own and key not in found:
                callee = found[key] = program.functions.get(key)
                if callee is not None:
                    pending.append(callee)
    return tuple(found.items())


class _Outliner:
    """Outlines the regions of one function. ``made`` are the new functions, in source order."""

    def __init__(self, program: Program, function: Function, names: FunctionNames, regions: StatementResults) -> None:
        self._program = program
        self._function = function
        self._names = names
        self._regions = regions
        self._uses = self._counted()
        self._counters: dict[str, int] = {}
        self._taken: set[str] | None = None
        last = regions.standing("launches", function.at.source, function.key)
        self._last: dict[str, list[Stmt]] = last if isinstance(last, dict) else {}
        self._launches: dict[str, list[Stmt]] = {}
        self.made: list[Function] = []
        self.requests: list[NameRequest] = []

    def _counted(self) -> OutsideUses:
        source, key = self._function.at.source, self._function.key
        before = self._regions.standing("outside uses", source, key)
        now = OutsideUses(self._function.body or (), self._regions, before if isinstance(before, OutsideUses) else None)
        self._regions.put("outside uses", source, key, now)
        return now

    def block(self, block: Block) -> Block:
        result: list[Stmt] = []
        changed = False
        for stmt in block:
            if isinstance(stmt, Region) and stmt.kind in _KINDS:
                result.extend(self._region(stmt, self._function.key))
                changed = True
                continue
            bodies = blocks(stmt)
            if bodies:
                new = tuple([self.block(body) for body in bodies])
                if any(a is not b for a, b in zip(new, bodies)):
                    stmt = self._regions.rebuilt("outlined block", stmt, new)
                    changed = True
            result.append(stmt)
        return tuple(result) if changed else block

    # ---- one region

    def _region(self, region: Region, owner: str) -> list[Stmt]:
        """The statements that take the place of ``region`` in function ``owner``."""
        if region.kind is RegionKind.CLUSTER:
            region = _unwrapped(region)
        key, name = self._name(region, owner)
        results = self._results(region, key, name)
        self.made.append(results.function)
        task = self._unnamed_task() if results.scope.results and _is_submit(region) and region.task_id is None else ""
        if results.launch is None or results.task != task:
            # A launch that says the same as before is the same: who launches is not concerned by an edit of a kernel.
            launch = self._launch(region, results, task)
            known = self._last.get(key)
            if known is not None:
                settle(launch, known)
            results.launch = launch
            results.task = task
        self._launches[key] = results.launch
        return results.launch

    def keep_launches(self) -> None:
        """What launches the kernels is known the next time, also of those that half-typed lines have hidden, but not
        of all there have ever been: names can be typed and numbers given without end.
        """
        others = [item for item in self._last.items() if item[0] not in self._launches]
        spare = max(len(self._last), _SPARE * len(self._launches)) - len(self._launches)
        launches = {**dict(others[-spare:] if spare > 0 else ()), **self._launches}
        if launches:
            self._regions.put("launches", self._function.at.source, self._function.key, launches)

    def _results(self, region: Region, key: str, name: str) -> _Results:
        """The function that ``region`` becomes: a known one, but for clusters, whose members are made with them."""
        if region.kind is RegionKind.CLUSTER:
            return self._new_results(region, key, name)
        facts = self._regions.facts(region)
        wanted = self._uses.wanted(region)
        circumstances = (key, name, wanted, self._function.auto_scope, self._function.method)
        callees = self._regions.reachable(self._program, facts.callees)
        known = self._regions.find("outline", region, circumstances, callees)
        if isinstance(known, _Results):
            return known
        made = self._new_results(region, key, name)
        self._regions.store("outline", region, circumstances, made, callees)
        self._regions.set_callees(made.function, facts.callees)
        return made

    def _new_results(self, region: Region, key: str, name: str) -> _Results:
        body = self._inner(region, key)
        scope = analyse_scope(body, self._uses.counts)
        signature = parameters_for(scope)
        program = self._program.with_functions({**self._program.functions, **{f.key: f for f in self.made}})
        directions = captured_directions([v.name for v in scope.captures], scope.body, program)
        params = make_params(scope, signature, directions, region.at, region.span)
        kernel = make_function(
            key, name, _KINDS[region.kind], params, (), signature.body, self._function, region.at, region.span
        )
        return _Results(scope, signature, kernel, body_lineage(kernel, program), region)

    def _name(self, region: Region, owner: str) -> tuple[str, str]:
        """Key of the new function, and what its task is called."""
        hint = region.options.name_hint
        if region.kind is RegionKind.CLUSTER:
            number = self._number("cluster")
            key = self._new_key(owner, hint or number)
            return key, key
        if region.kind is RegionKind.AT:
            number = self._number("incore")
            key = self._new_key(owner, hint or number)
            return key, hint or key
        # ``name_hint="q_spmd"`` names the wrapper; its kernel is called without the suffix.
        hint = hint.removesuffix("_spmd") or hint
        callee = self._program.functions.get(_dispatched(region) or "")
        if callee is not None:
            return self._new_key(owner, f"{hint}_spmd" if hint else self._number("spmd")), callee.name
        kernel, wrapper = self._number("incore"), self._number("spmd")
        carried = _carried(region)
        if carried is not None:
            inner = carried.options.name_hint
            wish = region.options.name_hint or (f"{inner}_spmd" if inner else wrapper)
            return self._new_key(owner, wish), inner or kernel
        return self._new_key(owner, f"{hint}_spmd" if hint else wrapper), hint or kernel

    def _number(self, word: str) -> str:
        """``main_incore_0`` …: numbered by kind over the whole function, named regions and clusters included."""
        number = self._counters.get(word, 0)
        self._counters[word] = number + 1
        return f"{self._function.key}_{word}_{number}"

    def _new_key(self, owner: str, wish: str) -> str:
        key = self._names.new(owner, wish)
        self.requests.append((owner, wish, key))
        return key

    def _inner(self, region: Region, key: str) -> Block:
        body = region.body
        if region.kind is RegionKind.CLUSTER:
            body = self._members(body, key)
        else:
            body = _without_regions(body)
        if region.index is not None:
            index = Op("tile.get_block_idx", (), (), INDEX, region.index.span)
            body = (Assign(region.index, index, region.at, region.span), *body)
        return body

    def _members(self, block: Block, owner: str) -> Block:
        result: list[Stmt] = []
        for stmt in block:
            if isinstance(stmt, Region) and stmt.kind in (RegionKind.AT, RegionKind.SPMD):
                result.extend(self._region(stmt, owner))
                continue
            bodies = blocks(stmt)
            result.append(with_blocks(stmt, tuple([self._members(b, owner) for b in bodies])) if bodies else stmt)
        return tuple(result)

    # ---- the call site

    def _launch(self, region: Region, results: _Results, task: str) -> list[Stmt]:
        """``task`` is what the program calls the task when the author does not."""
        at, span = region.at, region.span
        args: list[Expr] = [Var(v.name, v.label, v.type, span) for v in results.scope.captures]
        statements: list[Stmt] = []
        for buffer in results.buffers:
            statements.append(Assign(buffer.var, buffer.create, at, span))
            args.append(Var(buffer.var.name, buffer.var.label, buffer.var.type, span))
        options = region.options
        opted = {v.name for v in options.no_dep_args if isinstance(v, Var)}
        no_dep = tuple([i for i, v in enumerate(results.scope.captures) if v.name in opted])
        key = results.key
        types = tuple([v.type for v in results.scope.results])
        if not _is_submit(region):
            result: Type = types[0] if len(types) == 1 else TupleType(types) if types else UNKNOWN
            call = Call(key, tuple(args), result, options, no_dep, span, span)
            return [*statements, _bound(results.scope.results, call, at, span)]
        submit = Submit(key, tuple(args), TupleType((*types, TASK_ID)), options, no_dep, span, span)
        if region.task_id is None and not types:
            return [*statements, Evaluate(submit, at, span)]
        task_id = region.task_id or Var(task, "", TASK_ID)
        return [*statements, Unpack((*results.scope.results, task_id), submit, at, span)]

    def _unnamed_task(self) -> str:
        if self._taken is None:
            self._taken = {p.name for p in self._function.params}
            self._taken.update(self._regions.temporary(self._function.body or ()))
        name = unique_name(_TASK, self._taken)
        self._taken.add(name)
        return name


def _bound(results: tuple[Var, ...], call: Call, at: Anchor, span: Span) -> Stmt:
    if not results:
        return Evaluate(call, at, span)
    return Assign(results[0], call, at, span) if len(results) == 1 else Unpack(results, call, at, span)


def _is_submit(region: Region) -> bool:
    options = region.options
    return (
        region.task_id is not None
        or options.deps is not None
        or not options.deps_known
        or options.allow_early_resolve is not None
    )


def _carried(region: Region) -> Region | None:
    """The ``pl.at`` that is all an spmd region holds: its body is the kernel."""
    only = region.body[0] if len(region.body) == 1 else None
    return only if isinstance(only, Region) else None


def _unwrapped(cluster: Region) -> Region:
    """A cluster that holds one spmd region and nothing else is launched with that region's blocks itself."""
    grid = cluster.body[0] if len(cluster.body) == 1 else None
    if not isinstance(grid, Region) or grid.kind is not RegionKind.SPMD:
        return cluster
    body = grid.body
    if _carried(grid) is None and _dispatched(grid) is None:
        body = (replace(grid, kind=RegionKind.AT, options=replace(grid.options, core_num=None, sync_start=None)),)
    options = replace(cluster.options, core_num=grid.options.core_num, sync_start=grid.options.sync_start)
    return replace(cluster, body=body, options=options)


def _dispatched(region: Region) -> str | None:
    """Key of the kernel that an spmd region launches on its blocks; None for a body of its own."""
    found: str | None = None
    for stmt in region.body:
        value = stmt.value if isinstance(stmt, (Assign, Unpack, Evaluate)) else None
        if isinstance(value, (Call, Submit)):
            if found is not None:
                return None
            found = value.callee
        elif not isinstance(value, Op):
            return None
    return found


def _without_regions(block: Block) -> Block:
    """Regions inside a region are part of it."""
    result: list[Stmt] = []
    for stmt in block:
        if isinstance(stmt, Region):
            result.extend(_without_regions(stmt.body))
            continue
        bodies = blocks(stmt)
        new = tuple([_without_regions(body) for body in bodies])
        result.append(with_blocks(stmt, new) if any(a is not b for a, b in zip(new, bodies)) else stmt)
    return block if all(a is b for a, b in zip(result, block)) and len(result) == len(block) else tuple(result)


class _Buffer:
    """A result that needs memory: ``var`` names the buffer in the caller, ``param`` is its parameter."""

    def __init__(self, result: Var, inner: Expr, type_: TensorType, param: str, region: Region) -> None:
        assert type_.shape is not None
        self.inner = inner
        self.param = Param(param, type_, Direction.OUT, region.at, region.span, region.span)
        self.var = Var(f"{result.name}.buffer", result.label, type_, region.span)
        shape = ListExpr(type_.shape, region.span)
        dtype = (Keyword("dtype", DType(type_.dtype)),)
        self.create = Op("tensor.create", (shape,), dtype, type_, region.span)

    @property
    def name(self) -> str:
        return self.param.name


class _Results:
    """How the results of an outlined region leave its function."""

    def __init__(
        self, scope: Scope, signature: Signature, kernel: Function, lineage: BodyLineage, region: Region
    ) -> None:
        self.scope = scope
        self.key = kernel.key
        self.launch: list[Stmt] | None = None
        self.task = ""
        self.buffers: list[_Buffer] = []
        values: list[Expr] = []
        stores: list[Stmt] = []
        taken = {*signature.names, *bound_in(signature.body)} if scope.results else set()
        for result in scope.results:
            value = signature.renaming.expr(Var(result.name, result.label, result.type, region.span))
            param = lineage.value(value).param
            if param is not None:
                values.append(_param_var(kernel.params[param], region))
            else:
                values.append(self._stored(result, value, stores, taken, region))
        self.function = self._made(kernel, values, stores, region)

    def _stored(self, result: Var, value: Expr, stores: list[Stmt], taken: set[str], region: Region) -> Expr:
        """What the function returns for a ``result`` that is none of its parameters: where it can, a new one."""
        if not isinstance(result.type, TensorType) or not _is_plain(result.type):
            return value
        name = unique_name(f"{result.label or result.name}_out", taken)
        taken.add(name)
        buffer = _Buffer(result, value, result.type, name, region)
        self.buffers.append(buffer)
        target = _param_var(buffer.param, region)
        zeros = ListExpr(tuple([Const(0) for _ in result.type.shape or ()]))
        store = Op("tensor.assemble", (target, value, zeros), (), result.type, region.span)
        stored = Var(f"{name}.stored", result.label, result.type, region.span)
        stores.append(Assign(stored, store, region.at, region.span))
        return target

    def _made(self, kernel: Function, values: list[Expr], stores: list[Stmt], region: Region) -> Function:
        body = (*kernel.body, *stores) if kernel.body is not None else ()
        if values:
            body = (*body, Return(tuple(values), region.at, region.span))
        params = (*kernel.params, *[b.param for b in self.buffers])
        returns = tuple([v.type for v in self.scope.results])
        return replace(kernel, params=params, returns=returns, body=body)


def _param_var(param: Param, region: Region) -> Var:
    return Var(param.name, param.name, param.type, region.span)


def _is_plain(type_: TensorType) -> bool:
    """Whether the caller can create a buffer of this type: its extents do not depend on the region's own names."""
    if type_.shape is None or not type_.dtype:
        return False
    return all(isinstance(e, (Const, Symbol)) or not any(True for _ in variables(e)) for e in type_.shape)
