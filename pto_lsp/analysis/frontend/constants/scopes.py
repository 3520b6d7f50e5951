"""Names of the Python functions around a DSL function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pto_lsp.analysis.frontend.constants.ast_statements import AstStatements
from pto_lsp.analysis.frontend.constants.chunk_code import ChunkCache, ChunkCode
from pto_lsp.analysis.frontend.constants.effects import bound_names
from pto_lsp.analysis.frontend.constants.env import ModuleEnv
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.limits import CALL_STEPS, Raised, Unknowable
from pto_lsp.analysis.frontend.constants.skeleton import defined_name, definitions, skeleton
from pto_lsp.analysis.frontend.constants.values import MISSING, UNKNOWN, Value
from pto_lsp.analysis.ir.place import LOCALS
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine

FactoryArguments = Mapping[tuple[str, str], Mapping[str, Value]]
"""By path of the module and qualified name of the function: arguments by parameter."""
Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class ScopeEnv:
    """The names visible inside a function: its own, those of the functions around it, those of the module ``env``.

    Parameters and whatever the function binds after the definition that was asked for are UNKNOWN, but bound; a
    parameter of which an argument was given is that.
    """

    __slots__ = ("_frame", "env", "outer")

    def __init__(self, frame: Frame, outer: ScopeEnv | ModuleEnv) -> None:
        self._frame = frame
        self.outer = outer
        self.env: ModuleEnv = outer.env if isinstance(outer, ScopeEnv) else outer

    @property
    def frame(self) -> Frame:
        return self._frame

    def get(self, name: str) -> Value:
        """As ``ModuleEnv.get``."""
        value = self.lookup(name)
        return UNKNOWN if value is MISSING else value

    def lookup(self, name: str) -> Value:
        """As ``ModuleEnv.lookup``."""
        value = self._frame.names.get(name, MISSING)
        return self.outer.lookup(name) if value is MISSING else value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.lookup(name) is not MISSING


class ScopeEvaluator:
    """Evaluates enclosing functions; what was evaluated is kept while neither its text nor its module changes."""

    def __init__(self, chunks: ChunkCache, arguments: FactoryArguments) -> None:
        self._chunks = chunks
        self._arguments = arguments
        # By entry file and module: the module's names, and the scopes evaluated in them.
        self._known: dict[tuple[str, str], tuple[ModuleEnv, dict[_Key, ScopeEnv]]] = {}

    def forget_all_but(self, files: AbstractSet[str]) -> None:
        """Forget scopes of other modules, or for other entry files, than ``files``."""
        for place in [place for place in self._known if not set(place) <= files]:
            del self._known[place]

    def evaluate(
        self, env: ModuleEnv, enclosing: Sequence[LogicalLine], head: LogicalLine, qualname: str, ordinal: int = 0
    ) -> ScopeEnv | ModuleEnv:
        """Names around the DSL function ``head``; ``env`` itself when no function encloses it.

        ``enclosing`` are the lines of the functions around it, outermost first, all from one chunk; ``qualname`` and
        ``ordinal`` are those of the DSL function, "build.<locals>.kernel".
        """
        if not enclosing:
            return env
        place = (env.modules.entry, env.path)
        if place not in self._known or self._known[place][0] is not env:
            self._known[place] = env, {}
        known = self._known[place][1]
        scope: ScopeEnv | ModuleEnv = env
        prefixes = qualname.split(LOCALS)
        for depth, line in enumerate(enclosing):
            last = depth + 1 == len(enclosing)
            prefix = LOCALS.join(prefixes[: depth + 1]) + LOCALS
            inner = head if last else enclosing[depth + 1]
            scope = self._enter(scope, line, inner, prefix, ordinal if last else -1, known)
        return scope

    def _enter(
        self,
        outer: ScopeEnv | ModuleEnv,
        line: LogicalLine,
        inner: LogicalLine,
        prefix: str,
        ordinal: int,
        known: dict[_Key, ScopeEnv],
    ) -> ScopeEnv:
        """``ordinal`` is that of the definition ``inner`` in its module, -1 when it is not known."""
        text = skeleton([line])
        code = self._chunks.parse([line], f"if 1:\n{text}" if line.column else text)
        name, index = _occurrence(line, inner)
        key = (code, name, index, ordinal, outer)
        scope = known.get(key)
        if scope is None:
            path = (outer.env if isinstance(outer, ScopeEnv) else outer).path
            arguments = self._arguments.get((path, prefix.removesuffix(LOCALS)), {})
            scope = known[key] = _run(code, name, index, outer, prefix, ordinal, arguments)
        return scope


_Key = tuple[ChunkCode, str, int, int, ScopeEnv | ModuleEnv]


def _occurrence(line: LogicalLine, inner: LogicalLine) -> tuple[str, int]:
    """Name of the outermost definition in ``line`` that holds ``inner``, and how many of the name stand before it."""
    counts: dict[str, int] = {}
    for each in _defined(line.children):
        name = defined_name(each)
        if each is inner or _holds(each, inner):
            return name, counts.get(name, 0)
        counts[name] = counts.get(name, 0) + 1
    return "", 0


def _defined(lines: Sequence[LogicalLine]) -> Iterator[LogicalLine]:
    """Definitions in one scope, in textual order, not those inside of others."""
    for line, _ in definitions(lines):
        if line.kind in (LineKind.DEF, LineKind.CLASS):
            yield line
        else:
            yield from _defined(line.children)


def _holds(line: LogicalLine, inner: LogicalLine) -> bool:
    return any(child is inner or _holds(child, inner) for child in line.children)


def _run(
    code: ChunkCode,
    name: str,
    index: int,
    outer: ScopeEnv | ModuleEnv,
    prefix: str,
    ordinal: int,
    arguments: Mapping[str, Value],
) -> ScopeEnv:
    env = outer.env if isinstance(outer, ScopeEnv) else outer
    parent = outer.frame if isinstance(outer, ScopeEnv) else None
    frame = Frame(env.path, "function", {}, parent, prefix)
    function = next((node for node in _inside(code.statements) if isinstance(node, Definition)), None)
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for parameter in _parameters(function.args):
            frame.names[parameter] = arguments.get(parameter, UNKNOWN)
        runner = _Prefix(env, frame, name, index)
        runner.run(function, code, ordinal)
    else:
        frame.names.update(dict.fromkeys(code.names, UNKNOWN))
    return ScopeEnv(frame, outer)


def _inside(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in statements:
        yield statement
        if isinstance(statement, ast.If):
            yield from statement.body


def _parameters(args: ast.arguments) -> Iterator[str]:
    for parameter in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
        if parameter is not None:
            yield parameter.arg


class _Prefix:
    """Executes the body of a function up to one definition in it."""

    def __init__(self, env: ModuleEnv, frame: Frame, name: str, index: int) -> None:
        self._machine = AstStatements(env.modules, CALL_STEPS)
        self._frame = frame
        self._name = name
        self._left = index

    def run(self, function: ast.FunctionDef | ast.AsyncFunctionDef, code: ChunkCode, ordinal: int) -> None:
        way = self._target(function.body) or []
        if way and ordinal >= 0:
            self._number(function.name, code, ordinal - getattr(way[-1], "pto_ordinal", 0))
        self._level(function.body, set(map(id, way)))
        for name, value in self._frame.names.items():
            self._frame.names[name] = self._machine.heap.sound(value)

    def _number(self, name: str, code: ChunkCode, before: int) -> None:
        """Take it that ``before`` definitions precede those of this function in its file, for each of their names."""
        local = f"{name}{LOCALS}"
        for qualname, dsl in code.functions:
            if qualname.startswith(local):
                self._machine.ordinals[self._frame.prefix + qualname[len(local) :], dsl] = before

    def _target(self, body: Sequence[ast.AST]) -> list[ast.AST] | None:
        """The nodes on the way to the definition that was asked for, it included."""
        for node in body:
            if isinstance(node, Definition):
                if node.name == self._name:
                    if self._left == 0:
                        return [node]
                    self._left -= 1
            elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                found = self._target(list(ast.iter_child_nodes(node)))
                if found is not None:
                    return [node, *found]
        return None

    def _level(self, body: Sequence[ast.stmt], way: set[int]) -> bool:
        """Execute the statements of one block up to the way's end; tells whether that was reached."""
        for position, statement in enumerate(body):
            if id(statement) not in way:
                self._execute(statement)
            elif self._enter(statement, way):
                self._postpone(body[position + 1 :])
                return True
        return False

    def _enter(self, statement: ast.stmt, way: set[int]) -> bool:
        machine, frame = self._machine, self._frame
        if isinstance(statement, Definition):
            self._execute(statement)
            return True
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            # Any trip may be the one in which the function is made.
            machine.skip([statement], frame)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            for item in statement.items:
                if item.optional_vars is not None:
                    machine.assign(item.optional_vars, UNKNOWN, frame)
        elif isinstance(statement, ast.Match):
            machine.skip([statement], frame)
        blocks = [getattr(statement, field, []) for field in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(statement, "handlers", [])]
        blocks += [case.body for case in getattr(statement, "cases", [])]
        return any(any(id(each) in way for each in block) and self._level(block, way) for block in blocks)

    def _execute(self, statement: ast.stmt) -> None:
        try:
            end = self._machine.execute([statement], self._frame)
        except (Raised, Unknowable, RecursionError):
            end = 0
            self._machine.skip([statement], self._frame)
        if end:
            # A return before the definition: the definition is reached only when it is not executed.
            self._machine.skip([statement], self._frame)

    def _postpone(self, statements: Sequence[ast.stmt]) -> None:
        """What is bound later may not be when the DSL function is compiled; functions are taken for granted."""
        for statement in statements:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._execute(statement)
            else:
                for name in bound_names([statement]):
                    self._frame.names[name] = UNKNOWN
