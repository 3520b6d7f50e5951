"""Random units for hypothesis: expressions of every kind, with white space of every kind between their tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import strategies as st

from pto_lsp.analysis.source.units import UnitKind

T = TypeVar("T")
Draw = Any
Tokens = list[str]
"""Brackets are tokens of their own."""

_NAMES = ["x", "pl", "変数", "ñ", "_a1"]
_ATOMS = [
    *_NAMES,
    "0",
    "17",
    "0x_Ff",
    "1_000",
    "1.5",
    ".5e-3",
    "2j",
    "True",
    "None",
    "...",
    "'a'",
    '"é\\n"',
    "r'\\d'",
    "'''t\nq#'''",
    '"""\r\n😀"""',
    "'😀([{'",
    "b'x'",
    "''",
]
_BINARY = ["+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"]
_COMPARE = ["<", "<=", "==", "!=", ">", "in", "not in", "is", "is not"]
_GAPS = ["", "", "", " ", "  ", "\t", "\f", "\\\n", " \\\r\n "]
_BRACKET_GAPS = [*_GAPS, "\n", "\r\n", "\r", " # (é\n\t", "\n\n   # 😀]\r\n", "\n "]


@st.composite
def expressions(draw: Draw) -> str:
    return _spaced(draw, _test(draw, 2))


@st.composite
def units(draw: Draw) -> tuple[str, UnitKind]:
    """A valid unit."""

    def test() -> Tokens:
        return _test(draw, draw(st.integers(0, 2)))

    def target() -> Tokens:
        return _pick(draw, ["x"], ["(", "x", ",", "y", ")"], ["x", ",", "y"], ["*", "x", ",", "y"])

    def body() -> Tokens:
        return _pick(draw, [], [], ["x", "=", "y"], ["f", "(", ")", ";", "pass"], ["return", "x", ";"])

    makers: dict[str, Callable[[], Tokens]] = {
        "assign": lambda: [*target(), "=", "y", "=", *test()],
        "annotated": lambda: ["x", ":", *test(), "=", *test()],
        "augmented": lambda: ["x", _pick(draw, *_BINARY) + "=", *test(), ";", "y", "=", *test()],
        "bare": lambda: [*test(), ",", *test()],
        "return": lambda: ["return", *_pick(draw, [], ["*", "x", ",", "y"], test())],
        "assert": lambda: ["assert", *test(), ",", *test()],
        "raise": lambda: ["raise", *test(), "from", *test()],
        "import": lambda: ["from", ".", "a", "import", "(", "b", "as", "c", ",", "d", ",", ")", ";", "import", "q"],
        "for": lambda: ["for", *target(), "in", *test(), ":", *body()],
        "while": lambda: ["while", *test(), ":", *body()],
        "if": lambda: ["if", *test(), ":", *body()],
        "with": lambda: ["with", *test(), "as", "x", ",", *test(), ":", *body()],
        "with parentheses": lambda: ["with", "(", "x", "as", "y", ",", "z", ",", ")", ":", *body()],
        "def": lambda: ["def", "f", "(", *_parameters(draw), ")", "->", *test(), ":", *body()],
        "class": lambda: ["class", "A", "(", "B", ",", *_arguments(draw, 1, False), ")", ":", *body()],
        "match": lambda: ["match", *test(), ":"],
        "try": lambda: ["try", ":", *body()],
        "decorator": lambda: ["@", *test()],
        "parameter": lambda: ["x", ":", *test(), "=", *test()],
        "star parameter": lambda: [_pick(draw, "*", "**"), "x", ":", *test()],
    }
    name = draw(st.sampled_from(sorted(makers)))
    kind = {"decorator": UnitKind.DECORATOR, "match": UnitKind.HEADER}.get(name, UnitKind.SIMPLE)
    if "parameter" in name:
        text = _spaced(draw, makers[name](), 1)
        return text, UnitKind.PARAMETER
    return _spaced(draw, makers[name]()), kind


def _pick(draw: Draw, *choices: T) -> T:
    picked: T = draw(st.sampled_from(choices))
    return picked


def _many(draw: Draw, make: Any, least: int = 0) -> Tokens:
    """Items between commas, with or without a trailing one."""
    tokens: Tokens = []
    count = draw(st.integers(least, 2))
    for _ in range(count):
        tokens += [*make(), ","]
    return tokens[:-1] if count > 1 and draw(st.booleans()) else tokens


def _test(draw: Draw, depth: int) -> Tokens:
    if depth <= 0:
        return [_pick(draw, *_ATOMS)]
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return [*_or(draw, depth - 1), "if", *_or(draw, depth - 1), "else", *_test(draw, depth - 1)]
    if kind == 1:
        parameters = _pick(draw, [], ["x"], ["x", "=", *_test(draw, depth - 1), ",", "*", ",", "y"], ["x", ",", "/"])
        return ["lambda", *parameters, ":", *_test(draw, depth - 1)]
    return _or(draw, depth)


def _or(draw: Draw, depth: int) -> Tokens:
    tokens = _comparison(draw, depth)
    for _ in range(_pick(draw, 0, 0, 0, 0, 1, 2)):
        tokens += [_pick(draw, "and", "or"), *_pick(draw, [], ["not"], ["not", "not"]), *_comparison(draw, depth - 1)]
    return tokens


def _comparison(draw: Draw, depth: int) -> Tokens:
    tokens = _sum(draw, depth)
    for _ in range(_pick(draw, 0, 0, 0, 0, 1, 2)):
        tokens += [*_pick(draw, *_COMPARE).split(), *_sum(draw, depth - 1)]
    return tokens


def _sum(draw: Draw, depth: int) -> Tokens:
    tokens = _factor(draw, depth)
    for _ in range(_pick(draw, 0, 0, 0, 1, 2)):
        tokens += [_pick(draw, *_BINARY), *_factor(draw, depth - 1)]
    return tokens


def _factor(draw: Draw, depth: int) -> Tokens:
    return [*_pick(draw, [], [], [], ["-"], ["~", "-"], ["+"]), *_primary(draw, depth)]


def _primary(draw: Draw, depth: int) -> Tokens:
    if depth <= 0:
        return [_pick(draw, *_ATOMS)]
    tokens = _pick(draw, _display, _display, _name, _strings)(draw, depth)
    for _ in range(_pick(draw, 0, 0, 1, 2)):
        kind = draw(st.integers(0, 2))
        if kind == 0:
            tokens += [".", _pick(draw, *_NAMES)]
        elif kind == 1:
            tokens += ["(", *_arguments(draw, depth - 1), ")"]
        else:
            tokens += ["[", *_many(draw, lambda: _subscript(draw, depth - 1), 1), "]"]
    return tokens


def _name(draw: Draw, depth: int) -> Tokens:
    return [_pick(draw, *_NAMES)]


def _strings(draw: Draw, depth: int) -> Tokens:
    return _pick(draw, ["'a'", '"b\\\n"'], ['f"{x}{{"', "'😀'"], ["f'{x!r:>{y + 1}}'"], ["rb''", "b'\\''", 'b"c"'])


def _arguments(draw: Draw, depth: int, generator: bool = True) -> Tokens:
    if generator and _pick(draw, False, False, False, True):
        return _clauses(draw, _test(draw, depth), depth)
    tokens = _many(draw, lambda: [*_pick(draw, [], [], ["*"]), *_or(draw, depth)])
    named = _many(draw, lambda: [*_pick(draw, ["**"], [_pick(draw, *_NAMES), "="]), *_test(draw, depth)])
    named = _without_repeated_keywords(named)
    return [*tokens, *([","] if tokens and tokens[-1] != "," and named else []), *named]


def _without_repeated_keywords(tokens: Tokens) -> Tokens:
    seen = 0
    result = []
    for token, following in zip(tokens, [*tokens[1:], ""]):
        if following == "=" and token in _NAMES:
            seen += 1
            token = f"{token}{seen}"
        result.append(token)
    return result


def _subscript(draw: Draw, depth: int) -> Tokens:
    kind = draw(st.integers(0, 3))
    if kind == 0:
        parts = [_pick(draw, [], _test(draw, depth)) for _ in range(_pick(draw, 2, 3))]
        tokens = parts[0]
        for part in parts[1:]:
            tokens = [*tokens, ":", *part]
        return tokens
    return _test(draw, depth)


def _clauses(draw: Draw, element: Tokens, depth: int) -> Tokens:
    tokens = element
    for _ in range(_pick(draw, 1, 1, 2)):
        tokens = [*tokens, *_pick(draw, ["for"], ["for"], ["async for"]), *_pick(draw, ["x"], ["x", ",", "y"]), "in"]
        tokens += _or(draw, depth)
        for _ in range(_pick(draw, 0, 0, 0, 1, 2)):
            tokens += ["if", *_or(draw, depth - 1)]
    return tokens


def _display(draw: Draw, depth: int) -> Tokens:
    def test() -> Tokens:
        return _test(draw, depth - 1)

    def starred() -> Tokens:
        return ["*", *_primary(draw, depth - 1)] if _pick(draw, False, False, True) else test()

    def entry() -> Tokens:
        return ["**", *_primary(draw, depth - 1)] if _pick(draw, False, True) else [*test(), ":", *test()]

    makers: list[Callable[[], Tokens]] = [
        lambda: ["(", *test(), ")"],
        lambda: ["(", "(", *test(), ")", ")"],
        lambda: ["(", *_many(draw, starred), ")"],
        lambda: ["[", *_many(draw, starred), "]"],
        lambda: ["{", *_many(draw, starred, 1), "}"],
        lambda: ["{", *_many(draw, entry), "}"],
        lambda: ["[", *_clauses(draw, test(), depth - 1), "]"],
        lambda: ["(", *_clauses(draw, test(), depth - 1), ")"],
        lambda: ["{", *_clauses(draw, test(), depth - 1), "}"],
        lambda: ["{", *_clauses(draw, [*test(), ":", *test()], depth - 1), "}"],
        lambda: ["(", "x", ":=", *test(), ")"],
        lambda: ["(", "yield", *_pick(draw, [], test(), ["from", *test()]), ")"],
        lambda: ["(", "await", *_primary(draw, depth - 1), ")"],
    ]
    return _pick(draw, *makers)()


def _parameters(draw: Draw) -> Tokens:
    hint = [":", *_test(draw, 1)] if draw(st.booleans()) else []
    return _pick(
        draw,
        [],
        ["a", *hint],
        ["a", *hint, ",", "/", ",", "b", "=", "1", ",", "*", ",", "c", *hint, ","],
        ["a", ",", "/"],
        ["*", "a", *hint, ",", "b", "=", *_test(draw, 1), ",", "**", "c"],
    )


def _spaced(draw: Draw, tokens: Tokens, depth: int = 0) -> str:
    """The tokens with random gaps, and with a blank where two would run together. ``depth`` is that of brackets."""
    gaps = draw(st.lists(st.integers(0, 1000), min_size=len(tokens), max_size=len(tokens)))
    text = ""
    last = ""
    for number, (token, choice) in enumerate(zip(tokens, gaps)):
        if number:
            choices = _BRACKET_GAPS if depth > 0 else _GAPS
            gap = choices[choice % len(choices)]
            if not gap and _runs_together(last, token):
                gap = " "
            text += gap
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth -= 1
        text += token
        last = token
    return text


def _runs_together(left: str, right: str) -> bool:
    word = left[-1].isalnum() or left[-1] in "_."
    return (word and (right[0].isalnum() or right[0] in "_'\".")) or (left[-1] in "'\"" and right[0] in "'\"")
