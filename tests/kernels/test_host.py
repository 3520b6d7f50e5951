"""Emitted kernels compute on the tile model what numpy computes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.backend.kernels.emit import emit_kernel
from pto_lsp.backend.orchestration.errors import NotEmitted
from pto_lsp.backend.orchestration.kernels import cores
from pto_lsp.cli.program import Session
from tests.kernels.generated import cube_kernel, program, vector_kernel
from tests.kernels.host import COMPILER, Library
from tests.kernels.programs import agree, arguments
from tests.kernels.sources import kernels

PROGRAMS = ("decoder/decoder_layer", "moe/moe_region", "attention/paged_attention", "tutorial/two_stages")
TUTORIAL = ("tutorial/softmax", "tutorial/matmul", "tutorial/accumulate")
EXAMPLES = [Path(__file__).parents[2] / "examples" / f"{name}.py" for name in (*PROGRAMS, *TUTORIAL)]
pytestmark = [pytest.mark.long, pytest.mark.skipif(COMPILER is None, reason="there is no g++")]


def emitted(program_: Program, functions: list[Function]) -> list[tuple[Function, str]]:
    found: list[tuple[Function, str]] = []
    for function in functions:
        cube, _ = cores(program_, function)
        found.append((function, emit_kernel(program_, function, "aic" if cube else "aiv", lambda where: "")))
    return found


@given(st.lists(st.one_of(vector_kernel(), vector_kernel(), cube_kernel()), min_size=12, max_size=12))
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_kernels(lines: list[tuple[str, str, list[str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _, made, functions = kernels(Path(folder) / "model.py", program(lines))
        found = emitted(made, functions)
        library = Library(Path(folder), [text for _, text in found])
        for number, (function, _) in enumerate(found):
            agree(library, number, made, function, arguments(function, number))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_kernels_of_examples(path: Path, tmp_path: Path) -> None:
    entry = Session().open(str(path)).orchestration_entry(None)
    final = entry.analysis.stages.final
    found: list[tuple[Function, str]] = []
    for function in final.functions.values():
        if function.kind.is_kernel:
            try:
                found.extend(emitted(final, [function]))
            except NotEmitted as fault:
                assert fault.place is not None
    library = Library(tmp_path, [text for _, text in found])
    for number, (function, _) in enumerate(found):
        agree(library, number, final, function, arguments(function, 1), blocks=2)
