"""One run of an entry file as Python would import it: which modules are loaded, and what each has done to the others.

A module's names depend on what earlier modules left in the modules it reads (``config.TOKENS = 64`` before
``from kernels import k``). So the evaluation of a module leaves a *trace*: in order, what it resolved and loaded, what
it read from other modules and what it wrote there. In another run the names are taken over when every step of the trace
would give the same again; the writes are then repeated.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from pto_lsp.analysis.frontend.constants import dsl
from pto_lsp.analysis.frontend.constants.ast_statements import AstStatements
from pto_lsp.analysis.frontend.constants.chunk_code import ChunkCache, ChunkCode
from pto_lsp.analysis.frontend.constants.comparison import same
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.heap import interchangeable
from pto_lsp.analysis.frontend.constants.importer import Importer, ModuleSource
from pto_lsp.analysis.frontend.constants.library import MODULES
from pto_lsp.analysis.frontend.constants.limits import Raised, Unknowable
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    ClassRef,
    FunctionRef,
    Instance,
    Library,
    ModuleRef,
    Value,
)
from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.document import Chunk

_TRACES_PER_MODULE = 8


@node
class Binding:
    """Where a name was bound last: index of the chunk in the module."""

    chunk: int


@node
class ModuleState:
    """``names`` changes while the module is ``loading`` and never after; later writes are the session's.

    ``maybe`` are names that statements bind which are not executed here.
    """

    path: str
    names: dict[str, Value]
    bindings: dict[str, Binding]
    maybe: set[str]
    loading: bool

    def lookup(self, name: str) -> Value:
        """``MISSING`` when surely nothing binds the name."""
        value = self.names.get(name, MISSING)
        return UNKNOWN if value is MISSING and name in self.maybe else value


@node
class Trace:
    """``code`` is what was evaluated; ``steps`` are tuples: a word, then its operands and result, see ``Session``."""

    code: tuple[ChunkCode, ...]
    main: bool
    steps: list[tuple[Any, ...]]
    state: ModuleState


class ConstantCache:
    """What evaluations share: parsed chunks and traces. Owned by the project; safe to drop at any time."""

    def __init__(self, capacity: int = 512) -> None:
        self.chunks = ChunkCache()
        self._capacity = capacity
        self._traces: OrderedDict[str, list[Trace]] = OrderedDict()
        self._codes: dict[str, tuple[Sequence[Chunk] | None, tuple[ChunkCode, ...]]] = {}

    def code(self, source: ModuleSource) -> tuple[ChunkCode, ...]:
        """Code of the chunks of a module; parsed anew only where ``source.chunks`` is another list than last time."""
        chunks, code = self._codes.get(source.path, (None, ()))
        if chunks is not source.chunks:
            get = self.chunks.get
            code = tuple([get(chunk) for chunk in source.chunks])
            self._codes[source.path] = source.chunks, code
        return code

    def traces(self, path: str) -> list[Trace]:
        """Latest first."""
        return self._traces.get(path, [])

    def add(self, path: str, trace: Trace) -> None:
        self._traces[path] = [trace, *self._traces.get(path, [])[: _TRACES_PER_MODULE - 1]]
        self._traces.move_to_end(path)
        if len(self._traces) > self._capacity:
            path, _ = self._traces.popitem(last=False)
            self._codes.pop(path, None)

    def prefer(self, path: str, trace: Trace) -> None:
        traces = self._traces[path]
        if traces[0] is not trace:
            traces.remove(trace)
            traces.insert(0, trace)


class _Lost(Exception):
    """A replayed module turns out to be needed while it is half loaded: replaying it is no good."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Session:
    """The modules of one run, and the ``World`` of the one that is being evaluated, the last of ``_running``."""

    def __init__(self, importer: Importer, cache: ConstantCache, entry: str) -> None:
        self._importer = importer
        self._cache = cache
        self._entry = entry
        self.modules: dict[str, ModuleState] = {}
        self.overlays: dict[str, dict[str, Value]] = {}
        self.missing: set[tuple[str, str, int]] = set()
        self._replaying: set[str] = set()
        # Modules that others changed while they were loading: the trace of such a one does not tell what it became.
        self._changed: set[str] = set()
        # Modules whose objects others may hold though the module that made them is still loading.
        self._shared: set[str] = set()
        self._written: list[tuple[ModuleState, str, Value]] = []
        self._uncertain = 0
        self._tried: dict[str, ModuleState] = {}
        self._running: list[str] = []
        self._steps: list[list[tuple[Any, ...]]] = []

    # World

    def read(self, path: str, name: str) -> Value:
        value = self._peek(path, name)
        if self._running and path != self._running[-1]:
            self._steps[-1].append(("read", path, name, value))
            self._share(path)
        return value

    def _share(self, path: str) -> None:
        """Another module gets at the objects of ``path``."""
        state = self.modules.get(path)
        if state is not None and state.loading:
            self._shared.add(path)

    def _peek(self, path: str, name: str) -> Value:
        if path in self._replaying:
            raise _Lost(path)
        overlay = self.overlays.get(path)
        if overlay is not None and name in overlay:
            return overlay[name]
        state = self.modules.get(path)
        return MISSING if state is None else state.lookup(name)

    def is_open(self, path: str) -> bool:
        state = self.modules.get(path)
        return state is None or state.loading or self.read(path, OPEN) is not MISSING

    def write(self, path: str, name: str, value: Value) -> None:
        self._put(path, name, value)
        if self._running and path != self._running[-1]:
            self._steps[-1].append(("write", path, name, value))
            self._share(self._running[-1])

    def _put(self, path: str, name: str, value: Value) -> None:
        if path in self._replaying:
            raise _Lost(path)
        if self._uncertain:
            value = UNKNOWN
        state = self.modules.get(path)
        if state is not None and state.loading:
            if not self._running or self._running[-1] != path:
                self._changed.add(path)
            self._written.append((state, name, state.names.get(name, MISSING)))
            state.names[name] = value
        else:
            self.overlays[path] = {**self.overlays.get(path, {}), name: value}

    def poison(self, value: Value, own: bool) -> None:
        if not own or self._running[-1] in self._shared:
            self._steps[-1].append(("poison", value))
            self._poison(value)

    def _poison(self, value: Value) -> None:
        for path in list(self.modules):
            if path in self._replaying:
                raise _Lost(path)
            for name in self.modules[path].names.keys() | self.overlays.get(path, {}).keys():
                if leads_to(self._peek(path, name), value):
                    self._put(path, name, UNKNOWN)

    def public(self, path: str) -> dict[str, Value]:
        found = self._public(path)
        self._share(path)
        self._steps[-1].append(("public", path, found))
        return found

    def _public(self, path: str) -> dict[str, Value]:
        if path in self._replaying:
            raise _Lost(path)
        state = self.modules[path]
        names = {**state.names, **self.overlays.get(path, {})}
        listed = names.get("__all__", MISSING)
        if isinstance(listed, (list, tuple)):
            found = {name: names.get(name, UNKNOWN) for name in listed if type(name) is str}
        else:
            found = {name: value for name, value in names.items() if not name.startswith("_")}
        if OPEN in names or state.loading or listed is UNKNOWN:
            found[OPEN] = UNKNOWN
        return found

    def script(self) -> str:
        return self._entry

    def import_module(self, importing: str, dotted: str, level: int, certain: bool) -> Value:
        if level == 0:
            if dsl.is_pypto(dotted):
                return dsl.module(dotted)
            if dotted.partition(".")[0] in MODULES:
                return Library(dotted)
        path = self._resolve(importing, dotted, level)
        self._steps[-1].append(("resolve", importing, dotted, level, path))
        if path is None or not self.load(path, certain):
            return UNKNOWN
        return ModuleRef(path)

    def _resolve(self, importing: str, dotted: str, level: int) -> str | None:
        path = self._importer.resolve(importing, dotted, level)
        if path is None:
            self.missing.add((importing, dotted, level))
        return path

    # Loading

    def load(self, path: str, certain: bool) -> bool:
        """Make ``path`` a loaded module, if it is not yet; False when it cannot be read.

        An import that is not certain has only the effects that it may have: what it writes is unknown afterwards, and
        the modules that it loads are loaded again by the next import.
        """
        if path in self._replaying:
            raise _Lost(path)
        loaded = path in self.modules
        if not loaded:
            source = self._importer.source(path)
            loaded = source is not None
            if source is not None and certain:
                self.run(source)
            elif source is not None:
                self._try_out(source)
        if self._steps:
            self._steps[-1].append(("load", path, loaded, certain))
        return loaded

    def _try_out(self, source: ModuleSource) -> None:
        before = set(self.modules)
        self._uncertain += 1
        try:
            self.run(source)
        finally:
            self._uncertain -= 1
        for path in self.modules.keys() - before:
            self._tried[path] = self.modules.pop(path)

    def run(self, source: ModuleSource) -> None:
        """Evaluate a module, or take over an earlier evaluation that would give the same."""
        path = source.path
        main = path == self._entry
        code = self._cache.code(source)
        for trace in self._cache.traces(path):
            if trace.main == main and trace.code == code:
                modules, overlays, mark = dict(self.modules), dict(self.overlays), len(self._written)
                if self._replay(path, trace):
                    self._cache.prefer(path, trace)
                    self._settle(trace.state)
                    return
                self.modules, self.overlays = modules, overlays
                self._undo(mark)
        steps: list[tuple[Any, ...]] = []
        state = ModuleState(path, {}, {}, set(), True)
        self.modules[path] = state
        self._running.append(path)
        self._steps.append(steps)
        try:
            _Evaluation(self, state).run(code, main)
        finally:
            self._running.pop()
            self._steps.pop()
        state = ModuleState(path, state.names, state.bindings, state.maybe, False)
        self._settle(state)
        if path not in self._changed and not self._uncertain:
            self._cache.add(path, Trace(code, main, _without_repeats(steps), state))

    def _settle(self, state: ModuleState) -> None:
        """Enter an evaluated module. When it was tried out before, either evaluation may be the real one."""
        tried = self._tried.get(state.path)
        if tried is not None and not self._uncertain:
            names = {
                name: value if same(value, tried.names.get(name, MISSING)) else UNKNOWN
                for name, value in state.names.items()
            }
            state = ModuleState(state.path, names, state.bindings, state.maybe, False)
        self.modules[state.path] = state

    def _undo(self, mark: int) -> None:
        """Take back what was written into modules that are still loading since ``_written`` had the length ``mark``."""
        while len(self._written) > mark:
            state, name, value = self._written.pop()
            if self.modules.get(state.path) is not state:
                continue
            if value is MISSING:
                state.names.pop(name, None)
            else:
                state.names[name] = value

    def _replay(self, path: str, trace: Trace) -> bool:
        """Repeat the steps of ``trace``; False when one would give another result."""
        running, steps = self._running, self._steps
        self._running, self._steps = [], []
        self._replaying.add(path)
        try:
            return all(map(self._repeat, trace.steps))
        except _Lost as lost:
            if lost.path != path:
                raise
            return False
        finally:
            self._replaying.discard(path)
            self._running, self._steps = running, steps

    def _repeat(self, step: tuple[Any, ...]) -> bool:
        word = step[0]
        if word == "read":
            return interchangeable(self._peek(step[1], step[2]), step[3])
        if word == "load":
            loaded: bool = step[2]
            return self.load(step[1], step[3]) is loaded
        if word == "resolve":
            path: str | None = step[4]
            return self._resolve(step[1], step[2], step[3]) == path
        if word == "poison":
            self._poison(step[1])
            return True
        if word == "public":
            found = self._public(step[1])
            return found.keys() == step[2].keys() and all(interchangeable(found[name], step[2][name]) for name in found)
        self._put(step[1], step[2], step[3])
        return True


def _without_repeats(steps: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The steps without reads that follow a read of the same name with nothing but reads between."""
    kept: list[tuple[Any, ...]] = []
    seen: set[tuple[str, str]] = set()
    for step in steps:
        if step[0] != "read":
            seen.clear()
        elif (step[1], step[2]) in seen:
            continue
        else:
            seen.add((step[1], step[2]))
        kept.append(step)
    return kept


def leads_to(value: Any, target: Value) -> bool:
    """Whether the object ``target`` is ``value`` or inside it."""
    stack: list[Any] = [value]
    budget = 10_000
    while stack:
        current = stack.pop()
        if current is target or (type(target) is ClassRef and current == target):
            return True
        budget -= 1
        if budget < 0:
            return True
        if isinstance(current, dict):
            stack.extend(current.values())
        elif isinstance(current, (list, tuple)):
            stack.extend(current)
        elif isinstance(current, Instance):
            stack.append(current.cls)
            stack.extend(current.fields.values())
    return False


class _Evaluation:
    """Runs the chunks of one module."""

    def __init__(self, session: Session, state: ModuleState) -> None:
        self._state = state
        self._machine = AstStatements(session)
        self._frame = Frame(state.path, "module", state.names)

    def run(self, chunks: tuple[ChunkCode, ...], main: bool) -> None:
        machine, names, state = self._machine, self._state.names, self._state
        names["__name__"] = state.path.replace("\\", "/").rpartition("/")[2].removesuffix(".py")
        names["__file__"] = UNKNOWN
        volatile: set[str] = set().union(*[code.volatile for code in chunks if code.volatile])
        for index, code in enumerate(chunks):
            if code.kind == "main":
                # What a script rebinds depends on its arguments; the rest of the module was made for the value before.
                if main:
                    state.maybe.update(code.names)
                continue
            self._execute(code)
            for name in code.names:
                state.bindings[name] = Binding(index)
                if name not in names:
                    state.maybe.add(name)
                elif name in volatile:
                    machine.heap.hide(names[name])
                    names[name] = UNKNOWN
            for key, count in code.functions.items():
                if "<locals>" not in key[0]:
                    machine.ordinals[key] = machine.ordinals.get(key, 0) + count
        if machine.poisoned:
            for name, value in names.items():
                names[name] = machine.heap.sound(value)

    def _execute(self, code: ChunkCode) -> None:
        machine, names, path = self._machine, self._state.names, self._state.path
        if code.kind == "statements":
            try:
                machine.execute(code.statements, self._frame)
            except (Raised, Unknowable):
                # Out of steps.
                names.update(dict.fromkeys(code.names, UNKNOWN))
        elif code.kind == "function":
            dsl_function = code.code is None
            ordinal = machine.ordinals.get((code.name, dsl_function), 0)
            defaults = self._defaults(code)
            names[code.name] = FunctionRef(path, code.name, ordinal, dsl_function, code.code, None, defaults)
        elif code.kind == "program":
            names[code.name] = ClassRef(path, code.name, machine.ordinals.get((code.name, True), 0), True)
        else:
            names.update(dict.fromkeys(code.names, UNKNOWN))

    def _defaults(self, code: ChunkCode) -> dict[str, Value] | None:
        if code.parameters is None:
            return None
        try:
            return self._machine.defaults(code.parameters, self._frame)
        except (Raised, Unknowable, RecursionError):
            return None
