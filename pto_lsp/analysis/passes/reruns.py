"""Blocks worked through again after an edit, only where something can have changed.

A pass walks a function with a state for every name: the version it has, the value it stands for. What becomes of a
statement depends on the statement, on the states of the names in it, and on what its surroundings want of it. So one
that is the same object as in the last run, under the same states, becomes the same again, and does the same to the
states. Names whose states differ from the last run at the same point are *dirty*; all others need no look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import Protocol, Union

from pto_lsp.analysis.ir.statements import Block, Region, Stmt
from pto_lsp.analysis.ir.visitor import blocks
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.facts import Facts
from pto_lsp.analysis.passes.statement_results import StatementResults

State = tuple[object, ...]
States = tuple[tuple[str, State], ...]


class Pass(Protocol):
    """What the runs of one pass need to know of it."""

    def known(self) -> Set[str]:
        """The names that the pass knows something of."""

    def state(self, name: str) -> State:
        """All that the pass knows of ``name`` now; it begins with two times None when that is nothing."""

    def restore(self, states: States) -> None:
        """Make them what the pass knows of the names."""

    def work(self, stmt: Stmt, wanted: object) -> Union[Stmt, Block]:
        """The statement, or statements, that take the place of ``stmt``. Of names it changes at most the states of
        those that ``stmt`` binds; its bodies go through ``Reruns.block``.
        """


@node
class Step:
    """What became of one statement. ``after``: the states of names it changed; ``runs`` are those of its bodies."""

    stmt: Stmt
    made: Block
    names: tuple[str, ...]
    wanted: object
    after: States
    runs: tuple[Run, ...]


@node
class Run:
    """A block worked through. ``context``: what it depends on beside its ``names``, ``entry``: the states of those that
    something was known of at its beginning. ``size`` is the number of names when it was worked through from scratch.
    ``given`` is what the pass made ``wanted`` of. ``others`` are former runs over quite other statements, the latest
    first: the next version may be closer to what the function was before something in it was being typed.
    """

    context: object
    names: tuple[str, ...]
    entry: dict[str, State]
    steps: list[Step]
    size: int
    given: object = None
    others: tuple[Run, ...] = ()


_RECORDED_DEPTH = 12
"""Deeper bodies are worked through as a whole: what is remembered of them would cost call stack for nothing."""

_LONG_REGION = 32
"""Device code that nobody has edited is not worth being known statement by statement, nor is what is worked through as
a whole as quickly: it takes more memory than anything else.
"""

UNRECORDED = Run(None, (), {}, [], 0)
"""The run over a function that was worked through without being recorded."""


def _nothing(stmt: Stmt) -> object:
    return None


class Reruns:
    """The runs of one pass over one function. ``made`` are the new ones, for the next time.

    The pass owns it, and says in every call who it is.
    """

    def __init__(self, results: StatementResults, last: Run | None, device: bool = False) -> None:
        """A function of ``device`` code that nobody has edited is not worth being known statement by statement."""
        self._results = results
        self._last: list[Run] = [] if last is None else [last]
        self._record = results.edits and (last is not None or not device)
        self._depth = 0
        self._named: dict[str, tuple[str, State]] = {}
        self.made: list[Run] = []

    def last(self) -> Run | None:
        """The last run over what is given to `block` next."""
        return self._last[0] if self._record and self._last else None

    def block(
        self,
        owner: Pass,
        block: Block,
        context: object,
        wanted: Callable[[Stmt], object] = _nothing,
        given: object = None,
    ) -> Block:
        """What becomes of ``block``: the same object when nothing changes."""
        result: list[Stmt] = []
        changed = False
        if not self._record:
            for stmt in block:
                new = owner.work(stmt, wanted(stmt))
                if new is stmt:
                    result.append(stmt)
                    continue
                changed = True
                if isinstance(new, tuple):
                    result.extend(new)
                else:
                    result.append(new)
            return tuple(result) if changed else block
        last = self._last.pop(0) if self._last else None
        others: tuple[Run, ...] = ()
        if last is not None and self._depth == 0:
            last, others = _closest(block, last)
        if last is not None and (last.context != context or len(last.names) > 2 * last.size + 64):
            last = None
        run = _Running(owner, self._results, self, last).run(block, context, wanted, given)
        if others:
            run = replace(run, others=others)
        self.made.append(run)
        for step in run.steps:
            result.extend(step.made)
            changed = changed or len(step.made) != 1 or step.made[0] is not step.stmt
        return tuple(result) if changed else block

    def named(self, name: str, state: State) -> tuple[str, State]:
        """``name`` with its ``state``: what a statement leaves is also what those around it leave, and is kept once."""
        last = self._named.get(name)
        if last is None or last[1] != state:
            last = self._named[name] = (name, state)
        return last

    @property
    def recording(self) -> bool:
        """The block being worked through may be found again by its statements."""
        return self._record

    def work(
        self, owner: Pass, stmt: Stmt, wanted: object, last: tuple[Run, ...] | None
    ) -> tuple[Block, tuple[Run, ...]]:
        """What becomes of ``stmt``, and the runs of its bodies. ``last`` are those of the statement that stood there
        the last time, None when there was none.
        """
        outer = self._last, self.made, self._record
        worth = not isinstance(stmt, Region) or (last is not None and len(stmt.body) >= _LONG_REGION)
        record = worth and self._depth < _RECORDED_DEPTH
        self._last, self.made, self._record = list(last or ()), [], record
        self._depth += 1
        try:
            new = owner.work(stmt, wanted)
            return new if isinstance(new, tuple) else (new,), tuple(self.made)
        finally:
            self._last, self.made, self._record = outer
            self._depth -= 1


_SHARE = 8
"""Versions of a function with one part in so many that is not common to both are quite other ones."""
_OTHERS = 1


def _closest(block: Block, last: Run) -> tuple[Run, tuple[Run, ...]]:
    """Of the ``last`` run and those it remembers the one that ``block`` has most statements of, and the runs to
    remember beside the new one.
    """
    common, fresh = _common(block, last)
    if fresh * _SHARE <= common:
        return last, last.others
    best = last
    for run in last.others:
        known, unknown = _common(block, run)
        if known > common:
            best, common, fresh = run, known, unknown
    runs = [replace(last, others=()), *last.others]
    if fresh * _SHARE <= common:
        # The new run takes the place of the one that it is close to.
        runs = [run for run in runs if run is not best]
    return best, tuple(runs[:_OTHERS])


def _common(block: Block, run: Run) -> tuple[int, int]:
    """How many statements of ``block`` were worked through in ``run``, and how many were not; those in the bodies of
    one that was not are counted instead of it.
    """
    old = {id(step.stmt): step for step in run.steps}
    fresh = [stmt for stmt in block if old.pop(id(stmt), None) is None]
    left = [step for step in old.values() if step.runs]
    common, others = len(block) - len(fresh), 0
    for stmt in fresh:
        bodies = blocks(stmt)
        before = next((step for step in left if type(step.stmt) is type(stmt)), None) if bodies else None
        if before is None:
            others += 1
            continue
        left.remove(before)
        for body, one in zip(bodies, before.runs):
            known, unknown = _common(body, one)
            common, others = common + known, others + unknown
    return common, others


class _Running:
    """One block being worked through beside its last run."""

    def __init__(self, owner: Pass, results: StatementResults, reruns: Reruns, last: Run | None) -> None:
        self._pass = owner
        self._results = results
        self._reruns = reruns
        self._old: list[Step] = [] if last is None else last.steps
        self._size = 0 if last is None else last.size
        # What stays the same is shared with the last run: there are many blocks, and two versions of most.
        self._known_names: tuple[str, ...] = () if last is None else last.names
        self._names = set(self._known_names)
        self._entry: dict[str, State] = {} if last is None else last.entry
        self._shares_entry = last is not None
        self._dirty: set[str] = set()
        self._steps: list[Step] = []
        if last is not None:
            self._compare()

    def _compare(self) -> None:
        """Find the names that begin with another state than the last time."""
        state, entry = self._pass.state, self._entry
        appeared = (self._pass.known() - entry.keys()) & self._names
        for name, before in entry.items():
            now = state(name)
            if now != before and not self._results.same(before, now):
                self._dirty.add(name)
        self._dirty.update([name for name in appeared if _is_known(state(name))])
        for name in self._dirty:
            self._enter(name)

    def _enter(self, name: str) -> None:
        now = self._pass.state(name)
        if not _is_known(now) and name not in self._entry:
            return
        if self._shares_entry:
            self._entry, self._shares_entry = dict(self._entry), False
        if _is_known(now):
            self._entry[name] = self._reruns.named(name, now)[1]
        else:
            del self._entry[name]

    def run(self, block: Block, context: object, wanted: Callable[[Stmt], object], given: object) -> Run:
        old, dirty, restore = self._old, self._dirty, self._pass.restore
        index = {id(step.stmt): number for number, step in enumerate(old)}
        pending: list[Stmt] = []
        position = 0
        for stmt in block:
            number = index.get(id(stmt), -1)
            if number < position:
                pending.append(stmt)
                continue
            if pending or number > position:
                self._replace(old[position:number], pending, wanted)
                pending = []
            step = old[number]
            position = number + 1
            if (not dirty or dirty.isdisjoint(step.names)) and step.wanted == wanted(stmt):
                restore(step.after)
                self._steps.append(step)
            else:
                self._unit([step], [stmt], wanted)
        if pending or position < len(old):
            self._replace(old[position:], pending, wanted)
        # None is ever taken away.
        names = self._known_names if len(self._known_names) == len(self._names) else tuple(self._names)
        return Run(context, names, self._entry, self._steps, self._size or len(names), given)

    def _replace(self, old: Sequence[Step], new: Sequence[Stmt], wanted: Callable[[Stmt], object]) -> None:
        """``new`` statements stand where the ``old`` ones stood."""
        if len(old) == len(new):
            for step, stmt in zip(old, new):
                self._unit([step], [stmt], wanted)
        else:
            self._unit(old, new, wanted)

    def _unit(self, old: Sequence[Step], new: Sequence[Stmt], wanted: Callable[[Stmt], object]) -> None:
        state, dirty = self._pass.state, self._dirty
        before: dict[str, State] = {}
        after: dict[str, State] = {}
        for step in old:
            after.update(step.after)
        for name in after:
            before[name] = state(name)
        known = [self._results.facts(stmt) for stmt in new]
        for facts in known:
            for name in set(facts.names) - self._names:
                # Whatever binds a name has it among its own: it has no other state at the block's beginning.
                self._names.add(name)
                self._enter(name)
            for name in facts.bound:
                if name not in before:
                    before[name] = state(name)
        paired = len(old) == len(new) == 1 and type(old[0].stmt) is type(new[0])
        # Around one statement the states are those found out here.
        alone = len(new) == 1
        for stmt, facts in zip(new, known):
            runs = old[0].runs if paired else None
            self._steps.append(self._step(stmt, facts, wanted(stmt), runs, before if alone else None))
        left = dict(self._steps[-1].after) if alone else None
        for name, untouched in before.items():
            if name in after:
                expected = after[name]
            elif name in dirty:
                continue
            else:
                expected = untouched
            now = state(name) if left is None else left.get(name, untouched)
            if now == expected or self._results.same(expected, now):
                dirty.discard(name)
            else:
                dirty.add(name)

    def _step(
        self,
        stmt: Stmt,
        facts: Facts,
        wanted: object,
        last: tuple[Run, ...] | None,
        before: dict[str, State] | None,
    ) -> Step:
        """``before``: the states of all names that ``stmt`` binds."""
        state = self._pass.state
        if before is None:
            before = {name: state(name) for name in facts.bound}
        made, runs = self._reruns.work(self._pass, stmt, wanted, last)
        after: list[tuple[str, State]] = []
        for name in facts.bound:
            now = state(name)
            if now != before[name]:
                after.append(self._reruns.named(name, now))
        return Step(stmt, made, facts.names, wanted, tuple(after), runs)


def _is_known(state: State) -> bool:
    return state[0] is not None or state[1] is not None
