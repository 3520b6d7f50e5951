"""Emitted orchestrations on the host model, against the replay simulator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pto_lsp.backend.hostmodel.record import HostModel
from tests.backend.constructs import HEAD, PROGRAMS
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


ENTRIES = [
    path
    for path in sorted(EXAMPLES.rglob("*.py"))
    if re.search(r"^@pl\.(jit|program)$", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@needs_compiler
@pytest.mark.parametrize("path", ENTRIES, ids=lambda path: path.stem)
def test_every_example_submits_what_the_simulator_says(model: HostModel, tmp_path: Path, path: Path) -> None:
    check(model, tmp_path, path)


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


@needs_compiler
@pytest.mark.long
@pytest.mark.parametrize("what", PROGRAMS)
def test_constructs(model: HostModel, tmp_path: Path, what: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAMS[what])
    document = check(model, tmp_path, file)
    assert document["submissions"]


@needs_compiler
@pytest.mark.long
@pytest.mark.parametrize("what", ["loops of the caller", "ids of a parallel loop"])
def test_a_kernel_that_writes_its_parameter_in_both_arms_returns_it(
    model: HostModel, tmp_path: Path, what: str
) -> None:
    plain = "        y = pl.store(pl.load(x, [s, 0], [1, 8]), [0, 0], y)\n        return y\n"
    arms = """\
        t = pl.load(x, [s, 0], [1, 8])
        if s > 1:
            done = pl.store(t, [0, 0], y)
        else:
            done = pl.store(pl.add(t, t), [0, 0], y)
        return done
"""
    file = tmp_path / "p.py"
    documents = []
    for body in (plain, arms):
        file.write_text(PROGRAMS[what].replace(plain, body, 1))
        documents.append(check(model, tmp_path, file))
    assert documents[0] == documents[1]
    assert documents[0]["submissions"]


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
