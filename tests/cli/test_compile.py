"""``pto-lsp compile``: the folder it writes, and when it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import IN_CLASS, JIT, pto

REFUSED = IN_CLASS.replace("        c = self.shift(a, c, base)", "        c = self.shift(a, c, pl.tensor.read(a, [i]))")
UNSUPPORTED = JIT.replace("    c = add(a, c)\n    return c", "    c = pl.operation_of_tomorrow(a)\n    return c", 1)


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(IN_CLASS)
    Path("b.py").write_text(JIT)


def files(folder: str) -> list[str]:
    found = [path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if path.is_file()]
    return sorted(name for name in found if name != ".pto-lsp")


def test_orchestration_and_manifest_of_the_first_entry() -> None:
    code, out, err = pto("compile", "a.py", "-o", "out")
    names = ["kernel_config.py", "kernels/aiv/shift.cpp", "orchestration/main.cpp"]
    assert (code, files("out")) == (0, names)
    assert out == "main: 3 files in out\n" + "".join(f"  {name}\n" for name in names)
    assert "PTO101" in err
    source = Path("out/orchestration/main.cpp").read_text()
    assert source.startswith("// Orchestration of 'main' (a.py); written by pto-lsp.\n")
    assert "    // a.py:25\n    CoreTaskArgs params_g0_t0;\n" in source
    assert "        // a.py:35\n        GraphTaskArgs params_t0;\n" in source


def test_an_entry_of_several() -> None:
    assert pto("compile", "b.py::stacked", "-o", "out")[0] == 0
    assert files("out") == ["kernel_config.py", "kernels/aiv/add.cpp", "orchestration/stacked.cpp"]


def test_what_check_refuses_is_refused_alike_and_nothing_is_written() -> None:
    Path("a.py").write_text(REFUSED)
    code, out, err = pto("compile", "a.py", "-o", "out")
    check = pto("check", "a.py", "--output-format", "concise")
    assert (code, out, check[0]) == (1, "", 1)
    assert [line for line in check[1].splitlines() if "PTO" in line] == err.splitlines()[:-1]
    assert err.splitlines()[-1] == "nothing written" and not Path("out").exists()


def test_a_refusal_keeps_what_was_written_before() -> None:
    pto("compile", "a.py", "-o", "out")
    before = Path("out/orchestration/main.cpp").read_text()
    Path("a.py").write_text(REFUSED)
    assert pto("compile", "a.py", "-o", "out")[0] == 1
    assert Path("out/orchestration/main.cpp").read_text() == before


def test_a_silenced_error_does_not_refuse() -> None:
    Path("a.py").write_text("# pto: ignore-file\n" + REFUSED)
    assert pto("compile", "a.py", "-o", "out")[0] == pto("check", "a.py")[0] == 0


def test_an_operation_without_code_is_named_with_its_place() -> None:
    Path("b.py").write_text(UNSUPPORTED)
    code, out, err = pto("compile", "b.py", "-o", "out", "--format", "json")
    assert (code, err, Path("out").exists()) == (1, "", False)
    document: Any = json.loads(out)
    assert (document["entry"], document["written"], document["files"]) == ("plain", False, [])
    found = [each for each in document["diagnostics"] if each["code"] == "PTO007"]
    assert [(each["subject"], each["function"]) for each in found] == [("pl.operation_of_tomorrow", "plain")]
    assert found[0]["location"] == {"row": 13, "column": 5}


def test_the_document_names_files_and_kernels() -> None:
    code, out, _ = pto("compile", "b.py", "-o", "out", "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert {key: document[key] for key in ("entry", "directory", "written", "kernels", "diagnostics")} == {
        "entry": "plain",
        "directory": "out",
        "written": True,
        "kernels": [{"id": 0, "name": "add", "core": "aiv"}],
        "diagnostics": [],
    }
    assert document["files"] == files("out")


def test_a_foreign_folder_is_left_alone() -> None:
    Path("out").mkdir()
    Path("out/notes.txt").write_text("mine")
    code, out, err = pto("compile", "a.py", "-o", "out")
    assert (code, out) == (2, "")
    assert err == "pto-lsp: error: out holds 'notes.txt', which pto-lsp did not write: name another folder\n"
    assert files("out") == ["notes.txt"]


def test_a_program_without_tasks_is_wrong_usage() -> None:
    Path("c.py").write_text(JIT.partition("@pl.jit\n")[0])
    assert pto("compile", "c.py", "-o", "out")[::2] == (
        2,
        "pto-lsp: error: c.py: no orchestration function and no Graph in it\n",
    )
