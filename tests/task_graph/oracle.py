"""A small executable model of the runtime's overlap map, used to judge the analysis.

It knows nothing of the analysed package: it reads a program of constant shapes with the ``ast`` module, derives
call-site directions (semantics.md §2b), then executes the orchestration and keeps, per buffer, the list of live
writer entries (§3, §4). Every region is a concrete box; there are no symbols.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, Union

IN, OUT, INOUT = "in", "out", "inout"


@dataclass(frozen=True)
class View:
    """Elements ``start + Σ index·stride`` of a buffer, every index in ``range(shape)``."""

    buffer: int
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    manual: bool = False

    def bounds(self) -> tuple[int, int]:
        return self.start, self.start + sum((n - 1) * s for n, s in zip(self.shape, self.strides)) + 1

    def offsets(self) -> tuple[int, ...]:
        left, found = self.start, []
        for stride in self.strides:
            found.append(left // stride)
            left %= stride
        return tuple(found)


def dense(buffer: int, shape: tuple[int, ...], start: int = 0, manual: bool = False) -> View:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return View(buffer, start, shape, tuple(reversed(strides)), manual)


def empty(view: View) -> bool:
    return 0 in view.shape


def intersects(a: View, b: View) -> bool:
    """Level 1, then level 2 where ranks and strides agree (§4.3–4.5)."""
    if empty(a) or empty(b):
        return False
    (a0, a1), (b0, b1) = a.bounds(), b.bounds()
    if a1 <= b0 or b1 <= a0:
        return False
    if a.strides != b.strides:
        return True
    pairs = zip(a.offsets(), a.shape, b.offsets(), b.shape)
    return all(p < q + m and q < p + n for p, n, q, m in pairs)


def covers(a: View, b: View) -> bool:
    if a.strides != b.strides:
        return False
    pairs = zip(a.offsets(), a.shape, b.offsets(), b.shape)
    return all(p <= q and q + m <= p + n for p, n, q, m in pairs)


@dataclass
class Runtime:
    """Buffers, live writers and the wait sets of the tasks submitted so far."""

    owners: dict[int, Union[int, str]] = field(default_factory=dict)
    writers: dict[int, list[tuple[View, int]]] = field(default_factory=dict)
    kernels: list[str] = field(default_factory=list)
    waits: list[set[int]] = field(default_factory=list)
    allocation: set[int] = field(default_factory=set)

    def submit(self, kernel: str, args: list[tuple[View, str, bool]], explicit: list[int | None], manual: bool) -> int:
        """``args`` are (view, direction, opted out)."""
        task = len(self.kernels)
        self.kernels.append(kernel)
        waits = {each for each in explicit if each is not None}
        if not manual:
            for view, direction, no_dep in args:
                owner = self.owners.get(view.buffer)
                if owner == "allocation":
                    self.allocation.add(task)
                if direction == OUT or no_dep or view.manual:
                    continue
                live = self.writers.setdefault(view.buffer, [])
                for entry in list(live):
                    if intersects(view, entry[0]):
                        waits.add(entry[1])
                        if direction == INOUT and covers(view, entry[0]):
                            live.remove(entry)
            for view, direction, no_dep in args:
                if direction != IN and not no_dep and not view.manual:
                    self.writers.setdefault(view.buffer, []).append((view, task))
        self.waits.append(waits - {task})
        return task


@dataclass
class Kernel:
    name: str
    directions: list[str]


def run(source: str) -> Runtime:
    return Interpreter(ast.parse(source)).run()


def attribute(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class Interpreter:
    def __init__(self, module: ast.Module) -> None:
        self.constants: dict[str, Any] = {}
        self.kernels: dict[str, ast.FunctionDef] = {}
        self.inline: dict[str, ast.FunctionDef] = {}
        self.runtime = Runtime()
        self.directions: dict[tuple[int, ...], list[str]] = {}
        self.names: dict[tuple[int, ...], str] = {}
        self.used: dict[str, int] = {}
        self.path: tuple[int, ...] = ()
        self.buffers = 0
        body = list(module.body)
        for statement in module.body:
            if isinstance(statement, ast.ClassDef):
                body += statement.body
        for statement in body:
            if isinstance(statement, ast.Assign):
                self.constants[attribute(statement.targets[0])] = ast.literal_eval(statement.value)
            if isinstance(statement, ast.FunctionDef):
                kind = ast.unparse(statement.decorator_list[0])
                if "InCore" in kind or "incore" in kind:
                    self.kernels[statement.name] = statement
                elif "inline" in kind:
                    self.inline[statement.name] = statement
                else:
                    self.entry = statement

    # -- static part: directions -------------------------------------------------------------------------------

    def parameters(self, function: ast.FunctionDef) -> list[tuple[str, str, ast.expr]]:
        found = []
        for arg in function.args.args:
            if arg.arg == "self":
                continue
            kind = attribute(arg.annotation.value) if isinstance(arg.annotation, ast.Subscript) else ""
            found.append((arg.arg, {"Out": OUT, "InOut": INOUT}.get(kind, IN), arg.annotation))
        return found

    def run(self) -> Runtime:
        roots: dict[str, Any] = {}
        values: dict[str, Any] = dict(self.constants)
        for name, direction, annotation in self.parameters(self.entry):
            roots[name] = (name, direction)
            inner = annotation.slice if direction != IN else annotation
            shape = (
                tuple(self.evaluate(e, self.constants) for e in inner.slice.elts[0].elts)
                if hasattr(inner, "slice")
                else ()
            )
            values[name] = self.fresh(shape, None)
        self.derive(self.entry.body, roots, set(), False)
        self.path = ()
        self.execute(self.entry.body, values, False)
        return self.runtime

    def derive(self, body: list[ast.stmt], roots: dict[str, Any], seen: set[Any], sequential: bool) -> None:
        for statement in body:
            if isinstance(statement, ast.For):
                kind = attribute(statement.iter.func)
                if kind == "spmd":
                    self.region(statement, roots, seen, sequential)
                    continue
                inner = set(seen)
                # A loop of one trip is no loop any more when directions are derived.
                several = statement.iter.args[-1].value != 1
                self.derive(statement.body, roots, inner, sequential or (kind == "range" and several))
                seen |= inner
            elif isinstance(statement, ast.With):
                if attribute(statement.items[0].context_expr.func) == "manual_scope":
                    self.derive(statement.body, roots, seen, sequential)
                else:
                    self.region(statement, roots, seen, sequential)
            elif isinstance(statement, ast.Assign):
                self.derive_assign(statement, roots, seen, sequential)

    def derive_assign(self, statement: ast.Assign, roots: dict[str, Any], seen: set[Any], sequential: bool) -> None:
        target, value = statement.targets[0], statement.value
        if not isinstance(value, ast.Call) or isinstance(target, ast.Subscript):
            return
        name = attribute(value.func)
        label = attribute(target.elts[0]) if isinstance(target, ast.Tuple) else attribute(target)
        args = value.args
        if name == "submit":
            name, args = attribute(args[0]), args[1:]
        if name in self.kernels:
            directions = [d for _, d, _ in self.parameters(self.kernels[name])]
            names = [attribute(a.args[0]) if isinstance(a, ast.Call) else attribute(a) for a in args]
            self.sites(statement, [(n, d) for n, d in zip(names, directions)], roots, seen, sequential)
            outs = [n for n, d in zip(names, directions) if d != IN]
            roots[label] = roots.get(outs[0])
        elif name in self.inline:
            function = self.inline[name]
            inner = {p[0]: roots.get(attribute(a)) for p, a in zip(self.parameters(function), args)}
            outer, self.path = self.path, (*self.path, id(statement))
            self.derive(function.body, inner, seen, sequential)
            self.path = outer
            roots[label] = inner.get(attribute(function.body[-1].value))
        elif name in ("slice", "create_tensor"):
            roots[label] = (id(statement), self.path)
        elif name in ("reshape", "transpose"):
            roots[label] = None

    def region(self, statement: Any, roots: dict[str, Any], seen: set[Any], sequential: bool) -> None:
        self.sites(statement, self.captures(statement), roots, seen, sequential)
        call = statement.iter if isinstance(statement, ast.For) else statement.items[0].context_expr
        hint = next(k.value.value for k in call.keywords if k.arg == "name_hint")
        clashes = self.used.get(hint, 0)
        self.used[hint] = clashes + 1
        self.names[(*self.path, id(statement))] = hint if clashes == 0 else f"{hint}_{clashes - 1}"

    def captures(self, statement: Any) -> list[tuple[str, str]]:
        """Captured tensors with parameter direction: write only is Out, read and written InOut (§2.2)."""
        read, written, order = set(), set(), []
        for inner in statement.body:
            target = inner.targets[0]
            for node in ast.walk(inner.value):
                if isinstance(node, ast.Subscript):
                    read.add(attribute(node.value))
                    order.append(attribute(node.value))
            written.add(attribute(target.value))
            order.append(attribute(target.value))
        return [(n, IN if n not in written else INOUT if n in read else OUT) for n in dict.fromkeys(order)]

    def sites(
        self, statement: ast.stmt, args: list[tuple[str, str]], roots: dict[str, Any], seen: set[Any], sequential: bool
    ) -> None:
        found, wrote = [], set()
        for name, direction in args:
            root = roots.get(name)
            if direction == OUT and (sequential or root in seen or (root is not None and root[1] == INOUT)):
                direction = INOUT
            found.append(direction)
            if direction != IN and root is not None:
                wrote.add(root)
        seen |= wrote
        self.directions[(*self.path, id(statement))] = found

    # -- dynamic part: the task stream -------------------------------------------------------------------------

    def fresh(self, shape: tuple[int, ...], owner: str | None, manual: bool = False) -> View:
        self.buffers += 1
        if owner is not None:
            self.runtime.owners[self.buffers] = owner
        return dense(self.buffers, shape, 0, manual)

    def evaluate(self, node: Any, env: dict[str, Any]) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return env[node.id]
        if isinstance(node, ast.BinOp):
            left, right = self.evaluate(node.left, env), self.evaluate(node.right, env)
            return (
                left + right
                if isinstance(node.op, ast.Add)
                else left * right
                if isinstance(node.op, ast.Mult)
                else left - right
            )
        if isinstance(node, ast.Subscript):
            return self.evaluate(node.value, env)[self.evaluate(node.slice, env)]
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.evaluate(e, env) for e in node.elts]
        raise NotImplementedError(ast.dump(node))

    def execute(self, body: list[ast.stmt], env: dict[str, Any], manual: bool) -> None:
        for statement in body:
            if isinstance(statement, ast.For):
                kind = attribute(statement.iter.func)
                if kind == "spmd":
                    self.launch_region(statement, statement.iter, None, env, manual)
                    continue
                bounds = [self.evaluate(a, env) for a in statement.iter.args]
                for trip in range(*bounds):
                    env[attribute(statement.target)] = trip
                    self.execute(statement.body, env, manual)
            elif isinstance(statement, ast.With):
                item = statement.items[0]
                if attribute(item.context_expr.func) == "manual_scope":
                    self.execute(statement.body, env, True)
                else:
                    self.launch_region(statement, item.context_expr, item.optional_vars, env, manual)
            elif isinstance(statement, ast.Assign):
                self.assign(statement, env, manual)

    def explicit(self, call: ast.Call, env: dict[str, Any]) -> list[int | None]:
        found: list[int | None] = []
        for keyword in call.keywords:
            if keyword.arg == "deps":
                for value in self.evaluate(keyword.value, env):
                    found += value if isinstance(value, list) else [value]
        return found

    def launch_region(self, statement: Any, header: ast.Call, target: Any, env: dict[str, Any], manual: bool) -> None:
        words = {k.arg: k.value for k in header.keywords}
        opted = {attribute(e) for e in words["no_dep_args"].elts} if "no_dep_args" in words else set()
        names = [name for name, _ in self.captures(statement)]
        directions = self.directions[(*self.path, id(statement))]
        args = [(env[n], d, n in opted) for n, d in zip(names, directions)]
        name = self.names[(*self.path, id(statement))]
        task = self.runtime.submit(name, args, self.explicit(header, env), manual)
        if target is not None:
            env[attribute(target)] = task

    def assign(self, statement: ast.Assign, env: dict[str, Any], manual: bool) -> None:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Subscript):
            env[attribute(target.value)][self.evaluate(target.slice, env)] = self.evaluate(value, env)
            return
        names = [attribute(e) for e in target.elts] if isinstance(target, ast.Tuple) else [attribute(target)]
        if not isinstance(value, ast.Call):
            env[names[0]] = self.evaluate(value, env)
            return
        name, args = attribute(value.func), value.args
        if name == "create" and attribute(value.func.value) == "array":
            env[names[0]] = [None] * self.evaluate(args[0], env)
        elif name == "create_tensor":
            flag = any(k.arg == "manual_dep" for k in value.keywords)
            env[names[0]] = self.fresh(tuple(self.evaluate(args[0], env)), "allocation", flag)
        elif name == "slice":
            env[names[0]] = self.slice(*[self.evaluate(a, env) for a in args])
        elif name == "reshape":
            base = env[attribute(args[0])]
            env[names[0]] = dense(base.buffer, tuple(self.evaluate(args[1], env)), base.start)
        elif name == "transpose":
            base = env[attribute(args[0])]
            env[names[0]] = View(base.buffer, base.start, base.shape[::-1], base.strides[::-1])
        elif name == "task_dummy":
            waits = self.explicit(value, env)
            known = [w for w in waits if w is not None]
            env[names[0]] = self.runtime.submit("dummy", [], known, manual) if known or not waits else None
        elif name in self.inline:
            function = self.inline[name]
            inner = {**self.constants, **{p[0]: env[attribute(a)] for p, a in zip(self.parameters(function), args)}}
            outer, self.path = self.path, (*self.path, id(statement))
            self.execute(function.body, inner, manual)
            self.path = outer
            env[names[0]] = inner[attribute(function.body[-1].value)]
        else:
            if name == "submit":
                name, args = attribute(args[0]), args[1:]
            opted = [isinstance(a, ast.Call) for a in args]
            views = [env[attribute(a.args[0])] if o else env[attribute(a)] for a, o in zip(args, opted)]
            directions = self.directions[(*self.path, id(statement))]
            task = self.runtime.submit(name, list(zip(views, directions, opted)), self.explicit(value, env), manual)
            env[names[0]] = next(v for v, (_, d, _) in zip(views, self.parameters(self.kernels[name])) if d != IN)
            if len(names) > 1:
                env[names[1]] = task

    def slice(self, base: View, shape: list[int], offsets: list[int]) -> View:
        start = base.start + sum(o * s for o, s in zip(offsets, base.strides))
        return View(base.buffer, start, tuple(shape), base.strides)
