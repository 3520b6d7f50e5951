"""One run of an entry file as Python would import it: which modules are loaded, and what each has done to the others.

A module's names depend on what earlier modules left in the modules it reads (``config.TOKENS = 64`` before
``from kernels import k``). So the evaluation of a module leaves a *trace*: in order, what it resolved and loaded, what
it read from other modules and what it wrote there. In another run the names are taken over when every step of the trace
would give the same again; the writes are then repeated.
"""

from __future__ import annotations

from typing import Any

from pto_lsp.analysis.frontend.constants import dsl
from pto_lsp.analysis.frontend.constants.comparison import same
from pto_lsp.analysis.frontend.constants.heap import interchangeable, leads_to
from pto_lsp.analysis.frontend.constants.importer import Importer, ModuleSource
from pto_lsp.analysis.frontend.constants.library import MODULES
from pto_lsp.analysis.frontend.constants.module_evaluation import ModuleEvaluation
from pto_lsp.analysis.frontend.constants.module_state import ModuleState
from pto_lsp.analysis.frontend.constants.traces import ConstantCache, Trace, without_repeats
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    Library,
    ModuleRef,
    Value,
)


class _Lost(BaseException):
    """A replayed module turns out to be needed while it is half loaded: replaying it is no good.

    No ``Exception``, because statements survive those.
    """

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
        self.consulted: set[str] = {entry}
        self.missing: set[tuple[str, str, int]] = set()
        self._replaying: dict[str, Trace] = {}
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

    def _poison(self, value: Value, replayed: str = "") -> None:
        """``replayed`` is the module that does it, when that is replayed: what it becomes tells of this already."""
        for path, trace in self._replaying.items():
            # What it goes on to do with the object is not what it did with one that was known.
            if path != replayed and any(leads_to(each, value) for each in trace.values()):
                raise _Lost(path)
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
        state = self.modules.get(path)
        if state is None:
            return {OPEN: UNKNOWN}
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
        self.consulted.add(path)
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
            ModuleEvaluation(self, state).run(code, main)
        finally:
            self._running.pop()
            self._steps.pop()
        state = ModuleState(path, state.names, state.bindings, state.maybe, False)
        self._settle(state)
        if path not in self._changed and not self._uncertain:
            self._cache.add(path, Trace(code, main, without_repeats(steps), state))

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
        self._replaying[path] = trace
        try:
            return all(self._repeat(step, path) for step in trace.steps)
        except _Lost as lost:
            if lost.path != path:
                raise
            return False
        finally:
            del self._replaying[path]
            self._running, self._steps = running, steps

    def _repeat(self, step: tuple[Any, ...], replayed: str) -> bool:
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
            self._poison(step[1], replayed)
            return True
        if word == "public":
            found = self._public(step[1])
            return found.keys() == step[2].keys() and all(interchangeable(found[name], step[2][name]) for name in found)
        self._put(step[1], step[2], step[3])
        return True
