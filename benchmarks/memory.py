"""Memory of the server over many edits: resident MB after each tenth of them.

    python benchmarks/memory.py [--lines 1000] [--edits 10000] [--files PATH ...]

Body lines, signatures, constants and half-typed lines, each healed by the next edit; every second edit in a text that
was never there before, so that what is remembered of old texts shows.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from edit_latency import places
from generate import SIZES, model
from server_client import ServerClient


def growth(file: Path, edits: int, steps: int = 10) -> list[float]:
    """Resident MB of a server before the first edit and after each of ``steps`` parts of ``edits``."""
    text = file.read_text(encoding="utf-8")
    lines = text.split("\n")
    client = ServerClient([sys.executable, "-m", "pto_lsp", "server"], file.parent, True)
    uri = file.as_uri()
    item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": item})
    client.findings(uri, 1)
    rng = random.Random(1)
    candidates = [each for kind in places(text).values() for each in kind]
    found, version = [client.resident()], 1
    for number in range(edits // 2):
        line, column, length, new = rng.choice(candidates)
        old = lines[line][column : column + length]
        fresh = f"{new}  # {number}" if column + length == len(lines[line]) else new
        for removed, put in ((length, fresh), (len(fresh), old)):
            version += 1
            start, end = {"line": line, "character": column}, {"line": line, "character": column + removed}
            change = {"range": {"start": start, "end": end}, "text": put}
            document = {"uri": uri, "version": version}
            client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
            client.findings(uri, version)
        if (number + 1) * 2 * steps // edits > len(found) - 1:
            found.append(client.resident())
    client.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(name).resolve() for name in options.files]
        if not files:
            (Path(scratch) / "sizes.py").write_text(SIZES)
            files = [Path(scratch) / "graph.py"]
            files[0].write_text(model(options.lines, graph=True))
        result = {file.name: growth(file, options.edits) for file in files}
    if options.json:
        print(json.dumps(result))
    else:
        for name, sizes in result.items():
            print(f"{name:28} {options.edits} edits, MB: " + " ".join(f"{size:.1f}" for size in sizes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
