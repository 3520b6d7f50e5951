"""Random programs: what is claimed to be known is what Python computes, whatever the unknown parts are."""

from __future__ import annotations

import random
import sys
import types
from typing import Any

import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st

from pto_lsp.analysis.frontend.constants.comparison import is_known, same
from pto_lsp.analysis.frontend.constants.expressions import evaluate
from pto_lsp.analysis.frontend.constants.importer import MemoryImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import ModuleEnv, evaluate_module
from pto_lsp.analysis.frontend.constants.values import MISSING, PLAIN
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from tests.support.effort import examples

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")

NAMES = ("a", "b", "c", "xs", "ys", "d", "e")
OPAQUE = ("u", "v", "us")


class Writer:
    """Writes random Python."""

    def __init__(self, seed: int, names: tuple[str, ...] = NAMES, rich: bool = True) -> None:
        self.random = random.Random(seed)
        self.names = names
        self.rich = rich

    def atom(self) -> str:
        choice = self.random.random()
        if choice < 0.5:
            return self.random.choice(self.names)
        if choice < 0.8:
            return str(self.random.randint(-9, 20))
        return self.random.choice(["True", "False", "None", "0.5", "2.0", "'ab'", "''", "(1, 2)", "[]", "{}"])

    def expression(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.atom()
        one, two, three = (self.expression(depth - 1) for _ in range(3))
        pick = self.random.choice
        forms = [
            f"({one} {pick(['+', '-', '*', '//', '%', '/', '&', '|', '^'])} {two})",
            f"({one} {pick(['+', '-', '*', '//'])} {two})",
            f"({one} {pick(['<', '<=', '==', '!=', '>', '>=', 'in', 'not in', 'is', 'is not'])} {two})",
            f"({one} {pick(['and', 'or'])} {two})",
            f"({pick(['-', 'not ', '~'])}{one})",
            f"{one}[{two}]",
            f"{pick(['len', 'sum', 'min', 'max', 'list', 'abs', 'bool', 'sorted', 'int'])}({one})",
            f"[{one}, {two}]",
            f"min({one}, {two})",
            f"[q for q in {one} if q != {two}]",
            f"({self.random.randint(0, 4)} {pick(['**', '<<', '>>'])} {self.random.randint(-2, 5)})",
        ]
        if self.rich:
            forms += [f"({one} if {two} else {three})", f"{{{one}: {two}}}", f"f'{{{one}}}'"]
        return pick(forms)

    def block(self, depth: int, loop: bool, function: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, loop, function)
        return lines

    def indented(self, depth: int, loop: bool, function: bool) -> list[str]:
        return [f"    {line}" for line in self.block(depth, loop, function)]

    def simple(self, loop: bool, function: bool) -> str:
        pick = self.random.choice
        one, two = pick(NAMES), pick(NAMES)
        value, other = self.expression(), self.expression(1)
        forms = [
            f"{one} = {value}",
            f"{one} = {two}",
            f"{one} {pick(['+=', '*=', '-='])} {value}",
            f"{pick(['xs', 'ys', 'a'])}.append({value})",
            f"{pick(['xs', 'ys', 'd'])}[{other}] = {value}",
            f"{one}, {two} = {value}",
            f"call({one})",
            f"{one} = call({value})",
            f"{one} = {pick(['work', 'work2'])}({value})",
            pick(["xs.pop()", "ys.clear()", "d.update(k=5)", "xs.sort()", "ys.extend(xs)", "box.n += 1", "del xs[0]"]),
            f"box.items.append({one})",
            f"{one} = box.items",
            f"{one} = box.n",
        ]
        if loop:
            forms += ["break", "continue"]
        if function:
            forms += [f"return {value}"] * 2
        return pick(forms)

    def statement(self, depth: int, loop: bool, function: bool) -> list[str]:
        kind = self.random.randint(0, 11)
        if depth >= 3 or kind < 6:
            return [self.simple(loop, function)]
        if kind < 9:
            lines = [f"if {self.expression()}:", *self.indented(depth + 1, loop, function)]
            if self.random.random() < 0.5:
                lines += ["else:", *self.indented(depth + 1, loop, function)]
            return lines
        if kind == 9:
            target, source = self.random.choice(NAMES), self.expression()
            return [f"for {target} in {source}:", *self.indented(depth + 1, True, function)]
        if kind == 10:
            caught = self.random.choice(["Exception", "TypeError", "(KeyError, IndexError)"])
            body, handler = self.indented(depth + 1, loop, function), self.indented(depth + 1, loop, function)
            return ["try:", *body, f"except {caught}:", *handler]
        condition = f"while {self.expression()} and turns < 3:"
        return ["turns = 0", condition, "    turns += 1", *self.indented(depth + 1, True, function)]

    def function(self, name: str) -> list[str]:
        """Names that are assigned are local unless declared; the parameters stand in for some."""
        declared = self.random.choice([[], [], ["    global a, b, d"]])
        return [f"def {name}(e, xs=xs, c=3):", *declared, *self.indented(1, False, True)]


def unsure_about(text: str) -> bool:
    """Identity of numbers and the text of containers are left unknown."""
    return " is " in text or ("%" in text and "'" in text) or "{" in text


class _Nothing(Exception):
    pass


def python_value(text: str, names: dict[str, Any]) -> Any:
    try:
        return eval(text, dict(names))
    except Exception as error:
        raise _Nothing from error


def comparable(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(comparable, value)) and all(map(comparable, value.values()))
    if type(value) in (list, tuple, set, frozenset):
        return all(map(comparable, value))
    return type(value) in PLAIN


VALUES = {"a": 3, "b": -2, "c": 0.25, "xs": [1, 2, 3], "ys": [], "d": {"k": 1, 2: 3}, "e": "text"}


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 2**32))
def test_expressions_of_the_dsl(seed: int) -> None:
    """Through ``syntax``: equal to Python's value, not known where Python raises."""
    text = Writer(seed, rich=False).expression()
    (statement,) = UnitCache().get(text, UnitKind.SIMPLE).statements
    assert isinstance(statement, syntax.ExprStmt)
    found = evaluate(statement.value, lambda name: VALUES.get(name, MISSING))
    try:
        expected = python_value(text, dict(VALUES))
    except _Nothing:
        assert not is_known(found)
        return
    if not unsure_about(text):
        assert is_known(found)
    if is_known(found):
        assert same(found, expected)


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 2**32))
def test_straight_line_modules(seed: int) -> None:
    writer = Writer(seed)
    lines = [f"{name} = {value!r}" for name, value in VALUES.items()]
    names: dict[str, Any] = dict(VALUES)
    for _ in range(6):
        name, text = writer.random.choice(NAMES), writer.expression(3)
        try:
            names[name] = python_value(text, names)
        except _Nothing:
            continue
        lines.append(f"{name} = {text}")
    text = "\n".join(lines)
    env = evaluate_text(text)
    unsure = unsure_about(text)
    for name in NAMES:
        found = env.get(name)
        if not unsure:
            assert is_known(found), name
        if is_known(found):
            assert same(found, names[name]), name


def evaluate_text(text: str) -> ModuleEnv:
    return evaluate_module(ModuleSource.from_text("/m.py", text), MemoryImporter({}))


class Handler:
    """What ``call`` may do: change its argument, raise, or give something back."""

    def __init__(self, behaviour: int) -> None:
        self.behaviour = behaviour

    def __call__(self, argument: Any) -> Any:
        if self.behaviour == 1 and isinstance(argument, list):
            argument.append(99)
        if self.behaviour == 2:
            raise TypeError
        if self.behaviour == 3 and isinstance(argument, dict):
            argument["k"] = 98
        return argument if self.behaviour % 2 else self.behaviour


HEAD = """
a, b, c = 3, -2, 0.25
xs = [1, 2, 3]
ys = []
d = {"k": 1, 2: [3]}
e = "text"
class Box:
    def __init__(self):
        self.n = 1
        self.items = []
box = Box()
"""


class _TooMuch(BaseException):
    """Not an ``Exception``, which the program might catch."""


def large(value: Any) -> bool:
    if type(value) is int:
        return value.bit_length() > 2000
    return isinstance(value, (list, str, tuple)) and len(value) > 2000


def execute(text: str, opaque: dict[str, Any]) -> dict[str, Any]:
    module = types.ModuleType("opaque")
    vars(module).update(opaque)
    steps = 0

    def trace(frame: types.FrameType, what: str, argument: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps > 3000 or any(map(large, frame.f_locals.values())):
            raise _TooMuch
        return trace

    names: dict[str, Any] = {"__name__": "m"}
    sys.modules["opaque"] = module
    code = compile(text, "/m.py", "exec")
    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(code, names)
    finally:
        sys.settrace(previous)
        del sys.modules["opaque"]
    return names


OPAQUE_MODULES = [(0, [], 0), (1, [1, 2], 1), (5, [0], 2), (2, "zz", 3)]


def opaque_module(index: int) -> dict[str, Any]:
    u, us, behaviour = OPAQUE_MODULES[index]
    return {"u": u, "v": [u], "us": list(us) if isinstance(us, list) else us, "call": Handler(behaviour)}


def program(seed: int) -> str:
    """A module that can be imported with at least one content of the opaque module."""
    writer = Writer(seed, NAMES + OPAQUE)
    text = "from opaque import u, v, us, call" + HEAD
    text += "\n".join([*writer.function("work"), *writer.function("work2"), ""])
    index = writer.random.randrange(len(OPAQUE_MODULES))
    for _ in range(writer.random.randint(2, 6)):
        longer = text + "\n".join([*writer.statement(0, False, False), ""])
        try:
            execute(longer, opaque_module(index))
        except (Exception, _TooMuch):
            continue
        text = longer
    return text


@settings(max_examples=examples(400), deadline=None)
@given(st.integers(0, 2**32))
def test_nothing_wrong_is_claimed(seed: int) -> None:
    """Whatever the opaque module holds, known values are right."""
    check_claims(program(seed))


def check_claims(text: str) -> None:
    note(text)
    env = evaluate_text(text)
    executed = 0
    for index in range(len(OPAQUE_MODULES)):
        try:
            names = execute(text, opaque_module(index))
        except (Exception, _TooMuch):
            continue
        executed += 1
        for name in NAMES:
            found = env.get(name)
            if is_known(found) and comparable(names[name]):
                assert same(found, names[name]), (name, found, names[name], OPAQUE_MODULES[index])
    event(f"executed {executed}, known {sum(is_known(env.get(name)) for name in NAMES)}")
