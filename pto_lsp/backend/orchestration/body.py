"""Statements of a function in C++."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Union

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Symbol, Var
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    If,
    Jump,
    Opaque,
    Return,
    Scope,
    ScopeMode,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.ir.visitor import bound_variables, statement_exprs, variables, walk_block
from pto_lsp.analysis.replay.allocations import allocation_plan, is_create
from pto_lsp.backend.orchestration.errors import Consequence, NotEmitted
from pto_lsp.backend.orchestration.kernels import KernelTable
from pto_lsp.backend.orchestration.loops import LoopEmitter
from pto_lsp.backend.orchestration.scalars import bare, cpp_type
from pto_lsp.backend.orchestration.text import Line
from pto_lsp.backend.orchestration.values import (
    FAILED,
    ArrayText,
    HostText,
    NumberText,
    TaskText,
    TensorText,
    replaceable,
    text_of,
    texts_of,
)

Locate = Callable[[Place], str]
_ROOT = re.compile(r"[A-Za-z_]\w*")


class BodyEmitter(LoopEmitter):
    """``locate`` names a place for comments ("model.py:12"); "" where it is not known."""

    def __init__(
        self,
        program: Program,
        function: Function,
        kernels: KernelTable,
        prefix: str,
        graph: bool,
        locate: Locate,
        symbols: Mapping[str, Expr],
    ) -> None:
        super().__init__(program, function, kernels, prefix, symbols)
        self._function = function
        self._graph_body = graph
        self._locate = locate
        self.faults: list[NotEmitted] = []
        # Scopes that nothing but a call ends.
        self._open_scopes = 0

    def run(self) -> None:
        """Parameters, then statements; what has no code goes to ``faults``."""
        try:
            self._parameters()
        except NotEmitted as fault:
            self._note(fault, fault.place)
            return
        self._block(self._function.body or ())

    def _parameters(self) -> None:
        """Tensors and scalars count apart (rules.md K2). What only the host reads is decoded; a slot stays a slot."""
        tensors = scalars = 0
        for param in self._function.params:
            name = self.names.fresh(param.name)
            if isinstance(param.type, TensorType):
                self.lines.declare(name, f"const ChipTensor &{name} = args.tensor({tensors}).ref();")
                # A caller may hand a Graph a window that was clamped.
                self.env[param.name] = TensorText(name, not self._graph_body)
                for axis, extent in enumerate(param.type.shape or ()):
                    symbol = f"symbol {extent.name}" if isinstance(extent, Symbol) else ""
                    if symbol and isinstance(extent, Symbol) and symbol not in self.env:
                        text = self.names.fresh(extent.name)
                        self.lines.declare(text, f"const int64_t {text} = {name}.shapes[{axis}];")
                        self.env[symbol] = NumberText(text)
                tensors += 1
            elif isinstance(param.type, ScalarType) and not param.type.is_task_id:
                kind = cpp_type(param.type.dtype)
                slot = f"args.scalar({scalars})"
                self.lines.declare(name, f"const {kind} {name} = from_u64<{kind}>({slot});")
                self.env[param.name] = NumberText(name, slot if self._graph_body else "")
                scalars += 1
            else:
                raise NotEmitted(f"parameter '{param.name}'", place(param.at, param.name_span))

    def _block(self, block: Block) -> None:
        plan = allocation_plan(block)
        for batch in plan.batches:
            self._located(batch[0], lambda batch=batch: self._allocate(batch))  # type: ignore[misc]
            for create in batch:
                self.env.setdefault(create.target.name, FAILED)
        for stmt in block:
            if id(stmt) not in plan.early:
                self._located(stmt, lambda stmt=stmt: self._statement(stmt))  # type: ignore[misc]

    def _located(self, stmt: Stmt, emit: Callable[[], None]) -> None:
        where = self.lines.place = place(stmt.at, stmt.span)
        try:
            emit()
        except (NotEmitted, RecursionError) as fault:
            deep = NotEmitted("an expression that is nested too deeply")
            self._note(fault if isinstance(fault, NotEmitted) else deep, where)
            for name in _bound(stmt):
                self.env[name.name] = FAILED

    def _note(self, fault: NotEmitted, where: Place | None) -> None:
        """Bodies of loops and branches are emitted more than once: the same fault counts once."""
        fault.place = fault.place or where
        known = {(str(each), each.place.span) for each in self.faults if each.place is not None}
        if not isinstance(fault, Consequence) and (fault.place is None or (str(fault), fault.place.span) not in known):
            self.faults.append(fault)

    def _comment(self, stmt: Stmt) -> None:
        where = self._locate(place(stmt.at, stmt.span))
        if where:
            self.lines.add(f"// {where}")

    def _allocate(self, batch: tuple[Assign, ...]) -> None:
        self._comment(batch[0])
        infos: list[str] = []
        for stmt in batch:
            assert isinstance(stmt.value, Op)
            infos.append(self.create_info(stmt.value, stmt.target.label))
        made = self.names.fresh("alloc")
        self.lines.add(f"TaskOutputTensors {made} = alloc_tensors({', '.join(infos)});")
        for index, stmt in enumerate(batch):
            name = self.names.fresh(stmt.target.label)
            self.lines.declare(name, f"const ChipTensor &{name} = {made}.get_ref({index});")
            self.env[stmt.target.name] = TensorText(name, True)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign):
            self._assign(stmt)
        elif isinstance(stmt, Unpack):
            found = self._effect(stmt, stmt.value, stmt.targets[-1].label)
            values = found if isinstance(found, tuple) else (found,)
            if len(values) != len(stmt.targets):
                raise NotEmitted(f"{len(stmt.targets)} results of this")
            for target, value in zip(stmt.targets, values):
                self.assign(target, value)
        elif isinstance(stmt, Evaluate):
            self._effect(stmt, stmt.value, "task")
        elif isinstance(stmt, For):
            self._for(stmt)
        elif isinstance(stmt, While):
            self._while(stmt)
        elif isinstance(stmt, If):
            self._if(stmt)
        elif isinstance(stmt, Scope):
            self._scope(stmt)
        elif isinstance(stmt, Return):
            # What is returned is known to the caller, who made it (rules.md D8).
            if stmt is not (self._function.body or (None,))[-1]:
                self._leave("return")
        elif isinstance(stmt, Jump):
            self._leave(stmt.word)
        else:
            raise NotEmitted(stmt.what if isinstance(stmt, Opaque) else "this statement")

    def _leave(self, word: str) -> None:
        if self._open_scopes:
            raise NotEmitted(f"'{word}' out of a scope whose tensors are used after it")
        self.lines.add(f"{word};")

    def _assign(self, stmt: Assign) -> None:
        if is_create(stmt.value):
            self._allocate((stmt,))
        else:
            self.assign(stmt.target, self._effect(stmt, stmt.value, stmt.target.label))

    def _effect(self, stmt: Union[Assign, Unpack, Evaluate], expr: Expr, label: str) -> HostText:
        if isinstance(expr, (Call, Submit)):
            self._comment(stmt)
            results = self.launch(expr, label)
            return results[0] if len(results) == 1 else results
        if isinstance(expr, Op) and expr.name == "system.task_dummy":
            self._comment(stmt)
            return self.dummy(expr, label)
        return self.value(expr, label)

    def _scope(self, stmt: Scope) -> None:
        """A block, or begin and end where something that is declared inside is used after it."""
        self._comment(stmt)
        mode = "PTO2ScopeMode::MANUAL" if stmt.mode is ScopeMode.MANUAL else ""
        saved = self._snapshot()
        with self.lines.block(f"PTO2_SCOPE({mode})"):
            self._block(stmt.body)
        if self._outlives(stmt, saved[2]):
            self._restore(saved)
            self.lines.add(f"rt_scope_begin({mode});")
            self._open_scopes += 1
            self._block(stmt.body)
            self._open_scopes -= 1
            self.lines.add("rt_scope_end();")

    def _outlives(self, stmt: Scope, before: set[str]) -> bool:
        """Whether something after the scope uses a C++ name that was not there before it."""
        inside = [var for each in walk_block(stmt.body) for var in bound_variables(each)]
        uses = Counter(var.name for expr in _expressions(stmt.body) for var in variables(expr))
        everywhere = Counter(var.name for expr in _expressions(self._function.body or ()) for var in variables(expr))
        later = [var.name for var in inside if everywhere[var.name] > uses[var.name]]
        names = [text for name in later if name in self.env for text in texts_of(self.env[name])]
        return any(word not in before for text in names for word in _ROOT.findall(text)[:1])

    def _if(self, stmt: If) -> None:
        """Both arms first, to know what they leave, then around them what that takes: nothing is emitted twice."""
        visible = {text for value in self.env.values() for text in texts_of(value)}
        self._comment(stmt)
        condition = bare(self.scalars.text(stmt.condition))
        # The author's name goes to what is left of it in the end, not to what an arm calls so.
        names = [self.names.fresh(p.result.label) if isinstance(p.result.type, ScalarType) else "" for p in stmt.phis]
        bodies: list[list[Line]] = []
        ends: list[list[HostText]] = []
        for body, values in ((stmt.then, [p.then for p in stmt.phis]), (stmt.orelse, [p.orelse for p in stmt.phis])):
            mark = self.lines.mark()
            self._block(body)
            ends.append([self.value(value, "end") for value in values])
            bodies.append(self.lines.take(mark))
        self.lines.place = place(stmt.at, stmt.span)
        results = [
            self._join(phi.result, name, then, orelse, visible)
            for phi, name, then, orelse in zip(stmt.phis, names, *ends)
        ]
        with self.lines.block(f"if ({condition})"):
            self._arm(bodies[0], [(value, sets[0]) for value, sets in results], ends[0])
        if stmt.orelse or any(sets[1] for _, sets in results):
            with self.lines.block("else"):
                self._arm(bodies[1], [(value, sets[1]) for value, sets in results], ends[1])
        for phi, (value, _) in zip(stmt.phis, results):
            self.env[phi.result.name] = value

    def _join(
        self, result: Var, wish: str, then: HostText, orelse: HostText, visible: set[str]
    ) -> tuple[HostText, tuple[bool, bool]]:
        """What a name is after a branch, and which arms have to set it."""
        if texts_of(then) == texts_of(orelse):
            return then, (False, False)
        if isinstance(then, TensorText) and isinstance(orelse, TensorText):
            start = orelse if orelse.text in visible else then
            if start.text not in visible:
                name = self.names.fresh(result.label)
                self.lines.add(f"ChipTensor {name};")
                return TensorText(name), (True, True)
            name = self._variable(result, start)
            return TensorText(name), (start is orelse, start is then)
        if isinstance(then, ArrayText) and replaceable(then, orelse):
            name = self.names.fresh(result.label)
            self.lines.add(f"std::array<PTO2TaskId, {then.extent}> {name};")
            return ArrayText(name, then.extent), (True, True)
        name = self._variable(result, None, wish)
        if isinstance(then, NumberText) and isinstance(orelse, NumberText):
            return NumberText(name), (True, True)
        if isinstance(then, TaskText) and isinstance(orelse, TaskText):
            return TaskText(name, then.valid and orelse.valid), (True, True)
        raise NotEmitted(f"'{result.label}', which differs between the arms of a branch")

    def _arm(self, body: list[Line], results: list[tuple[HostText, bool]], ends: list[HostText]) -> None:
        self.lines.put(body)
        for (target, sets), end in zip(results, ends):
            if sets:
                self.lines.add(f"{text_of(target)} = {bare(text_of(end))};")


def _expressions(block: Block) -> list[Expr]:
    """All that is evaluated in a block, what leaves bodies of loops and branches included."""
    found: list[Expr] = []
    for stmt in walk_block(block):
        found += statement_exprs(stmt)
        if isinstance(stmt, (For, While)):
            found += [carry.update for carry in stmt.carries]
        elif isinstance(stmt, If):
            found += [end for phi in stmt.phis for end in (phi.then, phi.orelse)]
    return found


def _bound(stmt: Stmt) -> list[Var]:
    """What later statements may use of a statement."""
    if isinstance(stmt, Assign):
        return [stmt.target]
    if isinstance(stmt, Unpack):
        return list(stmt.targets)
    if isinstance(stmt, (For, While)):
        return [carry.result for carry in stmt.carries]
    return [phi.result for phi in stmt.phis] if isinstance(stmt, If) else []
