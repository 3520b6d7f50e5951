"""Random Graph programs as source text: program classes, jit functions, ``with pl.graph`` scopes.

``Generator(random)`` takes any ``random.Random``, so hypothesis can drive (and shrink) it and a long run seed it.
Every tensor and scalar made in the region reaches a task, so that nothing a rule says about it is idle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from random import Random

R = "pl.Tensor[[8, 64], pl.FP32]"
T = "pl.Tensor[[64, 64], pl.FP32]"
W = "pl.Tensor[[512, 64], pl.FP32]"
N = "pl.Tensor[[4], pl.INT32]"
S = "pl.Scalar[pl.INDEX]"

KERNELS: dict[str, tuple[str, ...]] = {
    "bump": (f"a: {T}", f"c: pl.InOut[{T}]"),
    "shift": (f"a: {T}", f"c: pl.InOut[{T}]", f"off: {S}"),
    "part": (f"a: {R}", f"c: pl.InOut[{T}]"),
    "wide": (f"a: {T}", f"w: pl.InOut[{W}]"),
    "fill": (f"a: {T}", f"r: pl.Out[{T}]"),
}
WRITTEN = {"bump": "c", "part": "c", "shift": "c", "wide": "w", "fill": "r"}


@dataclass
class Names:
    """What a statement at this place can use. ``small`` are 64-row tensors, ``large`` ones of 256 and more rows."""

    scalars: list[str]
    small: list[str]
    large: list[str]
    indices: list[str] = field(default_factory=list)

    def inner(self, index: str | None = None) -> Names:
        indices = [*self.indices, index] if index is not None else list(self.indices)
        return Names(list(self.scalars), list(self.small), list(self.large), indices)


class Style(Enum):
    """SCOPE: the region is a ``with pl.graph`` of a jit entry; there is one call site."""

    PROGRAM = "program"
    JIT = "jit"
    SCOPE = "scope"


@dataclass(frozen=True)
class Options:
    """``edgy`` is the share of statements that are likely to be refused."""

    style: Style = Style.PROGRAM
    edgy: float = 0.15


class Generator:
    """One program. ``source`` is its text; the entry is ``main`` (``P.main`` in a class), the Graph ``layer``."""

    def __init__(self, random: Random, options: Options | None = None) -> None:
        self._random = random
        if options is None:
            style = random.choice([Style.PROGRAM, Style.PROGRAM, Style.JIT, Style.SCOPE])
            options = Options(style, random.choice([0.0, 0.1, 0.3]))
        self.style = options.style
        self._edgy = options.edgy
        self._jit = options.style is not Style.PROGRAM
        self._count = 0
        self._lines: list[str] = []
        self.inout_w = random.random() < 0.4
        self.source = self._program()

    def _program(self) -> str:
        body = self._region()
        entry = self._entry() if self.style is not Style.SCOPE else self._scoped(body)
        jit = self._jit
        lines = ["import pypto.language as pl", "", ""]
        pad = "" if jit else "    "
        if not jit:
            lines += ["@pl.program", "class P:"]
        for name, params in KERNELS.items():
            decorator = "@pl.jit.incore" if jit else "@pl.function(type=pl.FunctionType.InCore)"
            result = params[[p.partition(":")[0] for p in params].index(WRITTEN[name])].partition(": ")[2]
            result = result.partition("[")[2][:-1] if result.startswith(("pl.InOut[", "pl.Out[")) else result
            lines += [pad + decorator, pad + self._def(name, params, result)]
            for line in _kernel_body(name):
                lines.append(f"{pad}    {line}")
            lines.append("")
        big = f"pl.InOut[{W}]" if self.inout_w else W
        graph = (f"a: {T}", f"w: {big}", f"c: pl.InOut[{T}]", f"n: {N}", f"p: {S}", f"q: {S}")
        decorator = "@pl.jit.graph" if jit else "@pl.function(type=pl.FunctionType.Graph)"
        if self.style is not Style.SCOPE:
            body = [*body, "return c"]
            lines += [pad + decorator, pad + self._def("layer", graph, T), *(f"{pad}    {line}" for line in body), ""]
        main = (f"a: {T}", f"w: {big}", f"u: {big}", f"c: pl.InOut[{T}]", f"n: {N}", f"e: {S}")
        decorator = "@pl.jit" if jit else "@pl.function(type=pl.FunctionType.Orchestration)"
        lines += [pad + decorator, pad + self._def("main", main, T), *(f"{pad}    {line}" for line in entry)]
        return "\n".join(lines) + "\n"

    def _def(self, name: str, params: tuple[str, ...], result: str) -> str:
        self_ = () if self._jit else ("self",)
        return f"def {name}({', '.join((*self_, *params))}) -> {result}:"

    # ---- the region

    def _region(self) -> list[str]:
        self._lines = []
        names = Names(["p", "q"], ["a"], ["w"])
        for _ in range(self._random.randint(1, 6)):
            self._statement(names, "", 0)
        if not any("(" in line and ("bump" in line or "shift" in line) for line in self._lines):
            self._lines.append(f"c = {self._call('bump', 'a', 'c')}")
        return self._lines

    def _statement(self, names: Names, pad: str, depth: int) -> None:
        kinds = [
            self._scalar,
            self._scalar,
            self._rename,
            self._view,
            self._view,
            self._launch,
            self._launch,
            self._create,
        ]
        kinds += [self._tensor_rename, self._dim, self._fill, self._outer_view, self._inner_view]
        if self._jit:
            kinds += [self._at, self._at]
        if depth < 2:
            kinds += [self._loop, self._loop]
        if self._random.random() < self._edgy:
            kinds = [self._read, self._inline, self._mixed, self._branch, self._open_loop, self._carried, self._extent]
            kinds += [self._blocks, self._reshaped]
        self._random.choice(kinds)(names, pad, depth)

    def _name(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _emit(self, pad: str, line: str) -> None:
        self._lines.append(pad + line)

    def _call(self, kernel: str, *args: str) -> str:
        return f"{'' if self._jit else 'self.'}{kernel}({', '.join(args)})"

    def _written_back(self, target: str, kernel: str, *args: str) -> str:
        """A launch that rebinds ``target``: a call, or a submit whose id is not used."""
        if not self._jit and self._random.random() < 0.2:
            arguments = ", ".join((f"self.{kernel}", *args))
            return f"{target}, {self._name('t')} = pl.submit({arguments})"
        return f"{target} = {self._call(kernel, *args)}"

    def _expression(self, leaves: list[str]) -> str:
        """An expression that varies with what it reads."""
        pick = self._random.choice
        leaf = pick(leaves)
        return pick(
            [
                f"{leaf} * {pick([2, 3, 8, 16])}",
                f"{leaf} + {pick([1, 4, 8])}",
                f"{leaf} * {pick([1, 2, 8])} + {pick(leaves)}",
                f"pl.min({leaf}, {pick([7, 32])})",
                f"{leaf} // 2 + {leaf}",
                f"({leaf} + {pick([1, 2])}) * {pick([2, 4])}",
            ]
        )

    def _scalar(self, names: Names, pad: str, depth: int) -> None:
        name = self._name("s")
        self._emit(pad, f"{name} = {self._expression(names.scalars)}")
        names.scalars.append(name)
        self._use_scalar(name, names, pad)

    def _use_scalar(self, name: str, names: Names, pad: str) -> None:
        self._emit(pad, self._written_back("c", "shift", self._random.choice(names.small), "c", name))

    def _rename(self, names: Names, pad: str, depth: int) -> None:
        name = self._name("r")
        self._emit(pad, f"{name} = {self._random.choice(names.scalars)}")
        names.scalars.append(name)
        self._use_scalar(name, names, pad)

    def _tensor_rename(self, names: Names, pad: str, depth: int) -> None:
        name = self._name("b")
        self._emit(pad, f"{name} = {self._random.choice(names.large)}")
        names.large.append(name)

    def _view(self, names: Names, pad: str, depth: int) -> None:
        """A window of a large tensor, moved by scalars, by loop indices or not at all."""
        choice = self._random.random()
        if names.indices and choice < 0.5:
            offset = self._expression(names.indices)
        elif choice < 0.85:
            offset = self._expression(names.scalars)
        else:
            offset = str(self._random.choice([0, 8, 64, 128]))
        self._slice(names, pad, offset)

    def _slice(self, names: Names, pad: str, offset: str, rows: str = "64") -> None:
        name = self._name("v")
        self._emit(pad, f"{name} = pl.slice({self._random.choice(names.large)}, [{rows}, 64], [{offset}, 0])")
        names.small.append(name)
        self._emit(pad, self._written_back("c", "bump", name, "c"))

    def _outer_view(self, names: Names, pad: str, depth: int) -> None:
        """A large window, for views of views."""
        name = self._name("o")
        offset = self._random.choice(["0", "64", self._expression(names.scalars)])
        self._emit(pad, f"{name} = pl.slice({self._random.choice(names.large)}, [256, 64], [{offset}, 0])")
        names.large.append(name)

    def _inner_view(self, names: Names, pad: str, depth: int) -> None:
        """A narrow window of any tensor."""
        name = self._name("h")
        leaves = names.indices if names.indices and self._random.random() < 0.6 else names.scalars
        offset = self._random.choice(["0", "8", f"pl.min({self._random.choice(leaves)}, 7) * 8"])
        source = self._random.choice([*names.small, *names.large])
        self._emit(pad, f"{name} = pl.slice({source}, [8, 64], [{offset}, 0])")
        self._emit(pad, self._written_back("c", "part", name, "c"))

    def _at(self, names: Names, pad: str, depth: int) -> None:
        """A device region; the arithmetic inside it belongs to the kernel."""
        scalar = self._random.choice([*names.scalars, *names.indices, "0"])
        name = self._name("t")
        self._emit(pad, "with pl.at(level=pl.Level.CORE_GROUP):")
        self._emit(pad, f"    {name} = pl.load({self._random.choice(names.small)}, [{scalar} * 2, 0], [8, 64])")
        self._emit(pad, f"    c = pl.store({name}, [0, 0], c)")

    def _dim(self, names: Names, pad: str, depth: int) -> None:
        name = self._name("d")
        self._emit(pad, f"{name} = pl.tensor.dim(a, {self._random.choice([0, 1])})")
        self._use_scalar(name, names, pad)

    def _launch(self, names: Names, pad: str, depth: int) -> None:
        source = self._random.choice(names.small)
        if self.inout_w and self._random.random() < 0.3:
            self._emit(pad, self._written_back("w", "wide", source, "w"))
        elif self._random.random() < 0.5:
            scalar = self._random.choice([*names.scalars, *names.indices, "5"])
            self._emit(pad, self._written_back("c", "shift", source, "c", scalar))
        else:
            self._emit(pad, self._written_back("c", "bump", source, "c"))

    def _create(self, names: Names, pad: str, depth: int) -> None:
        name = self._name("m")
        if self._random.random() < 0.4:
            self._emit(pad, f"{name} = pl.create_tensor([512, 64], dtype=pl.FP32)")
            self._emit(pad, self._written_back(name, "wide", self._random.choice(names.small), name))
            names.large.append(name)
        else:
            self._emit(pad, f"{name} = pl.create_tensor([64, 64], dtype=pl.FP32)")
            self._emit(pad, self._written_back(name, "bump", self._random.choice(names.small), name))
            names.small.append(name)
            self._emit(pad, self._written_back("c", "bump", name, "c"))

    def _fill(self, names: Names, pad: str, depth: int) -> None:
        """A result that the runtime allocates: a submit that leaves its ``Out`` tail out; calls pass a buffer."""
        name = self._name("f")
        source = self._random.choice(names.small)
        if self._jit:
            self._emit(pad, f"{name} = pl.create_tensor([64, 64], dtype=pl.FP32)")
            self._emit(pad, f"{name} = {self._call('fill', source, name)}")
        else:
            self._emit(pad, f"{name}, {self._name('t')} = pl.submit(self.fill, {source})")
        self._emit(pad, self._written_back("c", "bump", name, "c"))

    def _loop(self, names: Names, pad: str, depth: int) -> None:
        index = self._name("i")
        kind = self._random.choice(["range", "range", "parallel", "pipeline"])
        bounds = self._random.choice(["2", "3", "4", "1, 3", "0, 8, 4"])
        stage = ", stage=2" if kind == "pipeline" else ""
        self._emit(pad, f"for {index} in pl.{kind}({bounds}{stage}):")
        inner = names.inner(index)
        for _ in range(self._random.randint(1, 3)):
            self._statement(inner, pad + "    ", depth + 1)

    # ---- what is likely to be refused

    def _read(self, names: Names, pad: str, depth: int) -> None:
        name = self._name("x")
        self._emit(pad, f"{name} = pl.tensor.read(n, [{self._random.randint(0, 3)}])")
        index = self._name("y")
        self._emit(pad, f"{index} = pl.cast({name}, pl.INDEX)")
        self._use_scalar(index, names, pad)

    def _inline(self, names: Names, pad: str, depth: int) -> None:
        self._use_scalar(self._expression(names.scalars), names, pad)

    def _mixed(self, names: Names, pad: str, depth: int) -> None:
        index = self._name("i")
        self._emit(pad, f"for {index} in pl.range(2):")
        offset = f"{self._random.choice(names.scalars)} * {self._random.choice([2, 8])} + {index} * 8"
        self._slice(names.inner(index), pad + "    ", offset)

    def _branch(self, names: Names, pad: str, depth: int) -> None:
        self._emit(pad, f"if {self._random.choice(names.scalars)} > {self._random.choice([0, 1, 2])}:")
        self._launch(names.inner(), pad + "    ", depth)

    def _open_loop(self, names: Names, pad: str, depth: int) -> None:
        index = self._name("i")
        self._emit(pad, f"for {index} in pl.range({self._random.choice(names.scalars)} + 1):")
        self._launch(names.inner(), pad + "    ", depth)

    def _carried(self, names: Names, pad: str, depth: int) -> None:
        name, index = self._name("k"), self._name("i")
        self._emit(pad, f"{name} = {self._random.choice(names.scalars)}")
        self._emit(pad, f"for {index} in pl.range(3):")
        self._use_scalar(name, names, pad + "    ")
        self._emit(pad + "    ", f"{name} = {name} + {self._random.choice([4, 32])}")

    def _extent(self, names: Names, pad: str, depth: int) -> None:
        if self._random.random() < 0.5:
            self._slice(names, pad, "0", f"{self._random.choice(names.scalars)} + 1")
        else:
            name = self._name("m")
            self._emit(pad, f"{name} = pl.create_tensor([{self._random.choice(names.scalars)} + 1, 64], dtype=pl.FP32)")
            self._emit(pad, self._written_back(name, "bump", "a", name))

    def _blocks(self, names: Names, pad: str, depth: int) -> None:
        """A block count that varies per call."""
        count = f"{self._random.choice(names.scalars)} + 1"
        if self._jit:
            name = self._name("t")
            self._emit(pad, f"for {self._name('i')} in pl.spmd({count}):")
            self._emit(pad, f"    {name} = pl.load(a, [0, 0], [8, 64])")
            self._emit(pad, f"    c = pl.store({name}, [0, 0], c)")
        else:
            self._emit(pad, f"c, {self._name('t')} = pl.spmd_submit(self.bump, a, c, core_num={count})")

    def _reshaped(self, names: Names, pad: str, depth: int) -> None:
        """A window behind a reshape, which the reference compiler does not follow (rules.md X5)."""
        flat, name = self._name("z"), self._name("v")
        self._emit(pad, f"{flat} = pl.reshape(w, [256, 128])")
        self._emit(pad, f"{name} = pl.slice({flat}, [64, 64], [{self._expression(names.scalars)}, 0])")
        self._emit(pad, self._written_back("c", "bump", name, "c"))

    # ---- the callers

    def _scoped(self, body: list[str]) -> list[str]:
        index = self._name("k")
        values = [self._random.choice([index, f"{index} * 8", f"{index} + e"]) for _ in "pq"]
        return [
            f"for {index} in pl.{self._random.choice(['range', 'parallel'])}({self._random.randint(2, 4)}):",
            *(f"    {name} = {value}" for name, value in zip("pq", values)),
            '    with pl.graph("layer"):',
            *(f"        {line}" for line in body),
            "return c",
        ]

    def _entry(self) -> list[str]:
        lines: list[str] = []
        for _ in range(self._random.randint(1, 2)):
            large = self._random.choice(["w", "u"])
            if self._random.random() < 0.7:
                index = self._name("k")
                kind = self._random.choice(["range", "parallel"])
                lines.append(f"for {index} in pl.{kind}({self._random.randint(2, 4)}):")
                lines.append(f"    c = {self._graph_call(large, [index, index, 'e'])}")
            else:
                lines += [f"c = {self._graph_call(large, ['e'])}" for _ in range(self._random.randint(1, 2))]
        return [*lines, "return c"]

    def _graph_call(self, large: str, leaves: list[str]) -> str:
        def scalar() -> str:
            pick = self._random.choice
            return pick([pick(leaves), f"{pick(leaves)} * {pick([2, 8])}", f"{pick(leaves)} + 1", str(pick([0, 1, 7]))])

        return self._call("layer", "a", large, "c", "n", scalar(), scalar())


def _kernel_body(name: str) -> list[str]:
    written = WRITTEN[name]
    offset = "off" if name == "shift" else "0"
    return [
        f"t = pl.load(a, [{offset}, 0], [8, 64])",
        f"{written} = pl.store(t, [0, 0], {written})",
        f"return {written}",
    ]
