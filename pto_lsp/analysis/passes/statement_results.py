"""What the passes made of statements when a function was analysed before.

An edit leaves most statements of a function alone: the front end hands them on as the same objects. A pass that finds
one again, under the same circumstances, takes the same result, which is again the same object for the next
pass. Circumstances are everything the result depends on beside the object itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Set as AbstractSet
from operator import is_
from typing import Union
from weakref import ref

from pto_lsp.analysis.interruption import Interruption
from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.ir.node_table import NodeTable
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Region, Stmt, Unpack
from pto_lsp.analysis.ir.types import Type
from pto_lsp.analysis.ir.uses import add_extents, add_names, bound_in, use_counts
from pto_lsp.analysis.ir.visitor import blocks, bound_variables, statement_exprs, with_blocks
from pto_lsp.analysis.passes.facts import SIMPLE, TEMPORARY, Collected, Facts, Structural, holds, holds_itself

Subject = Union[Stmt, Function]
Functions = tuple[Union[Function, None], ...]

_PLACES = 4_096
"""Of what stood in more places than that the one least recently asked for is dropped. Age would not do: within what is
taken over as a whole nothing is asked for, until an edit falls into it.
"""

_ITSELF = object()
"""The result is the subject: to hold that would keep it alive."""


class _Entry:
    """The result of a step with what it depends on, and the ``next`` result: there are few of one statement, and many
    statements. Functions that call each other must not keep each other alive here.
    """

    __slots__ = ("circumstances", "functions", "next", "result", "step")

    def __init__(self, step: str, next_entry: _Entry | None) -> None:
        self.step = step
        self.next = next_entry

    def hold(self, circumstances: object, functions: Functions, result: object) -> None:
        self.circumstances = circumstances
        self.functions = tuple([None if function is None else ref(function) for function in functions])
        self.result = result

    def rests_on(self, functions: Functions) -> bool:
        """Whether it was made for the very same ``functions``."""
        if len(functions) != len(self.functions):
            return False
        for before, now in zip(self.functions, functions):
            if now is None:
                if before is not None:
                    return False
            elif before is None or before() is not now:
                return False
        return True


class _Known:
    """What is known of one statement or function: its facts, what a plain one reads, what a function calls, and the
    results of steps.
    """

    __slots__ = ("callees", "facts", "first", "reads")

    def __init__(self) -> None:
        self.facts: Facts | None = None
        self.reads: tuple[str, ...] | None = None
        self.callees: tuple[str, ...] | None = None
        # Most statements have none.
        self.first: _Entry | None = None

    def entry(self, step: str) -> _Entry | None:
        entry = self.first
        while entry is not None and entry.step != step:
            entry = entry.next
        return entry


class StatementResults:
    """A result per step and statement (or function), for as long as that lives. No result may lead to its subject,
    unless it is the subject.
    """

    def __init__(self, interruption: Interruption | None = None, edits: bool = True) -> None:
        """``interruption`` can end a run of the passes between two functions. Without ``edits`` no function will come
        in another version.
        """
        self.edits = edits
        self._interruption = interruption or Interruption()
        self._known: NodeTable[_Known] = NodeTable()
        self._standing: OrderedDict[tuple[str, int, object], tuple[SourceId, object]] = OrderedDict()
        self._same_types: dict[tuple[int, int], tuple[bool, Type, Type]] = {}

    def begin(self) -> None:
        """The passes run anew."""
        self._same_types = {}

    def forget(self, gone: AbstractSet[SourceId]) -> None:
        """Forget what stood in functions that are ``gone``."""
        for key in [key for key, (place, _) in self._standing.items() if place in gone]:
            del self._standing[key]

    def next_function(self) -> None:
        """A pass turns to another function. Raises `Cancelled` when the run is not wanted any more."""
        self._interruption.check()

    def find(self, step: str, subject: Subject, circumstances: object, functions: Functions = ()) -> object:
        """The result of ``step`` for ``subject`` when it was stored under like ``circumstances`` and for the very same
        ``functions``; None otherwise.
        """
        known = self._known.get(subject)
        entry = None if known is None else known.entry(step)
        if entry is None or ((functions or entry.functions) and not entry.rests_on(functions)):
            return None
        if entry.circumstances is not circumstances and not self.same(entry.circumstances, circumstances):
            return None
        return subject if entry.result is _ITSELF else entry.result

    def store(
        self,
        step: str,
        subject: Subject,
        circumstances: object,
        result: object,
        functions: Functions = (),
    ) -> None:
        known = self._of(subject)
        entry = known.entry(step)
        if entry is None:
            entry = known.first = _Entry(step, known.first)
        entry.hold(circumstances, functions, _ITSELF if result is subject else result)

    def _of(self, subject: Subject) -> _Known:
        known = self._known.get(subject)
        if known is None:
            known = _Known()
            self._known.put(subject, known)
        return known

    def standing(self, step: str, place: SourceId, which: object) -> object:
        """What ``step`` made last in the function ``place`` for ``which`` of the things there; None for nothing."""
        key = (step, id(place), which)
        last = self._standing.get(key)
        if last is None:
            return None
        self._standing.move_to_end(key)
        return last[1]

    def put(self, step: str, place: SourceId, which: object, result: object) -> None:
        """``result`` stands there now."""
        standing = self._standing
        # The place is kept alive, so that no key is used again.
        standing[step, id(place), which] = (place, result)
        standing.move_to_end((step, id(place), which))
        if len(standing) > _PLACES:
            standing.popitem(last=False)

    def facts(self, stmt: Stmt) -> Facts:
        """The facts of ``stmt``: this is asked for most."""
        if type(stmt) in SIMPLE:
            own = Collected()
            own.add(stmt)
            return own.facts()
        known = self._known.get(stmt)
        if known is not None and known.facts is not None:
            return known.facts
        found = Collected()
        self._collect(stmt, found, False)
        known = self._of(stmt)
        known.facts = found.facts()
        return known.facts

    def reads(self, stmt: Stmt) -> tuple[str, ...]:
        """The names that a statement without bodies reads, those in the type of what it binds included."""
        known = self._known.get(stmt) if self.edits else None
        if known is not None and known.reads is not None:
            return known.reads
        names: set[str] = set()
        for expr in statement_exprs(stmt):
            add_names(expr, names)
        if isinstance(stmt, (Assign, Unpack)):
            for target in bound_variables(stmt):
                add_extents(target.type, names)
        found = tuple(names)
        if self.edits:
            self._of(stmt).reads = found
        return found

    def _collect(self, stmt: Stmt, found: Collected, device: bool) -> None:
        found.add(stmt)
        # Statements of device code are seldom asked for one by one.
        device = device or isinstance(stmt, Region)
        for body in blocks(stmt):
            for below in body:
                if type(below) in SIMPLE:
                    found.add(below)
                elif device and self._known.get(below) is None:
                    self._collect(below, found, True)
                else:
                    found.merge(self.facts(below))

    def holds(self, stmt: Stmt, fact: Structural) -> bool:
        """One of the facts of ``stmt`` about the statements in it; without edits the others are not found out."""
        if type(stmt) in SIMPLE:
            return holds_itself(stmt, fact)
        return getattr(self.facts(stmt), fact) if self.edits else holds(stmt, fact)

    def bound_in(self, block: Block) -> dict[str, Var]:
        """`uses.bound_in` by way of facts."""
        if not self.edits:
            return bound_in(block)
        found: dict[str, Var] = {}
        for stmt in block:
            if type(stmt) in SIMPLE:
                for var in bound_variables(stmt):
                    found.setdefault(var.name, var)
                continue
            bound = self.facts(stmt).bound
            if found.keys().isdisjoint(bound):
                found.update(bound)
            else:
                for name, var in bound.items():
                    found.setdefault(name, var)
        return found

    def temporary(self, block: Block) -> frozenset[str]:
        """The names bound in ``block`` that could be taken for one that a pass makes (`facts.TEMPORARY`)."""
        found: set[str] = set()
        for stmt in block:
            if type(stmt) in SIMPLE:
                found.update([var.name for var in bound_variables(stmt) if var.name.startswith(TEMPORARY)])
            elif self.edits:
                found.update(self.facts(stmt).temporary)
            else:
                found.update([name for name in bound_in((stmt,)) if name.startswith(TEMPORARY)])
        return frozenset(found)

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

    def settled(self, step: str, place: SourceId, which: object, block: list[Stmt]) -> list[Stmt]:
        """``block``, which takes the place of what was `standing` there, with every statement that says the same as one
        of last time replaced by that one.
        """
        known = self.standing(step, place, which)
        if isinstance(known, list):
            settle(block, known)
        self.put(step, place, which, block)
        return block

    def reachable(self, program: Program, callees: tuple[str, ...]) -> Functions:
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
        known = self._of(function)
        if known.callees is None:
            names: dict[str, None] = {}
            for stmt in function.body or ():
                names.update(dict.fromkeys(self.facts(stmt).callees))
            known.callees = tuple(names)
        return known.callees

    def set_callees(self, function: Function, callees: tuple[str, ...]) -> None:
        """These are the functions that ``function`` calls: its body has the same calls as one they were asked of."""
        self._of(function).callees = callees

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


def settle(block: list[Stmt], known: list[Stmt]) -> None:
    """Put those of the ``known`` statements that say the same in the places of statements of ``block``."""
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


def _same_blocks(left: tuple[Block, ...], right: tuple[Block, ...]) -> bool:
    return all(len(a) == len(b) and all(map(is_, a, b)) for a, b in zip(left, right))
