"""Lowers functions on demand and links them into programs; what did not change is lowered once.

A lowered function is valid as long as its own syntax is the same object and every name it looked up still means the
same. The linker records these look-ups and repeats them, instead of tracking who depends on whom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.constants.values import FunctionRef, Value
from pto_lsp.analysis.frontend.dsl_function import DslFunction
from pto_lsp.analysis.frontend.line_memo import LineMemo
from pto_lsp.analysis.frontend.lookups import Lookup, Recorder, still_valid
from pto_lsp.analysis.frontend.lower_function import lower_function, signature_of
from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.frontend.scopes import Closure, Scope
from pto_lsp.analysis.frontend.signatures import Lowered, Names, Signature
from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.ir.expressions import Call, Expr, Submit
from pto_lsp.analysis.ir.place import SourceId, forget, itself
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.rewriting import rewrite_block
from pto_lsp.analysis.node import node

T = TypeVar("T")

_KEPT_VARIANTS = 4
"""How many versions of one function are kept, for entries that see different constants."""


class World(Protocol):
    """The modules of a project, as far as the linker needs them."""

    @property
    def epoch(self) -> int:
        """Grows with every change of any module."""

    def module(self, path: str) -> Module | None: ...

    def closure(self, entry: str, module: Module, placed: Placed) -> Closure:
        """What names outside the function mean in a program whose entry is in the file ``entry``."""


@node
class LoweredFunction:
    """A lowered function with the findings of its source rules."""

    lowered: Lowered
    findings: tuple[Finding, ...]


class _Entry:
    """A memoised result with the look-ups it rests on; ``valid`` maps entry files to the last epoch it was found
    valid for, and what names outside of the function meant then.
    """

    __slots__ = ("_names", "_others", "function", "result", "valid")

    def __init__(self, function: DslFunction, lookups: list[Lookup], result: object) -> None:
        self.function = function
        self.result = result
        self.valid: dict[str, tuple[int, Scope]] = {}
        self._names = [lookup for lookup in lookups if lookup[0] == "name"]
        self._others = [lookup for lookup in lookups if lookup[0] != "name"]

    def still_valid(self, entry: str, names: _Names) -> bool:
        """Whether all look-ups would give the same today, for the file ``entry``."""
        known = self.valid.get(entry)
        # Most edits are inside a function, and leave all that can be named around it what it is.
        unmoved = known is not None and known[1] is not None and known[1] is names.scope
        return (unmoved or still_valid(names, self._names)) and still_valid(names, self._others)


class _Names:
    """What the names of one function mean: its closure and module, and the methods of its class."""

    def __init__(self, linker: Linker, entry: str, module: Module, placed: Placed, closure: Closure) -> None:
        self._linker = linker
        self._entry = entry
        self._module = module
        self._placed = placed
        self._closure = closure
        self.env = closure.env
        self.scope = closure.scope

    def lookup(self, name: str) -> Value:
        return self._closure.lookup(name)

    def function(self, ref: FunctionRef) -> Signature | None:
        return self._linker.signature_of_ref(self._entry, ref)

    def method(self, name: str) -> Signature | None:
        methods = self._module.syntax.programs.get(self._placed.function.owner, ())
        for placed in methods:
            if placed.function.name == name:
                return self._linker.signature(self._entry, self._module, placed)
        return None


class Linker:
    """Owns the lowered functions of a project. Not safe for use from several threads at once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._signatures: dict[SourceId, list[_Entry]] = {}
        self._latest: dict[tuple[SourceId, str], Signature] = {}
        self._lowered: dict[SourceId, list[_Entry]] = {}
        self._statements: dict[tuple[SourceId, str], LineMemo] = {}
        self._programs: dict[tuple[SourceId, str, int], tuple[tuple[Lowered, ...], Program]] = {}
        self._epoch = 0

    def forget_gone(self) -> frozenset[SourceId]:
        """Forget the functions that are no longer in their modules: their names are being typed, they were deleted, the
        file was read anew. Returns them.
        """
        if self._epoch == self._world.epoch:
            return frozenset()
        self._epoch = self._world.epoch
        modules = {path: self._world.module(path) for path in {source.path for source in self._signatures}}
        found = [source for source in self._signatures if not _is_in(source, modules[source.path])]
        if not found:
            return frozenset()
        return self._forget(found)

    def forget_all_but(self, files: AbstractSet[str], entries: AbstractSet[str]) -> frozenset[SourceId]:
        """Forget the functions of other files than ``files``, and what the others are in programs of other entry files
        than ``entries``. Returns the forgotten functions.
        """
        by_entry: tuple[dict[tuple[SourceId, str], Any], ...] = (self._latest, self._statements)
        for table in by_entry:
            for key in [key for key in table if key[1] not in entries]:
                del table[key]
        for memo in (self._signatures, self._lowered):
            for known in memo.values():
                for one in known:
                    one.valid = {entry: seen for entry, seen in one.valid.items() if entry in entries}
                known[:] = [one for one in known if one.valid]
        return self._forget([source for source in self._signatures if source.path not in files])

    def _forget(self, sources: Iterable[SourceId]) -> frozenset[SourceId]:
        gone = frozenset(sources)
        forget(self._signatures, gone, itself)
        forget(self._lowered, gone, itself)
        forget(self._latest, gone, itemgetter(0))
        forget(self._statements, gone, itemgetter(0))
        forget(self._programs, gone, itemgetter(0))
        return gone

    def signature(self, entry: str, module: Module, placed: Placed) -> Signature:
        """The signature of a function as the file ``entry`` sees it; the same object until something it depends on
        changes.
        """

        def read(names: Names) -> Signature:
            found = signature_of(placed.function, names)
            before = self._latest.get((placed.source, entry))
            if before is not None and _moved_onto(before, found):
                return before
            self._latest[placed.source, entry] = found
            return found

        return self._memoised(self._signatures, entry, module, placed, read)

    def signature_of_ref(self, entry: str, ref: FunctionRef) -> Signature | None:
        """The signature of what a name stands for; None when that is not a DSL function."""
        module = self._world.module(ref.path)
        if module is None:
            return None
        placed = module.syntax.at(ref.qualname, ref.ordinal)
        return self.signature(entry, module, placed) if placed is not None else None

    def lowered(self, entry: str, module: Module, placed: Placed) -> LoweredFunction:
        """The IR of a function with its source findings, as the file ``entry`` sees it."""
        signature = self.signature(entry, module, placed)

        def lower(names: Names) -> LoweredFunction:
            known = self._statements.setdefault((placed.source, entry), LineMemo())
            return LoweredFunction(*lower_function(placed.function, signature, names, known))

        memo = self._lowered.get(placed.source)
        if memo is not None:
            memo[:] = [
                e for e in memo if isinstance(e.result, LoweredFunction) and e.result.lowered.signature is signature
            ]
        return self._memoised(self._lowered, entry, module, placed, lower)

    def _memoised(
        self,
        memo: dict[SourceId, list[_Entry]],
        entry: str,
        module: Module,
        placed: Placed,
        compute: Callable[[Names], T],
    ) -> T:
        function, epoch = placed.function, self._world.epoch
        known = memo.setdefault(function.source, [])
        names: _Names | None = None
        for one in known:
            if one.function is not function:
                continue
            before = one.valid.get(entry)
            if before is not None and before[0] == epoch:
                return one.result  # type: ignore[return-value]
            if names is None:
                names = _Names(self, entry, module, placed, self._world.closure(entry, module, placed))
            if one.still_valid(entry, names):
                one.valid[entry] = epoch, names.scope
                return one.result  # type: ignore[return-value]
        if names is None:
            names = _Names(self, entry, module, placed, self._world.closure(entry, module, placed))
        recorder = Recorder(names)
        result = compute(recorder)
        made = _Entry(function, recorder.lookups, result)
        made.valid[entry] = epoch, names.scope
        memo[function.source] = [made, *(e for e in known if e.function is function)][:_KEPT_VARIANTS]
        return made.result  # type: ignore[return-value]

    def program(
        self, module: Module, roots: tuple[Placed, ...], entry: str
    ) -> tuple[Program, tuple[LoweredFunction, ...]]:
        """The functions ``roots`` of ``module`` and all they reach, and these functions as lowered, in order of
        discovery.

        The program is the same object as long as every function in it is.
        """
        order: list[LoweredFunction] = []
        seen: set[SourceId] = set()
        queue = [(module, placed) for placed in roots]
        position = 0
        while position < len(queue):
            owner, placed = queue[position]
            position += 1
            if placed.source in seen:
                continue
            seen.add(placed.source)
            found = self.lowered(module.path, owner, placed)
            order.append(found)
            for signature in found.lowered.callees.values():
                if signature.source in seen:
                    continue
                callee_module = self._world.module(signature.source.path)
                callee = callee_module.syntax.by_source(signature.source) if callee_module is not None else None
                if callee_module is not None and callee is not None:
                    queue.append((callee_module, callee))
        key = (roots[0].source, entry, len(roots))
        lowered = tuple([f.lowered for f in order])
        known = self._programs.get(key)
        if known is not None and len(known[0]) == len(lowered) and all(a is b for a, b in zip(known[0], lowered)):
            return known[1], tuple(order)
        program = link(lowered, entry)
        self._programs[key] = (lowered, program)
        return program, tuple(order)


def _is_in(source: SourceId, module: Module | None) -> bool:
    return module is not None and module.syntax.by_source(source) is not None


def _moved_onto(before: Signature, now: Signature) -> bool:
    """Whether ``now`` says the same as ``before``; the parameters of ``before`` are then moved to those of ``now``."""
    same_head = (before.name, before.kind, before.method) == (now.name, now.kind, now.method)
    if not same_head or len(before.params) != len(now.params) or not alike(before.returns, now.returns):
        return False
    for old, new in zip(before.params, now.params):
        if not alike(replace(old, at=new.at), new):
            return False
    for old, new in zip(before.params, now.params):
        old.at.line.offset = new.at.line.offset
    return True


def link(functions: tuple[Lowered, ...], entry: str) -> Program:
    """Give every function its key and make calls use it: its name, or ``name~2`` … when several have that name."""
    keys: dict[SourceId, str] = {}
    used: set[str] = set()
    for lowered in functions:
        name, key, number = lowered.signature.name, lowered.signature.name, 1
        while key in used:
            number += 1
            key = f"{name}~{number}"
        used.add(key)
        keys[lowered.signature.source] = key
    linked: dict[str, Function] = {}
    for lowered in functions:
        renamed = {
            local: keys[signature.source]
            for local, signature in lowered.callees.items()
            if keys.get(signature.source, local) != local
        }
        function = lowered.function
        key = keys[lowered.signature.source]
        if renamed and function.body is not None:
            function = replace(function, body=rewrite_block(function.body, _renaming(renamed)))
        linked[key] = function if key == function.key else replace(function, key=key)
    return Program(linked, keys[functions[0].signature.source] if functions and entry else "")


def _renaming(keys: dict[str, str]) -> Callable[[Expr], Expr | None]:
    def change(expr: Expr) -> Expr | None:
        if isinstance(expr, (Call, Submit)) and expr.callee in keys:
            return replace(expr, callee=keys[expr.callee])
        return None

    return change
