"""Whatever a file holds: a clear finding or a clear message, every other file still checked, nothing written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pto_lsp.checking import checked
from pto_lsp.config import Settings
from pto_lsp.project import Project

HEAD = "import pypto.language as pl\n"
FAULTY = """
@pl.jit
def main(x: pl.Tensor[[64, 64], pl.FP32], acc: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc[:, :] = pl.add(pl.add(x, acc), nowhere)
    return acc
"""
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*words: str) -> tuple[int, list[str], list[str]]:
    done = subprocess.run(
        [sys.executable, "-m", "pto_lsp", "check", *words], capture_output=True, timeout=120, check=False
    )
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode().splitlines()


def test_every_kind_of_bad_file_beside_a_good_one(folder: Path) -> None:
    parentheses = "(" * 10_000 + "1" + ")" * 10_000
    files: dict[str, str | bytes] = {
        "binary.py": b"\x00\x01pypto\xff",
        "cut.py": HEAD + FAULTY[: FAULTY.index("nowhere")],
        "cycle_a.py": HEAD + "from cycle_b import B\nA = B + 1\n" + FAULTY,
        "cycle_b.py": HEAD + "from cycle_a import A\nB = A + 1\n",
        "deep.py": HEAD + f"x = {parentheses}\n" + FAULTY,
        "empty.py": "",
        "encoding.py": "# coding: latin-9000\n" + HEAD,
        "indent.py": HEAD + "  x = 1\n y = 2\n\tz = 3\n" + FAULTY,
        "lonely.py": HEAD + "from nowhere_to_be_found import kernel, SIZE\n" + FAULTY.replace("nowhere", "SIZE"),
        "long.py": HEAD + "x = 1\n" * 20_000 + FAULTY,
        "noise.py": HEAD + ")]}'''\n\"\"\"(\\\n",
        "open.py": HEAD + "f(\n" * 2_000 + FAULTY,
        "utf8.py": (HEAD + "s = 'é'\n").encode("latin-1"),
    }
    for name, content in files.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    Path("loop").symlink_to(".", target_is_directory=True)
    Path("self.py").symlink_to("self.py")
    Path("zzz_last.py").write_text(HEAD + FAULTY)
    before = sorted(os.listdir())
    code, out, err = check()
    assert code == 2
    assert err == [
        "pto-lsp: error: binary.py: not a text file: it contains null bytes",
        "pto-lsp: error: encoding.py: unknown encoding 'latin-9000'",
        "pto-lsp: error: utf8.py: line 2 is not valid utf-8",
    ]
    names = [line.split(":")[0] for line in out]
    for name in ("cycle_a.py", "deep.py", "indent.py", "long.py", "zzz_last.py"):
        assert any(line.startswith(f"{name}:") and "PTO003 'nowhere'" in line for line in out), name
    assert any(line.startswith("deep.py:2:") and "PTO008" in line for line in out)
    assert any(line.startswith("cut.py:") and "PTO001" in line for line in out)
    assert any(line.startswith("noise.py:") and "PTO001" in line for line in out)
    assert "lonely.py" not in names, "what an unknown module holds is not known"
    assert sorted(os.listdir()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_an_unreadable_file_and_folder(folder: Path) -> None:
    Path("sub").mkdir(mode=0o000)
    Path("secret.py").write_text(HEAD)
    Path("secret.py").chmod(0o000)
    code, _, err = check()
    assert code == 2
    assert err == [
        "pto-lsp: error: sub: permission denied",
        "pto-lsp: error: secret.py: cannot be read: permission denied",
    ]


@pytest.mark.parametrize("name", ["decoder/decoder_layer.py", "moe/moe_region.py"])
def test_a_file_cut_off_anywhere(name: str) -> None:
    """Typed from the beginning, so to speak: nothing raises, and the whole is what it would be if it came at once."""
    path = str(EXAMPLES / name)
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    project = Project()
    for end in range(0, len(text), 11):
        project.open(path, text[:end])
        checked(project, path, Settings())
    project.open(path, text)
    cold = Project()
    cold.open(path, text)
    assert checked(project, path, Settings()) == checked(cold, path, Settings())
