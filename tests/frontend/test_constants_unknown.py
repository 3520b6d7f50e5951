"""What cannot be known, what would cost too much, and what stays known beside it."""

from __future__ import annotations

import time

import pytest

from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.importer import MemoryImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import ModuleEnv, evaluate_module
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    UNKNOWN,
    ClassRef,
    DType,
    DynamicSymbol,
    FunctionRef,
    Instance,
    ModuleRef,
    PlAttribute,
    PlSubscript,
)


def run(text: str) -> ModuleEnv:
    return evaluate_module(ModuleSource.from_text("/m.py", text), MemoryImporter({}))


def values(text: str, *names: str) -> list[object]:
    env = run(text)
    return [env.get(name) for name in names]


def test_names_of_the_dsl() -> None:
    env = run("""
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.language import FP16, Level as L
from pypto import language
import pypto
M = pl.dynamic("M")
DT = pl.FP32
CORE = pl.Level.CORE_GROUP
WINDOW = pld.window
SAME = language.BF16
OTHER = L.HOST
ALIAS = pl.Tensor[[M, 4], pl.FP32]
DIST = pypto.language.distributed.DistributedTensor
INT = pl.DataType.INT8
""")
    assert env.get("M") == DynamicSymbol("M")
    assert env.get("DT") == DType("FP32") and env.get("FP16") == DType("FP16") and env.get("SAME") == DType("BF16")
    assert env.get("INT") == DType("INT8")
    assert env.get("CORE") == PlAttribute("pl.Level.CORE_GROUP") and env.get("OTHER") == PlAttribute("pl.Level.HOST")
    assert env.get("WINDOW") == PlAttribute("pld.window") and env.get("DIST") == PlAttribute("pld.DistributedTensor")
    assert env.get("ALIAS") == PlSubscript("pl.Tensor", ([DynamicSymbol("M"), 4], DType("FP32")))
    assert run("x = 1").get("pl") == PlAttribute("pl")


def test_functions_and_classes() -> None:
    env = run("""
import pypto.language as pl
@pl.jit
def kernel(a: pl.Tensor): return a
@pl.jit.inline(auto_scope=False)
def helper(a): return a
def plain(): return 1
if plain() == 1:
    @pl.jit
    def kernel(b): return b
@pl.program
class P:
    @pl.function
    def layer(self, a): return a
class Q: pass
ALIAS = kernel
RESULT = kernel(3)
""")
    kernel, helper, plain, program = (env.get(name) for name in ("kernel", "helper", "plain", "P"))
    assert kernel == FunctionRef("/m.py", "kernel", 1) and env.get("ALIAS") is kernel
    assert isinstance(kernel, FunctionRef) and kernel.dsl
    assert isinstance(helper, FunctionRef) and helper.dsl and helper == FunctionRef("/m.py", "helper")
    assert isinstance(plain, FunctionRef) and not plain.dsl
    assert isinstance(program, ClassRef) and program.dsl and program == ClassRef("/m.py", "P")
    assert isinstance(env.get("Q"), ClassRef) and env.get("RESULT") is UNKNOWN


def test_undecided_if() -> None:
    env = run("""
import numpy as np
A, B, C, D = 1, 2, 3, [4]
if np.flag:
    A, B, E = 1, 5, 6
    D.append(1)
else:
    E = 6
    F = 7
if np.flag and False:
    C = 9
if np.flag or True:
    G = 8
H = 1 if np.flag else 1
if np.flag:
    raise ValueError
else:
    J = 2
""")
    assert [env.get(name) for name in "ABCEGHJ"] == [1, UNKNOWN, 3, 6, 8, 1, 2]
    assert env.get("D") is UNKNOWN and env.get("F") is UNKNOWN and "F" in env


def test_undecided_loops() -> None:
    env = run("""
import numpy as np
A, B, L, M = 1, 2, [1], [2]
for B in np.items:
    A += 1
    L.append(A)
while np.more():
    C = 1
for D in range(3):
    M.append(D)
else:
    E = 5
""")
    assert [env.get(name) for name in "ABLC"] == [UNKNOWN] * 4
    assert [env.get(name) for name in ("D", "M", "E")] == [2, [2, 0, 1, 2], 5]


def test_try_import() -> None:
    env = run("""
try:
    import math
    import os.path as p
    GOOD = True
except ImportError:
    math = None
    GOOD = False
try:
    import torch_npu
    HAS = True
except ImportError:
    torch_npu = None
    HAS = False
try:
    import torch
    TILE = 4
except ImportError:
    raise SystemExit
try:
    from absent import N
    OTHER = 1
except ImportError:
    OTHER = 1
""")
    assert env.get("GOOD") is True
    assert env.get("HAS") is UNKNOWN and env.get("torch_npu") is UNKNOWN
    assert env.get("TILE") == 4 and env.get("OTHER") == 1 and "N" in env


def test_objects_that_something_unknown_may_have_changed() -> None:
    text = """
import random, frobnicate
A, B, C, D, E = [1], [2], [3], {"k": [4]}, [5]
ALIAS = A
random.shuffle(A)
frobnicate.run(D)
def keep(x):
    if frobnicate.flag:
        x.append(1)
    return 7
F = keep(B)
G = C if frobnicate.flag else E
G.append(1)
FROZEN = (1, (2, 3))
frobnicate.run(FROZEN)
"""
    assert values(text, *"ABCDEG", "ALIAS") == [UNKNOWN] * 7
    assert values(text, "F", "FROZEN") == [7, (1, (2, 3))]


def test_instances() -> None:
    text = """
from dataclasses import dataclass
import frobnicate
@dataclass
class Config:
    n: int = 1
@dataclass(frozen=True)
class Frozen:
    n: int = 1
@frobnicate.register
class Odd:
    n = 1
class Model(frobnicate.Base):
    size: int = 3
A, B, C = Config(), Config(), Frozen()
B.n = 5
frobnicate.use(A, C)
D, E, F = B.n, C.n, Odd().n
G, H = Model().size, Model.size
I = Config(3)
I.n = frobnicate.value
BAD = Config(zz=1)
"""
    assert values(text, *"ADEFGH") == [UNKNOWN, 5, 1, UNKNOWN, UNKNOWN, 3]
    env = run(text)
    instance = env.get("I")
    assert isinstance(instance, Instance) and instance.fields == {"n": UNKNOWN}
    assert env.get("BAD") is UNKNOWN


def test_functions_that_rebind_globals() -> None:
    text = """
LIMIT = 3
COUNT = 0
def bump():
    global COUNT
    COUNT += 1
    return LIMIT
TWICE = bump() * 2
"""
    assert values(text, "LIMIT", "COUNT", "TWICE") == [3, UNKNOWN, 6]


def test_generators_are_consumed_once() -> None:
    text = """
A = (x for x in range(3))
B = list(A)
C = zip([1], [2])
D = sum(x for x in range(4))
E = list(zip([1], [2]))
F = next(iter([5, 6]))
G = {"a": 1}.items()
def produce():
    yield 1
H = list(produce())
"""
    assert values(text, *"ABCGH") == [UNKNOWN] * 5
    assert values(text, *"DEF") == [6, [(1, 2)], 5]


@pytest.mark.parametrize(
    "expression",
    [
        "10 ** 10 ** 10",
        "2 ** 100000",
        "1 << 10 ** 9",
        "'a' * 10 ** 9",
        "[0] * 10 ** 9",
        "list(range(10 ** 9))",
        "sum(range(10 ** 8))",
        "[i for i in range(10 ** 9)]",
        "f'{1:>1000000000}'",
        "'%1000000000d' % 3",
        "'{:>1000000000}'.format(3)",
        "'a'.ljust(10 ** 9)",
        "','.join(['a' * 1000] * 99999)",
        "endless()",
        "deep(0)",
        "wide",
        "__import__('math').factorial(10 ** 8)",
        "max(x for x in range(10 ** 9))",
        "('a' * 999999).replace('a', 'b' * 999999)",
        "int('9' * 100000)",
        "10 ** -10 ** 9",
        "2.0 ** 10 ** 9",
        "1 / 0",
        "[][5]",
        "undefined",
        "(lambda: undefined)()",
        "lambda_loop(lambda_loop)",
        "+".join(["1"] * 3000),
    ],
)
def test_what_costs_too_much_or_fails_is_unknown(expression: str) -> None:
    text = f"""
def endless():
    while True:
        pass
def deep(n):
    return deep(n + 1)
def lambda_loop(f):
    return f(f)
wide = (0,)
for _ in range(200):
    wide = (wide, wide)
BEFORE = 1
X = {expression}
AFTER = 2
"""
    start = time.process_time()
    env = run(text)
    assert not is_known(env.get("X"))
    assert "X" in env and (env.get("BEFORE"), env.get("AFTER")) == (1, 2)
    assert time.process_time() - start < 2


def test_endless_module() -> None:
    env = run("A = 1\nwhile True:\n    A += 1\nB = 2\n")
    assert env.get("A") is UNKNOWN and "B" in env


def test_cyclic_objects() -> None:
    env = run("L = [1]\nL.append(L)\nD = {}\nD['d'] = [D]\nX = str(L), D == D\nY = 3\n")
    assert env.get("L") is UNKNOWN and env.get("D") is UNKNOWN and env.get("Y") == 3


def test_names_that_are_bound_somehow() -> None:
    env = run("""
from absent import thing, other as renamed
import nowhere.near
if False:
    never = 1
with open("x") as handle:
    inside = 2
[p, *q] = thing
for i, (j, k) in thing: pass
try:
    pass
except ValueError as error:
    caught = 1
match thing:
    case {"a": v, **rest}: matched = 1
broken = = 3
first, second = (
def half_typed(
class Unfinished
if __name__ == "__main__":
    script = 1
else:
    module = 2
""")
    for name in "thing renamed nowhere never handle p q i j k v rest matched broken first second half_typed".split():
        assert name in env, name
        assert env.get(name) is UNKNOWN or name == "half_typed"
    assert env.get("inside") == 2 and "Unfinished" in env and "caught" in env
    assert "module" in env and env.get("module") == 2
    assert env.lookup("absent_name") is MISSING and "absent_name" not in env


def test_star_import_of_something_unknown_binds_everything() -> None:
    env = run("from absent import *\nA = 1\n")
    assert "whatever" in env and env.get("whatever") is UNKNOWN and env.get("A") == 1


def test_a_script_may_rebind() -> None:
    env = run("""
N = 4
if __name__ == "__main__":
    N = 5
    args = 6
""")
    assert env.get("N") == 4 and "args" in env and env.get("args") is UNKNOWN


def test_environment() -> None:
    text = """
import os
os.environ["SET"] = "5"
os.environ.setdefault("DEFAULT", "6")
A = int(os.environ["SET"]), os.environ.get("DEFAULT"), os.getenv("PATH", "none"), "PATH" in os.environ
try:
    B = os.environ["HOME"]
except KeyError:
    B = "nobody"
"""
    assert values(text, "A") == [(5, "6", "none", UNKNOWN)]
    assert values(text, "B") == [UNKNOWN]


def test_module_reference() -> None:
    texts = {"/m.py": "import other\nA = other.B\nC = other.missing\n", "/other.py": "B = 3\n"}
    env = evaluate_module(ModuleSource.from_text("/m.py", texts["/m.py"]), MemoryImporter(texts))
    assert env.get("other") == ModuleRef("/other.py")
    assert env.get("A") == 3 and env.get("C") is UNKNOWN
