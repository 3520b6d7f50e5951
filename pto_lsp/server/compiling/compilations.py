"""What is compiled and when, and what is said about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from pto_lsp.config import Settings
from pto_lsp.diagnostics import Diagnostic, Severity
from pto_lsp.server.compiling.job import Request, diagnostic
from pto_lsp.server.compiling.process import Compiler, Fault, Job
from pto_lsp.server.compiling.store import store
from pto_lsp.server.outbox import Outbox
from pto_lsp.server.status import Health
from pto_lsp.server.worker import Superseded, Worker

Json = dict[str, Any]


class Host(Protocol):
    """What has to be known about open documents, on the worker thread."""

    def texts(self) -> dict[str, str]:
        """Of all open documents, by path."""

    def versions(self) -> dict[str, int]: ...

    def findings_of(self, path: str) -> tuple[Diagnostic, ...]:
        """Raises `Superseded` where something more urgent has come in between."""

    def starts_tasks(self, path: str) -> bool:
        """Whether some function of an open document may be compiled."""

    def settings_for(self, path: str) -> Settings: ...

    def complain(self, origin: str, versions: dict[str, int], found: list[Diagnostic]) -> None:
        """Show what compiling the file ``origin`` had to say about documents that have these versions still."""


class Compilations:
    """Those of one session. ``request`` completes a request with what is the same for all of them."""

    def __init__(
        self, host: Host, outbox: Outbox, worker: Worker, request: Callable[[str, str | None, dict[str, str]], Request]
    ) -> None:
        self._host = host
        self._outbox = outbox
        self._worker = worker
        self._request = request
        self._compiler = Compiler(self._began)

    def saved(self, path: str) -> None:
        """Compile a document that was saved as it is now, once nothing else waits, if it is clean."""
        if self._host.settings_for(path).compile_on_save and self._host.starts_tasks(path):
            texts, versions = self._host.texts(), self._host.versions()
            self._worker.background(partial(self._compile_clean, path, texts, versions))

    def compile(self, path: str, entry: str | None) -> Future[Json]:
        """All entries of a document as it is now, or one: ``{outputDir, entries, files, messages}``, see `store`.

        The newest request for a file counts: the answers of the others are cancelled.
        """
        return self._compile(path, entry, self._host.texts(), self._host.versions(), asked=True)

    def stop(self) -> None:
        """End whatever is under way."""
        self._compiler.stop()

    def _compile_clean(self, path: str, texts: dict[str, str], versions: dict[str, int]) -> None:
        # A text that was edited since is not looked at here: the compilation looks at the saved one.
        if self._host.versions().get(path) == versions[path]:
            with suppress(Superseded):
                errors = sum(each.severity is Severity.ERROR for each in self._host.findings_of(path))
                if errors:
                    self._compiler.forget(path)
                    self._tell(path, f"not compiled: {errors} error{'' if errors == 1 else 's'}")
                    return
        self._compile(path, None, texts, versions, asked=False)

    def _compile(
        self, path: str, entry: str | None, texts: dict[str, str], versions: dict[str, int], asked: bool
    ) -> Future[Json]:
        """What has no C++ (PTO007) is marked in the text only for who ``asked``: nothing is wrong with it, and marks
        that come with every save and go with every key would be in the way.
        """
        settings = self._host.settings_for(path)
        missing: list[Diagnostic] = []

        def told(found: Iterable[Diagnostic]) -> None:
            self._worker.background(partial(self._host.complain, path, versions, list(found)))

        def made(first: Json) -> Json:
            if asked:
                missing.extend(diagnostic(each) for entry in first["entries"] for each in entry["missing"])
            told(missing)
            return store(path, settings, first)

        def complained(second: Json) -> None:
            if second["complaints"]:
                told((*missing, *map(diagnostic, second["complaints"])))

        answer = self._compiler.compile(self._request(path, entry, texts), made, complained)
        answer.add_done_callback(partial(self._say, path))
        return answer

    def _began(self, job: Job) -> Callable[[], None]:
        path = job.request.path
        return self._outbox.begin(f"compiling {os.path.basename(path)}", lambda: self._compiler.forget(path))

    def _say(self, path: str, answer: Future[Json]) -> None:
        """What came of it, in the status and in the log."""
        if answer.cancelled():
            return
        fault = answer.exception()
        if fault is not None:
            words = str(fault) if isinstance(fault, Fault) else f"{type(fault).__name__}: {fault}"
            self._outbox.log(f"compiling {path} failed\n{words}")
            self._tell(path, "the compilation failed, see the log", Health.ERROR)
            return
        result = answer.result()
        parts = [f"compiled {', '.join(result['entries'])}"] if result["entries"] else []
        self._tell(path, "; ".join([*parts, *result["messages"]]))

    def _tell(self, path: str, message: str, health: Health = Health.OK) -> None:
        self._outbox.state("compile", health, f"{os.path.basename(path)}: {message}")
