"""What the example programs have in common: imports, kernels, and the two authoring styles.

Bodies abbreviate types: ``<T>`` is a 64×64 tile of FP32, ``<W>`` a stack of eight of them, ``<I>`` an index.
"""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent

_TYPES = {
    "<T>": "pl.Tensor[[64, 64], pl.FP32]",
    "<W>": "pl.Tensor[[512, 64], pl.FP32]",
    "<I>": "pl.Scalar[pl.INDEX]",
}

_KERNELS = {
    "accumulate": (
        "x: <T>, acc: pl.InOut[<T>]",
        """\
    total = pl.add(pl.load(x, [0, 0], [64, 64]), pl.load(acc, [0, 0], [64, 64]))
    acc = pl.store(total, [0, 0], acc)
    return acc
""",
    ),
    "accumulate_rows": (
        "x: <W>, row: <I>, acc: pl.InOut[<T>]",
        """\
    total = pl.add(pl.load(x, [row, 0], [64, 64]), pl.load(acc, [0, 0], [64, 64]))
    acc = pl.store(total, [0, 0], acc)
    return acc
""",
    ),
    "produce": (
        "x: <T>, out: pl.Out[<T>]",
        """\
    tile = pl.load(x, [0, 0], [64, 64])
    out = pl.store(pl.add(tile, tile), [0, 0], out)
    return out
""",
    ),
}


def jit(kernels: Iterable[str], body: str) -> str:
    """A complete module in the ``@pl.jit`` style with the named kernels before ``body``."""
    parts = ["import pypto.language as pl\n"]
    for name in kernels:
        parameters, statements = _KERNELS[name]
        parts.append(f"@pl.jit.incore\ndef {name}({parameters}):\n{statements}")
    parts.append(body.strip("\n") + "\n")
    return _expanded("\n\n".join(parts))


def program(kernels: Iterable[str], body: str) -> str:
    """A complete module in the ``@pl.program`` style: a class with the named kernels before the methods in ``body``."""
    methods = []
    for name in kernels:
        parameters, statements = _KERNELS[name]
        head = f"@pl.function(type=pl.FunctionType.InCore)\ndef {name}(self, {parameters}) -> <T>:\n"
        methods.append(head + statements)
    methods.append(body.strip("\n") + "\n")
    members = indent("\n".join(methods), "    ")
    return _expanded(f"import pypto.language as pl\n\n\n@pl.program\nclass Decoder:\n{members}")


def many_parameters(kind: str, count: int, per_line: int) -> str:
    """``count`` parameters ``t0``, ``t1`` … of one type, some on each line."""
    names = [f"t{index}: {kind}" for index in range(count)]
    lines = [", ".join(names[begin : begin + per_line]) for begin in range(0, count, per_line)]
    return ",\n    ".join(lines)


def _expanded(text: str) -> str:
    for short, full in _TYPES.items():
        text = text.replace(short, full)
    return text
