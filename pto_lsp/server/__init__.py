"""The language server. ``pygls`` and ``lsprotocol`` are imported in this package only.

Two threads. The main thread reads messages and answers what needs no analysis. The worker thread owns the project: it
applies edits, answers requests and computes findings, the newest text first. A third thread only watches the editor.
"""

from __future__ import annotations


def serve() -> int:
    """Serve one client on stdin and stdout; the exit code of the process (Language Server Protocol, ``exit``)."""
    from pto_lsp.server.transport import claim_stdio

    # Before anything else is imported: whatever prints from now on prints to stderr.
    stdin, stdout = claim_stdio()
    from pto_lsp.server.language_server import Server

    return Server(stdout).run(stdin)
