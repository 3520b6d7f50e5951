"""What the passes made of statements when a function was analysed before.

An edit leaves most statements of a function alone: the front end hands them on as the same objects. A pass that finds
one again, under the same circumstances, takes the same result, which is again the same object for the next
pass. Circumstances are everything the result depends on beside the object itself.
"""

from __future__ import annotations

from operator import is_

from pto_lsp.analysis.interruption import Interruption
from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Block, Region, Stmt
from pto_lsp.analysis.ir.types import Type
from pto_lsp.analysis.ir.uses import bound_in, use_counts
from pto_lsp.analysis.ir.visitor import blocks, with_blocks
from pto_lsp.analysis.passes.facts import TEMPORARY, Collected, Facts, Structural, holds

_KEPT_RUNS = 24
"""A result that so many runs of the passes did not ask for is dropped."""


class _Entry:
    """``run`` is the last run of the passes that asked for it."""

    __slots__ = ("circumstances", "functions", "result", "run", "subject")

    def __init__(
        self, subject: object, circumstances: object, functions: tuple[object, ...], result: object, run: int
    ) -> None:
        self.subject = subject
        self.circumstances = circumstances
        self.functions = functions
        self.result = result
        self.run = run


class StatementResults:
    """A result per step and statement (or function), for as long as it is asked for."""

    def __init__(self, interruption: Interruption | None = None, edits: bool = True) -> None:
        """``interruption`` can end a run of the passes between two functions. Without ``edits`` no function will come
        in another version.
        """
        self.edits = edits
        self._interruption = interruption or Interruption()
        self._run = 0
        self._entries: dict[tuple[str, int, object], _Entry] = {}
        self._same_types: dict[tuple[int, int], tuple[bool, Type, Type]] = {}

    def begin(self) -> None:
        """The passes run anew."""
        self._same_types = {}
        self._run += 1
        if self._run % _KEPT_RUNS == 0:
            oldest = self._run - _KEPT_RUNS
            self._entries = {key: entry for key, entry in self._entries.items() if entry.run > oldest}

    def next_function(self) -> None:
        """A pass turns to another function. Raises `Cancelled` when the run is not wanted any more."""
        self._interruption.check()

    def find(
        self,
        step: str,
        subject: object,
        circumstances: object,
        functions: tuple[object, ...] = (),
        which: object = None,
    ) -> object:
        """The result of ``step`` for ``subject`` when it was stored under like ``circumstances`` and for the very same
        ``functions``; None otherwise. ``which`` tells several results for one subject apart.
        """
        key = (step, id(subject), which)
        entry = self._entries.get(key)
        if entry is None or entry.subject is not subject:
            return None
        if len(entry.functions) != len(functions) or not all(map(is_, entry.functions, functions)):
            return None
        if entry.circumstances is not circumstances and not self.same(entry.circumstances, circumstances):
            return None
        entry.run = self._run
        return entry.result

    def store(
        self,
        step: str,
        subject: object,
        circumstances: object,
        result: object,
        functions: tuple[object, ...] = (),
        which: object = None,
    ) -> None:
        self._entries[step, id(subject), which] = _Entry(subject, circumstances, functions, result, self._run)

    def facts(self, stmt: Stmt) -> Facts:
        """The facts of ``stmt``; `find` without what that does about circumstances: this is asked for most."""
        entry = self._entries.get(("facts", id(stmt), None))
        if entry is not None and entry.subject is stmt:
            entry.run = self._run
            return entry.result  # type: ignore[return-value]
        found = Collected()
        self._collect(stmt, found, False)
        made = found.facts()
        self.store("facts", stmt, None, made)
        return made

    def _collect(self, stmt: Stmt, found: Collected, device: bool) -> None:
        found.add(stmt)
        # Statements of device code are seldom asked for one by one.
        device = device or isinstance(stmt, Region)
        for body in blocks(stmt):
            for below in body:
                if device and ("facts", id(below), None) not in self._entries:
                    self._collect(below, found, True)
                else:
                    found.merge(self.facts(below))

    def holds(self, stmt: Stmt, fact: Structural) -> bool:
        """One of the facts of ``stmt`` about the statements in it; without edits the others are not found out."""
        return getattr(self.facts(stmt), fact) if self.edits else holds(stmt, fact)

    def bound_in(self, block: Block) -> dict[str, Var]:
        """`uses.bound_in` by way of facts."""
        if not self.edits:
            return bound_in(block)
        found: dict[str, Var] = {}
        for stmt in block:
            bound = self.facts(stmt).bound
            if found.keys().isdisjoint(bound):
                found.update(bound)
            else:
                for name, var in bound.items():
                    found.setdefault(name, var)
        return found

    def temporary(self, block: Block) -> frozenset[str]:
        """The names bound in ``block`` that could be taken for one that FlattenCallExpr makes."""
        if not self.edits:
            return frozenset([name for name in bound_in(block) if name.startswith(TEMPORARY)])
        return frozenset().union(*[self.facts(stmt).temporary for stmt in block])

    def use_counts(self, block: Block) -> dict[str, int]:
        """`uses.use_counts`, with the counts of statements known."""
        counts: dict[str, int] = {}
        get = counts.get
        for stmt in block:
            for name, count in self.uses(stmt).items():
                counts[name] = get(name, 0) + count
        return counts

    def uses(self, stmt: Stmt) -> dict[str, int]:
        """`uses.use_counts` of one statement."""
        known = self.find("uses", stmt, None)
        if known is None:
            if isinstance(stmt, Region) or not blocks(stmt):
                known = use_counts((stmt,))
            else:
                known = use_counts((with_blocks(stmt, tuple([() for _ in blocks(stmt)])),))
                for body in blocks(stmt):
                    for name, count in self.use_counts(body).items():
                        known[name] = known.get(name, 0) + count
            self.store("uses", stmt, None, known)
        return known  # type: ignore[return-value]

    def rebuilt(self, step: str, stmt: Stmt, bodies: tuple[Block, ...]) -> Stmt:
        """``stmt`` with other ``bodies``: the same object as last time when the statements in these are the same."""
        known = self.find(step, stmt, None)
        if known is not None and _same_blocks(blocks(known), bodies):  # type: ignore[arg-type]
            return known  # type: ignore[return-value]
        made = with_blocks(stmt, bodies)
        self.store(step, stmt, None, made)
        return made

    def settled(self, step: str, subject: object, which: object, block: list[Stmt]) -> list[Stmt]:
        """``block`` with every statement that says the same as one of last time replaced by that one."""
        known = self.find(step, subject, None, which=which)
        if isinstance(known, list):
            length, shift = len(known), len(known) - len(block)
            for index, stmt in enumerate(block):
                if index < length and known[index] is stmt:
                    continue
                candidates = [known[at] for at in {index, index + shift} if 0 <= at < length]
                if any(before is stmt for before in candidates):
                    continue
                for before in candidates:
                    if alike(before, stmt):
                        block[index] = before
                        break
        self.store(step, subject, None, block, which=which)
        return block

    def reachable(self, program: Program, callees: tuple[str, ...]) -> tuple[object, ...]:
        """The functions that calls of ``callees`` lead to, however far away; None for one that is not there."""
        if not callees:
            return ()
        found: dict[str, Function | None] = {}
        stack = list(callees)
        while stack:
            key = stack.pop()
            if key not in found:
                function = found[key] = program.functions.get(key)
                if function is not None:
                    stack.extend(self.callees(function))
        return tuple(found.values())

    def callees(self, function: Function) -> tuple[str, ...]:
        """The functions that ``function`` calls."""
        known = self.find("callees", function, None)
        if known is None:
            names: dict[str, None] = {}
            for stmt in function.body or ():
                names.update(dict.fromkeys(self.facts(stmt).callees))
            known = tuple(names)
            self.store("callees", function, None, known)
        return known  # type: ignore[return-value]

    def same(self, left: object, right: object) -> bool:
        """`alike`, with comparisons of the same two types made once: the same ones turn up at many statements."""
        if left is right:
            return True
        if isinstance(left, tuple) and isinstance(right, tuple):
            return len(left) == len(right) and all(map(self.same, left, right))
        if isinstance(left, Var) and isinstance(right, Var):
            return (
                left.name == right.name
                and left.label == right.label
                and left.span == right.span
                and self._same_type(left.type, right.type)
            )
        return alike(left, right)

    def _same_type(self, left: Type, right: Type) -> bool:
        if left is right:
            return True
        key = (id(left), id(right))
        known = self._same_types.get(key)
        if known is None:
            # The entry keeps both types alive, so that no key is used again.
            known = self._same_types[key] = (alike(left, right), left, right)
        return known[0]


def _same_blocks(left: tuple[Block, ...], right: tuple[Block, ...]) -> bool:
    return all(len(a) == len(b) and all(map(is_, a, b)) for a, b in zip(left, right))
