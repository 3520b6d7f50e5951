"""The example programs of the project on arrays, against the same models in numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.cli.command import EXAMPLES, pto

Array = npt.NDArray[Any]


def decoder(x: Array, gamma: Array, w_o: Array, w_up: Array, w_down: Array) -> Array:
    for layer in range(len(gamma)):
        o, up = (w[layer * 512 : layer * 512 + 512] for w in (w_o, w_up))
        down = w_down[layer * 1024 : layer * 1024 + 1024]
        normed = x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * gamma[layer]
        x = x + normed @ o
        x = x + np.maximum(normed @ up, 0) @ down
    return x


def experts(x: Array, w_gate: Array, w_experts: Array, out: Array) -> Array:
    gate = x @ w_gate
    for matrix, weights in enumerate(w_experts.reshape(-1, 256, 256)):
        out = out + (x @ weights) * gate[:, matrix % 4 : matrix % 4 + 1]
    return out


def attention(q: Array, keys: Array, values: Array, table: Array, out: Array) -> Array:
    for block in table:
        part = slice(block * 64, block * 64 + 64)
        out = out + np.exp(q @ keys[part].T) @ values[part]
    return out


DECODER = [(16, 512), (4, 512), (2048, 512), (2048, 1024), (4096, 512)]


@pytest.mark.parametrize(
    ("file", "shapes", "model", "result"),
    [
        ("decoder/decoder_layer.py", DECODER, decoder, "x"),
        pytest.param("decoder/decoder_layer_explicit.py", DECODER, decoder, "x", marks=pytest.mark.long),
        ("moe/moe_region.py", [(8, 256), (256, 4), (3072, 256), (8, 256)], experts, "out"),
        ("attention/paged_attention.py", [(16, 128), (1024, 128), (1024, 128), (4,), (16, 128)], attention, "out"),
    ],
)
def test_the_result_is_that_of_the_model(
    tmp_path: Path, file: str, shapes: list[tuple[int, ...]], model: Any, result: str
) -> None:
    rng = np.random.default_rng(3)
    names = {
        decoder: "x gamma w_o w_up w_down",
        experts: "x w_gate w_experts out",
        attention: "q keys values table out",
    }
    given: dict[str, Any] = {
        name: rng.uniform(-0.2, 0.2, shape).astype(np.float32) for name, shape in zip(names[model].split(), shapes)
    }
    if "table" in given:
        given["table"] = np.asarray([11, 0, 15, 3], np.int32)
    np.savez(tmp_path / "in.npz", **given)
    archive = tmp_path / "out.npz"
    words = ("--input", str(tmp_path / "in.npz"), "--output", str(archive), "--order", "random", "--seed", "4")
    code, _, err = pto("run", f"{EXAMPLES}/{file}", *words)
    assert (code, err) == (0, "")
    exact = {name: a if a.dtype.kind == "i" else a.astype(np.float64) for name, a in given.items()}
    with np.load(archive) as found:
        np.testing.assert_allclose(found[result], model(**exact), rtol=1e-3, atol=1e-3)
