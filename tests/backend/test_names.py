"""Functions of several modules that share a name, and names that C++ does not have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pto_lsp.backend.hostmodel.record import HostModel
from tests.backend.streams import COMPILER, needs_compiler
from tests.cli.command import pto

MODULE = """\
import pypto.language as pl

T = pl.Tensor[[64, 64], pl.FP32]


@pl.jit.incore
def step(x: T, y: pl.InOut[T]):
    y = pl.store(pl.<OP>(pl.load(x, [0, 0], [64, 64]), pl.load(y, [0, 0], [64, 64])), [0, 0], y)
    return y


@pl.jit.graph
def layer(x: T, y: pl.InOut[T]):
    y = step(x, y)
    return y
"""
ENTRY = """\
import pypto.language as pl
from first import layer
from second import layer as layer_2

T = pl.Tensor[[64, 64], pl.FP32]


@pl.jit
def main(x: T, y: pl.InOut[T]):
    for i in pl.range(2):
        y = layer(x, y)
        y = layer_2(x, y)
    return y
"""


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, operation in (("first", "add"), ("second", "mul")):
        Path(f"{name}.py").write_text(MODULE.replace("<OP>", operation))
    Path("a.py").write_text(ENTRY, encoding="utf-8")


@needs_compiler
def test_each_has_a_name_of_its_own(tmp_path: Path) -> None:
    code, out, _ = pto("compile", "a.py::main", "-o", "out", "--format", "json")
    document = json.loads(out)
    assert (code, [kernel["name"] for kernel in document["kernels"]]) == (0, ["step", "step_2"])
    assert "TADD" in Path("out/kernels/aiv/step.cpp").read_text()
    assert "TMUL" in Path("out/kernels/aiv/step_2.cpp").read_text()
    text = Path("out/orchestration/main.cpp").read_text()
    assert "&pypto_graph_layer," in text and "&pypto_graph_layer_2," in text
    assert COMPILER is not None
    HostModel(tmp_path, COMPILER).check(Path("out/orchestration/main.cpp"))


@needs_compiler
@pytest.mark.parametrize("name", ["层", "größe", "double", "ChipTensor", "λ1"])
def test_any_name_of_python_compiles(tmp_path: Path, name: str) -> None:
    text = MODULE.replace("<OP>", "add").replace("layer", f"g_{name}")
    entry = [f"def main({name}: T, y: pl.InOut[T]):", f"    y = g_{name}({name}, y)", "    return y"]
    Path("b.py").write_text("\n".join([text, "", "@pl.jit", *entry, ""]), encoding="utf-8")
    code, _, err = pto("compile", "b.py", "-o", "out")
    assert code == 0, err
    assert COMPILER is not None
    HostModel(tmp_path, COMPILER).check(Path("out/orchestration/main.cpp"))
