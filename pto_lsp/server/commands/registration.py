"""Which module answers which command."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from pto_lsp.server.commands.arguments import Arguments
from pto_lsp.server.worker import Superseded

if TYPE_CHECKING:
    from pto_lsp.server.session import Session

MODULES = {
    "pto.taskGraph": "task_graph",
    "pto.taskPeers": "task_peers",
    "pto.previewFixes": "preview_fixes",
    "pto.legalizedSource": "legalized_source",
    "pto.replayTable": "replay_table",
    "pto.explain": "explain",
    "pto.applyAllFixes": "apply_all_fixes",
    "pto.compile": "compile",
    "pto.generatedCpp": "generated_cpp",
    "pto.printDebugInformation": "debug_information",
    "pto.showSettings": "settings",
}
"""Each has a function ``run(session, arguments)``, which is called on the thread that owns the project, and returns the
answer or a future of it.
"""


class Commands:
    """``session`` gives the session, on the thread that owns it."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def execute(self, params: types.ExecuteCommandParams) -> Any:
        """Raises `JsonRpcInvalidParams` for a command there is not, or with arguments that make no sense."""
        module = MODULES.get(params.command)
        if module is None:
            raise JsonRpcInvalidParams(f"there is no command {params.command!r}")
        session = self._session()
        try:
            run = import_module(f"pto_lsp.server.commands.{module}").run
            with session.doing(f"working on {params.command}"):
                return run(session, Arguments(params.command, params.arguments or ()))
        except (JsonRpcException, Superseded):
            raise
        except Exception:
            session.log(f"internal error in {params.command}\n{traceback.format_exc()}")
            raise JsonRpcInternalError(f"internal error in {params.command}, see the log") from None
