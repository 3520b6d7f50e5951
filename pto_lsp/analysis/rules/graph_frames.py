"""The frames of the task-graph examples: the functions around the few statements that matter.

``<T>`` abbreviates a 128×128 tensor of FP32, ``<H>`` its upper half, ``<G>`` a row of eight INT32 that guards read.
"""

from __future__ import annotations

from textwrap import indent

_TYPES = {
    "<T>": "pl.Tensor[[128, 128], pl.FP32]",
    "<H>": "pl.Tensor[[64, 128], pl.FP32]",
    "<G>": "pl.Tensor[[1, 8], pl.INT32]",
}

_KERNELS = """\
@pl.function(type=pl.FunctionType.InCore)
def put(self, a: <T>, o: pl.Out[<T>]) -> <T>:
    t = pl.load(a, [0, 0], [128, 128])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return o

@pl.function(type=pl.FunctionType.InCore)
def half(self, a: <H>, o: pl.Out[<H>]) -> <H>:
    t = pl.load(a, [0, 0], [64, 128])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return o

@pl.function(type=pl.FunctionType.InCore)
def stripe(self, a: <T>, row: pl.Scalar[pl.INDEX], o: pl.Out[<T>]) -> <T>:
    t = pl.load(a, [row, 0], [32, 128])
    o = pl.store(pl.add(t, t), [row, 0], o)
    return o

@pl.function(type=pl.FunctionType.InCore)
def bump(self, a: <T>, o: pl.InOut[<T>]) -> <T>:
    t = pl.load(a, [0, 0], [128, 128])
    u = pl.load(o, [0, 0], [128, 128])
    o = pl.store(pl.add(t, u), [0, 0], o)
    return o

@pl.function(type=pl.FunctionType.InCore)
def gput(self, a: <G>, o: pl.Out[<G>]) -> <G>:
    t = pl.load(a, [0, 0], [1, 8])
    o = pl.store(t, [0, 0], o)
    return o
"""

_USED = ("put", "half", "stripe", "bump", "gput")


def regions(body: str, gate: bool = False) -> str:
    """A ``@pl.jit`` entry with the input ``x``, the outputs ``s`` and ``y``, and perhaps the guard ``g``."""
    guard = ", g: <G>" if gate else ""
    text = f"@pl.jit\ndef graph(x: <T>{guard}, s: pl.Out[<T>], y: pl.Out[<T>]):\n{indent(body.strip(), '    ')}\n"
    return module(text + "    return s, y\n")


def kernels(body: str, gate: str = "<G>") -> str:
    """A ``@pl.program`` class: the kernels that ``body`` uses, and ``main`` with ``x``, ``g``, ``s`` and ``y``."""
    parts = [
        part
        for part in _KERNELS.split("\n\n")
        if any(f"def {name}(" in part and f"self.{name}" in body for name in _USED)
    ]
    head = "@pl.function(type=pl.FunctionType.Orchestration)\n"
    head += f"def main(self, x: <T>, g: {gate}, s: pl.Out[<T>], y: pl.Out[<T>]) -> <T>:\n"
    parts.append(f"{head}{indent(body.strip(), '    ')}\n    return y")
    members = indent("\n\n".join(part.strip("\n") for part in parts), "    ")
    return module(f"@pl.program\nclass Layer:\n{members}\n")


def module(text: str, imports: str = "import pypto.language as pl") -> str:
    """A complete module."""
    for short, full in _TYPES.items():
        text = text.replace(short, full)
    return f"{imports}\n\n\n{text.strip()}\n"
