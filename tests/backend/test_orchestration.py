"""Emitted orchestrations on the host model, against the replay simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pto_lsp.backend.hostmodel.record import HostModel
from tests.backend.streams import COMPILER, compare, emitted, needs_compiler
from tests.cli.command import EXAMPLES, IN_CLASS, JIT


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> HostModel:
    assert COMPILER is not None
    return HostModel(tmp_path_factory.mktemp("hostmodel"), COMPILER)


def check(model: HostModel, tmp_path: Path, file: Path, name: str | None = None) -> dict[str, Any]:
    program, entry, source = emitted(file, name)
    document = compare(model, tmp_path / "entry.cpp", program, entry, source)
    assert document["problems"] == []
    return document


@needs_compiler
@pytest.mark.parametrize(
    "name",
    [
        "tutorial/two_stages",
        "decoder/decoder_layer",
        "decoder/decoder_layer_explicit",
        "moe/moe_region",
        "attention/paged_attention",
    ],
)
def test_every_example_submits_what_the_simulator_says(model: HostModel, tmp_path: Path, name: str) -> None:
    check(model, tmp_path, EXAMPLES / f"{name}.py")


@needs_compiler
@pytest.mark.parametrize("name", ["plain", "stacked"])
def test_entries_of_one_file(model: HostModel, tmp_path: Path, name: str) -> None:
    file = tmp_path / "b.py"
    file.write_text(JIT)
    check(model, tmp_path, file, name)


@needs_compiler
def test_a_hoisted_scalar_stays_a_slot(model: HostModel, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(IN_CLASS)
    document = check(model, tmp_path, file)
    assert [call["nodes"][0]["scalars"] for call in document["calls"][:3]] == [[0], [8], [16]]


HEAD = """\
import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(
        self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]], s: pl.Scalar[pl.INDEX]
    ) -> pl.Tensor[[8, 8], pl.FP32]:
        y = pl.store(pl.load(x, [s, 0], [1, 8]), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def o(
        self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]
    ) -> pl.Tensor[[8, 8], pl.FP32]:
        y = pl.store(pl.matmul(pl.load(x, [0, 0], [8, 8]), pl.load(x, [0, 0], [8, 8])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[8, 8], pl.FP32],
        y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]],
        z: pl.InOut[pl.Tensor[[8, 8], pl.FP32]],
        flag: pl.Tensor[[4], pl.INT32],
        cube: pl.Tensor[[4, 8, 8], pl.FP32],
        n: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[8, 8], pl.FP32]:
"""
BODIES = {
    "submit and deps": """
y, a = pl.submit(self.k, x, y, 1)
z, b = pl.submit(self.k, x, z, n, deps=[a])
y, c = pl.submit(self.o, z, y, deps=[a, b, None], allow_early_resolve=True)
""",
    "array of ids": """
ids = pl.array.create(4, pl.TASK_ID)
for i in pl.range(3):
    y, a = pl.submit(self.k, x, y, i)
    ids[i] = a
d = pl.system.task_dummy(deps=[ids])
z, b = pl.submit(self.k, x, z, 0, deps=[ids])
z, c = pl.submit(self.k, x, z, 0, deps=[ids[1], d])
""",
    "dummies": """
e = pl.system.task_dummy(deps=[])
f = pl.system.task_invalid()
g = pl.system.task_dummy(deps=[f])
y, a = pl.submit(self.k, x, y, 0, deps=[e, g])
""",
    "manual scope": """
with pl.manual_scope():
    y, a = pl.submit(self.k, x, y, 0)
    z, b = pl.submit(self.k, y, z, 0, deps=[a])
y = self.k(z, y, 2)
""",
    "predicate": """
y, a = pl.submit(self.k, x, y, 0, predicate=flag[2] > -3)
""",
    "spmd": """
y, a = pl.spmd_submit(self.k, x, y, 3, core_num=4, sync_start=True)
""",
    "allocations": """
t = pl.create_tensor([8, 8], dtype=pl.FP32)
for i in pl.range(2):
    u = pl.create_tensor([8, 8], dtype=pl.FP32, manual_dep=True)
    t = self.k(x, t, i)
    u = self.k(t, u, i + 1)
    y = self.k(u, y, i * 2)
w, a = pl.submit(self.o, t)
z = self.k(w, z, 0)
""",
    "host values": """
v = pl.cast(pl.tensor.read(flag, [1]), pl.INDEX)
w = pl.max(n, v + 3) * 2
for i in pl.range(0, w, 2):
    part = pl.slice(y, [4, 8], [i, 0])
    if i > 2:
        z = self.k(part, z, i // 2)
    else:
        z = self.k(x, z, i % 3)
""",
    "a tensor that changes places": """
t = pl.create_tensor([8, 8], dtype=pl.FP32)
u = t
for i in pl.range(3):
    t = self.k(u, t, i)
    u = y
if n > 0:
    r = t
else:
    r = y
z = self.k(r, z, 0)
""",
    "a number that is carried": """
at = n
for i in pl.range(3):
    y = self.k(x, y, at)
    at = at + 2
z = self.k(y, z, at)
""",
    "views": """
u = pl.transpose(y, -1, 0)
v = pl.slice(pl.slice(x, [8, 8], [n, 0]), [8, 8], [0, 0])
w = pl.reshape(z[n:, :], [8 - n, 8])
z = self.k(v, z, pl.tensor.dim(v, -2))
y = self.k(u, y, 0)
y = self.k(w, y, 0)
""",
    "views of fewer dimensions": """
v = cube[1, :, :]
w = cube[n, 2:6, :]
u = cube[0, :, 3]
z = self.k(v, z, 0)
y = self.k(w, y, 0)
y = self.k(u, y, pl.tensor.dim(u, 0))
""",
    "an element written by the host": """
pl.write(flag, [1], n + 2)
y = self.k(x, y, n)
""",
    "names that the interface has": """
alloc_tensors = pl.create_tensor([8, 8], dtype=pl.FP32)
args = self.k(x, alloc_tensors, n)
window = n + 1
y = self.k(args, y, window)
""",
}


@needs_compiler
@pytest.mark.parametrize("what", BODIES)
def test_constructs(model: HostModel, tmp_path: Path, what: str) -> None:
    file = tmp_path / "program.py"
    body = "".join(f"        {line}\n" for line in BODIES[what].strip().splitlines())
    file.write_text(HEAD + body + "        return y\n")
    document = check(model, tmp_path, file)
    assert any(task["kind"] == "kernel" for task in document["submissions"])


def test_the_text_is_readable_and_the_same_every_time() -> None:
    source = emitted(EXAMPLES / "decoder" / "decoder_layer_explicit.py")[2]
    assert source.text == emitted(EXAMPLES / "decoder" / "decoder_layer_explicit.py")[2].text
    assert "static void pypto_graph_decoder_layer(const GraphTaskArgs &args) {" in source.text
    assert "    const ChipTensor &x = args.tensor(0).ref();\n" in source.text
    assert "    CoreTaskArgs params_g0_t0;\n    params_g0_t0.add_input(x);\n" in source.text
    assert "        // decoder_layer_explicit.py:52\n        GraphTaskArgs params_t0;\n" in source.text
    assert [(kernel.name, kernel.core) for kernel in source.kernels[:3]] == [
        ("rms_norm", "aiv"),
        ("o_proj_aic", "aic"),
        ("o_proj_aiv", "aiv"),
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("t = pl.create_tensor([8, 8], dtype=pl.FP32, init_value=0.0)\ny = self.k(t, y, 0)", "an initial value"),
        ("y = pl.assemble(y, x, [0, 0])", "pl.assemble"),
    ],
)
def test_what_has_no_code_is_refused_with_its_place(tmp_path: Path, body: str, message: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(HEAD + "".join(f"        {line}\n" for line in body.splitlines()) + "        return y\n")
    fault = emitted(file)[2].faults[0]
    assert message in str(fault.cause) and fault.cause.place is not None
