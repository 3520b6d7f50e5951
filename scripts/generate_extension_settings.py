"""Writes the settings of the VS Code extension from the server's schema: ``package.json``, and the list of what is sent
to the server. With ``--check``, only says whether they are out of date (exit code 1).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from pto_lsp.config.schema import properties, switches

EXTENSION = Path(__file__).resolve().parents[1] / "vscode-extension"
MANIFEST = EXTENSION / "package.json"
SENT = EXTENSION / "src" / "serverSettings.ts"

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


def rendered() -> dict[Path, str]:
    """What the files should hold."""
    return {MANIFEST: _manifest(MANIFEST.read_text(encoding="utf-8")), SENT: _sent()}


def _sent() -> str:
    keys = "".join(f'  "{key}",\n' for key in (*properties(), *switches()))
    return (
        "/** Settings that go to the server as they are. Written by scripts/generate_extension_settings.py. */\n"
        f"export const SERVER_SETTINGS = [\n{keys}] as const;\n"
    )


def _manifest(manifest: str) -> str:
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
    wanted = rendered()
    if options.check:
        return int(any(path.read_text(encoding="utf-8") != text for path, text in wanted.items()))
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
