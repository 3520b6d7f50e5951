"""``pto-lsp check --fix``, ``--diff`` and the repairs in its JSON."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pto_lsp.cli import fix as fix_command
from pto_lsp.cli import main
from pto_lsp.diagnostics import Position, Range, TextEdit
from pto_lsp.quickfix.edits import apply_edits
from tests.cli.command import IN_CLASS
from tests.quickfix.kernels import jit
from tests.quickfix.test_editor import MAIN

ROOT = str(Path(__file__).parents[2])
LAYER = jit(
    """\
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], index: <I>):
    part = pl.slice(w, [64, 64], [index * 64, 0])
    acc = add(part, acc)
    return acc
"""
)
EXPORTED = LAYER.replace("def layer(", "def other(") + "\n\nTABLE = [other]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layer.py").write_text(LAYER)
    (tmp_path / "main.py").write_text(MAIN)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["check", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_files_are_repaired_with_their_callers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--fix", "layer.py")
    assert code == 0
    assert "PTO201" not in out
    assert "2 findings fixed in 2 files, 0 left" in err
    assert "acc = layer(w, acc, part)" in (folder / "main.py").read_text()
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert run(capsys, "--fix", ".")[0] == 0
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_what_is_left_is_said_and_why(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.py").write_text(EXPORTED)
    _, out, err = run(capsys, "--fix", "other.py")
    assert (folder / "other.py").read_text() == EXPORTED
    assert "PTO201" in out
    assert "0 findings fixed in 0 files, 1 left" in err
    line = EXPORTED[: EXPORTED.index("    part =")].count("\n") + 1
    assert f"other.py:{line}:12: PTO201 'part' left: it is not safe" in err
    _, out, err = run(capsys, "--fix", "--unsafe", "other.py")
    assert "PTO201" not in out
    assert "part = pl.slice" not in (folder / "other.py").read_text()


def test_a_diff_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--diff", ".")
    assert code == 1
    assert "--- a/layer.py" in out and "+++ b/main.py" in out
    assert "+        acc = layer(w, acc, part)\n" in out
    assert (folder / "layer.py").read_text() == LAYER
    run(capsys, "--fix", ".")
    code, out, _ = run(capsys, "--diff", ".")
    assert (code, out) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
def test_permissions_links_and_encodings_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = folder / "real.txt"
    data = b"\xef\xbb\xbf" + LAYER.replace("\n", "\r\n").encode()
    target.write_bytes(data)
    target.chmod(0o750)
    (folder / "layer.py").unlink()
    (folder / "layer.py").symlink_to("real.txt")
    run(capsys, "--fix", "layer.py")
    assert (folder / "layer.py").is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    content = target.read_bytes()
    assert content != data
    assert content.startswith(b"\xef\xbb\xbf")
    assert b"\n" not in content.replace(b"\r\n", b"")
    assert sorted(path.name for path in folder.iterdir()) == ["layer.py", "main.py", "real.txt"]


def test_a_file_that_changes_meanwhile_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With it everything that the same repair would change."""
    repair = fix_command.repair

    def slowly(*arguments: object) -> object:
        found = repair(*arguments)  # type: ignore[arg-type]
        (folder / "main.py").write_text(MAIN + "# saved by somebody\n")
        return found

    monkeypatch.setattr(fix_command, "repair", slowly)
    code, _, err = run(capsys, "--fix", "layer.py")
    assert code == 2
    assert "main.py: changed meanwhile, left alone" in err
    assert (folder / "layer.py").read_text() == LAYER
    assert (folder / "main.py").read_text() == MAIN + "# saved by somebody\n"


def test_json_has_the_edits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--output-format", "json", "layer.py")
    (finding,) = [each for each in json.loads(out) if each["code"] == "PTO201"]
    fix = finding["fix"]
    assert fix["title"] == "Hoist 'part' to call site (2 files)"
    assert fix["applicability"] == "safe"
    assert {edit["filename"] for edit in fix["edits"]} == {"layer.py", "main.py"}
    for name in ("layer.py", "main.py"):
        edits = [_edit(edit) for edit in fix["edits"] if edit["filename"] == name]
        (folder / name).write_text(apply_edits((folder / name).read_text(), edits))
    _, out, _ = run(capsys, "--output-format", "json", ".")
    assert [each for each in json.loads(out) if each["code"] in ("PTO201", "PTO414")] == []


def _edit(edit: dict[str, dict[str, int]]) -> TextEdit:
    start, end = (Position(edit[at]["row"] - 1, edit[at]["column"] - 1) for at in ("location", "end_location"))
    return TextEdit("", Range(start, end), str(edit["content"]))


@pytest.mark.parametrize("arguments", [["--unsafe", "."], ["--fix", "--add-ignore", "."], ["--diff", "--watch", "."]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["check", *arguments])
    assert left.value.code == 2
    assert capsys.readouterr().err


def piped(text: bytes, *arguments: str) -> tuple[int, bytes, str]:
    words = [sys.executable, "-m", "pto_lsp", "check", *arguments]
    done = subprocess.run(words, input=text, capture_output=True, env={**os.environ, "PYTHONPATH": ROOT}, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def test_standard_input_is_repaired_as_far_as_it_alone_changes() -> None:
    code, out, err = piped(LAYER.encode(), "--fix", "--stdin-filename", "layer.py")
    assert (code, out) == (0, LAYER.encode()), "its caller is in another file"
    assert "left: it changes other files as well" in err
    assert "layer.py:" in err and "PTO201" in err
    alone = ("# coding: latin-1\n# é\n" + IN_CLASS).replace("\n", "\r\n").encode("latin-1")
    code, out, err = piped(alone, "--fix", "-", "--fail-on", "hint")
    assert (code, b"# \xe9\r\n" in out, b"base = i * 8" in out) == (0, True, False)
    assert out.count(b"\n") == out.count(b"\r\n")
    assert "2 findings fixed in 1 file, 0 left" in err
    assert piped(out, "--diff", "-") == (0, b"", "")
