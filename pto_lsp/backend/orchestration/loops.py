"""Loops in C++, and the names that change in them."""

from __future__ import annotations

from collections.abc import Callable

from pto_lsp.analysis.ir.expressions import Const, Var
from pto_lsp.analysis.ir.statements import Block, For, LoopKind, Stmt, While
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.ir.visitor import has_jump
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.launches import LaunchEmitter
from pto_lsp.backend.orchestration.scalars import bare, cpp_type
from pto_lsp.backend.orchestration.values import (
    NO_TASK,
    ArrayText,
    HostText,
    NumberText,
    TaskText,
    TensorText,
    replaceable,
    text_of,
    texts_of,
)


class LoopEmitter(LaunchEmitter):
    """Variables that are assigned to, and loops over statements, which the derived class emits."""

    def _block(self, block: Block) -> None:
        raise NotImplementedError

    def _comment(self, stmt: Stmt) -> None:
        raise NotImplementedError

    def _variable(self, result: Var, start: HostText | None, name: str = "") -> str:
        """A variable that is assigned to later, called ``name`` where that is taken for it."""
        name = name or self.names.fresh(result.label)
        if isinstance(start, ArrayText):
            # A copy: what the loop hands on is another array in the end.
            self.lines.add(f"std::array<PTO2TaskId, {start.extent}> {name} = {start.text};")
        elif isinstance(start, TensorText) or isinstance(result.type, TensorType):
            assert start is not None
            self.lines.add(f"ChipTensor {name} = {text_of(start)};")
        elif isinstance(start, TaskText) or (isinstance(result.type, ScalarType) and result.type.is_task_id):
            self.lines.add(f"PTO2TaskId {name} = {'PTO2TaskId::invalid()' if start is None else text_of(start)};")
        else:
            kind = cpp_type(result.type.dtype if isinstance(result.type, ScalarType) else "")
            self.lines.add(f"{kind} {name} = {'0' if start is None else bare(text_of(start))};")
        return name

    def _for(self, stmt: For) -> None:
        step = stmt.step.value if isinstance(stmt.step, Const) else None
        if step == 0:
            raise NotEmitted("a loop whose step is 0")
        start, stop = (bare(self.scalars.text(bound)) for bound in (stmt.start, stmt.stop))
        by = str(step) if isinstance(step, int) else self.scalars.text(stmt.step)

        def head() -> str:
            name = self.names.fresh(stmt.var.label)
            self.env[stmt.var.name] = NumberText(name)
            if isinstance(step, int):
                condition = f"{name} {'<' if step > 0 else '>'} {stop}"
            else:
                condition = f"{by} > 0 ? {name} < {stop} : {name} > {stop}"
            return f"for (int64_t {name} = {start}; {condition}; {name} += {bare(by)})"

        self._carried(stmt, head)

    def _while(self, stmt: While) -> None:
        """What takes statements of its own to compute is computed inside, anew for every trip."""

        def test() -> None:
            self.lines.add(f"if (!({bare(self.scalars.text(stmt.condition))})) break;")

        def head() -> str:
            mark = self.lines.mark()
            text = bare(self.scalars.text(stmt.condition))
            return "for (;;)" if self.lines.take(mark) else f"while ({text})"

        self._carried(stmt, head, lambda opened: test() if opened.startswith("for") else None)

    def _carried(
        self,
        stmt: For | While,
        head: Callable[[], str],
        begin: Callable[[str], None] = lambda opened: None,
    ) -> None:
        """A loop. A name whose value every trip leaves as it is needs no variable; the others are found by trying.

        ``head`` opens it, ``begin`` starts its body.
        """
        starts = [self.value(carry.init, "start") for carry in stmt.carries]
        self._comment(stmt)
        # A number that a loop hands on is one that it changes: what is guessed right is emitted once.
        variables = [
            _like(start, "") if isinstance(start, NumberText) and carry.update is not carry.inner else start
            for carry, start in zip(stmt.carries, starts)
        ]
        changed: list[bool] = []
        gathers = [False] * len(starts)
        for _ in range(len(starts) + 1):
            saved = self._snapshot()
            variables = [
                self._gathered(stmt, carry.result)
                if gathers[index]
                else start
                if current is start
                else _like(start, self._variable(carry.result, start))
                for index, (carry, start, current) in enumerate(zip(stmt.carries, starts, variables))
            ]
            for carry, value, start, gathered in zip(stmt.carries, variables, starts, gathers):
                self.env[carry.inner.name] = start if gathered else value
            opened = head()
            with self.lines.block(opened):
                begin(opened)
                self._block(stmt.body)
                updates = [self.value(carry.update, "next") for carry in stmt.carries]
                for index, gathered in enumerate(gathers):
                    if gathered and isinstance(stmt, For):
                        self._gather(stmt, variables[index], updates[index])
                        updates[index] = variables[index]
                changed = [texts_of(new) != texts_of(old) for new, old in zip(updates, variables)]
                fixed = [index for index, new in enumerate(changed) if new and variables[index] is starts[index]]
                if not fixed:
                    self._advance(variables, updates, changed)
            if not fixed:
                break
            self._restore(saved)
            for index in fixed:
                if isinstance(stmt, For) and stmt.kind is LoopKind.PARALLEL and isinstance(starts[index], TaskText):
                    gathers[index] = True
                elif not replaceable(starts[index], updates[index]):
                    raise NotEmitted(f"'{stmt.carries[index].result.label}', which a loop changes")
                variables[index] = NO_TASK if gathers[index] else _like(starts[index], "")
        if any(changed) and has_jump(stmt.body):
            raise NotEmitted("a loop that is left early and hands on values")
        for carry, value in zip(stmt.carries, variables):
            self.env[carry.result.name] = value

    def _gathered(self, stmt: For | While, result: Var) -> ArrayText:
        """The ids of all trips of a parallel loop: what such a loop leaves of an id (semantics.md 8.12)."""
        bounds = (
            [b.value for b in (stmt.start, stmt.stop, stmt.step) if isinstance(b, Const)]
            if isinstance(stmt, For)
            else []
        )
        numbers = [bound for bound in bounds if isinstance(bound, int)]
        trips = len(range(*numbers)) if len(numbers) == 3 else 0
        if not trips:
            raise NotEmitted("a task id of a parallel loop whose length is not known")
        name = self.names.fresh(result.label)
        self.lines.add(f"std::array<PTO2TaskId, {trips}> {name};")
        self.lines.add(f"{name}.fill(PTO2TaskId::invalid());")
        return ArrayText(name, trips)

    def _gather(self, stmt: For, array: HostText, task: HostText) -> None:
        index, start, step = (bare(self.scalars.text(each)) for each in (stmt.var, stmt.start, stmt.step))
        trip = index if start == "0" else f"({index} - {start})"
        place = trip if step == "1" else f"{trip} / {step}"
        self.lines.add(f"{text_of(array)}.at({bare(place)}) = {text_of(task)};")

    def _advance(self, variables: list[HostText], updates: list[HostText], changed: list[bool]) -> None:
        moving = [(old, new) for old, new, moves in zip(variables, updates, changed) if moves]
        if len(moving) > 1:
            names = [self.names.fresh("next") for _ in moving]
            for name, (_, new) in zip(names, moving):
                self.lines.add(f"const auto {name} = {bare(text_of(new))};")
            for name, (old, _) in zip(names, moving):
                self.lines.add(f"{text_of(old)} = {name};")
        else:
            for old, new in moving:
                self.lines.add(f"{text_of(old)} = {bare(text_of(new))};")

    def _snapshot(self) -> tuple[int, dict[str, HostText], set[str], int]:
        return self.lines.mark(), dict(self.env), self.names.taken(), self._count

    def _restore(self, saved: tuple[int, dict[str, HostText], set[str], int]) -> None:
        """Forget what was emitted since the snapshot."""
        mark, env, taken, self._count = saved
        self.lines.cut(mark)
        self.env = env
        self.names.forget_all_but(taken)


def _like(value: HostText, name: str) -> HostText:
    """A variable ``name`` of the kind of ``value``."""
    if isinstance(value, TensorText):
        return TensorText(name)
    if isinstance(value, TaskText):
        return TaskText(name, False)
    if isinstance(value, ArrayText):
        return ArrayText(name, value.extent)
    return NumberText(name)
