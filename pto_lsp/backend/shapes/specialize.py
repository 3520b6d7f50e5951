"""Writing the shapes of arguments into the annotations that leave them open, as the JIT does for every call.

``x: pl.Tensor`` becomes ``x: pl.Tensor[[512, 128], pl.FP32]`` in a copy of the project, in the entry first and then in
whatever it hands its tensors to. Only text inside lines is added, so that every line keeps its number.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from pto_lsp.analysis.entries import Entry, named_entry
from pto_lsp.analysis.frontend.constants.modules import ModuleEnv
from pto_lsp.analysis.frontend.module import Module
from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit, Var
from pto_lsp.analysis.ir.place import SourceId, place
from pto_lsp.analysis.ir.program import Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.types import UNKNOWN, Type
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block
from pto_lsp.backend.shapes.factories import Factories, Number
from pto_lsp.backend.shapes.host_calls import evident_shapes
from pto_lsp.backend.shapes.shape import Shape, common_shape, contradiction, is_open
from pto_lsp.diagnostics import Diagnostic, Position, Range
from pto_lsp.project import Project

_BARE = re.compile(r"(?P<module>(?:\w+\.)*)Tensor\b(?!\s*\[)")
_ROUNDS = 16
"""Shapes travel one call further in each."""


class Contradiction(Exception):
    """A shape was given that the program cannot take; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Specialized:
    """``entry`` of ``project``, a copy where anything was written. ``open``: its parameters of unknown shape."""

    project: Project
    entry: Entry
    open: tuple[str, ...]
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    inserted: Mapping[str, tuple[_Inserted, ...]] = field(default_factory=dict)

    def original(self, found: Diagnostic) -> Diagnostic:
        """A finding of ``project`` where it is in the text that the author has."""
        edits = self.inserted.get(found.path)
        if not edits:
            return found
        start, end = (_before(position, edits) for position in found.range)
        return replace(found, range=Range(start, end))


@dataclass(frozen=True, slots=True)
class _Inserted:
    """``text`` stands from column ``column`` of line ``line`` on, counted in the new text."""

    line: int
    column: int
    length: int


def specialized(
    project: Project,
    module: Module,
    entry: Entry,
    given: Mapping[str, Shape],
    numbers: Mapping[str, Number] | None = None,
) -> Specialized:
    """The entry with what ``given`` says of its parameters, or else a call of it in its own file.

    ``numbers`` are arguments of the functions it is made in, where those are no parameters of its own.
    Raises `Contradiction`.
    """
    project, module, entry = _made(project, module, entry, numbers or {})
    function = entry.orchestration
    assert function is not None
    for name, shape in given.items():
        index = function.param_index(name)
        if index is None:
            raise Contradiction(f"'{function.name}' has no parameter '{name}'")
        why = contradiction(function.params[index], shape)
        if why:
            raise Contradiction(f"'{name}' cannot be {shape}: {why}")
    wanted = [param.name for param in function.params if is_open(param)]
    if not wanted:
        return Specialized(project, entry, ())
    known = {**_evident(project, module, function), **given}
    shapes = {name: known[name] for name in wanted if name in known}
    if not shapes:
        return Specialized(project, entry, tuple(wanted))
    return _Writer(project, module, entry, function, shapes).result()


def _made(
    project: Project, module: Module, entry: Entry, numbers: Mapping[str, Number]
) -> tuple[Project, Module, Entry]:
    """The program as its Python functions make it with the arguments that are known. Raises `Contradiction`."""
    function = entry.orchestration
    assert function is not None
    source = function.at.source
    text = project.text(source.path) or ""
    factories = Factories(text, source.qualname)
    for name in numbers:
        if name not in factories.parameters:
            scalar = function.param_index(name) is not None
            why = f"has no parameter '{name}'" if not scalar else f"takes '{name}' when it runs"
            raise Contradiction(f"'{function.name}' {why}")
    if not factories.parameters or source.path != module.path:
        return project, module, entry
    env = _names(project, module, source)
    known = factories.arguments(numbers, lambda name: None if env is None else env.lookup(name))
    if not known:
        return project, module, entry
    made = project.copy({(source.path, name): arguments for name, arguments in known.items()})
    made.open(source.path, text)
    remade = made.module(source.path)
    assert remade is not None
    found = named_entry(made.analyzer(source.path), remade, _name(entry, function))
    if found is None or found.orchestration is None:
        # What the arguments say is that there is no such program.
        return project, module, entry
    return made, remade, found


def _name(entry: Entry, function: Function) -> str:
    """What the entry is found by."""
    if entry.root.entry:
        return entry.root.name
    return f"{entry.root.name}.{function.name}" if function.method else function.name


def _names(project: Project, module: Module, source: SourceId) -> ModuleEnv | None:
    placed = module.syntax.at(source.qualname, source.ordinal)
    return None if placed is None else project.closure(module.path, module, placed).env


def _evident(project: Project, module: Module, function: Function) -> dict[str, Shape]:
    source = function.at.source
    text = project.text(source.path)
    env = _names(project, module, source)
    if text is None or function.method:
        return {}
    names = [param.name for param in function.params]
    return evident_shapes(text, function.name, names, lambda name: None if env is None else env.lookup(name))


class _Writer:
    def __init__(
        self, project: Project, module: Module, entry: Entry, function: Function, shapes: Mapping[str, Shape]
    ) -> None:
        self._project = project.copy()
        for path in {f.at.source.path for f in entry.analysis.program.functions.values()}:
            self._project.open(path, project.text(path) or "")
        self._path = module.path
        self._name = _name(entry, function)
        self._shapes = shapes
        self._inserted: dict[str, list[_Inserted]] = {}
        self._written: set[tuple[str, str, int, str]] = set()

    def result(self) -> Specialized:
        entry = self._entry()
        open_: dict[str, Shape] = dict(self._shapes)
        for _ in range(_ROUNDS):
            edits = list(self._edits(entry, open_))
            if not edits:
                break
            self._write(edits)
            entry = self._entry()
            open_ = {}
        function = entry.orchestration
        assert function is not None
        left = tuple([param.name for param in function.params if is_open(param)])
        inserted = {
            path: tuple(sorted(each, key=lambda e: (e.line, e.column))) for path, each in self._inserted.items()
        }
        return Specialized(self._project, entry, left, self._shapes, inserted)

    def _entry(self) -> Entry:
        module = self._project.module(self._path)
        assert module is not None
        found = named_entry(self._project.analyzer(self._path), module, self._name)
        assert found is not None
        return found

    def _edits(self, entry: Entry, shapes: Mapping[str, Shape]) -> Iterator[tuple[str, int, str]]:
        """Path, offset and text of what can be added now: the entry's parameters, and what calls hand to bare ones."""
        program, function = entry.analysis.program, entry.orchestration
        assert function is not None
        for param in function.params:
            if is_open(param) and param.name in shapes:
                yield from self._edit(function, param, shapes[param.name])
        for callee, param, shape in _handed_over(program):
            yield from self._edit(callee, param, shape)

    def _edit(self, function: Function, param: Param, shape: Shape) -> Iterator[tuple[str, int, str]]:
        source = function.at.source
        key = (source.path, source.qualname, source.ordinal, param.name)
        located, text = self._project.locate(source), self._project.text(source.path)
        if key in self._written or located is None or text is None:
            return
        self._written.add(key)
        span = place(param.at, param.span).span
        written = text[located[1] + span.start : located[1] + span.end]
        bare = _BARE.search(written, written.find(":") + 1)
        if bare is not None:
            # The front end takes a type by its last word, so a name for the module that is not there does no harm.
            language = bare["module"] or "pl."
            extents = ", ".join(str(e) if isinstance(e, int) else f"{language}dynamic('{e}')" for e in shape.extents)
            yield source.path, located[1] + span.start + bare.end(), f"[[{extents}], {language}{shape.dtype}]"

    def _write(self, edits: list[tuple[str, int, str]]) -> None:
        for path in {path for path, _, _ in edits}:
            text = self._project.text(path) or ""
            lines = self._project.line_table(path)
            # From the end, so that offsets before stay right.
            for _, offset, added in sorted((edit for edit in edits if edit[0] == path), reverse=True):
                line, column = lines.position(offset)
                known = self._inserted.setdefault(path, [])
                known[:] = [
                    replace(e, column=e.column + len(added)) if e.line == line and e.column >= column else e
                    for e in known
                ]
                known.append(_Inserted(line, column, len(added)))
                text = text[:offset] + added + text[offset:]
            self._project.open(path, text)


def _handed_over(program: Program) -> list[tuple[Function, Param, Shape]]:
    """Bare parameters with what all the calls agree about; the other extents of a tensor are dynamic."""
    found: dict[tuple[str, int], list[Type]] = {}
    for function in program.functions.values():
        for stmt in walk_block(function.body or ()):
            for expr in [part for each in statement_exprs(stmt) for part in walk(each)]:
                if isinstance(expr, (Call, Submit)):
                    for index, arg in enumerate(expr.args):
                        found.setdefault((expr.callee, index), []).append(type_of(arg))
    result = []
    for (key, index), types in found.items():
        callee = program.functions.get(key)
        if callee is None or index >= len(callee.params) or not is_open(callee.params[index]):
            continue
        param = callee.params[index]
        shape = common_shape(types, param.name)
        # A dynamic dimension of an inline function would be one of nothing, once it is spliced in.
        if shape is not None and (callee.kind is not FunctionKind.INLINE or not shape.is_dynamic):
            result.append((callee, param, shape))
    return result


def type_of(expr: Expr) -> Type:
    return expr.type if isinstance(expr, (Var, Op, Call, Submit)) else UNKNOWN


def _before(position: Position, edits: tuple[_Inserted, ...]) -> Position:
    """Where ``position`` was before ``edits``, which are in order."""
    column = position.column
    here = [each for each in edits if each.line == position.line]
    for each in reversed(here[: bisect_right([e.column for e in here], position.column)]):
        column -= min(each.length, column - each.column)
    return Position(position.line, column)
