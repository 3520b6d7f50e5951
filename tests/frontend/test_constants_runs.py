"""Random modules that import and change each other, against real imports and against evaluation from scratch."""

from __future__ import annotations

import importlib.abc
import importlib.util
import random
import sys
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from pto_lsp.analysis.frontend.constants.comparison import is_known, same
from pto_lsp.analysis.frontend.constants.importer import MemoryImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import Evaluator, ModuleEnv
from pto_lsp.analysis.frontend.constants.values import PLAIN
from tests.support.effort import examples

MODULES = ("m0", "m1", "m2", "m3")
NAMES = ("A", "B", "L", "D", "N")


def module_text(name: str, others: Sequence[str], seed: random.Random) -> str:
    pick = seed.choice
    lines = [f"A = {seed.randint(0, 5)}", "B = A + 1", f"L = [{seed.randint(0, 3)}]", "D = {'k': A}"]
    lines += ["def get(n=A):", "    return A * 10 + n + len(L)"]
    lines += ["class Config:", "    SIZE = 4", "    def __init__(self): self.width = A", "C = Config()"]
    bound: list[str] = []
    for _ in range(seed.randint(2, 9)):
        kind = seed.randint(0, 11)
        other = pick(others)
        if kind < 2:
            lines.append(f"import {other}")
            bound.append(other)
        elif kind == 2:
            lines.append(f"from {other} import {pick(NAMES)}")
        elif kind == 3:
            lines.append(f"from {other} import {pick(NAMES)} as B, get as get_other")
            lines.append("A = get_other(2)")
        elif kind == 4:
            lines.append(
                f"if {pick(['A', 'B'])} {pick(['>', '<'])} {seed.randint(0, 20)}: import {other}; A = {other}.A"
            )
        elif kind == 5:
            lines.append(f"{pick(['A', 'B'])} = {pick(['A', 'B', 'len(L)', 'get()', 'C.width', 'Config.SIZE'])} + 1")
        elif kind == 6 and bound:
            lines.append(f"{pick(bound)}.{pick(['A', 'B'])} = {pick(['A', 'B + 1', 'get(1)'])}")
        elif kind == 7 and bound:
            lines.append(f"{pick(['A', 'B'])} = {pick(bound)}.{pick(['A', 'B', 'get()', 'C.width', 'L[0]'])}")
        elif kind == 8:
            lines.append(f"{pick(['L.append(A)', 'D[A] = B', 'L = [*L, 7]', 'D.update(z=A)'])}")
        elif kind == 9 and bound:
            lines.append(f"{pick(bound)}.{pick(['L.append(A)', 'C.width = B', 'Config.SIZE = A', 'D[B] = A'])}")
        elif kind == 10:
            lines.append(f"from {other} import *")
        elif bound:
            lines.append(f"{pick(bound)}.A += 1")
    return "\n".join(lines) + "\n"


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(name, self) if name in self.texts else None

    def exec_module(self, module: types.ModuleType) -> None:
        exec(compile(self.texts[module.__name__], f"/p/{module.__name__}.py", "exec"), vars(module))


def really_import(texts: dict[str, str], entry: str) -> dict[str, dict[str, Any]] | None:
    """Names of all modules after importing ``entry``; None when that raises."""
    finder = Finder(texts)
    sys.meta_path.insert(0, finder)
    try:
        importlib.import_module(entry)
        return {name: dict(vars(sys.modules[name])) for name in texts if name in sys.modules}
    except Exception:
        return None
    finally:
        sys.meta_path.remove(finder)
        for name in texts:
            sys.modules.pop(name, None)


def comparable(value: Any, depth: int = 5) -> bool:
    if isinstance(value, dict):
        return depth > 0 and all(comparable(each, depth - 1) for pair in value.items() for each in pair)
    if type(value) in (list, tuple):
        return depth > 0 and all(comparable(each, depth - 1) for each in value)
    return type(value) in PLAIN


class Sources:
    """Texts as modules; an unchanged text keeps its chunks, as in an editor."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], ModuleSource] = {}

    def get(self, name: str, text: str) -> ModuleSource:
        key = (name, text)
        if key not in self.known:
            self.known[key] = ModuleSource.from_text(f"/p/{name}.py", text)
        return self.known[key]


class Project:
    def __init__(self, texts: dict[str, str], sources: Sources) -> None:
        self.texts = texts
        self.sources = sources
        self.files = MemoryImporter({f"/p/{name}.py": text for name, text in texts.items()})

    def resolve(self, importing: str, dotted: str, level: int) -> str | None:
        return self.files.resolve(importing, dotted, level)

    def source(self, path: str) -> ModuleSource | None:
        name = path.removeprefix("/p/").removesuffix(".py")
        return self.sources.get(name, self.texts[name])

    def evaluate(self, evaluator: Evaluator, entry: str) -> ModuleEnv:
        source = self.source(f"/p/{entry}.py")
        assert source is not None
        return evaluator.evaluate_module(source, self)


def views(env: ModuleEnv) -> dict[str, dict[str, object]]:
    found = {}
    for path in sorted(env.reads):
        module = env.module(path)
        if module is not None:
            found[path] = {name: module.get(name) for name in sorted(module)}
    return found


def compare_with_python(texts: dict[str, str], entry: str, env: ModuleEnv) -> int:
    """Everything that is known is right; returns how much is."""
    real = really_import(texts, entry)
    known = 0
    for name, names in (real or {}).items():
        module = env.module(f"/p/{name}.py")
        if module is None:
            # Loaded by an import that is not sure to be executed.
            continue
        for key in NAMES:
            found = module.get(key)
            if is_known(found) and key in names and comparable(names[key]):
                known += 1
                assert same(found, names[key]), (name, key, found, names[key])
    return known


def same_views(left: dict[str, dict[str, object]], right: dict[str, dict[str, object]]) -> bool:
    return left.keys() == right.keys() and all(
        left[path].keys() == right[path].keys()
        and all(
            same(value, right[path][name]) or repr(value) == repr(right[path][name]) for name, value in names.items()
        )
        for path, names in left.items()
    )


def check_runs(seed: int) -> None:
    rand = random.Random(seed)
    texts = {name: module_text(name, [m for m in MODULES if m != name], rand) for name in MODULES}
    shared = Evaluator()
    sources = Sources()
    for _ in range(8):
        if rand.random() < 0.5:
            changed = rand.choice(MODULES)
            texts = {**texts, changed: module_text(changed, [m for m in MODULES if m != changed], rand)}
        entry = rand.choice(MODULES)
        note("\n".join(f"--- {name}{' (entry)' * (name == entry)}\n{text}" for name, text in texts.items()))
        project = Project(texts, sources)
        env = project.evaluate(shared, entry)
        compare_with_python(texts, entry, env)
        fresh = Project(texts, Sources()).evaluate(Evaluator(), entry)
        assert same_views(views(env), views(fresh))


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**32))
def test_runs(seed: int) -> None:
    """A shared evaluator gives what one from scratch gives, and neither claims anything that Python denies."""
    check_runs(seed)


def test_most_is_known() -> None:
    """The comparison above is not empty."""
    known = 0
    for seed in range(40):
        rand = random.Random(seed)
        texts = {name: module_text(name, [m for m in MODULES if m != name], rand) for name in MODULES}
        known += compare_with_python(texts, "m0", Project(texts, Sources()).evaluate(Evaluator(), "m0"))
    assert known > 100


HOLDS = ["from m1 import L", "from m1 import *", "import m1; L = m1.L", "import m1; K = {'l': (m1.L,)}; L = K['l'][0]"]


@pytest.mark.parametrize("holds", HOLDS)
@pytest.mark.parametrize("after", ["N = len(L)", "N = len(L); L = [5]", "N = len(L); K = L = 0"])
@pytest.mark.parametrize("mutates", ["import m1; m1.L.append(2)", "from m1 import L; L.append(2)", "import m4"])
def test_what_an_edited_module_changes_others_do_not_take_over_as_it_was(holds: str, after: str, mutates: str) -> None:
    """The module that holds the object is the same as before, only one that it imports has been edited."""
    texts = {"m0": "", "m1": "L = [1]", "m2": f"{holds}\nimport m0\n{after}", "m3": "from m2 import *"}
    texts["m4"] = "import m1; m1.L.append(2)"
    sources, shared = Sources(), Evaluator()
    for edited in ("", mutates, ""):
        changed = {**texts, "m0": edited}
        env = Project(changed, sources).evaluate(shared, "m3")
        known = compare_with_python({name: f"{text}\n" for name, text in changed.items()}, "m3", env)
        assert known or edited
