"""The kernels that the programs of these tests launch."""

from __future__ import annotations

KERNELS = """\
import pypto.language as pl


@pl.jit.incore
def add(x: pl.Tensor[[64, 64], pl.FP32], acc: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    acc = pl.store(pl.add(pl.load(x, [0, 0], [64, 64]), pl.load(acc, [0, 0], [64, 64])), [0, 0], acc)
    return acc


@pl.jit.incore
def row(x: pl.Tensor[[512, 64], pl.FP32], at: pl.Scalar[pl.INDEX], acc: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    acc = pl.store(pl.add(pl.load(x, [at, 0], [64, 64]), pl.load(acc, [0, 0], [64, 64])), [0, 0], acc)
    return acc


@pl.jit.incore
def produce(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    out = pl.store(pl.load(x, [0, 0], [64, 64]), [0, 0], out)
    return out


"""

METHODS = """\
import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def add(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
        acc = pl.store(pl.add(pl.load(x, [0, 0], [64, 64]), pl.load(acc, [0, 0], [64, 64])), [0, 0], acc)
        return acc

    @pl.function(type=pl.FunctionType.InCore)
    def produce(self, x: <T>, out: pl.Out[<T>]) -> <T>:
        out = pl.store(pl.load(x, [0, 0], [64, 64]), [0, 0], out)
        return out

"""

_SHORT = {
    "<T>": "pl.Tensor[[64, 64], pl.FP32]",
    "<W>": "pl.Tensor[[512, 64], pl.FP32]",
    "<I>": "pl.Scalar[pl.INDEX]",
}


def full(text: str) -> str:
    """``text`` with the short types written out."""
    for short, long in _SHORT.items():
        text = text.replace(short, long)
    return text


def short(text: str) -> str:
    """The reverse, for texts that are compared."""
    for abbreviated, long in _SHORT.items():
        text = text.replace(long, abbreviated)
    return text


def jit(body: str) -> str:
    """A module of ``@pl.jit`` functions."""
    return full(KERNELS + body)


def program(body: str) -> str:
    """A ``@pl.program`` class with the methods in ``body``, which are indented already."""
    return full(METHODS + body)
