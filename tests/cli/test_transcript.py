"""Standard output, standard error and exit code of some thirty command lines, together, as users see them.

``PTO_LSP_WRITE_TRANSCRIPT=1`` writes the transcript anew; what has changed in it is then to be looked at.
"""

from __future__ import annotations

import os
import shlex
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from tests.cli.command import IMPORTING, IN_CLASS, JIT, pto

TRANSCRIPT = Path(__file__).with_name("transcript.txt")
COMMANDS = r"""
pto-lsp check
pto-lsp --check src/layer.py
pto-lsp check src --output-format full
pto-lsp check src/layer.py --output-format sarif --statistics
pto-lsp check src --output-format github
pto-lsp check src/layer.py --output-format gitlab
pto-lsp check src --output-format junit
pto-lsp check src --output-format pdf
pto-lsp check --select PTO4
pto-lsp check --ignore PTO1,PTO4
pto-lsp check --select X1
pto-lsp check src --fail-on warning
pto-lsp check src --fail-on warning --exit-zero
pto-lsp check src --fail-on fatal
pto-lsp check gone.py src/layer.py
pto-lsp check empty
pto-lsp check plain.py
pto-lsp check binary.py latin.py
pto-lsp check broken
pto-lsp check --show-files
pto-lsp check --show-files --exclude src --exclude broken
pto-lsp check --show-files --force-exclude --exclude /src src/layer.py plain.py
pto-lsp check --statistics
pto-lsp check src --output-file missing/report
pto-lsp check --jobs 0
pto-lsp check --jobs 2 src
pto-lsp check --unsafe
pto-lsp check --watch --fix
pto-lsp check - < src/layer.py
pto-lsp check --stdin-filename src/other.py < src/layer.py
pto-lsp check --stdin-filename src/other.py --fix < src/layer.py
pto-lsp check src --statistics --output-format json
pto-lsp check --stdin-filename src/other.py --diff < src/layer.py
pto-lsp check --fix - < plain.py
pto-lsp check --fix - < binary.py
pto-lsp check --fix --force-exclude --exclude src --stdin-filename src/other.py < src/jit.py
pto-lsp check --diff src/layer.py
pto-lsp check --no-cache --add-ignore adopt
pto-lsp check --fail-on hint adopt
pto-lsp legalize plain.py
pto-lsp replay src/layer.py
pto-lsp graph src/jit.py
pto-lsp explain PTO999
pto-lsp frobnicate
""".strip().splitlines()
FILES: dict[str, str | bytes] = {
    "src/layer.py": IN_CLASS,
    "src/jit.py": JIT,
    "src/sizes.py": "TRIPS = 2000\n",
    "src/many.py": IMPORTING,
    "adopt/old.py": IN_CLASS,
    "plain.py": "import os\n",
    "binary.py": b"\x00pypto",
    "latin.py": "# coding: latin-1\nimport pypto.language as pl\nNAME = 'é'\n".encode("latin-1"),
    "broken/pto-lsp.toml": "select = 3\n",
    "broken/a.py": "import pypto.language as pl\nx = (\n",
}


def transcript(folder: Path) -> str:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "empty").mkdir()
    parts = []
    for command in COMMANDS:
        words, _, source = command.partition(" < ")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setenv("COLUMNS", "120")
            for name in ("NO_COLOR", "FORCE_COLOR"):
                patch.delenv(name, raising=False)
            patch.setattr("sys.stdin", TextIOWrapper(BytesIO((folder / source).read_bytes() if source else b"")))
            code, out, err = pto(*shlex.split(words)[1:])
        parts.append(f"$ {command}\n")
        parts.extend(f"{line}\n" for line in out.splitlines())
        parts.extend(f"! {line}\n" for line in err.splitlines() if not _varies(line))
        parts.append(f"= {code}\n\n")
    return "".join(parts)


def _varies(line: str) -> bool:
    """How argparse words its usage is another in every Python."""
    return line.startswith(("usage:", " ")) or "invalid choice" in line


def test_transcript(tmp_path: Path) -> None:
    found = transcript(tmp_path)
    if os.environ.get("PTO_LSP_WRITE_TRANSCRIPT"):
        TRANSCRIPT.write_text(found, encoding="utf-8")
    assert found == TRANSCRIPT.read_text(encoding="utf-8")
