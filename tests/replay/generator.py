"""Random Graph programs as source text, in both authoring styles.

``Generator(random)`` takes any ``random.Random``, so hypothesis can drive (and shrink) it and a long run seed it.
Every tensor and scalar made in the region reaches a task, so that nothing a rule says about it is idle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

T = "pl.Tensor[[64, 64], pl.FP32]"
W = "pl.Tensor[[512, 64], pl.FP32]"
N = "pl.Tensor[[4], pl.INT32]"
S = "pl.Scalar[pl.INDEX]"

KERNELS: dict[str, tuple[str, ...]] = {
    "bump": (f"a: {T}", f"c: pl.InOut[{T}]"),
    "shift": (f"a: {T}", f"c: pl.InOut[{T}]", f"off: {S}"),
    "wide": (f"a: {T}", f"w: pl.InOut[{W}]"),
    "fill": (f"a: {T}", f"r: pl.Out[{T}]"),
}
WRITTEN = {"bump": "c", "shift": "c", "wide": "w", "fill": "r"}


@dataclass
class Names:
    """What a statement at this place can use. ``scalars`` holds expressions, ``small`` and ``large`` tensor names."""

    scalars: list[str]
    small: list[str]
    large: list[str]
    indices: list[str] = field(default_factory=list)

    def inner(self, index: str | None = None) -> Names:
        indices = [*self.indices, index] if index is not None else list(self.indices)
        return Names(list(self.scalars), list(self.small), list(self.large), indices)


@dataclass(frozen=True)
class Options:
    """``edgy`` is the share of statements that are likely to be refused."""

    jit: bool = False
    edgy: float = 0.15


class Generator:
    """One program. ``source`` is its text; the entry is ``main`` (``P.main`` in a class), the Graph ``layer``."""

    def __init__(self, random: Random, options: Options | None = None) -> None:
        self._random = random
        self._options = options or Options(jit=random.random() < 0.25, edgy=random.choice([0.0, 0.1, 0.3]))
        self._count = 0
        self._lines: list[str] = []
        self._open: list[str] = []
        self.inout_w = random.random() < 0.4
        self.source = self._program()

    def _program(self) -> str:
        body = self._region()
        entry = self._entry()
        jit = self._options.jit
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
        lines += [pad + decorator, pad + self._def("layer", graph, T), *(f"{pad}    {line}" for line in body), ""]
        main = (f"a: {T}", f"w: {big}", f"u: {big}", f"c: pl.InOut[{T}]", f"n: {N}", f"e: {S}")
        decorator = "@pl.jit" if jit else "@pl.function(type=pl.FunctionType.Orchestration)"
        lines += [pad + decorator, pad + self._def("main", main, T), *(f"{pad}    {line}" for line in entry)]
        return "\n".join(lines) + "\n"

    def _def(self, name: str, params: tuple[str, ...], result: str) -> str:
        self_ = () if self._options.jit else ("self",)
        return f"def {name}({', '.join((*self_, *params))}) -> {result}:"

    # ---- the region

    def _region(self) -> list[str]:
        self._lines = []
        names = Names(["p", "q"], ["a"], ["w"])
        for _ in range(self._random.randint(1, 6)):
            self._statement(names, "", 0)
        if not any("(" in line and ("bump" in line or "shift" in line) for line in self._lines):
            self._lines.append(f"c = {self._call('bump', 'a', 'c')}")
        return [*self._lines, "return c"]

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
        kinds += [self._tensor_rename, self._dim, self._fill]
        if depth < 2:
            kinds += [self._loop, self._loop]
        if self._random.random() < self._options.edgy:
            kinds = [self._read, self._inline, self._mixed, self._branch, self._open_loop, self._carried, self._extent]
        self._random.choice(kinds)(names, pad, depth)

    def _name(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _emit(self, pad: str, line: str) -> None:
        self._lines.append(pad + line)

    def _call(self, kernel: str, *args: str) -> str:
        return f"{'' if self._options.jit else 'self.'}{kernel}({', '.join(args)})"

    def _written_back(self, target: str, kernel: str, *args: str) -> str:
        """A launch that rebinds ``target``: a call, or a submit whose id is not used."""
        if not self._options.jit and self._random.random() < 0.2:
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
        """A result that the runtime allocates."""
        name = self._name("f")
        self._emit(pad, f"{name} = {self._call('fill', self._random.choice(names.small))}")
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

    # ---- the callers

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
