"""The hooks as ``pre-commit`` runs them, in scratch repositories."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.command import EXAMPLES, IN_CLASS

ROOT = Path(__file__).parents[2]
HOOKS: dict[str, Any] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}


class Repository:
    """A git repository with hooks of ours. They run with this Python unless ``installed``."""

    def __init__(self, root: Path, hooks: list[dict[str, Any]], installed: str | None = None) -> None:
        self.root = root
        root.mkdir()
        self._environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "PRE_COMMIT_HOME": str(root.parent / "pre-commit"),
            "PRE_COMMIT_COLOR": "never",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        for key in ("GIT_AUTHOR", "GIT_COMMITTER"):
            self._environment |= {f"{key}_NAME": "Somebody", f"{key}_EMAIL": "somebody@example.org"}
        if installed is None:
            launch = f"{shlex.quote(sys.executable)} -m pto_lsp"
            entries = [
                {**hook, "language": "system", "entry": hook["entry"].replace("pto-lsp", launch, 1)} for hook in hooks
            ]
            config: dict[str, Any] = {"repo": "local", "hooks": entries}
        else:
            config = {"repo": installed, "rev": "HEAD", "hooks": hooks}
        self.git("init", "-q")
        self.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [config]}))

    def git(self, *words: str) -> str:
        return self._run("git", *words).stdout

    def _run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=self.root, env=self._environment, capture_output=True, text=True, timeout=300, check=check
        )

    def write(self, name: str, content: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self) -> None:
        """Everything, without the hooks."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Everything", "--no-verify")

    def run(self, *words: str) -> tuple[int, str]:
        done = self._run(sys.executable, "-m", "pre_commit", "run", *words, check=False)
        return done.returncode, done.stdout + done.stderr


def hook(name: str, **more: Any) -> dict[str, Any]:
    return {**HOOKS[name], **more}


def findings(output: str) -> list[str]:
    return sorted(line for line in output.splitlines() if ": PTO" in line)


def test_the_hooks_are_single_processes_and_honour_exclusions() -> None:
    assert list(HOOKS) == ["pto-check", "pto-fix"]
    for each in HOOKS.values():
        assert each["require_serial"] is True
        assert "--force-exclude" in each["entry"]
        assert each["language"] == "python" and each["types"] == ["python"]


def test_every_kind_of_name_and_encoding(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r", [hook("pto-check", args=["--fail-on", "warning"])])
    repository.write("plain.py", IN_CLASS)
    repository.write("with space/a 'b' 张.py", IN_CLASS)
    for dashed in ("-dash.py", "--fixes.py", "--", "--jobs"):
        repository.write(dashed if dashed.endswith(".py") else f"{dashed}/inside.py", IN_CLASS)
    repository.write("latin.py", ("# coding: latin-1\ns = 'é'\n" + IN_CLASS).encode("latin-1"))
    repository.write("generated/skipped.py", IN_CLASS)
    repository.write("notes.txt", IN_CLASS)
    repository.write("pto-lsp.toml", "exclude = ['generated']\n")
    repository.git("add", "-A")
    code, output = repository.run()
    assert code == 1
    names = [line.partition(":")[0] for line in findings(output)]
    dashed = ["--/inside.py", "--fixes.py", "--jobs/inside.py", "-dash.py"]
    assert names == [*dashed, "latin.py", "plain.py", "with space/a 'b' 张.py"]
    assert "latin.py:26:9: PTO101" in output


def test_a_repository_without_findings_passes(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r", [hook("pto-check"), hook("pto-fix")])
    for path in sorted((EXAMPLES / "decoder").glob("*.py")):
        repository.write(f"model/{path.name}", path.read_bytes())
    repository.write("setup.py", "import os\n")
    repository.git("add", "-A")
    code, output = repository.run("pto-check")
    assert (code, findings(output)) == (0, [])


def test_several_batches_report_everything(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r", [hook("pto-check", args=["--fail-on", "warning"], verbose=True)])
    folder = "/".join(("d" * 60,) * 3)
    for number in range(800):
        # More than the 128 KiB that pre-commit puts on one command line.
        content = IN_CLASS if number % 399 == 0 else "import os\n"
        repository.write(f"{folder}/module_{number:04}.py", content)
    repository.git("add", "-A")
    code, output = repository.run()
    assert code == 1
    found = findings(output)
    assert len(found) == 3
    assert [line.partition(".py")[0][-4:] for line in found] == ["0000", "0399", "0798"]


GRAPH = """\
import pypto.language as pl


@pl.jit.incore
def shift(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], off: pl.Scalar[pl.INDEX]):
    t = pl.load(a, [off, 0], [8, 64])
    c = pl.store(t, [0, 0], c)
    return c


@pl.jit.graph
def layer(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], i: pl.Scalar[pl.INDEX]):
    base = i * 8
    c = shift(a, c, base)
    return c
"""
CALLER = """\
import pypto.language as pl
from graphs import layer


@pl.jit
def main(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    for n in pl.range(3):
        c = layer(a, c, n)
    return c
"""


def test_a_caller_that_did_not_change_is_read_and_not_reported(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r", [hook("pto-check", args=["--fail-on", "warning"])])
    repository.write("graphs.py", GRAPH)
    repository.write("caller.py", CALLER + "\n\n@pl.jit\ndef other(c: pl.Tensor[[8], pl.FP32]):\n    return nowhere\n")
    repository.commit()
    repository.write("graphs.py", GRAPH + "# changed\n")
    repository.git("add", "graphs.py")
    code, output = repository.run()
    assert code == 1
    assert {line.partition(":")[0] for line in findings(output)} == {"graphs.py"}
    output = repository.run("pto-check", "--files", "caller.py")[1]
    assert {line.partition(":")[0] for line in findings(output)} == {"caller.py"}, "it had something to report"


def test_a_repair_reaches_the_caller_that_did_not_change(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r", [hook("pto-fix", args=["--fail-on", "warning"])])
    repository.write("graphs.py", GRAPH)
    repository.write("caller.py", CALLER)
    repository.commit()
    repository.write("graphs.py", GRAPH + "# changed\n")
    repository.git("add", "graphs.py")
    code, output = repository.run()
    assert code == 1
    assert "files were modified by this hook" in output
    assert "base = i * 8" not in (repository.root / "graphs.py").read_text()
    assert "n * 8" in (repository.root / "caller.py").read_text()
    repository.git("add", "-A")
    assert repository.run()[0] == 0


@pytest.mark.slow
def test_the_hooks_install_from_the_repository(tmp_path: Path) -> None:
    # What is committed, or the newest copy of it: a clone is what pre-commit installs from.
    origin = tmp_path / "origin"
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    source = Repository(origin, [])
    for name in filter(None, files):
        if name.startswith(("pto_lsp/", "pyproject", "README", "LICENSE", ".pre-commit-hooks")):
            source.write(name, (ROOT / name).read_bytes())
    source.commit()
    repository = Repository(tmp_path / "r", [{"id": "pto-check"}, {"id": "pto-fix"}], str(origin))
    revision = source.git("rev-parse", "HEAD").strip()
    config = (repository.root / ".pre-commit-config.yaml").read_text().replace("rev: HEAD", f"rev: {revision}")
    repository.write(".pre-commit-config.yaml", config)
    repository.write("graphs.py", GRAPH)
    repository.write("caller.py", CALLER)
    repository.git("add", "-A")
    code, output = repository.run("pto-check")
    assert code == 0 and "Passed" in output
    code, output = repository.run("pto-fix")
    assert code == 1 and "files were modified by this hook" in output
