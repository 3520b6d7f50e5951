"""The worked cases of the rules, by id: a program, where findings are expected in it, what hoisting makes of it.

A range that some rule refuses stands in ``⟦CODE:…⟧``; a program without marks is accepted. Cases about what other rooms
decide (the parser, other passes, generated code) are stated here as far as the Graph boundary depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pto_lsp.analysis.graph_boundary.limits import Conformance

REFERENCE: tuple[Conformance, ...] = ("reference",)
EXTENDED: tuple[Conformance, ...] = ("extended",)
BOTH: tuple[Conformance, ...] = ("reference", "extended")


@dataclass(frozen=True)
class Case:
    """``appended``: parameters that hoisting adds to ``layer``, None when that is not the point. ``locals``: names and
    values bound at the call sites, in order. ``advice``: codes of non-refusing findings that have to be there."""

    id: str
    functions: str
    main: str | None = None
    appended: tuple[str, ...] | None = None
    locals: tuple[tuple[str, str], ...] | None = None
    nodes: int | None = None
    advice: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    modes: tuple[Conformance, ...] = BOTH
    graph: str = "layer"
    target: str = "host_build_graph"
    subjects: tuple[str, ...] = field(default=())


def layer(body: str, extra: str = "", returns: str = "T", name: str = "layer") -> str:
    """A Graph over ``a`` and the InOut ``c``; ``extra`` are further parameters."""
    more = f", {extra}" if extra else ""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return f"@GRAPH\ndef {name}(self, a: T, c: pl.InOut[T]{more}) -> {returns}:\n{lines}"


def looped(arguments: str = "a, c, i", extra: str = "", trips: int = 4) -> str:
    """A caller that launches ``layer`` in a loop over ``i``."""
    more = f", {extra}" if extra else ""
    return (
        f"@ORCH\ndef main(self, a: T, c: pl.InOut[T]{more}) -> T:\n"
        f"    for i in pl.range({trips}):\n        c = self.layer({arguments})\n    return c\n"
    )


BUMP = "c = self.bump(a, c)\nreturn c"
IDX = "idx: IDX"


def cases() -> Iterator[Case]:
    yield from gate()
    yield from signature()
    yield from scalars()
    yield from views()
    yield from allocations()
    yield from topology()
    yield from call_sites()
    yield from order()


def gate() -> Iterator[Case]:
    yield Case("cG02", layer(BUMP), appended=(), nodes=1)
    yield Case(
        "cG03",
        "",
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T], n: IDX) -> T:\n"
        "    for i in pl.range(n):\n        c = self.shift(a, c, i * 8)\n    return c\n",
        target="tensormap_and_ringbuffer",
    )
    yield Case(
        "cG04",
        "@GRAPH\ndef ⟦PTO401:layer⟧(self, a: T, c: pl.Out[T]) -> T:\n    c = self.bump(a, c)\n    return c\n",
        target="tensormap_and_ringbuffer",
        subjects=("layer",),
    )


def signature() -> Iterator[Case]:
    yield Case(
        "cD01",
        "@GRAPH\ndef ⟦PTO402:⟦PTO408:layer⟧⟧(self, n: IDX):\n    m = n + 1\n",
        subjects=("layer", "layer"),
    )
    yield Case(
        "cD02",
        "@GRAPH\ndef layer(self, a: T, ⟦PTO405:c: pl.Out[T]⟧) -> T:\n    c = self.bump(a, c)\n    return c\n",
        subjects=("c",),
    )
    yield Case(
        "cD03",
        "@GRAPH\ndef layer(self, a: T, c: pl.InOut[T], ⟦PTO406:n: pl.InOut[pl.Scalar[pl.INT32]]⟧) -> T:\n"
        "    c = self.bump(a, c)\n    return c\n",
        subjects=("n",),
    )
    for count in (128, 129):
        others = ", ".join(f"t{i}: T" for i in range(count - 1))
        name = "⟦PTO403:layer⟧" if count > 128 else "layer"
        yield Case(
            "cD04",
            f"@GRAPH\ndef {name}(self, {others}, c: pl.InOut[T]) -> T:\n    c = self.bump(t0, c)\n    return c\n",
        )
    many = ", ".join(f"s{i}: IDX" for i in range(65))
    yield Case(
        "cD05",
        layer(BUMP, many, name="⟦PTO404:layer⟧"),
    )
    others = ", ".join(f"t{i}: T" for i in range(125))
    body = "".join(
        f"    m{i} = pl.create_tensor([128, 128], dtype=pl.FP32)\n    m{i} = self.bump(t0, m{i})\n" for i in range(3)
    )
    yield Case(
        "cD07",
        f"@GRAPH\ndef ⟦PTO403:layer⟧(self, {others}, c: pl.InOut[T]) -> T:\n{body}"
        "    c = self.bump(m0, c)\n    return c\n",
        appended=("m0: inout", "m1: inout", "m2: inout"),
    )
    yield Case(
        "cD08",
        layer(
            "with pl.at(level=pl.Level.CORE_GROUP):\n    t = pl.load(a, [0, 0], [128, 128])\n"
            "    c = pl.store(t, [0, 0], c)\nreturn c"
        ),
        appended=(),
        nodes=1,
    )
    yield Case("cD09", layer("r = self.fill(a)\nc = self.bump(r, c)\n⟦PTO407:return r⟧"), subjects=("layer",))
    yield Case(
        "cD10",
        layer("tmp = pl.create_tensor([128, 128], dtype=pl.FP32)\ntmp = self.bump(a, tmp)\n⟦PTO407:return tmp⟧"),
        subjects=("layer",),
    )
    yield Case(
        "cD11",
        layer("v = pl.slice(w, [128, 128], [0, 0])\nc = self.mix(a, v, c)\n⟦PTO407:return v⟧", "w: W"),
    )
    yield Case("cD12", "@GRAPH\ndef layer(self, a: T, c: pl.InOut[T]):\n    self.bump(a, c)\n", appended=(), nodes=1)
    yield Case("cD13", layer("c = self.bump(a, c)\nreturn a"), appended=())
    yield Case(
        "cD14",
        layer("c, d = self.pair(a, c, d)\nreturn d, c", "d: pl.InOut[T]", "tuple[T, T]"),
        appended=(),
        nodes=1,
    )
    yield Case("cD15", layer("c = self.bump(a, c)\nreturn n", "n: IDX", "IDX"), appended=())
    yield Case("cD15", layer("c = self.bump(a, c)\n⟦PTO407:return n + 1⟧", "n: IDX", "IDX"))
    yield Case("cD15", layer("c = self.bump(a, c)\nm = n\n⟦PTO407:return m⟧", "n: IDX", "IDX"))
    yield Case(
        "cD16",
        layer(
            "c = self.bump(a, c)\nif n > 0:\n    r = c\nelse:\n    r = d\n⟦PTO407:return r⟧", "d: pl.InOut[T], n: IDX"
        ),
    )
    yield Case("cD17", layer("for i in pl.range(4):\n    c = self.bump(a, c)\nreturn c"), appended=(), nodes=4)


def scalars() -> Iterator[Case]:
    yield Case(
        "cA01",
        layer("base = idx * 128\nc = self.shift(a, c, base)\nreturn c", IDX),
        looped(),
        appended=("base: in",),
        locals=(("base__graph_arg0", "i * 128"),),
        advice=("PTO101",),
        nodes=1,
    )
    yield Case("cA02", layer("c = self.shift(a, c, idx)\nreturn c", IDX), looped(), appended=(), locals=())
    yield Case(
        "cA03",
        layer(
            "base = idx * 128\ntail = base + 64\nc = self.shift(a, c, base)\nc = self.shift(a, c, tail)\nreturn c", IDX
        ),
        looped(),
        appended=("base: in", "tail: in"),
        locals=(("base__graph_arg0", "i * 128"), ("tail__graph_arg1", "base__graph_arg0 + 64")),
    )
    yield Case("cA04", layer("c = self.shift(a, c, ⟦PTO104:idx * 128⟧)\nreturn c", IDX), subjects=("layer",))
    yield Case("cA05", layer("c = self.shift(a, c, 64)\nreturn c", IDX), appended=())
    yield Case(
        "cA07",
        layer("p = idx\nq = p\nc = self.shift(a, c, q)\nreturn c", IDX),
        appended=(),
        locals=(),
        advice=("PTO102",),
        absent=("PTO101",),
    )
    yield Case(
        "cA09",
        layer("base = idx * 8\nal = base\nend = al + 1\nc = self.shift(a, c, end)\nreturn c", IDX),
        looped(),
        appended=("base: in", "end: in"),
        locals=(("base__graph_arg0", "i * 8"), ("end__graph_arg1", "base__graph_arg0 + 1")),
    )
    yield Case(
        "cA10",
        layer(
            "m = pl.min(idx, 7)\nk = pl.max(m, 1) - idx % 2\nj = -(k // 3)\nc = self.shift(a, c, m)\n"
            "c = self.shift(a, c, k)\nc = self.shift(a, c, j)\nreturn c",
            IDX,
        ),
        appended=("m: in", "k: in", "j: in"),
    )
    narrow = "@INCORE\ndef narrow(self, a: T, c: pl.InOut[T], off: pl.Scalar[pl.INT32]) -> T:\n    return c\n\n"
    yield Case(
        "cA11",
        narrow + layer("f = pl.cast(idx, pl.INT32)\nc = self.narrow(a, c, f)\nreturn c", IDX),
        appended=("f: in",),
    )
    flagged = "@INCORE\ndef flagged(self, a: T, c: pl.InOut[T], on: pl.Scalar[pl.BOOL]) -> T:\n    return c\n\n"
    yield Case(
        "cA12",
        flagged + layer("flag = idx > 3\nc = self.flagged(a, c, flag)\nreturn c", IDX),
        appended=("flag: in",),
    )
    ctl = "ctl: pl.Tensor[[4], pl.INDEX]"
    yield Case(
        "cA13",
        layer("n = pl.tensor.read(ctl, [0])\nc = self.shift(a, c, ⟦PTO103:n⟧)\nreturn c", ctl),
        subjects=("n",),
        advice=("PTO421",),
    )
    yield Case(
        "cA14",
        layer("n = pl.tensor.read(ctl, [0])\nfor j in pl.range(n):\n    x = j + 1\n" + BUMP, ctl),
        appended=(),
        advice=("PTO421",),
    )
    yield Case(
        "cA15",
        layer("n = pl.tensor.read(ctl, [0]) + idx\nc = self.shift(a, c, ⟦PTO103:n⟧)\nreturn c", f"{ctl}, {IDX}"),
    )
    yield Case(
        "cA16",
        layer("for i in pl.range(4):\n    off = i * 32\n    c = self.shift(a, c, off)\nreturn c"),
        appended=(),
        nodes=4,
    )
    yield Case("cA17", layer("for i in pl.range(4):\n    c = self.shift(a, c, i * 32)\nreturn c"), appended=(), nodes=4)
    yield Case("cA18", layer("for i in pl.range(4):\n    j = i\n    c = self.shift(a, c, j)\nreturn c"), appended=())
    yield Case("cA20", layer("n = pl.tensor.dim(a, 0)\nc = self.shift(a, c, n)\nreturn c"), appended=())
    yield Case("cA21", layer("b = a\nn = pl.tensor.dim(b, 0)\nc = self.shift(a, c, n)\nreturn c"), appended=())
    yield Case(
        "cA21",
        layer("c2 = self.bump(a, c)\nn = pl.tensor.dim(c2, 0)\nc2 = self.shift(a, c2, ⟦PTO103:n⟧)\nreturn c2"),
    )
    yield Case("cA22", layer("n = pl.tensor.dim(a, ax)\nc = self.shift(a, c, ⟦PTO103:n⟧)\nreturn c", "ax: IDX"))
    yield Case("cA23", layer("c = self.shift(a, c, pl.tensor.dim(a, 0) // 2)\nreturn c"), appended=())
    triangle = "for i in pl.range(4):\n    {loop}\n        off = j * 8\n        c = self.shift(a, c, {off})\nreturn c"
    yield Case(
        "cA25",
        layer(triangle.format(loop="⟦PTO410:for j in pl.range(0, i):⟧", off="⟦PTO103:off⟧")),
        modes=REFERENCE,
        subjects=("off", "layer"),
    )
    yield Case(
        "cA25",
        layer(triangle.format(loop="for j in pl.range(0, i):", off="off")),
        modes=EXTENDED,
        appended=(),
        nodes=6,
    )
    yield Case(
        "cA26",
        layer(
            "y = 0\nif idx > 3:\n    x = idx * 2\n    y = x + x\nz = pl.tensor.read(ctl, [y])\n" + BUMP, f"{ctl}, {IDX}"
        ),
        advice=("PTO101",),
    )
    yield Case("cA27", layer("t = 128\nc = self.shift(a, c, t)\nreturn c"), appended=())
    inner = "for i in pl.range(4):\n    t = 32\n    off = i * t\n    c = self.shift(a, c, {off})\nreturn c"
    yield Case("cA28", layer(inner.format(off="⟦PTO103:off⟧")), modes=REFERENCE, subjects=("off",))
    yield Case("cA28", layer(inner.format(off="off")), modes=EXTENDED, appended=(), nodes=4)
    kernel = (
        "with pl.at(level=pl.Level.CORE_GROUP):\n    {inside}\n    t = pl.load(w, [r0, 0], [128, 128])\n"
        "    c = pl.store(t, [0, 0], c)\nreturn c"
    )
    yield Case("cA29", layer(kernel.format(inside="r0 = idx * 16"), f"w: W, {IDX}"), appended=())
    yield Case(
        "cA30",
        layer("r0 = idx * 16\n" + kernel.format(inside="u = pl.load(a, [0, 0], [128, 128])"), f"w: W, {IDX}"),
        appended=("r0: in",),
    )
    yield Case(
        "cA31",
        layer("base = idx * 8\nc = self.shift(a, c, base)\nc = self.shift(a, c, base)\nreturn c", IDX),
        appended=("base: in",),
    )
    yield Case(
        "cA32",
        layer("off = idx\noff = off + 8\nc = self.shift(a, c, off)\nreturn c", IDX),
        looped(),
        appended=("off: in",),
        locals=(("off__graph_arg0", "i + 8"),),
    )
    yield Case(
        "cA33",
        layer(
            "off = idx\nfor i in pl.range(4):\n    c = self.shift(a, c, ⟦PTO103:off⟧)\n    off = off + 32\nreturn c",
            IDX,
        ),
        subjects=("off",),
    )
    yield Case(
        "cA34",
        layer("base = idx * 128\nc = self.shift(a, c, base)\nreturn c", IDX),
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T], p: IDX, q: IDX) -> T:\n"
        "    c = self.layer(a, c, p)\n    c = self.layer(a, c, q)\n    return c\n",
        locals=(("base__graph_arg0", "p * 128"), ("base__graph_arg1", "q * 128")),
    )
    yield Case(
        "cA35",
        layer("base = idx * 128\nc = self.shift(a, c, base)\nreturn c", IDX),
        "@ORCH\ndef second(self, a: T, c: pl.InOut[T], q: IDX) -> T:\n    c = self.layer(a, c, q)\n    return c\n\n"
        "@ORCH\ndef first(self, a: T, c: pl.InOut[T], p: IDX) -> T:\n    c = self.layer(a, c, p)\n    return c\n",
        locals=(("base__graph_arg0", "p * 128"), ("base__graph_arg1", "q * 128")),
    )


W_IDX = "w: W, idx: IDX"


def views() -> Iterator[Case]:
    window = "wl = pl.slice(w, [128, 128], [{offset}, 0])\nc = self.mix(a, wl, c)\nreturn c"
    yield Case(
        "cB01",
        layer("base = idx * 128\n" + window.format(offset="base"), W_IDX),
        looped("a, c, w, i", "w: W"),
        appended=("wl: in", "base: in"),
        locals=(("base__graph_arg0", "i * 128"), ("wl__graph_arg1", "pl.slice(w, [128, 128], [base__graph_arg0, 0])")),
        advice=("PTO101", "PTO201"),
    )
    yield Case(
        "cB02",
        layer(window.format(offset="idx * 128"), W_IDX),
        looped("a, c, w, i", "w: W"),
        appended=("wl: in",),
        locals=(("wl__graph_arg0", "pl.slice(w, [128, 128], [i * 128, 0])"),),
    )
    yield Case("cB03", layer(window.format(offset="256"), "w: W"), appended=("wl: in",))
    chain = "wr = pl.slice({source}, [64, 128], [{offset}, 0])\nc = self.touch2(a, wr, c)\nreturn c"
    small = "@INCORE\ndef touch2(self, a: T, w: pl.Tensor[[64, 128], pl.FP32], c: pl.InOut[T]) -> T:\n    return c\n\n"
    yield Case(
        "cB04",
        small
        + layer("wl = pl.slice(w, [128, 128], [idx * 128, 0])\n" + chain.format(source="wl", offset="idx"), W_IDX),
        looped("a, c, w, i", "w: W"),
        appended=("wl: in", "wr: in"),
        locals=(
            ("wl__graph_arg0", "pl.slice(w, [128, 128], [i * 128, 0])"),
            ("wr__graph_arg1", "pl.slice(wl__graph_arg0, [64, 128], [i, 0])"),
        ),
    )
    yield Case(
        "cB06",
        small
        + layer(
            "wl = pl.slice(w, [128, 128], [idx * 128, 0])\nal = wl\n" + chain.format(source="al", offset="idx"), W_IDX
        ),
        looped("a, c, w, i", "w: W"),
        appended=("wl: in", "wr: in"),
        locals=(
            ("wl__graph_arg0", "pl.slice(w, [128, 128], [i * 128, 0])"),
            ("wr__graph_arg1", "pl.slice(wl__graph_arg0, [64, 128], [i, 0])"),
        ),
    )
    yield Case(
        "cB08",
        layer("wl = ⟦PTO203:pl.slice(w, [n, 128], [0, 0])⟧\nc = self.mix(a, wl, c)\nreturn c", "w: W, n: IDX"),
        subjects=("wl",),
    )
    yield Case(
        "cB09",
        layer("wl = pl.slice(w, [pl.tensor.dim(a, 0), 128], [0, 0])\nc = self.mix(a, wl, c)\nreturn c", "w: W"),
        appended=(),
    )
    indexed = (
        "for i in pl.{loop}:\n    wl = pl.slice(w, [128, 128], [i * 128, 0])\n    c = self.mix(a, wl, c)\nreturn c"
    )
    yield Case("cB10", layer(indexed.format(loop="range(8)"), "w: W"), appended=(), nodes=8, absent=("PTO201",))
    yield Case(
        "cB11",
        layer(
            "for i in pl.range(2):\n    off = idx * 256 + i * 128\n"
            "    wl = ⟦PTO202:pl.slice(w, [128, 128], [off, 0])⟧\n    c = self.mix(a, wl, c)\nreturn c",
            W_IDX,
        ),
        subjects=("wl",),
    )
    yield Case(
        "cB13",
        layer(
            "outer = pl.slice(w, [256, 128], [idx * 256, 0])\nfor i in pl.range(2):\n"
            "    wl = pl.slice(outer, [128, 128], [i * 128, 0])\n    c = self.mix(a, wl, c)\nreturn c",
            W_IDX,
        ),
        appended=("outer: in",),
        nodes=2,
    )
    nested = (
        "for i in pl.range(8):\n    wl = pl.slice(w, [128, 128], [i * 128, 0])\n    {alias}"
        "q = {slice}\n    c = self.touch2(a, q, c)\nreturn c"
    )
    yield Case(
        "cB14",
        small + layer(nested.format(alias="", slice="pl.slice(wl, [64, 128], [0, 0])"), "w: W"),
        appended=(),
    )
    yield Case(
        "cB15",
        small + layer(nested.format(alias="", slice="⟦PTO202:pl.slice(wl, [64, 128], [idx, 0])⟧"), W_IDX),
        subjects=("q",),
    )
    yield Case(
        "cB16",
        small + layer(nested.format(alias="al = wl\n    ", slice="⟦PTO202:pl.slice(al, [64, 128], [idx, 0])⟧"), W_IDX),
        subjects=("q",),
    )
    big = "@GRAPH\ndef layer(self, a: T, big: pl.InOut[W], c: pl.InOut[T], idx: IDX) -> T:\n"
    yield Case(
        "cB17",
        big + "    big = self.touch(a, big)\n    wl = pl.slice(big, [128, 128], [idx * 128, 0])\n"
        "    c = self.mix(a, wl, c)\n    return c\n",
        "@ORCH\ndef main(self, a: T, big: pl.InOut[W], c: pl.InOut[T]) -> T:\n"
        "    for i in pl.range(4):\n        c = self.layer(a, big, c, i)\n    return c\n",
        appended=("wl: inout",),
        locals=(("wl__graph_arg0", "pl.slice(big, [128, 128], [i * 128, 0])"),),
    )
    yield Case(
        "cB18",
        big + "    big = self.touch(a, big)\n    for i in pl.range(2):\n"
        "        wl = ⟦PTO202:pl.slice(big, [128, 128], [idx * 256 + i * 128, 0])⟧\n"
        "        c = self.mix(a, wl, c)\n    return c\n",
        subjects=("wl",),
    )
    yield Case(
        "cB19",
        big + "    big, tid = pl.submit(self.touch, a, big)\n    wl = pl.slice(big, [128, 128], [idx * 128, 0])\n"
        "    c = self.mix(a, wl, c)\n    return c\n",
        appended=("wl: inout",),
    )
    omitted = (
        "@INCORE\ndef spill(self, a: T, w: pl.InOut[W], r: pl.Out[T]) -> tuple[W, T]:\n"
        "    t = pl.load(a, [0, 0], [128, 128])\n    w = pl.store(t, [0, 0], w)\n    r = pl.store(t, [0, 0], r)\n"
        "    return w, r\n\n"
    )
    yield Case(
        "cB20",
        omitted + big + "    (big, r), tid = pl.submit(self.spill, a, big)\n"
        "    wl = pl.slice(big, [128, 128], [idx * 128, 0])\n    c = self.mix(r, wl, c)\n    return c\n",
        appended=("wl: inout",),
        nodes=2,
    )
    yield Case(
        "cB21",
        layer(
            "f = pl.reshape(w, [128 * 1024])\nv = pl.slice(f, [128], [idx * 128])\n" + BUMP,
            W_IDX,
        ),
        appended=(),
        advice=("PTO204",),
    )
    yield Case(
        "cB22",
        layer(
            "for i in pl.range(2):\n    tmp = pl.create_tensor([256, 128], dtype=pl.FP32)\n"
            "    v = pl.slice(tmp, [128, 128], [idx, 0])\n    v = self.bump(a, v)\n    c = self.bump(v, c)\nreturn c",
            IDX,
        ),
        appended=(),
        nodes=6,
    )
    yield Case(
        "cB23", layer("v = pl.tensor.view(w, [128, 128])\nc = self.mix(a, v, c)\nreturn c", "w: W"), appended=("v: in",)
    )
    yield Case(
        "cB24",
        layer(
            "v = pl.slice(w, [128, 128], [idx, 0])\nu = pl.slice(w, [128, 128], [idx, 0])\n"
            "c = self.mix(a, v, c)\nc = self.mix(a, u, c)\nreturn c",
            W_IDX,
        ),
        appended=("v: in", "u: in"),
    )
    yield Case(
        "cB25",
        layer(
            "for i in pl.range(4):\n    wl = pl.slice(w, [128, 128], [idx * 128, 0])\n"
            "    c = self.mix(a, wl, c)\nreturn c",
            W_IDX,
        ),
        appended=("wl: in",),
        nodes=4,
    )
    yield Case(
        "cB26",
        layer(
            "wl = pl.slice(w, [128, 128], [0, 0], valid_shape=[n, 128])\nc = self.mix(a, wl, c)\nreturn c",
            "w: W, n: IDX",
        ),
        appended=("wl: in",),
    )
    yield Case("cB27", layer(window.format(offset="idx * 1024"), W_IDX), appended=("wl: in",))
    yield Case(
        "cB28",
        layer(
            "al = w\nbase = idx * 128\nwl = pl.slice(al, [128, 128], [base, 0])\ne = base + 1\n"
            "c = self.mix(a, wl, c)\nc = self.shift(a, c, e)\nreturn c",
            W_IDX,
        ),
        looped("a, c, w, i", "w: W"),
        appended=("wl: in", "base: in", "e: in"),
        locals=(
            ("base__graph_arg0", "i * 128"),
            ("wl__graph_arg1", "pl.slice(w, [128, 128], [base__graph_arg0, 0])"),
            ("e__graph_arg2", "base__graph_arg0 + 1"),
        ),
    )
    yield Case(
        "cB29",
        layer("v = pl.slice(w, [128, 128], [idx * 128, 0])\n" + BUMP, W_IDX),
        appended=("v: in",),
    )
    for loop in ("parallel(8)", "pipeline(8, stage=2)"):
        yield Case("cB30", layer(indexed.format(loop=loop), "w: W"), appended=(), nodes=8)
    yield Case("cB30", layer(indexed.format(loop="unroll(8)"), "w: W"), appended=("wl: in",) * 8, nodes=8)
    yield Case(
        "cB31",
        layer(
            "for i in pl.range(n):\n    wl = ⟦PTO202:pl.slice(w, [128, 128], [i * 128, 0])⟧\n" + BUMP, "w: W, n: IDX"
        ),
        subjects=("wl",),
    )


CREATE = "pl.create_tensor([128, 128], dtype=pl.FP32)"


def allocations() -> Iterator[Case]:
    yield Case(
        "cF01",
        layer(f"tmp = {CREATE}\ntmp = self.bump(a, tmp)\nc = self.bump(tmp, c)\nreturn c"),
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T]) -> T:\n    c = self.layer(a, c)\n    return c\n",
        appended=("tmp: inout",),
        locals=(("tmp__graph_arg0", CREATE),),
        advice=("PTO301",),
        nodes=2,
    )
    yield Case(
        "cF02",
        layer(
            f"base = idx * 128\nx = {CREATE}\nwl = pl.slice(w, [128, 128], [base, 0])\ny = {CREATE}\nz = {CREATE}\n"
            "x = self.bump(wl, x)\ny = self.bump(x, y)\nz = self.shift(y, z, base)\nc = self.bump(z, c)\nreturn c",
            W_IDX,
        ),
        appended=("x: inout", "y: inout", "z: inout", "wl: in", "base: in"),
        nodes=4,
    )
    yield Case(
        "cF03",
        layer(f"tmp = {CREATE}\ntmp = self.shift(a, tmp, idx)\nc = self.bump(tmp, c)\nreturn c", IDX),
        looped(),
        appended=("tmp: inout",),
        locals=(("tmp__graph_arg0", CREATE),),
    )
    yield Case(
        "cF04",
        layer(
            f"for i in pl.range(2):\n    tmp = {CREATE}\n    tmp = self.bump(a, tmp)\n"
            "    c = self.bump(tmp, c)\nreturn c"
        ),
        appended=(),
        nodes=6,
        advice=("PTO304",),
    )
    buffer = "tmp = pl.create_tensor([512, 128], dtype=pl.FP32)\n"
    yield Case(
        "cF05",
        layer(buffer + "v = pl.slice(tmp, [128, 128], [128, 0])\nv = self.bump(a, v)\nc = self.bump(v, c)\nreturn c"),
        appended=("tmp: inout", "v: inout"),
        locals=(
            ("tmp__graph_arg0", "pl.create_tensor([512, 128], dtype=pl.FP32)"),
            ("v__graph_arg1", "pl.slice(tmp__graph_arg0, [128, 128], [128, 0])"),
        ),
    )
    windows = (
        buffer + "for i in pl.range(2):\n    v = {slice}\n    v = self.bump(a, v)\n    c = self.bump(v, c)\nreturn c"
    )
    yield Case(
        "cF06",
        layer(windows.format(slice="⟦PTO202:pl.slice(tmp, [128, 128], [idx * 256 + i * 128, 0])⟧"), IDX),
        subjects=("v",),
    )
    yield Case(
        "cF08",
        layer(windows.format(slice="pl.slice(tmp, [128, 128], [i * 128, 0])")),
        appended=("tmp: inout",),
        nodes=4,
    )
    shaped = "tmp = ⟦PTO302:pl.create_tensor([{n}, 128], dtype=pl.FP32)⟧\n" + BUMP
    yield Case("cF09", layer(shaped.format(n="n"), "n: IDX"), subjects=("layer",))
    yield Case("cF10", layer(shaped.format(n="pl.tensor.dim(a, 0)")))
    yield Case(
        "cF11",
        "@GRAPH\ndef layer(self, a: T, x: pl.Tensor[[pl.dynamic('M'), 128], pl.FP32], c: pl.InOut[T]) -> T:\n"
        "    tmp = ⟦PTO302:pl.create_tensor([pl.tensor.dim(x, 0), 128], dtype=pl.FP32)⟧\n"
        "    c = self.bump(a, c)\n    return c\n",
    )
    yield Case(
        "cF12",
        layer("z = ⟦PTO303:pl.full([128, 128], dtype=pl.FP32, value=0.0)⟧\nc = self.bump(z, c)\nreturn c"),
        subjects=("layer",),
    )
    yield Case(
        "cF12",
        layer(
            "with pl.at(level=pl.Level.CORE_GROUP):\n    z = pl.full([128, 128], dtype=pl.FP32, value=0.0)\n"
            "    c = pl.store(z, [0, 0], c)\nreturn c"
        ),
        appended=(),
    )
    yield Case(
        "cF13",
        layer(f"⟦PTO410:for i in pl.range(n):⟧\n    tmp = {CREATE}\n" + BUMP, "n: IDX"),
    )
    yield Case(
        "cF14",
        layer(f"x = n + 0\n⟦PTO411:while x > 0:⟧\n    tmp = {CREATE}\n    x = x - 1\n" + BUMP, "n: IDX"),
    )
    yield Case(
        "cF15", layer(f"if idx > 3:\n    tmp = {CREATE}\n" + BUMP, IDX), appended=("tmp: inout",), advice=("PTO301",)
    )
    yield Case(
        "cF15",
        layer(f"⟦PTO411:if idx > 3:⟧\n    tmp = {CREATE}\n    tmp = self.bump(a, tmp)\n" + BUMP, IDX),
    )
    yield Case(
        "cF16",
        layer("tmp = pl.create_tensor([128, 128], dtype=pl.FP32, init_value=0.0)\ntmp = self.bump(a, tmp)\n" + BUMP),
        locals=(("tmp__graph_arg0", "pl.create_tensor([128, 128], dtype=pl.FP32, init_value=0.0)"),),
    )
    yield Case(
        "cF18",
        f"@GRAPH\ndef ⟦PTO408:layer⟧(self, a: T, c: pl.InOut[T]) -> T:\n    tmp = {CREATE}\n    return c\n",
        appended=("tmp: inout",),
    )


def topology() -> Iterator[Case]:
    for trips, ok in ((2000, False), (1024, True), (1025, False)):
        name = "layer" if ok else "⟦PTO409:layer⟧"
        yield Case(
            "cN01" if trips == 2000 else "cN02",
            f"@GRAPH\ndef {name}(self, a: T, c: pl.InOut[T]) -> T:\n"
            f"    for i in pl.range({trips}):\n        c = self.bump(a, c)\n    return c\n",
            nodes=trips,
        )
    yield Case("cN03", layer("⟦PTO410:for i in pl.range(n):⟧\n    c = self.bump(a, c)\nreturn c", "n: IDX"))
    yield Case("cN05", layer("⟦PTO411:if idx > 0:⟧\n    d = self.bump(a, c)\nc = self.bump(a, c)\nreturn c", IDX))
    yield Case(
        "cN06", layer("x = n + 0\n⟦PTO411:while x > 0:⟧\n    d = self.bump(a, c)\n    x = x - 1\n" + BUMP, "n: IDX")
    )
    yield Case("cN06", layer("x = n + 0\nwhile x > 0:\n    x = x - 1\n" + BUMP, "n: IDX"), nodes=1)
    yield Case(
        "cN07",
        layer("⟦PTO411:if idx > 0:⟧\n    d = self.bump(a, c)\nelse:\n    d = self.bump(a, c)\n" + BUMP, IDX),
    )
    for inner in (32, 33):
        name = "layer" if inner == 32 else "⟦PTO409:layer⟧"
        yield Case(
            "cN08",
            f"@GRAPH\ndef {name}(self, a: T, c: pl.InOut[T]) -> T:\n    for i in pl.range(32):\n"
            f"        for j in pl.range({inner}):\n            c = self.bump(a, c)\n    return c\n",
            nodes=32 * inner,
        )
    for text, trips in (("10, 0, -3", 4), ("0, 10, 3", 4), ("5, 5", 0)):
        yield Case(
            "cN09",
            layer(f"c = self.bump(a, c)\nfor i in pl.range({text}):\n    c = self.bump(a, c)\nreturn c"),
            nodes=1 + trips,
        )
    yield Case(
        "cN10",
        "@GRAPH\ndef ⟦PTO408:layer⟧(self, a: T, c: pl.InOut[T]) -> T:\n"
        "    for i in pl.parallel(0):\n        c = self.bump(a, c)\n    return c\n",
        nodes=0,
    )
    yield Case(
        "cN11",
        "@GRAPH\ndef ⟦PTO408:layer⟧(self, a: T, c: pl.InOut[T]) -> T:\n    return c\n",
        subjects=("layer",),
        nodes=0,
    )
    yield Case(
        "cN12",
        "@GRAPH\ndef ⟦PTO409:layer⟧(self, a: T, c: pl.InOut[T]) -> T:\n    c, first = pl.submit(self.bump, a, c)\n"
        "    for i in pl.range(2000):\n        t = pl.system.task_dummy(deps=[first])\n    return c\n",
        nodes=2001,
    )
    yield Case(
        "cN13",
        layer(
            "n = pl.tensor.read(ctl, [0])\nx = 0\nfor i in pl.range(n):\n    x = x + i\n" + BUMP,
            "ctl: pl.Tensor[[4], pl.INDEX]",
        ),
        nodes=1,
    )
    creates = "".join(f"        m{i} = {CREATE}\n" for i in range(40))
    yield Case(
        "cN16",
        "@GRAPH\ndef ⟦PTO409:layer⟧(self, a: T, c: pl.InOut[T]) -> T:\n"
        f"    for i in pl.range(2):\n{creates}"
        "    for i in pl.range(1024):\n        c = self.bump(a, c)\n    c = self.bump(a, c)\n    return c\n",
        nodes=1031,
    )
    top = "".join(f"m{i} = {CREATE}\n" for i in range(40))
    yield Case("cN17", layer(top + BUMP), appended=tuple(f"m{i}: inout" for i in range(40)), nodes=1)
    region = (
        "for i in pl.parallel(64):\n    with pl.spmd(8):\n        b = pl.tile.get_block_idx()\n"
        "        t = pl.load(a, [b, 0], [16, 128])\n        c = pl.store(t, [b, 0], c)\nreturn c"
    )
    yield Case("cN18", layer(region), nodes=64)
    cluster = (
        "with pl.cluster():\n    with pl.at(level=pl.Level.CORE_GROUP):\n        t = pl.load(a, [0, 0], [128, 128])\n"
        "        c = pl.store(t, [0, 0], c)\n    with pl.at(level=pl.Level.CORE_GROUP):\n"
        "        u = pl.load(a, [0, 0], [128, 128])\n        c = pl.store(u, [0, 0], c)\nreturn c"
    )
    yield Case("cN19", layer(cluster), nodes=1)
    blocks = (
        "with pl.spmd({count}):\n    b = pl.tile.get_block_idx()\n    t = pl.load(a, [b, 0], [16, 128])\n"
        "    c = pl.store(t, [b, 0], c)\nreturn c"
    )
    yield Case("cN20", layer(blocks.format(count="⟦PTO412:idx⟧"), IDX), subjects=("layer",))
    yield Case("cN21", layer(blocks.format(count="⟦PTO412:pl.tensor.dim(a, 0) // 16⟧")))
    yield Case("cN21", layer(blocks.format(count="⟦PTO412:pl.system.available_aiv_count()⟧")))
    yield Case(
        "cN22",
        layer("⟦PTO410:for i in pl.range(n):⟧\n    ⟦PTO411:if i > 2:⟧\n        d = self.bump(a, c)\n" + BUMP, "n: IDX"),
    )
    yield Case(
        "cN23",
        layer(
            "with pl.spmd(1, predicate=(ctl[0] > 0)):\n    b = pl.tile.get_block_idx()\n"
            "    t = pl.load(a, [b, 0], [128, 128])\n    c = pl.store(t, [0, 0], c)\nreturn c",
            "ctl: pl.Tensor[[4], pl.INT32]",
        ),
        appended=(),
        nodes=1,
        absent=("PTO421",),
    )
    yield Case(
        "cN24",
        layer(
            "for i in pl.range(1023):\n    c = self.bump(a, c)\nx = n + 0\nwhile x > 0:\n    x = x - 1\nreturn c",
            "n: IDX",
        ),
        nodes=1023,
    )


def call_sites() -> Iterator[Case]:
    caller = "@ORCH\ndef main(self, a: T, c: pl.InOut[T], n: IDX) -> T:\n    {body}\n    return c\n"
    three = layer("c = self.shift(a, c, idx)\nreturn c", IDX)
    yield Case("cC01", three, caller.format(body="c = ⟦PTO414:self.layer(a, c)⟧"), subjects=("layer",))
    yield Case("cC01", three, caller.format(body="c, t = ⟦PTO414:pl.submit(self.layer, a, c)⟧"), subjects=("layer",))
    deps = "c, t = pl.submit(self.bump, a, c)\n    c, u = ⟦PTO415:pl.submit(self.layer, a, c, n, deps=[t])⟧"
    yield Case("cC02", three, caller.format(body=deps), subjects=("layer",))
    gated = "c, u = ⟦PTO416:pl.submit(self.layer, a, c, n, predicate=(ctl[0] > 0))⟧"
    with_ctl = caller.replace("n: IDX", "n: IDX, ctl: pl.Tensor[[4], pl.INT32]")
    yield Case("cC03", three, with_ctl.format(body=gated), subjects=("layer",))
    inner = layer(BUMP, name="inner")
    outer = layer("c = ⟦PTO413:self.inner(a, c)⟧\nreturn c", name="outer")
    once = "@ORCH\ndef main(self, a: T, c: pl.InOut[T]) -> T:\n    {body}\n    return c\n"
    yield Case(
        "cC04", f"{inner}\n{outer}", once.format(body="c = self.outer(a, c)"), graph="outer", subjects=("inner",)
    )
    both = f"{inner}\n{layer(BUMP, name='outer')}"
    yield Case("cC05", both, once.format(body="c = self.inner(a, c)\n    c = self.outer(a, c)"), graph="outer")
    yield Case("cC06", both, once.format(body="c = self.outer(a, c)\n    c = self.inner(a, c)"), graph="inner")
    under = (
        "if n > 0:\n        c = self.layer(a, c, n)\n    x = n + 0\n    while x > 0:\n"
        "        c = self.layer(a, c, x)\n        x = x - 1"
    )
    yield Case("cC07", three, caller.format(body=under))
    kernel = (
        "@INCORE\ndef worker(self, a: T, c: pl.InOut[T]) -> T:\n    c = ⟦PTO417:self.layer(a, c)⟧\n    return c\n\n"
    )
    yield Case("cC08", kernel + layer(BUMP), once.format(body="c = self.worker(a, c)"))
    everything = (
        "c, t = pl.submit(self.bump, a, c)\n"
        "    c, u = ⟦{code}:pl.submit(self.layer, a, c{n}, deps=[t], predicate=(ctl[0] > 0))⟧"
    )
    yield Case("cC09", three, with_ctl.format(body=everything.format(code="PTO414", n="")))
    yield Case("cC09", three, with_ctl.format(body=everything.format(code="PTO415", n=", n")))
    two = layer("c = self.mix(a, b, c)\nreturn c", "b: T")
    twice = (
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T], d: T) -> T:\n"
        "    c = self.layer(a, c, a)\n    c = self.layer(a, c, d)\n    return c\n"
    )
    yield Case("cC10", two, twice, appended=(), advice=("PTO420", "PTO424"))
    yield Case(
        "cC11",
        three,
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T]) -> T:\n    for i in pl.range(4):\n"
        "        c = self.layer(a, c, i * 128)\n    return c\n",
        appended=(),
    )
    chained = (
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T]) -> T:\n"
        "    x = self.layer(a, c)\n    y = self.layer(a, x)\n    return y\n"
    )
    yield Case("cC12", layer(BUMP), chained, appended=())


def order() -> Iterator[Case]:
    yield Case(
        "cE01",
        "@GRAPH\ndef ⟦PTO409:layer⟧(self, a: T, c: pl.InOut[T]) -> T:\n    for i in pl.range(2000):\n"
        "        c = self.bump(a, c)\n    return c\n",
        "@ORCH\ndef entry(self, a: T, c: pl.InOut[T]) -> T:\n    c = ⟦PTO414:self.layer(a)⟧\n    return c\n",
    )
    yield Case(
        "cE02",
        layer(
            "z = ⟦PTO303:pl.full([128, 128], dtype=pl.FP32, value=0.0)⟧\nr = self.fill(z)\n"
            "c = self.bump(r, c)\n⟦PTO407:return r⟧"
        ),
    )
    inner = layer(BUMP, name="inner")
    yield Case(
        "cE03",
        f"{inner}\n"
        + layer(
            "c = ⟦PTO413:self.inner(a, c)⟧\nwith pl.spmd(⟦PTO412:idx⟧):\n    b = pl.tile.get_block_idx()\n"
            "    t = pl.load(a, [b, 0], [16, 128])\n    c = pl.store(t, [b, 0], c)\nreturn c",
            IDX,
        ),
    )
    yield Case(
        "cE04",
        layer(
            "c = self.shift(a, c, ⟦PTO104:idx * 2⟧)\nfor i in pl.range(2):\n"
            "    v = ⟦PTO202:pl.slice(w, [128, 128], [idx + i, 0])⟧\n    c = self.mix(a, v, c)\nreturn c",
            W_IDX,
        ),
    )
    yield Case(
        "cE05",
        layer(
            "for i in pl.range(2):\n    v = ⟦PTO202:pl.slice(w, [n, 128], [idx + i, 0])⟧\n"
            "    c = self.mix(a, v, c)\nreturn c",
            f"{W_IDX}, n: IDX",
        ),
        absent=("PTO203",),
    )
    alpha = (
        "@GRAPH\ndef ⟦PTO409:alpha⟧(self, a: T, c: pl.InOut[T]) -> T:\n    for i in pl.range(2000):\n"
        "        c = self.bump(a, c)\n    return c\n"
    )
    beta = "@GRAPH\ndef beta(self, a: T, ⟦PTO405:c: pl.Out[T]⟧) -> T:\n    c = self.bump(a, c)\n    return c\n"
    once = (
        "@ORCH\ndef main(self, a: T, c: pl.InOut[T]) -> T:\n"
        "    c = self.alpha(a, c)\n    c = self.beta(a, c)\n    return c\n"
    )
    yield Case("cE07", f"{alpha}\n{beta}", once, graph="alpha")
    yield Case(
        "cE08",
        "@GRAPH\ndef layer(self, a: T, ⟦PTO406:n: pl.InOut[pl.Scalar[pl.INT32]]⟧, ⟦PTO405:c: pl.Out[T]⟧) -> T:\n"
        "    c = self.bump(a, c)\n    return c\n",
        subjects=("n", "c"),
    )
    others = ", ".join(f"t{i}: T" for i in range(128))
    yield Case(
        "cE09",
        f"@GRAPH\ndef ⟦PTO403:layer⟧(self, {others}, ⟦PTO405:c: pl.Out[T]⟧) -> T:\n"
        "    c = self.bump(t0, c)\n    return c\n",
        subjects=("c", "layer"),
    )
