"""Writes the settings of ``vscode-extension/package.json`` from the server's schema. With ``--check``, only says
whether they are out of date (exit code 1).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from pto_lsp.config.schema import properties, switches

MANIFEST = Path(__file__).resolve().parents[1] / "vscode-extension" / "package.json"

OWN: dict[str, dict[str, Any]] = {
    "interpreter": {
        "type": ["string", "null"],
        "default": None,
        "scope": "window",
        "ignoreSync": True,
        "markdownDescription": "Python interpreter that starts the server, with `pto-lsp` installed. When empty: the "
        "interpreter chosen in the Python extension, then `python3` on the path.",
    },
    "importStrategy": {
        "type": "string",
        "enum": ["fromEnvironment", "useBundled"],
        "enumDescriptions": [
            "The interpreter's own pto-lsp; the copy that came with the extension, if there is one, when it has none.",
            "The copy that came with the extension, if there is one; else the interpreter's own.",
        ],
        "default": "fromEnvironment",
        "scope": "window",
        "ignoreSync": True,
        "markdownDescription": "Which `pto-lsp` the interpreter runs.",
    },
    "trace.server": {
        "type": "string",
        "enum": ["off", "messages", "verbose"],
        "default": "off",
        "scope": "window",
        "markdownDescription": "Show what editor and server say to each other, in the output channel *PyPTO Trace*.",
    },
}
"""Settings of the extension itself, which the server never sees."""


def rendered(manifest: str) -> str:
    """The manifest with the settings as they should be."""
    data = json.loads(manifest)
    found = {f"pto-lsp.{key}": value for key, value in OWN.items()}
    for number, (key, schema) in enumerate({**properties(), **switches()}.items()):
        shown = {**schema, "markdownDescription": schema["description"], "scope": "resource", "order": 10 + number}
        del shown["description"]
        found[f"pto-lsp.{key}"] = shown
    data["contributes"]["configuration"]["properties"] = found
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    before = MANIFEST.read_text(encoding="utf-8")
    after = rendered(before)
    if options.check:
        return int(before != after)
    MANIFEST.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
