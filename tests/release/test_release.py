"""What a release is made of: a changelog, a source distribution, and a wheel that works in an empty environment."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from pto_lsp import __version__
from pto_lsp.cli import COMMANDS
from tests.cli.command import IN_CLASS

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def test_the_changelog_describes_this_version_first() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)\n\n((?:(?!^## ).*\n)+)", text, re.MULTILINE)
    version, body = sections[0]
    assert version == __version__
    assert all(f"`{name}`" in body for name in COMMANDS if name not in ("server",))


def test_everything_for_users_is_typed_and_licensed() -> None:
    assert (ROOT / "pto_lsp" / "py.typed").is_file()
    assert (ROOT / "LICENSE").is_file()


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution of the checkout, and the wheel that is built from that."""
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--quiet", "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_distributions_hold_what_they_should(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    (source,) = distributions.glob("*.tar.gz")
    assert wheel.name == f"pto_lsp-{__version__}-py3-none-any.whl"
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "pto_lsp").rglob("*.py")}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert modules | {"pto_lsp/py.typed"} <= names
    assert {name.partition("/")[0] for name in names} == {"pto_lsp", f"pto_lsp-{__version__}.dist-info"}
    with tarfile.open(source) as tar:
        held = {name.partition("/")[2] for name in tar.getnames()}
    assert (
        modules | {"README.md", "LICENSE", "CHANGELOG.md", "docs/tutorial.md", "tests/release/test_release.py"} <= held
    )
    assert not any("node_modules" in name or "__pycache__" in name for name in held)


def interpreter(version: str) -> str | None:
    found = shutil.which(f"python{version}")
    if found is not None and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
        return found
    return next(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python")), None)


@pytest.mark.slow
@pytest.mark.parametrize("version", PYTHONS)
def test_the_wheel_works_in_an_empty_environment(version: str, distributions: Path, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")

    def run(*words: str, code: int = 0) -> str:
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    (wheel,) = distributions.glob("*.whl")
    run(python, "-m", "venv", "empty")
    run("empty/bin/python", "-m", "pip", "install", "--quiet", str(wheel))
    assert run("empty/bin/pto-lsp", "--version") == f"pto-lsp {__version__}\n"
    assert run("empty/bin/python", "-c", "import sys; print('%d.%d' % sys.version_info[:2])") == f"{version}\n"
    (tmp_path / "layer.py").write_text(IN_CLASS)
    assert "layer.py:24:9: PTO101" in run("empty/bin/pto-lsp", "check", "layer.py", "--fail-on", "warning", code=1)
    assert run("empty/bin/pto-lsp", "explain", "PTO101").startswith("# PTO101")
    run("empty/bin/python", "-c", "import pto_lsp.server")
