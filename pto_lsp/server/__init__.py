"""The language server. ``pygls`` and ``lsprotocol`` are imported in this package only.

Two threads. The main thread reads messages and answers what needs no analysis. The worker thread owns the project: it
applies edits, answers requests and computes findings, the newest text first. A third thread only watches the editor.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn


def serve() -> NoReturn:
    """Serve one client on stdin and stdout, then end the process (exit code: Language Server Protocol, ``exit``)."""
    from pto_lsp.server.transport import claim_stdio

    # Before anything else is imported: whatever prints from now on prints to stderr.
    stdin, stdout = claim_stdio()
    # Until the first findings are out, nearly everything that is allocated stays; see `Server._settle`.
    gc.disable()
    # `Server` looks for garbage once, in what its libraries leave behind: what is there already is none.
    gc.freeze()
    from pto_lsp.server.language_server import Server

    code = Server(stdout).run(stdin)
    sys.stderr.flush()
    # Taking down a large heap piece by piece would keep the editor waiting for a second.
    os._exit(code)
