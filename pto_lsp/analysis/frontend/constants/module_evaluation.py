"""Evaluation of the chunks of one module."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.ast_statements import AstStatements
from pto_lsp.analysis.frontend.constants.calls import World
from pto_lsp.analysis.frontend.constants.chunk_code import ChunkCode
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.limits import Unknowable
from pto_lsp.analysis.frontend.constants.module_state import Binding, ModuleState
from pto_lsp.analysis.frontend.constants.values import (
    UNKNOWN,
    ClassRef,
    FunctionRef,
    Value,
)
from pto_lsp.analysis.ir.place import LOCALS


class ModuleEvaluation:
    """Runs the chunks of one module."""

    def __init__(self, world: World, state: ModuleState) -> None:
        self._state = state
        self._machine = AstStatements(world)
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
                if LOCALS not in key[0]:
                    machine.ordinals[key] = machine.ordinals.get(key, 0) + count
        if machine.poisoned:
            for name, value in names.items():
                names[name] = machine.heap.sound(value)

    def _execute(self, code: ChunkCode) -> None:
        machine, names, path = self._machine, self._state.names, self._state.path
        if code.kind == "statements":
            try:
                machine.execute(code.statements, self._frame)
            except Unknowable:
                # Out of steps.
                machine.skip(code.statements, self._frame)
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
        except Exception:
            return None
