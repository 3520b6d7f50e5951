"""Builtin and standard-library functions the evaluated program may call."""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Callable
from typing import Any

from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.limits import MAX_ITEMS, Raised, Unknowable, check_length, check_nesting
from pto_lsp.analysis.frontend.constants.machine import Machine
from pto_lsp.analysis.frontend.constants.operators import binary, compare, plain
from pto_lsp.analysis.frontend.constants.values import (
    CONTAINERS,
    MISSING,
    PLAIN,
    SCALARS,
    UNKNOWN,
    BoundMethod,
    ClassRef,
    EnumMember,
    FunctionRef,
    Instance,
    Lazy,
    Library,
    Value,
    words,
)

Function = Callable[[Machine, list[Any], dict[str, Any]], Value]

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
    "os.sep": "/",
}
EXCEPTIONS = frozenset(
    [name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)]
)
TYPES: dict[str, type] = {
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "bytes": bytes,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "frozenset": frozenset,
    "range": range,
    "complex": complex,
    "slice": slice,
}


def _native(function: Callable[..., Any]) -> Function:
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


def _small(function: Callable[..., Any], limit: int) -> Function:
    """As ``_native`` where the cost grows with the magnitude of the arguments."""
    native = _native(function)

    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        if any(type(arg) is int and abs(arg) > limit for arg in args):
            raise Unknowable
        return native(machine, args, keywords)

    return run


def _sequence(make: Callable[..., Any]) -> Function:
    """``list``, ``tuple``: one iterable at most."""

    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        return make(machine.iterate(args[0])) if args else make()

    return run


def _set(make: Callable[..., Any]) -> Function:
    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        if args and type(args[0]) in (set, frozenset):
            return make(args[0])
        found = machine.iterate(args[0]) if args else ()
        if not all(map(is_known, found)):
            return UNKNOWN
        try:
            return make(found)
        except TypeError:
            raise Raised("TypeError") from None

    return run


def _dict(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    result: dict[Any, Any] = {}
    if args:
        if type(args[0]) is dict:
            result.update(args[0])
        else:
            for pair in machine.iterate(args[0]):
                key_value = machine.iterate(pair)
                if len(key_value) != 2:
                    raise Raised("ValueError")
                if not is_known(key_value[0]):
                    return UNKNOWN
                try:
                    result[key_value[0]] = key_value[1]
                except TypeError:
                    raise Raised("TypeError") from None
    result.update(keywords)
    check_nesting(None, list(result.values()))
    return result


def _int(_: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if args and type(args[0]) in (str, bytes) and len(args[0]) > 1000:
        raise Unknowable
    return _native(int)(_, args, keywords)


def _len(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if len(args) != 1:
        return UNKNOWN
    value = args[0]
    if type(value) is ClassRef:
        return len(machine.iterate(value))
    if type(value) is Lazy:
        return len(value.rest)
    value = plain(value)
    if type(value) in (set, frozenset, dict, list, tuple, str, bytes, range):
        return len(value)
    if type(value) in SCALARS:
        raise Raised("TypeError")
    return UNKNOWN


def _extreme(best: Callable[..., Any]) -> Function:
    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        found = machine.iterate(args[0]) if len(args) == 1 else args
        if not found:
            return keywords["default"] if "default" in keywords else _raise("ValueError")
        key = keywords.get("key")
        ranks = [plain(v) for v in found] if key is None else [plain(machine.call(key, [v], {})) for v in found]
        if not all(type(rank) in PLAIN and is_known(rank) for rank in ranks):
            return UNKNOWN
        try:
            return found[best(range(len(ranks)), key=ranks.__getitem__)]
        except TypeError:
            raise Raised("TypeError") from None

    return run


def _raise(kind: str) -> Value:
    raise Raised(kind)


def _sum(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    total: Value = args[1] if len(args) > 1 else keywords.get("start", 0)
    if type(total) is str:
        raise Raised("TypeError")
    for value in machine.iterate(args[0]):
        total = binary("+", total, value)
        if type(total) in CONTAINERS:
            machine.budget.spend(1 + len(total) // 64)  # type: ignore[arg-type]
    return total


def _product(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    total: Value = keywords.get("start", 1)
    for value in machine.iterate(args[0]):
        total = binary("*", total, value)
    return total


def _sorted(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    found = list(machine.iterate(args[0]))
    key = keywords.get("key")
    ranks = [plain(v) for v in found] if key is None else [plain(machine.call(key, [v], {})) for v in found]
    reverse = machine.truth(keywords.get("reverse", False))
    if reverse is None or not all(type(rank) in PLAIN and is_known(rank) for rank in ranks):
        return UNKNOWN
    try:
        order = sorted(range(len(found)), key=ranks.__getitem__, reverse=reverse)
    except TypeError:
        raise Raised("TypeError") from None
    return [found[i] for i in order]


def _quantifier(decisive: bool) -> Function:
    """``any`` (decided by one true item) and ``all`` (decided by one false)."""

    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        truths = [machine.truth(value) for value in machine.iterate(args[0])]
        if decisive in truths:
            return decisive
        return UNKNOWN if None in truths else not decisive

    return run


def _range(_: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    args = [plain(arg) for arg in args]
    if not all(type(arg) in SCALARS for arg in args):
        return UNKNOWN
    try:
        result = range(*args)
        len(result)
        return result
    except OverflowError:
        raise Unknowable from None
    except Exception as error:
        raise Raised(type(error).__name__) from None


def _zip(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    return Lazy(list(zip(*[machine.iterate(arg) for arg in args])))


def _enumerate(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    start = args[1] if len(args) > 1 else keywords.get("start", 0)
    if type(start) is not int:
        return UNKNOWN
    return Lazy(list(enumerate(machine.iterate(args[0]), start)))


def _map(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    rows = zip(*[machine.iterate(arg) for arg in args[1:]])
    return Lazy([machine.call(args[0], list(row), {}) for row in rows])


def _filter(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    kept: list[Value] = []
    for value in machine.iterate(args[1]):
        truth = machine.truth(value if args[0] is None else machine.call(args[0], [value], {}))
        if truth is None:
            raise Unknowable
        if truth:
            kept.append(value)
    return Lazy(kept)


def _reversed(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    return Lazy(list(machine.iterate(args[0]))[::-1])


def _next(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if type(args[0]) is not Lazy:
        return UNKNOWN
    if args[0].rest:
        return args[0].rest.pop(0)
    return args[1] if len(args) > 1 else _raise("StopIteration")


def _isinstance(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    value, classes = args
    options = classes if type(classes) is tuple else (classes,)
    if value is UNKNOWN:
        return UNKNOWN
    for option in options:
        if type(option) is Library and option.dotted in TYPES and (type(value) in PLAIN):
            if isinstance(value, TYPES[option.dotted]):
                return True
        elif type(option) is ClassRef and type(value) in PLAIN:
            continue
        elif isinstance(value, (Instance, EnumMember)) and isinstance(option, ClassRef):
            if value.cls == option:
                return True
            if value.cls.body is None or value.cls.body.bases or value.cls.body.open:
                return UNKNOWN
        elif isinstance(value, Instance) and isinstance(option, Library) and option.dotted in TYPES:
            if value.cls.body is None or value.cls.body.kind == "namedtuple":
                return UNKNOWN
        elif not (isinstance(option, Library) and option.dotted in TYPES):
            return UNKNOWN
    return False


def _getattr(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if type(args[1]) is not str:
        return UNKNOWN
    try:
        return machine.attribute(args[0], args[1])
    except Raised as raised:
        if raised.kind == "AttributeError" and len(args) > 2:
            return args[2]
        raise


def _hasattr(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if type(args[1]) is not str:
        return UNKNOWN
    try:
        return UNKNOWN if machine.attribute(args[0], args[1]) is UNKNOWN else True
    except Raised:
        return False


def _callable(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if isinstance(args[0], (FunctionRef, ClassRef, BoundMethod)):
        return True
    if isinstance(args[0], Library) and (args[0].dotted in FUNCTIONS or args[0].dotted in TYPES):
        return True
    return False if type(args[0]) in PLAIN else UNKNOWN


def _reduce(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    found = list(args[2:3]) + list(machine.iterate(args[1]))
    if not found:
        raise Raised("TypeError")
    total = found[0]
    for value in found[1:]:
        total = machine.call(args[0], [total, value], {})
    return total


def _operator(op: str) -> Function:
    def run(_: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        return binary(op, *args) if op in "+-*//%**" else compare(op, *args)

    return run


def _combine(function: Callable[..., Any]) -> Function:
    """``itertools`` functions of iterables, evaluated to a list."""

    def run(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
        found = [machine.iterate(arg) if type(arg) is not int else arg for arg in args]
        result = list(itertools.islice(function(*found, **keywords), MAX_ITEMS + 1))
        check_length(len(result))
        machine.budget.spend(len(result) // 16)
        return Lazy(result)

    return run


def _repeat(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    found = binary("*", [args[0]], args[1]) if len(args) == 2 else UNKNOWN
    return Lazy(found) if type(found) is list else UNKNOWN


def _copy(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    value = args[0]
    if type(value) in (list, dict, set):
        return value.copy()
    if type(value) is Instance:
        return Instance(value.cls, dict(value.fields))
    return value if type(value) in PLAIN else UNKNOWN


def _deepcopy(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    value = args[0]
    if type(value) is dict:
        return {key: machine.own(_deepcopy(machine, [each], {})) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(machine.own(_deepcopy(machine, [each], {})) for each in value)
    if type(value) is Instance:
        return Instance(
            value.cls, {key: machine.own(_deepcopy(machine, [each], {})) for key, each in value.fields.items()}
        )
    return value


def _text(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if not args:
        return ""
    value = args[0]
    if type(value) is EnumMember:
        return UNKNOWN
    return str(value) if writable(value) and len(args) == 1 else UNKNOWN


def _round(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    digits = args[1] if len(args) > 1 else keywords.get("ndigits")
    if type(digits) is int and abs(digits) > 5000:
        raise Unknowable
    return _native(round)(machine, args, keywords)


def _repr(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    return repr(args[0]) if writable(args[0]) else UNKNOWN


def writable(value: Any) -> bool:
    """Whether our ``str`` of the value is what the program's would be."""
    kind = type(value)
    if kind is int or kind is str or kind in SCALARS:
        return True
    if kind in (set, frozenset):
        return False
    if kind is dict:
        return all(map(writable, value)) and all(map(writable, value.values()))
    if kind in (list, tuple):
        return all(map(writable, value))
    return kind is range


def _first_class(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    if len(args) == 1 and isinstance(args[0], (Instance, EnumMember)):
        return args[0].cls
    if len(args) == 1:
        for name, kind in TYPES.items():
            if type(args[0]) is kind:
                return Library(name)
    return UNKNOWN


def _nothing(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    return None


def _environment(machine: Machine, args: list[Any], keywords: dict[str, Any]) -> Value:
    """``os.environ.get`` and ``os.getenv``: what the program itself has set, else the default."""
    if not args or type(args[0]) is not str:
        return UNKNOWN
    value = machine.read_global(ENVIRONMENT, args[0])
    if value is MISSING:
        return args[1] if len(args) > 1 else keywords.get("default")
    return value


ENVIRONMENT = "<environment>"
"""Path of the pseudo module whose names are the environment variables the program has set."""

_MATH_PLAIN = """ceil floor sqrt log log2 log10 log1p exp trunc fabs gcd lcm isqrt pow hypot copysign fmod isclose
    isfinite isinf isnan sin cos tan asin acos atan atan2 sinh cosh tanh degrees
    radians modf frexp remainder erf expm1 dist"""
FUNCTIONS: dict[str, Function] = {
    "abs": _native(abs),
    "all": _quantifier(False),
    "any": _quantifier(True),
    "ascii": _native(ascii),
    "bin": _native(bin),
    "bool": lambda m, a, k: False if not a else UNKNOWN if (t := m.truth(a[0])) is None else t,
    "callable": _callable,
    "chr": _native(chr),
    "dict": _dict,
    "divmod": _native(divmod),
    "enumerate": _enumerate,
    "filter": _filter,
    "float": _native(float),
    "frozenset": _set(frozenset),
    "getattr": _getattr,
    "hasattr": _hasattr,
    "hex": _native(hex),
    "int": _int,
    "isinstance": _isinstance,
    "iter": lambda m, a, k: Lazy(list(m.iterate(a[0]))),
    "len": _len,
    "list": _sequence(list),
    "map": _map,
    "max": _extreme(max),
    "min": _extreme(min),
    "next": _next,
    "oct": _native(oct),
    "ord": _native(ord),
    "pow": lambda m, a, k: binary("**", *a) if len(a) == 2 else _native(pow)(m, a, k),
    "print": _nothing,
    "range": _range,
    "repr": _repr,
    "reversed": _reversed,
    "round": _round,
    "set": _set(set),
    "slice": _native(slice),
    "sorted": _sorted,
    "str": _text,
    "sum": _sum,
    "tuple": _sequence(tuple),
    "type": _first_class,
    "zip": _zip,
    "math.comb": _small(math.comb, 1000),
    "math.factorial": _small(math.factorial, 500),
    "math.ldexp": _small(math.ldexp, 5000),
    "math.perm": _small(math.perm, 500),
    "math.prod": _product,
    "math.fsum": _native(math.fsum),
    "copy.copy": _copy,
    "copy.deepcopy": _deepcopy,
    "functools.reduce": _reduce,
    "itertools.accumulate": _combine(itertools.accumulate),
    "itertools.chain": _combine(itertools.chain),
    "itertools.combinations": _combine(itertools.combinations),
    "itertools.permutations": _combine(itertools.permutations),
    "itertools.product": _combine(itertools.product),
    "itertools.repeat": _repeat,
    "itertools.chain.from_iterable": lambda m, a, k: _combine(itertools.chain)(m, list(m.iterate(a[0])), {}),
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
    "os.getenv": _environment,
    "typing.cast": lambda m, a, k: a[1],
    "types.MappingProxyType": lambda m, a, k: a[0],
    "logging.getLogger": lambda m, a, k: UNKNOWN,
    "warnings.warn": _nothing,
    "warnings.filterwarnings": _nothing,
    "warnings.simplefilter": _nothing,
    **{f"math.{name}": _native(getattr(math, name)) for name in _MATH_PLAIN.split()},
}
FUNCTIONS["os.environ.setdefault"] = _environment
BUILTINS: dict[str, Value] = {
    name: Library(name)
    for name in [
        *[name for name in FUNCTIONS if "." not in name],
        *TYPES,
        *EXCEPTIONS,
        *words("object property staticmethod classmethod super setattr open id hash vars format"),
    ]
}
BUILTINS["Ellipsis"] = ...
BUILTINS["__debug__"] = True
