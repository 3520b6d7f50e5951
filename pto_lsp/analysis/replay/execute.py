"""Execution of one activation of an orchestration or Graph function, statement by statement, as its C++ would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import (
    Assign,
    Block,
    Evaluate,
    For,
    If,
    Jump,
    LoopKind,
    Opaque,
    Return,
    Scope,
    ScopeMode,
    Stmt,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.ir.visitor import bound_variables
from pto_lsp.analysis.replay.allocations import AllocationPlan, is_create
from pto_lsp.analysis.replay.evaluate import Evaluator
from pto_lsp.analysis.replay.launches import Launch, NewTensor, Sink, TensorArg
from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import UNKNOWN, TaskId, Value

WHILE_LIMIT = 256


class OutOfBudget(Exception):
    """The program does more than the simulation is willing to do."""


class Services(Protocol):
    """What an activation needs from the run it belongs to."""

    def spend(self) -> None:
        """Count one statement; raises ``OutOfBudget``."""

    def give_up(self, why: str) -> None:
        """Note that something could not be simulated."""

    def fail(self, why: str) -> None:
        """Note that the runtime would end the run."""

    def allocations(self, block: Block) -> AllocationPlan: ...

    def launch(self, frame: Frame, expr: Call | Submit) -> tuple[Value, ...]:
        """Run a launch: its results, and for a submit the task id last."""
        ...


class Frame(Evaluator):
    """``slots`` are the boundary scalars of the Graph body that is executed, by parameter name; a rename is no slot."""

    def __init__(self, services: Services, function: Function, sink: Sink, manual: bool, outer: Evaluator) -> None:
        super().__init__(outer.symbols, outer.read)
        self.services = services
        self.function = function
        self.sink = sink
        self.manual = manual
        self.slots: dict[str, int] = {}

    def run(self) -> None:
        if self.function.body is not None:
            self.block(self.function.body)

    def block(self, block: Block) -> str:
        """Run a statement list; "" or the word of the jump that ended it ("return", "break", "continue")."""
        plan = self.services.allocations(block)
        for batch in plan.batches:
            self._allocate(batch)
        for stmt in block:
            if id(stmt) in plan.early:
                continue
            self.services.spend()
            execute = self.STATEMENTS.get(type(stmt))
            if execute is None:
                self._opaque(stmt)
                continue
            jump = execute(self, stmt)
            if jump:
                return jump
        return ""

    def effect(self, expr: Expr) -> Value:
        """Value of a right-hand side that may start a task."""
        if isinstance(expr, (Call, Submit)):
            results = self.services.launch(self, expr)
            return results[0] if len(results) == 1 else results
        if isinstance(expr, Op):
            if expr.name == "system.task_dummy":
                return self._dummy(expr)
            if is_create(expr):
                return self._create(expr, "a buffer")
        return self.value(expr)

    def task_ids(self, exprs: tuple[Expr, ...]) -> tuple[TaskId, ...]:
        """The valid ids of a dependency list, arrays and loop results element by element (semantics.md 8.4, 8.9)."""
        found: list[TaskId] = []
        stack = [self.value(expr) for expr in reversed(exprs)]
        while stack:
            value = stack.pop()
            if isinstance(value, TaskId):
                found.append(value)
            elif isinstance(value, (list, tuple)):
                stack.extend(reversed(value))
        return tuple(found)

    def _assign(self, stmt: Assign) -> str:
        if is_create(stmt.value):
            self._allocate((stmt,))
        else:
            self.env[stmt.target.name] = self.effect(stmt.value)
        return ""

    def _unpack(self, stmt: Unpack) -> str:
        value = self.effect(stmt.value)
        values = value if isinstance(value, tuple) and not isinstance(value, TaskId) else (value,)
        if len(values) != len(stmt.targets):
            values = (UNKNOWN,) * len(stmt.targets)
        for target, each in zip(stmt.targets, values):
            self.env[target.name] = each
        return ""

    def _evaluate(self, stmt: Evaluate) -> str:
        self.effect(stmt.value)
        return ""

    def _for(self, stmt: For) -> str:
        start, stop, step = self.value(stmt.start), self.value(stmt.stop), self.value(stmt.step)
        if not isinstance(start, int) or not isinstance(stop, int) or not isinstance(step, int) or step == 0:
            self._skip(stmt, "a loop with unknown bounds")
            return ""
        current = [self.value(carry.init) for carry in stmt.carries]
        # A task id carried by a parallel loop is the one from before it in every trip, and all of them afterwards
        # (semantics.md 8.12).
        parallel = stmt.kind is LoopKind.PARALLEL
        parallel_ids = [
            parallel and isinstance(carry.result.type, ScalarType) and carry.result.type.is_task_id
            for carry in stmt.carries
        ]
        gathered: list[list[Value]] = [[] for _ in stmt.carries]
        for index in range(start, stop, step):
            self.services.spend()
            self.env[stmt.var.name] = index
            for carry, value in zip(stmt.carries, current):
                self.env[carry.inner.name] = value
            jump = self.block(stmt.body)
            if jump == "return":
                return jump
            if not jump or jump == "continue":
                updates = [self.value(carry.update) for carry in stmt.carries]
                for position, update in enumerate(updates):
                    if parallel_ids[position]:
                        gathered[position].append(update)
                    else:
                        current[position] = update
            if jump == "break":
                break
        for position, carry in enumerate(stmt.carries):
            ids = gathered[position]
            self.env[carry.result.name] = tuple(ids) if parallel_ids[position] and ids else current[position]
        return ""

    def _while(self, stmt: While) -> str:
        current = [self.value(carry.init) for carry in stmt.carries]
        for _ in range(WHILE_LIMIT):
            self.services.spend()
            for carry, value in zip(stmt.carries, current):
                self.env[carry.inner.name] = value
            condition = self.value(stmt.condition)
            if not isinstance(condition, (bool, int)):
                self._skip(stmt, "a while loop with an unknown condition")
                return ""
            if not condition:
                break
            jump = self.block(stmt.body)
            if jump == "return":
                return jump
            if jump == "break":
                break
            current = [self.value(carry.update) for carry in stmt.carries]
        else:
            self.services.give_up(f"a while loop ran for more than {WHILE_LIMIT} trips")
        for carry, value in zip(stmt.carries, current):
            self.env[carry.result.name] = value
        return ""

    def _if(self, stmt: If) -> str:
        condition = self.value(stmt.condition)
        if not isinstance(condition, (bool, int)):
            self._skip(stmt, "a branch with an unknown condition")
            return ""
        jump = self.block(stmt.then if condition else stmt.orelse)
        if jump:
            return jump
        for phi in stmt.phis:
            self.env[phi.result.name] = self.value(phi.then if condition else phi.orelse)
        return ""

    def _scope(self, stmt: Scope) -> str:
        outer = self.manual
        if outer and stmt.mode is ScopeMode.AUTO:
            self.services.fail("an automatic scope inside a manual one")
        self.manual = outer or stmt.mode is ScopeMode.MANUAL
        jump = self.block(stmt.body)
        self.manual = outer
        return jump

    def _return(self, stmt: Return) -> str:
        return "return"

    def _jump(self, stmt: Jump) -> str:
        return stmt.word

    def _opaque(self, stmt: Stmt) -> None:
        what = stmt.what if isinstance(stmt, Opaque) else type(stmt).__name__
        self._skip(stmt, f"a statement that is not understood ({what})")

    def _skip(self, stmt: Stmt, why: str) -> None:
        self.services.give_up(why)
        for var in bound_variables(stmt):
            self.env[var.name] = UNKNOWN

    def _allocate(self, batch: tuple[Assign, ...]) -> None:
        """One allocation task for the creates of ``batch``; those of unknown shape stay unknown."""
        news: list[tuple[Var, NewTensor]] = []
        for stmt in batch:
            new = self._new_tensor(stmt.value, stmt.target.label)
            if new is None:
                self.env[stmt.target.name] = UNKNOWN
                self.services.give_up(f"the shape of '{stmt.target.label}' is not known")
            else:
                news.append((stmt.target, new))
        if not news:
            return
        args = tuple([TensorArg(new, Tag.OUTPUT, new.name) for _, new in news])
        outputs = self.sink.submit(Launch(None, args, manual=self.manual)).outputs
        for (target, _), tensor in zip(news, outputs):
            self.env[target.name] = tensor

    def _create(self, op: Op, name: str) -> Value:
        new = self._new_tensor(op, name)
        if new is None:
            return UNKNOWN
        arg = TensorArg(new, Tag.OUTPUT, name)
        return self.sink.submit(Launch(None, (arg,), manual=self.manual)).outputs[0]

    def _new_tensor(self, expr: Expr, name: str) -> NewTensor | None:
        assert isinstance(expr, Op)
        shape = self.integers(expr.args[0]) if expr.args else None
        if shape is None or min(shape, default=0) < 0:
            return None
        dtype = self.value(expr.args[1]) if len(expr.args) > 1 else ""
        manual_dep: Value = False
        fill: Value = None
        for keyword in expr.keywords:
            if keyword.name == "dtype":
                dtype = self.value(keyword.value)
            elif keyword.name == "manual_dep":
                manual_dep = self.value(keyword.value)
            elif keyword.name in ("init_value", "value"):
                fill = self.value(keyword.value)
        content = fill if isinstance(fill, (int, float)) else None
        return NewTensor(name, shape, dtype if isinstance(dtype, str) else "", manual_dep is True, content)

    def _dummy(self, op: Op) -> Value:
        """Submitted when the list is empty or an entry is valid; otherwise its id stays invalid (semantics.md 1.11)."""
        deps: tuple[TaskId, ...] = ()
        for keyword in op.keywords:
            if keyword.name == "deps":
                deps = self.task_ids((keyword.value,))
                written = self.value(keyword.value)
                if not deps and written:
                    return None
        return self.sink.submit(Launch(None, deps=deps, manual=self.manual)).task

    STATEMENTS: ClassVar[dict[type, Callable[[Any, Any], str]]] = {
        Assign: _assign,
        Unpack: _unpack,
        Evaluate: _evaluate,
        For: _for,
        While: _while,
        If: _if,
        Scope: _scope,
        Return: _return,
        Jump: _jump,
    }


def bind_arguments(frame: Frame, values: tuple[Value, ...]) -> None:
    """Bind the parameters of ``frame``'s function; a missing argument is unknown."""
    for index, param in enumerate(frame.function.params):
        frame.env[param.name] = values[index] if index < len(values) else UNKNOWN
