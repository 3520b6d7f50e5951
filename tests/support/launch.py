"""Runs ``pto-lsp`` with the fake analysis in place of the real one: ``python launch.py ARGUMENTS``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from pto_lsp.cli import main
from tests.support import fake_project

if __name__ == "__main__":
    # The shells import the analysis only when they need it.
    sys.modules["pto_lsp.project"] = fake_project
    sys.exit(main())
