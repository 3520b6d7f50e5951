"""Builtin and standard-library functions the evaluated program may call."""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Callable
from typing import Any

from pto_lsp.analysis.frontend.constants import library_iterables as iterables
from pto_lsp.analysis.frontend.constants import library_objects as objects
from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.limits import Raised, Unknowable
from pto_lsp.analysis.frontend.constants.machine import Machine
from pto_lsp.analysis.frontend.constants.operators import binary, compare, plain
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    OPEN,
    PLAIN,
    UNKNOWN,
    Lazy,
    Library,
    Value,
    words,
)

MODULES = words(
    """__future__ abc argparse builtins collections contextlib copy dataclasses enum functools itertools logging math
    operator os pathlib random re string sys textwrap time types typing typing_extensions warnings"""
)
"""Library modules known by name; they are not looked for among the user's files."""

CONSTANTS: dict[str, Value] = {
    "math.pi": math.pi,
    "math.e": math.e,
    "math.tau": math.tau,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "sys.maxsize": 2**63 - 1,
    "typing.TYPE_CHECKING": False,
    "typing_extensions.TYPE_CHECKING": False,
}
EXCEPTIONS = frozenset(
    [name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)]
)


def _native(function: Callable[..., Any]) -> iterables.Function:
    """A function of known data that costs little whatever the arguments."""

    def run(_: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        args = [plain(arg) for arg in args]
        if not all(type(v) in PLAIN and is_known(v) for v in [*args, *keywords.values()]):
            return UNKNOWN
        try:
            return function(*args, **keywords)
        except Exception as error:
            raise Raised(type(error).__name__) from None

    return run


def _small(function: Callable[..., Any], limit: int) -> iterables.Function:
    """As ``_native`` where the cost grows with the magnitude of the arguments."""
    native = _native(function)

    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        if any(type(arg) is int and abs(arg) > limit for arg in args):
            raise Unknowable
        return native(machine, args, keywords)

    return run


def _int(_: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if args and type(args[0]) in (str, bytes) and len(args[0]) > 1000:
        raise Unknowable
    return _native(int)(_, args, keywords)


def _operator(op: str) -> iterables.Function:
    def run(_: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        return compare(op, *args) if op in ("==", "!=", "<", "<=", ">", ">=") else binary(op, *args)

    return run


def _round(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    digits = args[1] if len(args) > 1 else keywords.get("ndigits")
    if type(digits) is int and abs(digits) > 5000:
        raise Unknowable
    return _native(round)(machine, args, keywords)


def _nothing(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    return None


def _environment(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    """``os.environ.get`` and ``os.getenv``: what the program itself has set, else the default."""
    if not args or type(args[0]) is not str:
        return UNKNOWN
    value = machine.read_global(ENVIRONMENT, args[0])
    if value is not MISSING:
        return value
    if machine.read_global(ENVIRONMENT, OPEN) is not MISSING:
        return UNKNOWN
    return args[1] if len(args) > 1 else keywords.get("default")


ENVIRONMENT = "<environment>"
"""Path of the pseudo module whose names are the environment variables the program has set; ``OPEN`` for any others."""

_MATH_PLAIN = """ceil floor sqrt log log2 log10 log1p exp trunc fabs gcd lcm isqrt pow hypot copysign fmod isclose
    isfinite isinf isnan sin cos tan asin acos atan atan2 sinh cosh tanh degrees
    radians modf frexp remainder erf expm1 dist"""
FUNCTIONS: dict[str, iterables.Function] = {
    "abs": _native(abs),
    "all": iterables.quantifier(False),
    "any": iterables.quantifier(True),
    "ascii": _native(ascii),
    "bin": _native(bin),
    "bool": lambda m, a, k: False if not a else UNKNOWN if (t := m.truth(a[0])) is None else t,
    "callable": objects.callable_,
    "chr": _native(chr),
    "dict": iterables.dict_,
    "divmod": _native(divmod),
    "enumerate": iterables.enumerate_,
    "filter": iterables.filter_,
    "float": _native(float),
    "frozenset": iterables.set_(frozenset),
    "getattr": objects.getattr_,
    "hasattr": objects.hasattr_,
    "hex": _native(hex),
    "int": _int,
    "isinstance": objects.isinstance_,
    "iter": lambda m, a, k: Lazy(list(m.iterate(a[0]))),
    "len": iterables.len_,
    "list": iterables.sequence(list),
    "map": iterables.map_,
    "max": iterables.extreme(max),
    "min": iterables.extreme(min),
    "next": iterables.next_,
    "oct": _native(oct),
    "ord": _native(ord),
    "pow": lambda m, a, k: binary("**", *a) if len(a) == 2 else _native(pow)(m, a, k),
    "print": _nothing,
    "range": iterables.range_,
    "repr": objects.repr_,
    "reversed": iterables.reversed_,
    "round": _round,
    "set": iterables.set_(set),
    "slice": _native(slice),
    "sorted": iterables.sorted_,
    "str": objects.text,
    "sum": iterables.sum_,
    "tuple": iterables.sequence(tuple),
    "type": objects.first_class,
    "zip": iterables.zip_,
    "math.comb": _small(math.comb, 1000),
    "math.factorial": _small(math.factorial, 500),
    "math.ldexp": _small(math.ldexp, 5000),
    "math.perm": _small(math.perm, 500),
    "math.prod": iterables.product,
    "math.fsum": _native(math.fsum),
    "copy.copy": objects.copy,
    "copy.deepcopy": objects.deepcopy,
    "functools.reduce": iterables.reduce,
    "itertools.accumulate": iterables.combine(itertools.accumulate),
    "itertools.chain": iterables.combine(itertools.chain),
    "itertools.combinations": iterables.combine(itertools.combinations),
    "itertools.permutations": iterables.combine(itertools.permutations),
    "itertools.product": iterables.combine(itertools.product),
    "itertools.repeat": iterables.repeat,
    "itertools.chain.from_iterable": lambda m, a, k: iterables.combine(itertools.chain)(m, list(m.iterate(a[0])), {}),
    "operator.add": _operator("+"),
    "operator.sub": _operator("-"),
    "operator.mul": _operator("*"),
    "operator.floordiv": _operator("//"),
    "operator.truediv": _operator("/"),
    "operator.mod": _operator("%"),
    "operator.pow": _operator("**"),
    "operator.eq": _operator("=="),
    "operator.lt": _operator("<"),
    "operator.gt": _operator(">"),
    "os.environ.get": _environment,
    "os.environ.setdefault": _environment,
    "os.getenv": _environment,
    "typing.cast": lambda m, a, k: a[1],
    "types.MappingProxyType": lambda m, a, k: a[0],
    "warnings.warn": _nothing,
    "warnings.filterwarnings": _nothing,
    "warnings.simplefilter": _nothing,
    **{f"math.{name}": _native(getattr(math, name)) for name in _MATH_PLAIN.split()},
}
BUILTINS: dict[str, Value] = {
    name: Library(name)
    for name in [
        *[name for name in FUNCTIONS if "." not in name],
        *objects.TYPES,
        *EXCEPTIONS,
        *words("object property staticmethod classmethod super setattr open id hash vars format"),
    ]
}
BUILTINS["Ellipsis"] = ...
BUILTINS["__debug__"] = True
