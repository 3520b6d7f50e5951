"""Launch forms the tool chain refuses, found on the lowered function before any pass (TG001–TG003, TG006–TG010,
TG013–TG016, TG018–TG020, TG121).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    GraphScope,
    If,
    Opaque,
    Region,
    RegionKind,
    Scope,
    ScopeMode,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ArrayType, TensorType
from pto_lsp.analysis.ir.visitor import blocks, statement_exprs, variables, walk_block
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.checks.naming import declared
from pto_lsp.analysis.task_graph.checks.predicates import predicate_findings
from pto_lsp.analysis.task_graph.checks.run import distinct

CLUSTER_KEYWORDS = ("deps", "core_num", "sync_start", "allow_early_resolve", "predicate")
SUBMIT_ONLY = ("deps", "predicate", "allow_early_resolve")
SUBMITS = ("pl.submit", "pl.spmd_submit")
DEVICE = (FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV)


@node
class _Around:
    """What encloses a statement."""

    scope: Scope | None = None
    cluster: Region | None = None


def findings(function: Function, functions: Mapping[str, Function]) -> tuple[Finding, ...]:
    """Findings of one lowered function; ``functions`` are those of its program, by key."""
    if function.body is None:
        return ()
    surface = _Surface(function, functions)
    return distinct(list(surface.block(function.body, _Around())))


class _Surface:
    def __init__(self, function: Function, functions: Mapping[str, Function]) -> None:
        self.function = function
        self.functions = functions
        self.outputs = {p.name for p in function.params if p.direction is not Direction.IN}

    def finding(self, code: str, subject: str, where: Place, message: str, notes: tuple[Note, ...] = ()) -> Finding:
        return Finding(code, subject, where, message, self.function.name, notes)

    def block(self, body: Block, around: _Around) -> Iterator[Finding]:
        for stmt in body:
            if isinstance(stmt, (Assign, Unpack, Evaluate)):
                yield from self.simple(stmt, around)
            elif isinstance(stmt, Region):
                yield from self.region(stmt, around)
            elif isinstance(stmt, Scope):
                yield from self.scope(stmt, around)
            elif isinstance(stmt, (For, While, If, GraphScope, Opaque)):
                for inner in blocks(stmt):
                    yield from self.block(inner, around)

    # -- launches ------------------------------------------------------------------------------------------------

    def simple(self, stmt: Assign | Unpack | Evaluate, around: _Around) -> Iterator[Finding]:
        value = stmt.value
        if isinstance(value, ir.Submit):
            yield from self.options(stmt, value.options, self.called(value), around)
            yield from self.results(stmt, value)
            own = stmt.targets[-1] if isinstance(stmt, Unpack) else None
            yield from self.self_wait(stmt, value.options, own, self.called(value))
        elif isinstance(value, ir.Call):
            yield from self.plain_call(stmt, value, around)
        elif isinstance(value, ir.Op) and value.name == "system.task_dummy":
            yield from self.dummy(stmt, value)
        elif isinstance(value, ir.Unknown) and value.what in SUBMITS and not self.function.method:
            message = (
                f"'{value.what}' takes a kernel method self.<name>: in a @pl.jit function use 'with pl.at(...) as "
                "tid' or "
                "'with pl.spmd(n) as tid'"
            )
            notes = (Note(place(self.function.at, self.function.name_span), "a @pl.jit function"),)
            yield self.finding("PTO618", value.what, place(stmt.at, value.span), message, notes)

    def called(self, call: ir.Call | ir.Submit) -> str:
        callee = self.functions.get(call.callee)
        return callee.name if callee is not None else call.callee

    def plain_call(self, stmt: Stmt, call: ir.Call, around: _Around) -> Iterator[Finding]:
        """TG008, TG016, TG020."""
        callee = self.functions.get(call.callee)
        if callee is None or not callee.kind.is_kernel:
            return
        for keyword in call.options.keywords:
            where = place(stmt.at, keyword.span)
            if around.cluster is not None and keyword.name in CLUSTER_KEYWORDS:
                yield self.in_cluster(keyword.name, where, around.cluster)
            elif keyword.name == "allow_early_resolve":
                message = f"allow_early_resolve is not accepted on a plain call of '{callee.name}'"
                yield self.finding("PTO620", callee.name, where, message)
            elif keyword.name in SUBMIT_ONLY:
                message = (
                    f"'{callee.name}' cannot take {keyword.name}= here: only a submit form returns a task id and "
                    "accepts it"
                )
                yield self.finding("PTO608", callee.name, where, message)

    def results(self, stmt: Assign | Unpack | Evaluate, submit: ir.Submit) -> Iterator[Finding]:
        """TG013."""
        callee = self.functions.get(submit.callee)
        if callee is None:
            return
        expected = len(callee.returns)
        where = place(stmt.at, stmt.span)
        notes = (Note(place(callee.at, callee.name_span), f"'{callee.name}' is declared here"),)
        if isinstance(stmt, Evaluate):
            message = (
                f"'{callee.name}' returns {expected} tensor(s) and a task id: a submit has to be unpacked, it cannot "
                "stand "
                "alone"
            )
            yield self.finding("PTO613", callee.name, where, message, notes)
        elif isinstance(stmt, Unpack) and callee.returns and len(stmt.targets) != expected + 1:
            given = len(stmt.targets)
            message = f"'{callee.name}' returns {expected} tensor(s) and a task id: {given} names are given"
            yield self.finding("PTO613", callee.name, where, message, notes)

    def dummy(self, stmt: Stmt, op: ir.Op) -> Iterator[Finding]:
        """TG019 and the entries of a dummy."""
        deps = next((k for k in op.keywords if k.name == "deps"), None)
        if deps is None or op.args:
            message = "'task_dummy' needs deps=[...]: write deps=[] for a root barrier"
            yield self.finding("PTO619", "task_dummy", place(stmt.at, op.span), message)
        elif isinstance(deps.value, ir.ListExpr):
            yield from self.mixed(stmt, deps.value.items, "task_dummy")

    def options(self, stmt: Stmt, options: ir.LaunchOptions, name: str, around: _Around) -> Iterator[Finding]:
        """Rules that hold for every form with a dependence list."""
        for keyword in options.keywords:
            where = place(stmt.at, keyword.span)
            if around.cluster is not None and keyword.name in CLUSTER_KEYWORDS:
                # The blocks of a grid are part of what it is.
                if keyword.name != "core_num" or not isinstance(stmt, Region):
                    yield self.in_cluster(keyword.name, where, around.cluster)
            elif keyword.name == "deps" and not options.deps_known:
                yield from self.not_a_list(stmt, keyword, name)
            elif keyword.name == "allow_early_resolve" and options.allow_early_resolve is None:
                message = f"allow_early_resolve of '{name}' must be True or False, written out"
                yield self.finding("PTO620", name, where, message)
        yield from self.mixed(stmt, options.deps or (), name)
        if options.predicate is not None:
            yield from predicate_findings(self.function, stmt, options, name)

    def in_cluster(self, keyword: str, where: Place, cluster: Region) -> Finding:
        message = f"'{keyword}' on a launch inside pl.cluster would be lost: the cluster is one task"
        notes = (Note(place(cluster.at, cluster.span), "the cluster"),)
        return self.finding("PTO616", keyword, where, message, notes)

    def not_a_list(self, stmt: Stmt, keyword: ir.Keyword, name: str) -> Iterator[Finding]:
        """TG006; a comprehension that could not be unrolled is not judged."""
        value = keyword.value
        refused = isinstance(value, ir.Unknown) and value.what.startswith(ir.NO_LIST)
        if refused or isinstance(value, (ir.Var, ir.Call, ir.Op, ir.Const)):
            message = f"deps= of '{name}' must be written as a list, tuple or a comprehension over compile-time values"
            yield self.finding("PTO606", name, place(stmt.at, value.span), message, self.bound(value))

    def bound(self, value: ir.Expr) -> tuple[Note, ...]:
        """Where the value of a name comes from."""
        if not isinstance(value, ir.Var):
            return ()
        for other in walk_block(self.function.body or ()):
            if isinstance(other, Assign) and other.target.name == value.name:
                return (Note(place(other.at, other.span), f"'{value.label}' is bound here"),)
            if isinstance(other, Region) and other.task_id is not None and other.task_id.name == value.name:
                return (Note(place(other.at, other.task_id.span), f"'{value.label}' is bound here"),)
        return declared(self.function, value.name)

    def mixed(self, stmt: Stmt, entries: tuple[ir.Expr, ...], name: str) -> Iterator[Finding]:
        """TG005 for literals, TG007."""
        whole = [e for e in entries if isinstance(e, ir.Var) and isinstance(e.type, ArrayType)]
        slots = [e for e in entries if isinstance(e, ir.Op) and e.name == "array.get_element"]
        if whole and slots:
            array = whole[0]
            assert isinstance(array, ir.Var)
            message = f"deps= of '{name}' mixes the whole array '{array.label}' with single slots"
            notes = (Note(place(stmt.at, slots[0].span), "a single slot"),)
            yield self.finding("PTO607", array.label, place(stmt.at, array.span), message, notes)
        for entry in entries:
            if isinstance(entry, ir.Const) and entry.value is not None and not entry.written:
                message = f"'{entry.value}' in deps= of '{name}' is a literal, not a task id"
                yield self.finding("PTO605", str(entry.value), place(stmt.at, entry.span), message)

    # -- regions -------------------------------------------------------------------------------------------------

    def region(self, stmt: Region, around: _Around) -> Iterator[Finding]:
        name = stmt.options.name_hint or "region"
        header = place(stmt.at, stmt.span)
        if around.cluster is not None and stmt.task_id is not None:
            yield self.in_cluster("as", place(stmt.at, stmt.task_id.span), around.cluster)
        yield from self.options(stmt, stmt.options, name, around)
        for keyword in stmt.options.keywords:
            where = place(stmt.at, keyword.span)
            if keyword.name == "predicate" and stmt.kind is RegionKind.AT:
                message = (
                    f"'{name}' cannot be guarded: predicate= is only accepted by pl.spmd, pl.submit and pl.spmd_submit"
                )
                yield self.finding("PTO601", name, where, message)
            elif keyword.name == "deps" and stmt.kind is RegionKind.SPMD and stmt.task_id is None:
                message = f"'{name}' has no task id, so deps= is not accepted: write 'as tid'"
                yield self.finding("PTO609", name, where, message)
            elif keyword.name == "no_dep_args":
                yield from self.opt_outs(stmt, keyword, name)
        yield from self.self_wait(stmt, stmt.options, stmt.task_id, name)
        yield from self.rebound(stmt)
        inner = _Around(around.scope, stmt) if stmt.kind is RegionKind.CLUSTER else around
        if stmt.kind in (RegionKind.CLUSTER, RegionKind.HIERARCHY):
            yield from self.block(stmt.body, inner)
        else:
            yield from self.device(stmt.body, header)

    def device(self, body: Block, header: Place) -> Iterator[Finding]:
        """Scopes inside device code (TG014)."""
        for stmt in walk_block(body):
            if isinstance(stmt, Scope):
                message = "'pl.scope' may not be opened inside a device region"
                notes = (Note(header, "the region"),)
                yield self.finding("PTO614", "pl.scope", place(stmt.at, stmt.span), message, notes)

    def opt_outs(self, stmt: Region, keyword: ir.Keyword, name: str) -> Iterator[Finding]:
        """TG015."""
        entries = keyword.value
        if not isinstance(entries, ir.ListExpr):
            message = f"no_dep_args of '{name}' must be a list of tensor names"
            yield self.finding("PTO615", name, place(stmt.at, keyword.span), message)
            return
        captured = {var.name for inner in walk_block(stmt.body) for e in statement_exprs(inner) for var in variables(e)}
        captured |= {t.name for inner in walk_block(stmt.body) if isinstance(inner, Assign) for t in (inner.target,)}
        seen: set[str] = set()
        known = all(not isinstance(inner, Opaque) for inner in walk_block(stmt.body))
        for entry in entries.items:
            where = place(stmt.at, entry.span)
            if not isinstance(entry, ir.Var):
                if isinstance(entry, (ir.Const, ir.Op)):
                    yield self.finding("PTO615", name, where, f"no_dep_args of '{name}' takes plain tensor names only")
                continue
            what = ""
            if entry.name in seen:
                what = "listed twice"
            elif not isinstance(entry.type, TensorType) and type(entry.type).__name__ not in (
                "UnknownType",
                "TileType",
            ):
                what = "not a tensor"
            elif known and entry.name not in captured:
                what = "not used inside the region"
            seen.add(entry.name)
            if what:
                message = f"'{entry.label}' in no_dep_args of '{name}' is {what}"
                yield self.finding("PTO615", entry.label, where, message, declared(self.function, entry.label))

    def self_wait(self, stmt: Stmt, options: ir.LaunchOptions, own: ir.Var | None, name: str) -> Iterator[Finding]:
        """TG010: the name is bound by this very launch and by nothing before it."""
        for entry in options.deps or ():
            if own is not None and isinstance(entry, ir.Unknown) and entry.what == f"undefined name '{own.label}'":
                message = f"'{name}' cannot wait for itself: '{own.label}' is bound by this very launch"
                notes = (Note(place(stmt.at, own.span), f"'{own.label}' is bound here"),)
                yield self.finding("PTO610", own.label, place(stmt.at, entry.span), message, notes)

    def rebound(self, stmt: Region) -> Iterator[Finding]:
        """TG121 inside a region: a result takes the name of an output parameter without being stored into it."""
        for inner in walk_block(stmt.body):
            if not isinstance(inner, Assign) or inner.target.label not in self.outputs:
                continue
            value = inner.value
            if isinstance(value, ir.Op) and not any(var.label == inner.target.label for var in _targets(value)):
                name = inner.target.label
                param = next(p for p in self.function.params if p.name == name)
                message = f"this only renames '{name}': no task writes the caller's buffer"
                notes = (Note(place(param.at, param.span), f"'{name}' is the caller's buffer"),)
                yield self.finding("PTO721", name, place(inner.at, inner.span), message, notes)

    # -- scopes --------------------------------------------------------------------------------------------------

    def scope(self, stmt: Scope, around: _Around) -> Iterator[Finding]:
        """TG014."""
        where = place(stmt.at, stmt.span)
        word = "pl.manual_scope" if stmt.mode is ScopeMode.MANUAL else "pl.scope"
        outer = around.scope
        if self.function.kind in DEVICE:
            yield self.finding("PTO614", word, where, f"'{word}' may not be opened inside a kernel")
        elif outer is not None and outer.mode is ScopeMode.MANUAL:
            message = f"'{word}' may not be opened inside a manual_scope"
            notes = (Note(place(outer.at, outer.span), "the manual_scope"),)
            yield self.finding("PTO614", word, where, message, notes)
        elif stmt.mode is ScopeMode.AUTO and self.function.auto_scope and self.function.kind is not FunctionKind.INLINE:
            message = "'pl.scope' needs auto_scope=False: the compiler places the scopes of this function itself"
            yield self.finding("PTO614", word, where, message)
        inner = _Around(stmt if outer is None or outer.mode is not ScopeMode.MANUAL else outer, around.cluster)
        yield from self.block(stmt.body, inner)


def _targets(value: ir.Op) -> tuple[ir.Var, ...]:
    """The names whose buffer the result of an operator may be: everything a writing or viewing operator takes."""
    if value.name in ("store", "tile.store", "tensor.assemble", "tensor.write", "tensor.slice", "tensor.reshape"):
        return tuple(variables(value))
    if value.name.startswith(("pld.", "tensor.view", "tensor.transpose", "tensor.set_validshape", "tensor.scatter")):
        return tuple(variables(value))
    return tuple(arg for arg in value.args[:1] if isinstance(arg, ir.Var) and value.name in ("mscatter",))
