"""The evaluator against Python itself: each text is evaluated here and executed there."""

from __future__ import annotations

import types
from typing import Any

import pytest

from pto_lsp.analysis.frontend.constants.comparison import same
from pto_lsp.analysis.frontend.constants.importer import MemoryImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import ModuleEnv, evaluate_module
from pto_lsp.analysis.frontend.constants.values import PLAIN

TEXTS = {
    "arithmetic": """
A = 7 // 2 + 7 % 4 - 3 * 2 ** 3
B = -7 // 2, -7 % 3, 7 / 2, 1 << 5, 0xFF >> 2, 6 & 3, 6 | 3, 6 ^ 3, ~5, +3, not 3
C = 2 ** -1, 2.0 ** 0.5, 10 ** 20, True + True
D = 1 < 2 < 3, 3 > 2 > 2, 1 == 1.0, None is None, 2 in (1, 2), "a" not in "bc"
E = 0 or 5, 3 and 0, "" or None, 1 and 2 and 3
F = 5 if A > 0 else 6
G, (H, *I), J = 1, (2, 3, 4), [5]
K = L = 4
K += 2; L *= 3; K //= 4
""",
    "text": """
N = 12
A = f"tile_{N}_{N * 2:>5}_{N / 7:.3f}_{'x'!r}_{N:0{4}d}"
B = "a,b,c".split(","), " x ".strip(), "abc".upper(), "a-b".replace("-", "_"), "x".join(["1", "2"])
C = "%d of %s" % (3, "four"), "{} {name:>4}".format(1, name="z"), "abc"[1:], "abc"[-1], "ab" * 3
D = "name.ext".partition("."), "abc".startswith("ab"), "a1".isdigit(), "7".zfill(3), "x".ljust(3) + "|"
E = str(3), str(1.5), str([1, "a"]), repr("q"), str(None), int("12"), int("ff", 16), float("2.5"), bool("")
""",
    "containers": """
L = [1, 2, 3]
L.append(4); L.extend([5]); L += [6]; L.insert(0, 0); L[1] = 10
M = L
M.append(7)
P = L.pop(); L.remove(2); L.sort(); L.reverse()
D = {"a": 1, **{"b": 2}}
D["c"] = 3
D.update(d=4); D.update({"e": 5}); D.setdefault("f", []).append(6)
del D["a"]
E = D.get("zz", 9), D["b"], list(D), list(D.items()), len(D), "b" in D, sum(D[k] for k in "bcd")
S = {1, 2} | {3}
S.add(4)
T = sorted(S), 3 in S, len(S)
U = (1, 2) + (3,), (0,) * 4, [[0] * 2] * 2, L[::2], L[-2:], (1, 2, 3)[1:]
V = [x * y for x in range(4) if x % 2 for y in (1, 2)]
W = {k: v for k, v in zip("ab", (1, 2))}
X = {x // 2 for x in range(4)}
Y = tuple(x for x in range(3)), dict(a=1), dict([("k", 2)]), list(enumerate("ab", 1)), [*range(2), *L]
Z = [i for i in range(3)][-1], max(D.values(), key=lambda v: v if isinstance(v, int) else 0)
NESTED = {"a": {"b": [1, {"c": 2}]}}
NESTED["a"]["b"][1]["c"] += 5
LAST = NESTED["a"]["b"][1]["c"]
""",
    "builtins": """
A = min(3, 1, 2), max([1, 5, 2]), sum(range(5)), sum([[1], [2]], []), abs(-3), round(2.5), round(2.567, 2), len("abc")
B = sorted([3, 1, 2], reverse=True), sorted("bA", key=str.lower) if False else sorted("ba"), list(reversed([1, 2]))
C = any([0, 1]), all([]), all(x > 0 for x in (1, 2)), divmod(7, 2), pow(2, 5), pow(2, 5, 7), hex(255), chr(65), ord("a")
D = list(map(lambda x: x + 1, [1, 2])), list(filter(None, [0, 1, 2])), list(zip([1, 2], "ab")), min((), default=7)
E = isinstance(3, int), isinstance(True, int), isinstance("a", (int, str)), isinstance(1.0, int), callable(len)
F = max("aa", "b", key=len), min([(2, "x"), (1, "y")]), bin(5), list(range(10, 0, -3)), len(range(0, 10, 3))
G = int(3.9), int(-3.9), float(3), bool([]), tuple("ab"), set([1, 1]), frozenset([1])
H = range(5)[2], 3 .bit_length(), (0.5).is_integer(), (2.0).is_integer()
""",
    "library": """
import math, functools, itertools, operator
from math import ceil, prod as product
import copy as cp
A = math.ceil(7 / 2), ceil(2.1), math.floor(-0.5), math.sqrt(16), math.log2(8), math.prod([2, 3, 4])
A2 = math.pi, math.gcd(12, 18)
B = product((2, 5)), math.isqrt(17), math.inf > 5, math.comb(5, 2), math.pow(2, 3), math.log(math.e)
C = functools.reduce(lambda a, b: a * b, [1, 2, 3], 2), list(itertools.product((1, 2), "a"))
C2 = list(itertools.chain([1], [2])), list(itertools.accumulate([1, 2, 3]))
D = operator.mul(3, 4), operator.floordiv(7, 2), functools.reduce(operator.add, (1, 2, 3))
E = {"a": [1]}
F = cp.deepcopy(E)
F["a"].append(2)
G = E["a"], F["a"]
""",
    "functions": """
import functools
def ceil_div(a, b=2):
    return (a + b - 1) // b
def align(x, *, to=16):
    if x % to == 0:
        return x
    return ceil_div(x, to) * to
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def largest(limit, *args, **kw):
    best = 1
    for candidate in range(1, limit + 1):
        if candidate > 50:
            break
        if limit % candidate:
            continue
        best = candidate
    else:
        best = -best
    while best > 100:
        best //= 2
    return best, args, kw
def swap(pair):
    a, b = pair
    a, b = b, a
    return [a, b]
def nothing():
    pass
def outer(n):
    offset = n * 2
    def inner(x, y=offset):
        return x + offset + y
    return inner(1), [inner(i) for i in range(2)]
def collect(items):
    found = []
    for item in items:
        if item:
            found.append(item)
    table = {}
    for index, item in enumerate(found):
        table[item] = index
    return found, table
def recovering(text):
    try:
        return int(text)
    except ValueError:
        return -1
    finally:
        pass
def guarded(n):
    assert n > 0
    if n > 1000:
        raise ValueError("too big")
    return n
A = ceil_div(7), ceil_div(7, 3), ceil_div(b=4, a=9), align(17), align(32, to=8), fib(15)
B = largest(12), largest(60), largest(7, 1, 2, key=3), swap((1, 2)), nothing(), outer(3), collect([1, 0, 2])
C = recovering("12"), recovering("x"), guarded(5), (lambda a, *b: (a, b))(1, 2, 3), [f(2) for f in [lambda x: x * 3]]
D = [g() for g in [lambda i=i: i for i in range(3)]], [h() for h in [lambda: j for j in range(3)]]
E = (lambda: A)()
args = (9, 4)
F = ceil_div(*args), ceil_div(**{"a": 9})
""",
    "module level control flow": """
import sys, os
MODE = os.environ.get("PTO_LSP_NO_SUCH_VARIABLE", "fast")
OTHER = os.getenv("PTO_LSP_NO_SUCH_VARIABLE"), os.environ.get("PTO_LSP_NO_SUCH_VARIABLE") or 3
if MODE == "slow":
    TILE = 1
elif MODE == "fast":
    TILE = 2
else:
    TILE = 3
for k in range(3):
    TILE += k
while TILE < 50:
    TILE *= 2
try:
    import math
    from math import ceil
except ImportError:
    ceil = None
HALF = ceil(2.5)
try:
    X = {}["absent"]
except (KeyError, IndexError) as error:
    X = 5
else:
    X = 6
try:
    Y = 1 // 1
except ZeroDivisionError:
    Y = 2
else:
    Y = 3
finally:
    Z = 4
if TILE % 2: raise ValueError("odd")
assert TILE, "never"
def flag(name, default):
    for i, argument in enumerate(sys.argv):
        if argument == name and i + 1 < len(sys.argv):
            return int(sys.argv[i + 1])
        if argument.startswith(name + "="):
            return int(argument.split("=", 1)[1])
    return default
EP = flag("--ep", 2)
ARGS = sys.argv[1:], "--tp" in sys.argv
del k
(W := 3)
""",
    "classes": """
import dataclasses
import enum
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

@dataclass(frozen=True)
class Base:
    a: int
    b: int = 2
    LIMIT: ClassVar[int] = 9

@dataclass(frozen=True)
class Config(Base):
    c: list = field(default_factory=list)
    d: int = field(default=4)

    def __post_init__(self):
        object.__setattr__(self, "e", self.a + self.d)

    @property
    def total(self):
        return self.a + self.b + self.scaled(2)

    def scaled(self, n, *, by=1):
        return self.d * n * by

    @staticmethod
    def fixed(n):
        return n + 1

    @classmethod
    def make(cls, a):
        return cls(a, b=7)

X = Config(1)
Y = replace(X, a=10, d=X.d * 2)
Z = Config.make(3)
A = X.a, X.b, X.c, X.d, X.e, X.total, X.scaled(3, by=2), X.fixed(1), Config.fixed(5), Config.LIMIT, X.LIMIT
B = Y.a, Y.total, Y.e, Z.a, Z.b, Config.b, X == Config(1), X == Y, X != Y
C = dataclasses.asdict(X), [f.name for f in dataclasses.fields(Config)]
C2 = getattr(X, "a"), getattr(X, "zz", 5), hasattr(X, "d"), hasattr(X, "q")
PRESETS = {p.a: p.total for p in (X, Y, Z)}

class Color(enum.Enum):
    RED = 1
    GREEN = 2
    OTHER = enum.auto()

    @property
    def code(self):
        return self.value * 10

class Level(enum.IntEnum):
    LOW = 1
    HIGH = 4

D = Color.RED.value, Color["GREEN"].value, Color(2).name, Color.OTHER.value, Color.RED.code, [c.name for c in Color]
E = Level.HIGH + 1, Level.LOW < Level.HIGH, Color.RED is Color.RED, Color.RED == Color.GREEN, Color.RED in (Color.RED,)

class Point(NamedTuple):
    x: int
    y: int = 5

    def norm(self):
        return self.x + self.y

P = Point(1)
Q = namedtuple("Q", "m n")(2, n=3)
F = P.x, P[1], P.norm(), list(P), len(P), sum(Q), Q.m, [v for v in Q]

class Plain:
    shared = [1]
    size = 3
    double = size * 2

    def __init__(self, n, scale=2):
        self.n = n * scale
        self.parts = [n]
        self.grow(1)

    def grow(self, by):
        self.n += by
        self.parts.append(by)
        return self

class Child(Plain):
    size = 4

    def __init__(self):
        super().__init__(5)
        self.extra = self.n + 1

    def grow(self, by):
        super().grow(by * 100)
        return self

O = Plain(3)
O.n += 1
O.late = 8
K = Child()
G = O.n, O.parts, O.late, O.size, Plain.double, K.n, K.parts, K.extra, K.size, K.grow(2).n, O.shared[0]
H = isinstance(O, Plain), type(O) is Plain, Plain.__name__
""",
    "names that change": """
A = 1
def read():
    return A
B = read()
A = 2
C = read()
L = [1]
def push(x, to=L):
    to.append(x)
    return len(to)
D = push(5), push(6)
E = list(L)
total = 0
for n in [3, 4]:
    total += n
class Box: pass
""",
    "comprehension scopes": """
x = 10
A = [x for x in range(3)], x
B = [[i * j for j in range(i)] for i in range(4)]
C = {a: b for a, b in {"p": 1}.items()}
D = [y for x in [[1, 2], [3]] for y in x]
E = sum(i for i in range(5) if i % 2)
F = [last := v for v in (1, 2)], last
class K:
    n = 2
    rows = [r for r in range(n)]
G = K.rows
""",
}


def evaluate(text: str) -> ModuleEnv:
    return evaluate_module(ModuleSource.from_text("/script.py", text), MemoryImporter({}))


def execute(text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr("sys.argv", ["/script.py"])
    module = types.ModuleType("script")
    monkeypatch.setitem(__import__("sys").modules, "script", module)
    exec(compile(text, "/script.py", "exec"), module.__dict__)
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


def plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(plain, value)) and all(map(plain, value.values()))
    if type(value) in (list, tuple, set, frozenset):
        return all(map(plain, value))  # type: ignore[call-overload]
    return type(value) in PLAIN


@pytest.mark.parametrize("name", TEXTS)
def test_same_values_as_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = evaluate(TEXTS[name])
    wrong = {}
    for key, value in execute(TEXTS[name], monkeypatch).items():
        assert key in env
        if plain(value) and not same(env.get(key), value):
            wrong[key] = (value, env.get(key))
    assert wrong == {}
