"""Everything that kernels are promised to be able to do, in every form in which the DSL offers it.

They stand in the body of a ``pl.at`` on tensors, or in a function of kind InCore on tiles, and read ``x`` and ``z``
(64 x 128), ``r`` (64 x 1), ``c`` (1 x 128), ``v`` (128) and the numbers ``s`` and ``n``, and write ``y`` (64 x 128).
"""

from __future__ import annotations

from collections.abc import Iterator

SHAPES = {"x": "64, 128", "z": "64, 128", "r": "64, 1", "c": "1, 128", "v": "128"}
FLOATS = ("FP32", "FP16", "BF16")
TYPES = (*FLOATS, "INT32")
_LOADED = "t = pl.load(x, [0, 0], [64, 128])\nu = pl.load(z, [0, 0], [64, 128])\n"
_STORED = "\ny = pl.store(o, [0, 0], y)"
_SCRATCH = "w = pl.tile.create([64, 128], dtype=pl.{dtype})\n"
_SPACES = (
    "a = pl.load(x, [0, 0], [64, 64], target_memory=pl.MemorySpace.Mat)\n"
    "b = pl.load(z, [0, 0], [64, 64], target_memory=pl.MemorySpace.Mat)\n"
    "left = pl.move(a, target_memory=pl.MemorySpace.Left)\n"
    "right = pl.move(b, target_memory=pl.MemorySpace.Right)\n"
)


def region(body: str, dtype: str = "FP32", result: str = "") -> str:
    return f"""
@pl.jit
def main({_parameters(dtype, result or dtype)}):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage"):
{_indented(body)}
    return y
"""


def tiles(body: str, dtype: str = "FP32", result: str = "") -> str:
    given, returned = _parameters(dtype, result or dtype), f"pl.Tensor[[64, 128], pl.{result or dtype}]"
    names = ", ".join([*SHAPES, "s", "n", "y"])
    return f"""
@pl.program
class Model:
    @pl.function(type=pl.FunctionType.InCore)
    def stage(self, {given}) -> {returned}:
{_indented(body)}
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, {given}) -> {returned}:
        y = self.stage({names})
        return y
"""


def _parameters(dtype: str, result: str) -> str:
    tensors = ", ".join(f"{name}: pl.Tensor[[{shape}], pl.{dtype}]" for name, shape in SHAPES.items())
    return f"{tensors}, s: pl.Scalar[pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.InOut[pl.Tensor[[64, 128], pl.{result}]]"


def _indented(body: str) -> str:
    return "\n".join(f"        {line}" for line in body.splitlines())


def forms() -> Iterator[tuple[str, str]]:
    """A name and a program for each."""
    for dtype in TYPES:
        for name, body in _of_any_type(dtype):
            yield f"{name} {dtype}", region(body, dtype)
        for name, body in _of_any_type_on_tiles():
            yield f"{name} on tiles {dtype}", tiles(body.replace("{dtype}", dtype), dtype)
        for target in TYPES:
            for mode in ("", ', mode="floor"', ", mode=5", ', "trunc"'):
                yield (
                    f"cast {dtype} {target}{mode}",
                    region(f"y[:, :] = pl.cast(x[:, :], pl.{target}{mode})", dtype, target),
                )
            body = f'{_LOADED}o = pl.tile.cast(t, target_type=pl.{target}, mode="round"){_STORED}'
            yield f"cast on tiles {dtype} {target}", tiles(body, dtype, target)
    for name, body in _products_of_integers():
        yield f"{name} INT8", region(body, "INT8", "INT32")
    for dtype in FLOATS:
        for name, body in _of_floats():
            yield f"{name} {dtype}", region(body.replace("{dtype}", dtype), dtype)
        for name, body in _of_floats_on_tiles():
            yield f"{name} on tiles {dtype}", tiles(body, dtype)
        for name, body in _products():
            half = "pl.FP16" if dtype == "FP16" else "pl.BF16"
            yield f"{name} {dtype}", region(body.replace("{half}", half), dtype, "FP32")
        for name, body in _products_on_tiles():
            yield f"{name} on tiles {dtype}", tiles(body, dtype, "FP32")


def _products_of_integers() -> Iterator[tuple[str, str]]:
    for k in (32, 48, 64):
        yield f"matmul along {k}", f"y[0:16, 0:64] = pl.matmul(x[0:16, 0:{k}], z[0:{k}, 0:64], out_dtype=pl.INT32)"
    yield "matmul of transposed factors", "y[0:48, 0:16] = pl.matmul(x[:, 0:48], z[0:16, 0:64], pl.INT32, True, True)"
    step = "x[:, k * 32 : k * 32 + 32], z[:, k * 32 : k * 32 + 32], b_trans=True"
    yield (
        "matmul_acc",
        "acc = pl.create_tensor([64, 64], dtype=pl.INT32)\nfor k in pl.range(2):\n    if k == 0:\n"
        f"        acc = pl.matmul({step}, out_dtype=pl.INT32)\n    else:\n        acc = pl.matmul_acc(acc, {step})\n"
        "y[:, 0:64] = acc",
    )
    zeros = "pl.full([64, 64], dtype=pl.INT32, value=0)"
    yield (
        "matmul_acc from zeros",
        f"acc = {zeros}\nacc = pl.matmul_acc(acc, {step.replace('k *', 'n *')})\ny[:, 0:64] = acc",
    )


def _of_any_type(dtype: str) -> Iterator[tuple[str, str]]:
    for name in ("add", "sub", "mul", "maximum", "minimum"):
        for prefix in ("pl.", "pl.tensor."):
            yield f"{prefix}{name}", f"y[:, :] = {prefix}{name}(x[:, :], z[:, :])"
            yield f"{prefix}{name} with a number", f"y[:, :] = {prefix}{name}(x[:, :], 2)"
            yield f"{prefix}{name} with a scalar", f"y[:, :] = {prefix}{name}(x[:, :], n)"
    for sign in "+-*":
        for left, right in (("x", "z"), ("x", "r"), ("x", "c")):
            yield f"{left} {sign} {right}", f"y[:, :] = {left}[:, :] {sign} {right}[:, :]"
        yield f"x {sign} number", f"y[:, :] = x[:, :] {sign} 3"
        yield f"number {sign} x", f"y[:, :] = 3 {sign} x[:, :]"
    for name in ("add", "sub", "mul", "max", "min"):
        for prefix in ("pl.", "pl.tensor."):
            yield f"{prefix}row_expand_{name}", f"y[:, :] = {prefix}row_expand_{name}(x[:, :], r[:, :])"
            yield f"{prefix}col_expand_{name}", f"y[:, :] = {prefix}col_expand_{name}(x[:, :], c[:, :])"
    for name in ("sum", "max", "min"):
        for prefix in ("pl.", "pl.tensor."):
            yield f"{prefix}row_{name}", f"y[:, 0:1] = {prefix}row_{name}(x[:, :])"
            yield f"{prefix}col_{name}", f"y[0:1, :] = {prefix}col_{name}(x[:, :])"
    for name in ("abs", "neg", "relu"):
        yield f"pl.{name}", f"y[:, :] = pl.{name}(x[:, :])"
    yield "minus", "y[:, :] = -x[:, :]"
    for prefix in ("pl.", "pl.tensor."):
        yield f"{prefix}row_expand", f"y[:, :] = {prefix}row_expand(x[:, :], r[:, :])"
        yield f"{prefix}col_expand", f"y[:, :] = {prefix}col_expand(x[:, :], c[:, :])"
        yield f"{prefix}expands", f"y[:, :] = {prefix}expands(x[:, :], 1.0)"
        yield f"{prefix}expand_clone", f"y[:, :] = {prefix}expand_clone(r[:, :], x[:, :])"
    for prefix in ("pl.", "pl.tensor.", "pl.tile."):
        yield f"{prefix}full", f"y[:, :] = {prefix}full([64, 128], dtype=pl.{dtype}, value=1)"
    yield "full by position", f"y[:, :] = pl.full([64, 128], pl.{dtype}, 2)"
    yield "full of a scalar", f"y[:, :] = pl.full([64, 128], dtype=pl.{dtype}, value=n)"
    made = f"pl.create_tensor([64, 128], dtype=pl.{dtype}, init_value=0.0)"
    yield "created with a value", f"t = {made}\ny[:, :] = pl.add(t, x[:, :])"
    yield "one dimension", "w = v[0:64]\ny[0, 0:64] = pl.add(w, v[64:128])"
    yield "one dimension repeated", "y[:, :] = pl.mul(x[:, :], v[:])"
    yield "one dimension as a row", "y[:, :] = pl.col_expand_mul(x[:, :], pl.reshape(v[:], [1, 128]))"
    yield "one dimension as a column", "y[:, :] = pl.row_expand_mul(x[:, :], pl.reshape(v[0:64], [64, 1]))"
    yield "a row", "t = x[3, :]\ny[3, :] = pl.add(t, 1)"
    yield "read", "a = pl.read(x, [0, n])\ny[:, :] = pl.mul(z[:, :], a)"
    yield "read by subscript", "a = x[0, 1]\ny[:, :] = pl.mul(z[:, :], a)"
    yield "read of a result", "t = pl.add(x[:, :], 1)\na = pl.read(t, [0, n])\ny[:, :] = pl.mul(t, a)"
    yield "write", "a = pl.read(x, [0, 0])\npl.write(y, [0, n], a)"
    yield "whole tensors", "y = pl.assemble(y, pl.add(x, z), [0, 0])"
    yield "named operands", "y[:, :] = pl.add(lhs=x[:, :], rhs=z[:, :])"
    yield "a named operand", "y[:, :] = pl.abs(input=x[:, :])"
    yield "slice", "y[0:16, :] = pl.slice(x, shape=[16, 128], offset=[n, 0])"
    yield "slice without a dimension", "y[0, :] = pl.tensor.slice(x, [1, 128], [n, 0], drop_dims=[0])"
    yield "assemble", "y = pl.tensor.assemble(target=y, source=x[0:16, :], offset=[16, 0])"
    for loop in ("range(0, 64, 16)", "parallel(0, 64, 16)", "unroll(0, 64, 16)", "pipeline(0, 64, 16, stage=2)"):
        yield loop, f"for i in pl.{loop}:\n    y[i : i + 16, :] = pl.add(x[i : i + 16, :], z[i : i + 16, :])"
    yield "range downwards", "for i in pl.range(48, -1, -16):\n    y[i : i + 16, :] = pl.add(x[48 - i : 64 - i, :], 1)"
    yield "while", "i = n\nwhile i < 48:\n    y[i : i + 16, :] = pl.add(x[i : i + 16, :], 1)\n    i = i + 16"
    yield (
        "while of elements",
        "i = n\nwhile pl.read(x, [i, 0]) == pl.read(z, [i, 0]):\n    i = i + 1\ny[0:16, :] = x[i : i + 16, :]",
    )
    columns = "pl.arange(0, [1, 64], dtype=pl.INT32)"
    yield (
        "numbers that count",
        f"y[0:1, 0:64] = pl.cast({columns}, pl.{dtype})"
        if dtype != "INT32"
        else (
            "y[0:1, 0:64] = pl.add(pl.arange(n, [1, 64]), pl.tile.arange(9, [1, 64], dtype=pl.INT32, descending=True))"
        ),
    )
    swapped = f"k = pl.col_expand(pl.full([8, 64], dtype=pl.INT32, value=0), 63 - {columns})\n"
    yield "gather of rows", f"{swapped}y[0:8, 0:64] = pl.gather(pl.add(x[0:8, :], 1), dim=-1, index=k)"
    yield "gather of a row", f"y[0:1, 0:64] = pl.gather(x[3:4, :], -1, 63 - {columns})"
    yield "transpose", "y[0:32, 0:24] = pl.transpose(pl.add(x[0:24, 0:32], 1), 0, 1)"
    yield "transpose of a column", "y[0:1, 0:64] = pl.transpose(r[:, :], axis1=0, axis2=1)"
    yield "transpose of a row", "y[:, 4:5] = pl.transpose(x[3:4, 0:64], axis1=-1, axis2=-2)"
    yield "concat", "y[0:8, 0:40] = pl.concat(x[0:8, 0:16], z[0:8, 8:32])"
    yield "concat at no block", "y[0:8, 0:40] = pl.concat(x[0:8, 0:13], z[0:8, 5:32])"
    parts = "t = pl.add(x[0:32, :], z[0:32, :])\n"
    yield "parts at any place", f"{parts}y[0:32, 0:50] = t[:, 3:53]\ny[42, 0:32] = t[:, 8]\ny[40:41, :] = t[5:6, :]"
    yield (
        "writes at any place",
        f"{parts}u = pl.add(x[0:32, 0:10], 1)\nt[:, 3:13] = u\nt[:, 20:21] = u[:, 3:4]\nt[:, 24:25] = u[:, 0:1]\n"
        "t[:, 33] = u[:, 1]\nt[:, 40] = u[:, 8]\ny[0:32, :] = t",
    )
    cube = "t = pl.reshape(pl.add(x[0:32, :], 1), [4, 8, 128])\n"
    yield (
        "parts of three dimensions",
        f"{cube}t[1:3, 2:5, 8:24] = t[0:2, 5:8, 16:32]\ny[0:32, :] = pl.reshape(t, [32, 128])",
    )
    yield (
        "carried through branches",
        f"total = pl.create_tensor([16, 128], dtype=pl.{dtype})\nfor i in pl.range(4):\n"
        "    part = x[i * 16 : i * 16 + 16, :]\n    if i == 0:\n        total = part\n"
        "    else:\n        total = pl.add(total, part)\ny[0:16, :] = total",
    )
    yield "a parameter that becomes a value", "w = c\nfor i in pl.range(4):\n    w = pl.add(w, x[i, :])\ny[0:1, :] = w"
    yield (
        "a parameter that becomes a value in some trips",
        "w = c\nfor i in pl.range(4):\n    if i < n:\n        w = pl.add(w, x[i, :])\ny[0:1, :] = w",
    )
    yield "a window of a computed extent", "m = n * 4 + 8\ny[n * 4 : m, 0:16] = pl.add(x[0:8, 0:16], 1)"
    yield (
        "a window of a computed extent without a dimension",
        "m = n + 64\nt = pl.add(x[0:8, 0:64], 1)\nt = t[2, :]\ny[n, n : m] = t",
    )
    rows = "x[i * 4 : i * 4 + 4, :]"
    yield (
        "part written in each trip anew",
        f"t = pl.add(z[0:16, :], 1)\nfor i in pl.range(4):\n    u = pl.assemble(t, {rows}, [i * 4, 0])\n"
        "    y[i * 16 : i * 16 + 16, :] = u",
    )
    yield (
        "part written in some trips",
        f"t = pl.full([16, 128], dtype=pl.{dtype}, value=0)\nfor i in pl.range(4):\n    if i < n:\n"
        f"        t[i * 4 : i * 4 + 4, :] = {rows}\ny[0:16, :] = t",
    )
    yield (
        "one of two tiles",
        "t = pl.add(x[0:16, :], 1)\nu = pl.add(z[0:16, :], 1)\nif n < 2:\n    w = t\nelse:\n    w = u\n"
        "w[0:4, :] = x[0:4, :]\ny[0:16, :] = pl.add(w, pl.add(t, u))",
    )
    yield "reshape of rows with gaps", "t = pl.add(x[0:6, 0:20], 1)\ny[0:12, 0:10] = pl.reshape(t, [12, 10])"


def _of_any_type_on_tiles() -> Iterator[tuple[str, str]]:
    for name in ("add", "sub", "mul", "maximum", "minimum"):
        for prefix in ("pl.", "pl.tile."):
            yield f"{prefix}{name}", f"{_LOADED}o = {prefix}{name}(t, u){_STORED}"
    for name in ("adds", "subs", "muls", "maximums", "minimums"):
        yield f"pl.tile.{name}", f"{_LOADED}o = pl.tile.{name}(t, 2){_STORED}"
        yield f"pl.tile.{name} with a scalar", f"{_LOADED}o = pl.tile.{name}(t, n){_STORED}"
    for name in ("abs", "neg", "relu"):
        yield f"pl.tile.{name}", f"{_LOADED}o = pl.tile.{name}(t){_STORED}"
    for name in ("sum", "max", "min"):
        yield f"pl.tile.row_{name}", f"{_LOADED}{_SCRATCH}o = pl.tile.row_{name}(t, w){_STORED}"
        yield f"row_{name} with a named tile", f"{_LOADED}{_SCRATCH}o = pl.row_{name}(t, tmp_tile=w){_STORED}"
        yield f"pl.tile.col_{name}", f"{_LOADED}o = pl.tile.col_{name}(t){_STORED}"
    yield "pl.tile.col_sum with a tile", f"{_LOADED}{_SCRATCH}o = pl.tile.col_sum(t, w){_STORED}"
    for name in ("row_expand", "row_expand_add", "row_expand_sub", "row_expand_mul"):
        yield f"pl.tile.{name}", f"{_LOADED}w = pl.load(r, [0, 0], [64, 1])\no = pl.tile.{name}(t, w){_STORED}"
    for name in ("col_expand", "col_expand_add", "col_expand_sub", "col_expand_mul"):
        yield f"pl.tile.{name}", f"{_LOADED}w = pl.load(c, [0, 0], [1, 128])\no = pl.tile.{name}(t, w){_STORED}"
    yield "pl.tile.expands", f"{_LOADED}o = pl.tile.expands(t, 1){_STORED}"
    yield "pl.tile.read", f"{_LOADED}a = pl.tile.read(t, [0, 3])\no = pl.tile.muls(t, a){_STORED}"
    yield "read by subscript", f"{_LOADED}a = t[0, 3]\no = pl.tile.muls(t, a){_STORED}"
    yield (
        "pl.tile.write",
        f"{_LOADED}a = pl.tile.read(t, [0, 3])\npl.tile.write(t, [0, 0], a)\no = pl.tile.muls(t, 2){_STORED}",
    )
    for text in ("t[16:48, 32:96]", "t[3, :]", "t[3]", "t[3:4, :]", "t[:, 3:4]", "t[:, 3:67]", "t[8:]", "t[:, 8:9]"):
        yield text, f"{_LOADED}o = {text}{_STORED}"
    yield "pl.tile.slice", f"{_LOADED}o = pl.tile.slice(t, [1, 128], [n, 0]){_STORED}"
    for text in (
        "t[0:16, :] = u[16:32, :]",
        "t[5, :] = u[6, :]",
        "t[0:16, 3:35] = u[16:32, 0:32]",
        "t[:, 7] = u[:, 6]",
    ):
        yield text, f"{_LOADED}{text}\no = t{_STORED}"
    yield "pl.tile.assemble", f"{_LOADED}o = pl.tile.assemble(t, pl.tile.slice(u, [16, 128], [0, 0]), [16, 0]){_STORED}"
    yield "assemble at a computed row", f"{_LOADED}o = pl.assemble(t, u[0:16, 0:64], [n, 64]){_STORED}"
    yield "tensor assigned", f"{_LOADED}y[0:64, 0:128] = pl.add(t, u)"
    yield (
        "named operands",
        "o = pl.load(x, offsets=[0, 0], shapes=[64, 128])\ny = pl.tile.store(o, offsets=[0, 0], output_tensor=y)",
    )
    yield "a store for its effect", f"{_LOADED}pl.store(pl.add(t, u), [0, 0], y)"
    yield "pl.tile.load", f"o = pl.tile.load(x, [n, 0], [16, 128]){_STORED}"
    yield "move", f"{_LOADED}o = pl.move(t, target_memory=pl.MemorySpace.Vec){_STORED}"
    yield "pl.tile.reshape", f"{_LOADED}o = pl.tile.reshape(pl.tile.reshape(t, [128, 64]), [64, 128]){_STORED}"
    yield (
        "names from inside a loop",
        "for i in pl.range(4):\n    t = pl.load(x, [i * 16, 0], [16, 128])\n"
        "    if i < n:\n        w = pl.tile.muls(t, 2)\n    out = pl.store(t, [i * 16, 0], y)\n"
        "y = pl.store(w, [0, 0], out)",
    )
    yield (
        "carried by yield",
        "first = pl.load(x, [0, 0], [16, 128])\n"
        "for i, (a,) in pl.range(1, 4, init_values=(first,)):\n"
        "    t = pl.load(x, [i * 16, 0], [16, 128])\n"
        "    b = pl.tile.add(a, t)\n"
        "    (total,) = pl.yield_(b)\n"
        "y = pl.store(total, [0, 0], y)",
    )


def _of_floats() -> Iterator[tuple[str, str]]:
    for name in ("exp", "log", "sqrt", "rsqrt", "recip"):
        for prefix in ("pl.", "pl.tensor."):
            yield f"{prefix}{name}", f"y[:, :] = {prefix}{name}(x[:, :])"
    for prefix in ("pl.", "pl.tensor."):
        yield f"{prefix}div", f"y[:, :] = {prefix}div(x[:, :], z[:, :])"
        yield f"{prefix}row_expand_div", f"y[:, :] = {prefix}row_expand_div(x[:, :], r[:, :])"
        yield f"{prefix}col_expand_div", f"y[:, :] = {prefix}col_expand_div(x[:, :], c[:, :])"
    for left, right in (
        ("x[:, :]", "z[:, :]"),
        ("x[:, :]", "s"),
        ("s", "x[:, :]"),
        ("x[:, :]", "3"),
        ("3.0", "x[:, :]"),
    ):
        yield f"{left} / {right}", f"y[:, :] = {left} / {right}"
    for sign in "+-*":
        yield f"x {sign} s", f"y[:, :] = x[:, :] {sign} s"
        yield f"s {sign} x", f"y[:, :] = s {sign} x[:, :]"
    for side, vector in (("row", "r"), ("col", "c")):
        yield f"{side}_expand_expdif", f"y[:, :] = pl.{side}_expand_expdif(x[:, :], {vector}[:, :])"
    eighth = 'pl.cast(pl.cast(pl.mul(x[:, :], 40.0), pl.FP16), pl.INT8, mode="trunc")'
    yield "eight bits", f"t = {eighth}\ny[:, :] = pl.cast(pl.cast(t, pl.FP16), pl.{{dtype}})"
    yield "high precision", "y[:, :] = pl.div(x[:, :], pl.recip(z[:, :], high_precision=True), high_precision=True)"


def _of_floats_on_tiles() -> Iterator[tuple[str, str]]:
    for name in ("exp", "log", "sqrt", "rsqrt", "recip"):
        yield f"pl.tile.{name}", f"{_LOADED}o = pl.tile.{name}(t){_STORED}"
    yield "pl.tile.div", f"{_LOADED}o = pl.tile.div(t, u){_STORED}"
    yield "pl.tile.divs", f"{_LOADED}o = pl.tile.divs(t, s){_STORED}"
    yield (
        "pl.tile.row_expand_div",
        f"{_LOADED}w = pl.load(r, [0, 0], [64, 1])\no = pl.tile.row_expand_div(t, w){_STORED}",
    )


def _products() -> Iterator[tuple[str, str]]:
    ready = "pl.create_tensor([64, 64], dtype=pl.FP32)"
    yield "matmul", "y[:, 0:64] = pl.matmul(x[:, 0:64], z[:, 0:64], out_dtype=pl.FP32)"
    yield "matmul of a transposed factor", "y[:, 0:64] = pl.tensor.matmul(x, z, out_dtype=pl.FP32, b_trans=True)"
    yield "matmul with flags by position", "y[:, 0:64] = pl.matmul(x[:, 0:64], z[:, 0:64], pl.FP32, True, False)"
    step = "x[:, k * 16 : k * 16 + 16], z[k * 16 : k * 16 + 16, 0:64]"
    added = f"acc = pl.matmul_acc(acc, {step}"
    loop = f"acc = {ready}\nfor k in pl.range(4):\n    {added}, init_cond=(k == 0))"
    yield "matmul_acc from a condition", f"{loop}\ny[:, 0:64] = acc"
    for made in ("pl.full([64, 64], dtype=pl.FP32, value=0.0)", f"{ready[:-1]}, init_value=0.0)"):
        yield (
            f"matmul_acc from {made}",
            f"acc = {made}\nfor k in pl.range(n):\n    {added})\ny[:, 0:64] = acc",
        )
    first = "p = pl.matmul(x[:, 0:64], z[:, 0:64], out_dtype=pl.FP32)\n"
    yield (
        "matmul of a product",
        f"{first}t = pl.cast(pl.relu(p), {{half}}, mode='rint')\nf = pl.cast(p, {{half}})\n"
        "y[:, 0:64] = pl.matmul(t, f, out_dtype=pl.FP32, b_trans=True)",
    )
    yield (
        "matmul with a leading dimension",
        "f = pl.reshape(z[:, 0:64], [1, 64, 64])\nt = pl.matmul(x[:, 0:64], f, out_dtype=pl.FP32, b_trans=True)\n"
        "y[:, 0:64] = pl.reshape(t, [64, 64])",
    )
    yield (
        "matmul_acc behind a branch",
        f"acc = {ready}\nfor k in pl.range(4):\n    if k == 0:\n        acc = pl.matmul({step}, out_dtype=pl.FP32)\n"
        f"    else:\n        acc = pl.matmul_acc(acc, {step})\ny[:, 0:64] = acc",
    )


def _products_on_tiles() -> Iterator[tuple[str, str]]:
    yield "matmul", f"{_SPACES}o = pl.tile.matmul(left, right){_STORED}"
    yield "matmul_acc", f"{_SPACES}o = pl.tile.matmul(left, right)\no = pl.tile.matmul_acc(o, left, right){_STORED}"
    made = "pl.create_tile([64, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.Acc)"
    loop = "for k in pl.range(3):\n    o = pl.tile.matmul_acc(o, left, right, init_cond=(k == 0))"
    yield "matmul_acc from a condition", f"{_SPACES}o = {made}\n{loop}{_STORED}"
