"""Random kernels: a region each, of operations on tiles whose shapes and types fit, all in one program."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hypothesis import strategies as st

FLOATS = ("FP32", "FP16", "BF16")
TYPES = (*FLOATS, "INT32")
_ROWS, _COLS = 24, 48
_OPERATIONS = ("add", "sub", "mul", "maximum", "minimum")
_POSITIVE = ("log", "sqrt", "rsqrt", "recip")


@dataclass(frozen=True)
class Value:
    name: str
    shape: tuple[int, int]
    dtype: str


@dataclass
class Kernel:
    """``lines`` of a region; ``loaded`` are values that hold input, not results."""

    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    loaded: list[Value] = field(default_factory=list)

    def add(self, expression: str, shape: tuple[int, int], dtype: str) -> Value:
        made = Value(f"v{len(self.values)}", shape, dtype)
        self.lines.append(f"{made.name} = {expression}")
        self.values.append(made)
        return made


@st.composite
def vector_kernel(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """Data type of the input, that of the result, and the lines, which read ``x`` and write ``y`` (both 24 x 48)."""
    dtype = draw(st.sampled_from(TYPES))
    kernel = Kernel()
    _load(draw, kernel, dtype, draw(st.sampled_from([(1, 16), (3, 5), (8, 8), (16, 40), (5, 1), (24, 48)])))
    for _ in range(draw(st.integers(1, 6))):
        draw(st.sampled_from(_STEPS))(draw, kernel)
    result = draw(st.sampled_from(kernel.values))
    rows, cols = result.shape
    row, col = draw(st.integers(0, _ROWS - rows)), draw(st.integers(0, _COLS - cols))
    kernel.lines.append(f"y[{row} : {row + rows}, {col} : {col + cols}] = {result.name}")
    return dtype, result.dtype, kernel.lines


def _load(draw: st.DrawFn, kernel: Kernel, dtype: str, shape: tuple[int, int]) -> Value:
    row, col = draw(st.integers(0, _ROWS - shape[0])), draw(st.integers(0, _COLS - shape[1]))
    window = f"x[{row} : {row + shape[0]}, {col} : {col + shape[1]}]"
    if draw(st.booleans()):
        window = f"pl.load(x, [{row}, {col}], [{shape[0]}, {shape[1]}])"
    made = kernel.add(window, shape, dtype)
    kernel.loaded.append(made)
    return made


def _load_step(draw: st.DrawFn, kernel: Kernel) -> None:
    """Another window: of a shape that is there, or a row, a column, an element to go with it."""
    rows, cols = draw(st.sampled_from(kernel.values)).shape
    _load(draw, kernel, kernel.loaded[0].dtype, draw(st.sampled_from([(rows, cols), (1, cols), (rows, 1), (1, 1)])))


def _binary(draw: st.DrawFn, kernel: Kernel) -> None:
    left = draw(st.sampled_from(kernel.values))
    rows, cols = left.shape
    fitting = {(rows, cols), (1, cols), (rows, 1)}
    right = draw(st.sampled_from([v for v in kernel.values if v.shape in fitting]))
    if left.dtype != right.dtype and "INT32" in (left.dtype, right.dtype):
        return
    integer = left.dtype == "INT32"
    operation = draw(st.sampled_from([o for o in _OPERATIONS if not (integer and o == "mul")]))
    dtype = left.dtype if left.dtype == right.dtype else "FP32"
    word = {"maximum": "max", "minimum": "min"}.get(operation, operation)
    if right.shape == left.shape:
        symbol = {"add": "+", "sub": "-", "mul": "*"}.get(operation)
        if symbol and draw(st.booleans()):
            kernel.add(f"{left.name} {symbol} {right.name}", left.shape, dtype)
            return
        kernel.add(f"pl.{operation}({left.name}, {right.name})", left.shape, dtype)
    elif right.shape == (rows, 1):
        kernel.add(f"pl.row_expand_{word}({left.name}, {right.name})", left.shape, dtype)
    else:
        kernel.add(f"pl.col_expand_{word}({left.name}, {right.name})", left.shape, dtype)


def _number(draw: st.DrawFn, kernel: Kernel) -> None:
    value = draw(st.sampled_from(kernel.values))
    operation = draw(st.sampled_from(_OPERATIONS))
    number = draw(st.sampled_from(["2", "3", "-1"] if value.dtype == "INT32" else ["0.5", "2.0", "-1.25", "scale"]))
    form = draw(st.sampled_from(["call", "first"] if operation == "sub" and number != "scale" else ["call"]))
    text = f"{number} - {value.name}" if form == "first" else f"pl.{operation}({value.name}, {number})"
    kernel.add(text, value.shape, value.dtype)


def _unary(draw: st.DrawFn, kernel: Kernel) -> None:
    value = draw(st.sampled_from(kernel.values))
    if value.dtype == "INT32":
        kernel.add(f"pl.{draw(st.sampled_from(['neg', 'abs', 'relu']))}({value.name})", value.shape, value.dtype)
        return
    operation = draw(st.sampled_from(["neg", "abs", "relu", "exp", *_POSITIVE]))
    operand = value.name
    if operation in _POSITIVE:
        operand = f"pl.add(pl.abs({operand}), 0.5)"
    elif operation == "exp":
        operand = f"pl.neg(pl.abs({operand}))"
    kernel.add(f"pl.{operation}({operand})", value.shape, value.dtype)


def _reduce(draw: st.DrawFn, kernel: Kernel) -> None:
    value = draw(st.sampled_from(kernel.values))
    rows, cols = value.shape
    operation = draw(st.sampled_from(["sum", "max", "min"]))
    if draw(st.booleans()):
        kernel.add(f"pl.row_{operation}({value.name})", (rows, 1), value.dtype)
    else:
        kernel.add(f"pl.col_{operation}({value.name})", (1, cols), value.dtype)


def _cast(draw: st.DrawFn, kernel: Kernel) -> None:
    """To integers only what was loaded: a rounding error elsewhere may be a whole number afterwards."""
    dtype = draw(st.sampled_from(TYPES))
    value = draw(st.sampled_from(kernel.loaded if dtype == "INT32" else kernel.values))
    mode = draw(st.sampled_from(["", ', mode="floor"', ', mode="rint"', ', mode="trunc"']))
    if value.dtype != dtype:
        kernel.add(f"pl.cast({value.name}, pl.{dtype}{mode})", value.shape, dtype)


def _loop(draw: st.DrawFn, kernel: Kernel) -> None:
    value = draw(st.sampled_from(kernel.loaded))
    trips = draw(st.integers(1, 3))
    made = kernel.add(value.name if draw(st.booleans()) else f"pl.mul({value.name}, 1)", value.shape, value.dtype)
    rows, cols = value.shape
    step = (_ROWS - rows) // trips
    index = draw(st.sampled_from(["i", "t"]))
    kernel.lines.append(f"for {index} in pl.range({trips}):")
    window = f"x[{index} * {step} : {index} * {step} + {rows}, 0 : {cols}]"
    kernel.lines.append(f"    {made.name} = pl.{draw(st.sampled_from(['add', 'maximum']))}({made.name}, {window})")


def _branch(draw: st.DrawFn, kernel: Kernel) -> None:
    value = draw(st.sampled_from(kernel.loaded))
    made = kernel.add(f"pl.add({value.name}, 1)", value.shape, value.dtype)
    kernel.lines.append("for b in pl.range(3):")
    kernel.lines.append(f"    if b == {draw(st.integers(0, 2))}:")
    kernel.lines.append(f"        {made.name} = pl.add({made.name}, {value.name})")
    if draw(st.booleans()):
        kernel.lines.append("    else:")
        kernel.lines.append(f"        {made.name} = pl.sub({made.name}, 2)")


def _tile(draw: st.DrawFn, kernel: Kernel) -> None:
    """A tile put together from rows of blocks, and a part of it."""
    value = draw(st.sampled_from(kernel.values))
    rows, cols = value.shape
    if cols == 1 or rows > 8:
        return
    unit = {"FP32": 8, "INT32": 8}.get(value.dtype, 16)
    made = kernel.add(f"pl.full([{2 * rows}, {cols}], dtype=pl.{value.dtype}, value=1)", (2 * rows, cols), value.dtype)
    kernel.lines.append(f"{made.name}[{rows} : {2 * rows}, 0 : {cols}] = {value.name}")
    if cols > unit:
        width = cols - unit
        kernel.add(f"{made.name}[1 : {1 + rows}, {unit} : {cols}]", (rows, width), value.dtype)


def _part(draw: st.DrawFn, kernel: Kernel) -> None:
    """A window of a result, at any place."""
    made = _result(draw, kernel)
    rows, cols = made.shape
    height, width = draw(st.integers(1, rows)), draw(st.integers(1, cols))
    row, col = draw(st.integers(0, rows - height)), draw(st.integers(0, cols - width))
    kernel.add(f"{made.name}[{row} : {row + height}, {col} : {col + width}]", (height, width), made.dtype)


def _replace(draw: st.DrawFn, kernel: Kernel) -> None:
    """A value written into a result at any place, at once or in each trip of a loop, to the result or to a copy."""
    made, part = _result(draw, kernel), draw(st.sampled_from(kernel.values))
    (rows, cols), (height, width) = made.shape, part.shape
    if part.dtype != made.dtype or height > rows or width > cols:
        return
    row, col = draw(st.integers(0, rows - height)), draw(st.integers(0, cols - width))
    window = f"[{row} : {row + height}, {col} : {col + width}]"
    form = draw(st.sampled_from(["once", "some", "copies"]))
    if form == "once":
        kernel.lines.append(f"{made.name}{window} = {part.name}")
    elif form == "some":
        kernel.lines += ["for p in pl.range(3):", f"    if p == {draw(st.integers(0, 3))}:"]
        kernel.lines.append(f"        {made.name}{window} = {part.name}")
    else:
        total = kernel.add(f"pl.mul({made.name}, 1)", made.shape, made.dtype)
        kernel.lines.append(f"for p in pl.range({min(3, rows - height + 1)}):")
        kernel.lines.append(f"    changed = pl.assemble({made.name}, {part.name}, [p, {col}])")
        kernel.lines.append(f"    {total.name} = pl.maximum({total.name}, changed)")


def _rearrange(draw: st.DrawFn, kernel: Kernel) -> None:
    value = draw(st.sampled_from(kernel.values))
    rows, cols = value.shape
    if draw(st.booleans()):
        if rows <= _COLS and cols <= _ROWS:
            kernel.add(f"pl.transpose({value.name}, 0, 1)", (cols, rows), value.dtype)
    elif 2 * cols <= _COLS:
        kernel.add(f"pl.concat({value.name}, {value.name})", (rows, 2 * cols), value.dtype)


def _result(draw: st.DrawFn, kernel: Kernel) -> Value:
    value = draw(st.sampled_from(kernel.values))
    return kernel.add(f"pl.maximum({value.name}, 1)", value.shape, value.dtype)


def _reshape(draw: st.DrawFn, kernel: Kernel) -> None:
    value = draw(st.sampled_from(kernel.values))
    rows, cols = value.shape
    if rows <= _COLS and cols <= _ROWS:
        kernel.add(f"pl.reshape({value.name}, [{cols}, {rows}])", (cols, rows), value.dtype)


def _element(draw: st.DrawFn, kernel: Kernel) -> None:
    value = draw(st.sampled_from(kernel.values))
    dtype = kernel.loaded[0].dtype
    if value.dtype == dtype == "FP32":
        row, col = draw(st.integers(0, _ROWS - 1)), draw(st.integers(0, _COLS - 1))
        kernel.add(f"pl.mul({value.name}, pl.read(x, [{row}, {col}]))", value.shape, value.dtype)


_STEPS = (
    *(_load_step, _binary, _number, _unary, _reduce, _cast, _loop, _branch),
    *(_tile, _part, _replace, _reshape, _rearrange, _element),
)


@st.composite
def cube_kernel(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """As ``vector_kernel``, with products, and what the cube core can do to them on their way to memory."""
    dtype = draw(st.sampled_from(FLOATS))
    m, k, n = draw(st.integers(1, 24)), draw(st.integers(1, 24)), draw(st.integers(1, 24))
    lines = [f"a = pl.load(x, [0, 0], [{m}, {k}])"]
    turned = draw(st.booleans())
    lines.append(f"b = pl.load(x, [0, 8], [{n}, {k}])" if turned else f"b = pl.load(x, [0, 8], [{k}, {n}])")
    flag = ", b_trans=True" if turned else ""
    lines.append(f"c = pl.matmul(a, b{flag})")
    form = draw(st.sampled_from(["once", "again", "loop", "first"]))
    if form == "again":
        lines.append(f"c = pl.matmul_acc(c, a, b{flag})")
    elif form == "loop":
        lines += ["for i in pl.range(2):", f"    c = pl.matmul_acc(c, a, b{flag})"]
    elif form == "first":
        lines[-1] = f"c = pl.create_tile([{m}, {n}], dtype=pl.FP32)"
        lines += ["for i in pl.range(3):", "    if i == 0:", f"        c = pl.matmul(a, b{flag})", "    else:"]
        lines.append(f"        c = pl.matmul_acc(c, a, b{flag})")
    window = f"y[0:{m}, 3 : {3 + n}]"
    if draw(st.booleans()):
        lines.append("c = pl.relu(c)")
    made = draw(st.sampled_from(FLOATS))
    if made != "FP32":
        lines.append(f"c = pl.cast(c, pl.{made})")
    elif draw(st.booleans()):
        lines.append(f"{window} = {draw(st.sampled_from([f'pl.add({window}, c)', f'c + {window}']))}")
        return dtype, made, lines
    lines.append(f"{window} = c")
    return dtype, made, lines


def program(kernels: list[tuple[str, str, list[str]]]) -> str:
    """One entry that launches them all, each on tensors of its own."""
    params, body = ["scale: pl.Scalar[pl.FP32]"], []
    for number, (given, made, lines) in enumerate(kernels):
        params.append(f"x{number}: pl.Tensor[[{_ROWS}, {_COLS}], pl.{given}]")
        params.append(f"y{number}: pl.InOut[pl.Tensor[[{_ROWS}, {_COLS}], pl.{made}]]")
        body.append(f'    with pl.at(level=pl.Level.CORE_GROUP, name_hint="k{number}"):')
        for line in lines:
            for name in "xy":
                line = re.sub(rf"\b{name}(?=[\[,])", f"{name}{number}", line)
            body.append(f"        {line}")
    results = ", ".join(f"y{number}" for number in range(len(kernels)))
    return "\n".join(["@pl.jit", f"def main({', '.join(params)}):", *body, f"    return {results}"]) + "\n"
