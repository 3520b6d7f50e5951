"""Random orchestrations of constant shapes, as text that both the analysis and the oracle read."""

from __future__ import annotations

from hypothesis import strategies as st

VIEWS = ("s", "y", "m0", "m1")


class _Writer:
    """Builds a body statement by statement; names are numbered so that none is rebound by accident."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.count = 0
        self.ids: list[str] = []
        self.arrays: list[str] = []
        self.loops: list[tuple[str, int]] = []

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def block(self, indent: str, size: int, manual: bool) -> list[str]:
        lines: list[str] = []
        visible = (len(self.ids), len(self.arrays))
        for _ in range(size):
            lines += self.statement(indent, manual)
        self.ids, self.arrays = self.ids[: visible[0]], self.arrays[: visible[1]]
        return lines or [f"{indent}s = put(x, s)"]

    def statement(self, indent: str, manual: bool) -> list[str]:
        kind = self.pick("call", "call", "region", "region", "view", "loop", "spmd", "array", "scope", "create")
        if kind in ("loop", "scope") and len(indent) > 8:
            kind = "call"
        if kind == "loop":
            return self.loop(indent, manual)
        if kind == "scope":
            if manual:
                return [f"{indent}s = put(x, s)"]
            return [f"{indent}with pl.manual_scope():", *self.block(indent + "    ", self.number(1, 3), True)]
        if kind == "view":
            return self.view(indent)
        if kind == "spmd":
            block, hint = self.name("b"), self.name("k")
            return [
                f'{indent}for {block} in pl.spmd(4, name_hint="{hint}"):',
                f"{indent}    w[{block} * ROWS : {block} * ROWS + ROWS, :] = pl.add(y[:, :], y[:, :])",
            ]
        if kind == "array" and not self.loops:
            return self.array(indent, manual)
        if kind == "create":
            name = self.name("t")
            flag = self.pick("", ", manual_dep=True")
            source = self.pick("x", "s", "y")
            return [
                f"{indent}{name} = pl.create_tensor([32, 64], dtype=pl.FP32{flag})",
                f"{indent}{name} = put({source}, {name})",
                f"{indent}y = bump({name}, y)",
            ]
        if kind == "region":
            return self.region(indent)
        target = self.pick(*VIEWS)
        return [f"{indent}{target} = {self.pick('put', 'bump')}({self.pick('x', *VIEWS)}, {target})"]

    def offset(self) -> str:
        if self.loops and self.draw(st.booleans()):
            variable, trips = self.loops[-1]
            if trips <= 3:
                return f"{variable} * {self.pick('16', '32')}"
        return self.pick("0", "16", "32", "64", "96")

    def view(self, indent: str) -> list[str]:
        name = self.name("v")
        kernel = self.pick("put", "bump")
        return [
            f"{indent}{name} = pl.slice(w, [32, 64], [{self.offset()}, 0])",
            f"{indent}{name} = {kernel}({self.pick('x', *VIEWS)}, {name})",
        ]

    def options(self) -> str:
        found = ""
        entries = [*self.ids, *self.arrays]
        if entries and self.draw(st.booleans()):
            found += f", deps=[{self.pick(*entries)}]"
        return found

    def region(self, indent: str) -> list[str]:
        target = self.pick(*VIEWS)
        source = self.pick("x", *VIEWS)
        first = self.pick(target, source)
        options = self.options()
        if self.number(0, 4) == 0:
            options += f", no_dep_args=[{target}]"
        bound = ""
        if self.draw(st.booleans()):
            name = self.name("i")
            bound = f" as {name}"
        hint = self.name("k")
        lines = [
            f'{indent}with pl.at(level=pl.Level.CORE_GROUP, name_hint="{hint}"{options}){bound}:',
            f"{indent}    {target}[:, :] = pl.add({first}[:, :], {source}[:, :])",
        ]
        if bound:
            self.ids.append(bound[4:])
        return lines

    def loop(self, indent: str, manual: bool) -> list[str]:
        variable = self.name("i")
        trips = self.number(1, 4)
        self.loops.append((variable, trips))
        body = self.block(indent + "    ", self.number(1, 3), manual)
        self.loops.pop()
        return [f"{indent}for {variable} in pl.{self.pick('range', 'parallel')}({trips}):", *body]

    def array(self, indent: str, manual: bool) -> list[str]:
        array, variable, bound, hint = self.name("ids"), self.name("i"), self.name("i"), self.name("k")
        extent = self.number(1, 3)
        filled = self.number(1, extent)
        self.arrays.append(array)
        lines = [
            f"{indent}{array} = pl.array.create({extent}, pl.TASK_ID)",
            f"{indent}for {variable} in pl.{self.pick('range', 'parallel')}({filled}):",
            f'{indent}    with pl.at(level=pl.Level.CORE_GROUP, name_hint="{hint}") as {bound}:',
            f"{indent}        s[:, :] = pl.add(s[:, :], x[:, :])",
            f"{indent}    {array}[{variable}] = {bound}",
        ]
        if self.draw(st.booleans()):
            dummy = self.name("g")
            lines.append(f"{indent}{dummy} = pl.system.task_dummy(deps=[{array}])")
            self.ids.append(dummy)
        return lines


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """The statements of one entry; every name they use is bound before."""
    writer = _Writer(draw)
    lines = [f"{name} = pl.create_tensor([32, 64], dtype=pl.FP32)" for name in ("m0", "m1")]
    lines += writer.block("", draw(st.integers(1, 6)), False)
    return "\n".join(lines)
