"""Random small programs of loops, branches, rebinding and launches, as text for ``build.program``."""

from __future__ import annotations

from hypothesis import strategies as st

KERNELS = """
@incore
def k(x: Int, y: Int) -> Int:
    return x

"""

NAMES = ["a", "b", "c", "d", "e"]


def _expr() -> st.SearchStrategy[str]:
    leaf = st.one_of(st.sampled_from([*NAMES, "n"]), st.integers(-2, 4).map(str))
    operation = st.sampled_from(["{} + {}", "{} - {}", "{} * {}", "pl.min({}, {})", "{} % 3 + {}", "({} + {}) // 2"])
    return st.one_of(leaf, st.builds(lambda form, x, y: form.format(x, y), operation, leaf, leaf))


def _condition() -> st.SearchStrategy[str]:
    return st.builds(lambda x, op, y: f"{x} {op} {y}", _expr(), st.sampled_from(["<", "==", ">="]), _expr())


def _statements(depth: int, calls: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    simple = st.one_of(
        st.builds(lambda n, e: [f"{n} = {e}"], st.sampled_from(NAMES), _expr()),
        st.builds(
            lambda n, f, x, y: [f"{n} = {f}({x}, {y})"],
            st.sampled_from(NAMES),
            st.sampled_from(calls),
            st.sampled_from(NAMES),
            st.sampled_from(NAMES),
        ),
    )
    if depth == 0:
        return st.lists(simple, min_size=1, max_size=4).map(_flat)
    inner = _statements(depth - 1, calls)
    loop = st.builds(
        lambda kind, i, stop, body: [f"for {i} in pl.{kind}({stop}):", *_indented(body)],
        st.sampled_from(["range", "range", "parallel", "unroll"]),
        st.sampled_from(["i", "j", "a"]),
        st.sampled_from(["0", "1", "2", "3", "n"]),
        inner,
    )
    branch = st.builds(
        lambda c, then, orelse: [f"if {c}:", *_indented(then), *(["else:", *_indented(orelse)] if orelse else [])],
        _condition(),
        inner,
        st.one_of(st.just([]), inner),
    )
    return st.lists(st.one_of(simple, simple, loop, branch), min_size=1, max_size=4).map(_flat)


def _flat(parts: list[list[str]]) -> list[str]:
    return [line for part in parts for line in part]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def bodies(depth: int = 2, calls: tuple[str, ...] = ("k",)) -> st.SearchStrategy[str]:
    """A function ``main(n, a, b)`` that returns every name it may have bound."""

    def text(lines: list[str]) -> str:
        every = ", ".join(NAMES)
        head = ["def main(n: Int, a: Int, b: Int) -> Int:", "    c = 0", "    d = 1", "    e = n"]
        return "\n".join([*head, *_indented(lines), f"    return {every}", ""])

    return _statements(depth, calls).map(text)
