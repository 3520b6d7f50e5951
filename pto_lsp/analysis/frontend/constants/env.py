"""What is known of the modules of one run once it is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pto_lsp.analysis.frontend.constants import dsl
from pto_lsp.analysis.frontend.constants.comparison import same
from pto_lsp.analysis.frontend.constants.library import MODULES
from pto_lsp.analysis.frontend.constants.module_state import Binding, ModuleState
from pto_lsp.analysis.frontend.constants.values import MISSING, OPEN, UNKNOWN, Library, Value


class Modules:
    """The modules of one run after it, as the entry file sees them. Immutable. ``paths`` are all the run looked at."""

    def __init__(
        self,
        entry: str,
        states: Mapping[str, ModuleState],
        overlays: Mapping[str, Mapping[str, Value]],
        paths: frozenset[str],
    ) -> None:
        self.entry = entry
        self.paths = paths
        self._states = states
        self._overlays = overlays
        self._envs: dict[str, ModuleEnv] = {}

    def env(self, path: str) -> ModuleEnv | None:
        """The module at ``path`` when the run loaded it."""
        env = self._envs.get(path)
        if env is None and path in self._states:
            env = self._envs[path] = ModuleEnv(self, self._states[path], self._overlays.get(path, {}))
        return env

    def same_as(self, other: Modules) -> bool:
        return (
            self.paths == other.paths
            and self._states.keys() == other._states.keys()
            and all(other._states[path] is state for path, state in self._states.items())
            and self._overlays.keys() == other._overlays.keys()
            and all(same(other._overlays[path], overlay) for path, overlay in self._overlays.items())
        )

    # World

    def read(self, path: str, name: str) -> Value:
        overlay = self._overlays.get(path)
        if overlay is not None and name in overlay:
            return overlay[name]
        state = self._states.get(path)
        return MISSING if state is None else state.lookup(name)

    def write(self, path: str, name: str, value: Value) -> None:
        """The run is over: what is evaluated now has no effect on it."""

    def poison(self, value: Value, own: bool) -> None:
        """As ``write``."""

    def is_open(self, path: str) -> bool:
        return path not in self._states or self.read(path, OPEN) is not MISSING

    def public(self, path: str) -> dict[str, Value]:
        return {OPEN: UNKNOWN}

    def import_module(self, importing: str, dotted: str, level: int, certain: bool) -> Value:
        if level == 0 and dsl.is_pypto(dotted):
            return dsl.module(dotted)
        if level == 0 and dotted.partition(".")[0] in MODULES:
            return Library(dotted)
        return UNKNOWN

    def script(self) -> str:
        return self.entry


NO_MODULES = Modules("", {}, {}, frozenset())


class ModuleEnv:
    """The names of one module. Immutable; the same object as before when an evaluation gives the same as before."""

    __slots__ = ("_overlay", "_state", "missing", "modules", "path")

    def __init__(self, modules: Modules, state: ModuleState, overlay: Mapping[str, Value]) -> None:
        self.path = state.path
        self.modules = modules
        self.missing: frozenset[tuple[str, str, int]] = frozenset()
        self._state = state
        self._overlay = overlay

    def get(self, name: str) -> Value:
        """UNKNOWN when the value is not known or nothing is known to bind the name."""
        value = self.lookup(name)
        return UNKNOWN if value is MISSING else value

    def lookup(self, name: str) -> Value:
        """As ``get``, but ``MISSING`` when surely nothing in the module binds the name (builtins are not looked at)."""
        value = self._overlay.get(name, MISSING)
        if value is MISSING:
            value = self._state.names.get(name, MISSING)
            if value is MISSING:
                if name in self._state.maybe or OPEN in self._state.names:
                    return UNKNOWN
                return dsl.ROOTS.get(name, MISSING)
        return value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.lookup(name) is not MISSING

    def __iter__(self) -> Iterator[str]:
        """Every name that is or may be bound."""
        names = {**self._state.names, **self._overlay, **dict.fromkeys(self._state.maybe)}
        return iter([name for name in names if name != OPEN])

    @property
    def bindings(self) -> Mapping[str, Binding]:
        """Where each name was bound last. Names bound from outside or by the interpreter have no entry."""
        return self._state.bindings

    @property
    def reads(self) -> frozenset[str]:
        """Paths of all modules the run looked at, this one included."""
        return self.modules.paths

    def module(self, path: str) -> ModuleEnv | None:
        """Another module as the entry file of this run sees it."""
        return self.modules.env(path)
