"""A kernel for every group of operations: parameters ``x``, ``y`` (64 x 128), and what stands in its region."""

from __future__ import annotations

_F32 = "pl.FP32"

OPERATIONS: dict[str, tuple[str, str, str]] = {
    "load and store": (_F32, _F32, "tile = pl.load(x, [8, 0], [16, 128])\npl.store(tile, [0, 0], y)"),
    "assemble": (_F32, _F32, "y = pl.assemble(y, pl.slice(x, [16, 128], [0, 0]), [16, 0])"),
    "column in memory": (_F32, _F32, "y[:, 3:4] = x[:, 5:6]"),
    "elements": (
        _F32,
        _F32,
        "number = pl.read(x, [3, 5])\ny[0:8, 0:64] = pl.mul(x[0:8, 0:64], number)\npl.write(y, [7, 7], number)",
    ),
    "tensor with tensor": (
        _F32,
        _F32,
        "a = x[0:8, 0:64]\nb = x[8:16, 0:64]\ny[0:8, 0:64] = pl.maximum(a * b - a, pl.div(a, b))",
    ),
    "tensor with number": (
        _F32,
        _F32,
        "y[0:8, 0:64] = 1.0 - pl.minimum(pl.add(x[0:8, 0:64], 2), scale)",
    ),
    "one tensor": (
        _F32,
        _F32,
        "a = pl.exp(pl.neg(pl.abs(x[0:8, 0:64])))\n"
        "b = pl.log(pl.sqrt(pl.rsqrt(a)))\n"
        "y[0:8, 0:64] = pl.relu(pl.recip(b))",
    ),
    "half precision": (
        "pl.FP16",
        "pl.FP16",
        "y[0:8, 0:64] = pl.row_expand_div(x[0:8, 0:64], pl.row_sum(x[0:8, 0:64]))",
    ),
    "bfloat16": ("pl.BF16", "pl.BF16", "y[0:8, 0:64] = pl.add(x[0:8, 0:64], x[8:16, 0:64])"),
    "casts": (
        _F32,
        "pl.INT32",
        'half = pl.cast(x[0:8, 0:64], pl.FP16)\ny[0:8, 0:64] = pl.cast(pl.cast(half, pl.BF16), pl.INT32, mode="floor")',
    ),
    "reductions": (
        _F32,
        _F32,
        "tile = x[0:8, 0:64]\n"
        "rows = pl.row_max(tile)\n"
        "cols = pl.col_sum(tile)\n"
        "y[0:8, 0:64] = pl.col_expand_mul(pl.row_expand_sub(tile, rows), cols)\n"
        "y[8:16, 0:1] = pl.sqrt(pl.row_min(tile))",
    ),
    "fill": (
        _F32,
        _F32,
        "tile = pl.full([16, 64], dtype=pl.FP32, value=0.5)\ntile[8:16, :] = x[0:8, 0:64]\ny[0:16, 0:64] = tile",
    ),
    "loop over tiles": (
        _F32,
        _F32,
        "total = pl.full([8, 128], dtype=pl.FP32, value=0.0)\n"
        "for i in pl.range(8):\n"
        "    total = pl.add(total, x[i * 8 : (i + 1) * 8, :])\n"
        "y[0:8, :] = total",
    ),
    "branch": (
        _F32,
        _F32,
        "for i in pl.range(8):\n"
        "    tile = x[i * 8 : i * 8 + 8, :]\n"
        "    if i < count:\n"
        "        tile = pl.exp(tile)\n"
        "    y[i * 8 : i * 8 + 8, :] = tile",
    ),
    "partly valid": (
        _F32,
        _F32,
        "for i in pl.range(8):\n"
        "    rows = pl.min(8, count - i * 8)\n"
        "    tile = pl.slice(x, [8, 128], [i * 8, 0], valid_shape=[rows, 128])\n"
        "    y[i * 8 : i * 8 + 8, :] = pl.row_expand_sub(tile, pl.row_max(tile))",
    ),
    "padding": (
        _F32,
        _F32,
        "tile = pl.load(x, [0, 0], [8, 64], valid_shape=[8, count])\n"
        "y[0:8, 0:64] = pl.tile.fillpad(tile, pad_value=pl.PadValue.min)",
    ),
    "product": ("pl.FP16", _F32, "y[0:32, 0:32] = pl.matmul(x[0:32, 0:64], x[0:32, 64:128], b_trans=True)"),
    "product in pieces": (
        _F32,
        _F32,
        "total = pl.create_tensor([64, 64], dtype=pl.FP32)\n"
        "for k in pl.range(0, 128, 64):\n"
        "    if k == 0:\n"
        "        total = pl.matmul(x[:, k : k + 64], x[:, 0:64])\n"
        "    else:\n"
        "        total = pl.matmul_acc(total, x[:, k : k + 64], x[:, 0:64])\n"
        "y[:, 0:64] = total",
    ),
    "product of one tensor with itself": (
        _F32,
        _F32,
        "a = pl.load(x, [0, 0], [64, 128])\ny[0:64, 0:64] = pl.matmul(a, a, b_trans=True)",
    ),
    "product clipped and added": (
        _F32,
        _F32,
        "product = pl.matmul(x[0:32, 0:64], x[:, 64:128])\ny[0:32, 0:64] = pl.add(y[0:32, 0:64], pl.relu(product))",
    ),
    "product from zeros and from a condition": (
        _F32,
        _F32,
        "total = pl.create_tensor([16, 16], dtype=pl.FP32, init_value=0.0)\n"
        "for k in pl.range(count):\n"
        "    total = pl.matmul_acc(total, x[0:16, k * 16 : k * 16 + 16], x[0:16, 0:16])\n"
        "y[0:16, 0:16] = total\n"
        "other = pl.create_tensor([16, 16], dtype=pl.FP32)\n"
        "for k in pl.range(4):\n"
        "    other = pl.matmul_acc(other, x[0:16, 0:16], x[16:32, 0:16], init_cond=(k == 0))\n"
        "y[16:32, 0:16] = other",
    ),
    "product of a product": (
        "pl.FP16",
        _F32,
        "a = pl.matmul(x[0:16, 0:32], x[0:32, 32:48], out_dtype=pl.FP32)\n"
        "y[0:16, 0:16] = pl.matmul(pl.cast(a, pl.FP16), x[0:16, 0:16], out_dtype=pl.FP32)",
    ),
    "parts at any place": (
        _F32,
        _F32,
        "tile = pl.add(x[0:8, 0:64], 1.0)\n"
        "tile[:, 8:24] = x[8:16, 0:16]\n"
        "tile[:, 3:13] = x[8:16, 0:10]\n"
        "y[0:8, 0:16] = tile[:, 16:32]\n"
        "y[8:16, 0:20] = tile[:, 5:25]",
    ),
    "rearranged": (
        _F32,
        _F32,
        "places = 63 - pl.arange(0, [1, 64], dtype=pl.INT32)\n"
        "index = pl.col_expand(pl.full([8, 64], dtype=pl.INT32, value=0), places)\n"
        "y[0:8, 0:64] = pl.gather(pl.exp(x[0:8, 0:64]), dim=-1, index=index)\n"
        "y[8:16, 0:16] = pl.transpose(pl.exp(x[0:16, 0:8]), 0, 1)\n"
        "y[16:24, 0:48] = pl.concat(x[0:8, 0:16], x[0:8, 32:64])",
    ),
    "while": (
        _F32,
        _F32,
        "i = count\nwhile pl.read(x, [i, 0]) > 0.0:\n    y[i : i + 1, :] = pl.exp(x[i : i + 1, :])\n    i = i + 1",
    ),
    "eight bits": (
        "pl.FP16",
        "pl.INT8",
        'y[0:8, 0:64] = pl.cast(pl.mul(x[0:8, 0:64], 2.0), pl.INT8, mode="trunc")',
    ),
}


def program(name: str) -> str:
    """A program with that kernel, without its import."""
    given, made, lines = OPERATIONS[name]
    body = "".join(f"        {line}\n" for line in lines.split("\n"))
    return (
        f"@pl.jit\ndef main(\n    x: pl.Tensor[[64, 128], {given}],\n    y: pl.InOut[pl.Tensor[[64, 128], {made}]],\n"
        "    scale: pl.Scalar[pl.FP32],\n    count: pl.Scalar[pl.INDEX],\n):\n"
        f'    with pl.at(level=pl.Level.CORE_GROUP, name_hint="kernel"):\n{body}    return y\n'
    )
