"""The manifest, loaded as the toolchain loads it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pto_lsp.backend.manifest import manifest
from tests.backend.streams import emitted
from tests.cli.command import EXAMPLES


@pytest.fixture
def toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    interface = ModuleType("simpler.task_interface")
    interface.ArgDirection = type("ArgDirection", (), {"IN": "in", "OUT": "out", "INOUT": "inout"})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "simpler", ModuleType("simpler"))
    monkeypatch.setitem(sys.modules, "simpler.task_interface", interface)


def loaded(name: str, folder: Path) -> dict[str, Any]:
    _, entry, source = emitted(EXAMPLES / name)
    module: dict[str, Any] = {"__file__": str(folder / "kernel_config.py")}
    exec(compile(manifest(entry, source), "kernel_config.py", "exec"), module)
    return module


@pytest.mark.usefixtures("toolchain")
def test_a_program_of_two_kernels(tmp_path: Path) -> None:
    found = loaded("tutorial/two_stages.py", tmp_path)
    assert found["RUNTIME_CONFIG"] == {"runtime": "host_build_graph", "aicpu_thread_num": 0}
    assert found["ORCHESTRATION"] == {
        "source": str(tmp_path / "orchestration" / "two_stages.cpp"),
        "function_name": "aicpu_orchestration_entry",
        "signature": ["in", "out", "out"],
    }
    assert found["KERNELS"] == [
        {
            "func_id": number,
            "name": f"stage{number + 1}",
            "source": str(tmp_path / "kernels" / "aiv" / f"stage{number + 1}.cpp"),
            "core_type": "aiv",
            "signature": ["in", "out"],
        }
        for number in (0, 1)
    ]


@pytest.mark.usefixtures("toolchain")
def test_graphs_are_no_kernels_and_scalars_have_no_direction(tmp_path: Path) -> None:
    found = loaded("moe/moe_region.py", tmp_path)
    shown = [(kernel["func_id"], kernel["name"], kernel["core_type"]) for kernel in found["KERNELS"]]
    assert shown == [
        (0, "route", "aic"),
        (1, "load_of_experts", "aiv"),
        (2, "expert", "aic"),
        (3, "weigh", "aiv"),
        (4, "combine", "aiv"),
    ]
    # part is read and written, gate is read, e is a scalar.
    assert found["KERNELS"][3]["signature"] == ["inout", "in"]
