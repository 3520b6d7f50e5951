"""Compile on save, ``pto.compile`` and ``pto.generatedCpp``: what is written, when nothing is, and what is said."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import PULLING, Message, RawClient
from tests.support.features import COMMAND, ENCODINGS, HEADER, at, cut

PROGRAM = (
    HEADER
    + """\
@pl.jit
def main(x: pl.Tensor[[128, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]]):
    s = put(x, s)  # é𝄞
    for i in pl.range(3):
        s = put(x, s)
    return s
"""
)
REFUSED = PROGRAM.replace("        s = put(x, s)\n", "        s = put(x)\n")
UNSUPPORTED = PROGRAM.replace("        s = put(x, s)\n", "        s = pl.assemble(s, x, [0, 0])\n")
SHOWN: Message = {
    "textDocument": {"publishDiagnostics": {}},
    "window": {"workDoneProgress": True},
    "experimental": {"ptoStatus": True},
}


class Workspace:
    """A folder with one file, and a server that has it open."""

    def __init__(self, folder: Path, client: RawClient, text: str) -> None:
        self.folder = folder
        self.client = client
        self.path = folder / "model.py"
        self.uri = self.path.as_uri()
        self.version = 1
        self.output = folder / ".pto" / "model" / "main"
        self.orchestration = self.output / "orchestration" / "main.cpp"
        self.path.write_text(text)
        client.open(self.uri, text)

    def save(self, text: str | None = None) -> None:
        if text is not None:
            self.change(text)
            self.path.write_text(text)
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})

    def change(self, text: str) -> None:
        self.version += 1
        self.client.change(self.uri, self.version, text)

    def states(self) -> list[str]:
        return [m["params"]["message"] for m in self.client.received if m.get("method") == "pto/status"]

    def until(self, state: Callable[[str], bool]) -> str:
        """The next state like that."""
        while True:
            message = self.client.next()
            if message.get("method") == "pto/status" and state(message["params"]["message"]):
                return str(message["params"]["message"])

    def outcome(self) -> str:
        return self.until(lambda state: state.startswith("model.py: "))

    def execute(self, command: str, *arguments: Any) -> Any:
        answer = self.client.ask("workspace/executeCommand", {"command": command, "arguments": [self.uri, *arguments]})
        assert "error" not in answer, answer
        return answer["result"]


@pytest.fixture
def start(tmp_path: Path) -> Any:
    """Starts a server on a folder of its own; settings are those of its configuration file."""
    clients: list[RawClient] = []

    def started(
        text: str = PROGRAM, settings: str = "", path: str = "", capabilities: Message = SHOWN, **params: Any
    ) -> Workspace:
        (tmp_path / "pto-lsp.toml").write_text(settings)
        environment = {**os.environ, "PATH": path}
        client = RawClient(COMMAND, env=environment, cwd=Path(__file__).parents[2])
        clients.append(client)
        client.initialize(capabilities, **params)
        return Workspace(tmp_path, client, text)

    yield started
    for client in clients:
        assert client.leave() == 0
        assert client.stderr == b""
        client.__exit__()


def test_a_clean_document_is_compiled_when_it_is_saved(start: Any) -> None:
    space = start()
    space.save()
    assert space.outcome() == "model.py: compiled main"
    assert "put" in space.orchestration.read_text()
    assert (space.output / "kernel_config.py").is_file()
    assert "TSTORE(" in (space.output / "kernels" / "aiv" / "put.cpp").read_text()
    assert (space.folder / ".pto" / ".gitignore").read_text() == "*\n"
    assert "compiling model.py" in space.states()


def test_errors_leave_the_folder_as_it_was(start: Any) -> None:
    space = start()
    space.save()
    space.outcome()
    before = space.orchestration.read_text()
    space.save(REFUSED)
    assert space.outcome() == "model.py: not compiled: 1 error"
    assert space.orchestration.read_text() == before
    assert sorted(p.name for p in (space.folder / ".pto").iterdir()) == [".gitignore", "model"]


@pytest.mark.parametrize(
    ("settings", "options"),
    [("compile-on-save = false\n", None), ("", {"trusted": False})],
    ids=["unasked", "untrusted"],
)
def test_nothing_is_compiled_unasked_or_untrusted(start: Any, settings: str, options: Any) -> None:
    space = start(settings=settings, initializationOptions=options)
    space.client.published(space.uri)
    space.save()
    space.client.quiet(0.5)
    assert not any("compil" in state for state in space.states())
    if options is not None:
        answer = space.execute("pto.compile", None)
        assert answer["messages"] == ["the workspace is not trusted: nothing is compiled"]
    assert not (space.folder / ".pto").exists()


def test_the_newest_save_wins(start: Any) -> None:
    space = start()
    for trips in range(4, 9):
        space.save(PROGRAM.replace("range(3)", f"range({trips})"))
        time.sleep(0.05)
    space.outcome()
    assert "< 8" in space.orchestration.read_text()
    space.client.quiet(0.5)
    assert sum(state == "model.py: compiled main" for state in space.states()) == 1


def test_what_was_saved_is_compiled_whatever_is_typed_afterwards(start: Any) -> None:
    space = start()
    space.save(PROGRAM.replace("range(3)", "range(7)"))
    for trips in range(10, 20):
        space.change(PROGRAM.replace("range(3)", f"range({trips})"))
    assert space.outcome() == "model.py: compiled main"
    assert "< 7" in space.orchestration.read_text()


def test_files_without_tasks_are_not_compiled(start: Any) -> None:
    space = start(HEADER)
    space.client.published(space.uri)
    space.save()
    space.client.quiet(0.4)
    assert not any("compil" in state for state in space.states())
    assert space.execute("pto.compile", None)["messages"] == ["nothing in this file starts a task"]


def test_what_has_no_code_is_said_and_nothing_is_written(start: Any) -> None:
    space = start(UNSUPPORTED)
    space.save()
    state = space.outcome()
    assert state.startswith("model.py: main: not compiled: model.py:14: PTO007 ")
    assert not space.output.exists()
    assert space.execute("pto.compile", None)["messages"] == [state.removeprefix("model.py: ")]
    # What was found when it was opened may still be on its way.
    published = space.client.published(space.uri) or space.client.published(space.uri)
    found = [(d["code"], d["severity"], d["source"]) for d in published]
    assert found == [("PTO007", 1, "pto-lsp")]
    assert not [m for m in space.client.received if "PTO007" in str(m.get("params", {}).get("diagnostics", []))][1:]
    assert not space.output.exists()
    space.change(PROGRAM)
    assert space.client.published(space.uri, space.version) == []


def test_a_folder_of_somebody_else_is_left_alone(start: Any) -> None:
    space = start()
    space.output.mkdir(parents=True)
    (space.output / "mine.txt").write_text("mine")
    space.save()
    assert "holds 'mine.txt', which pto-lsp did not write" in space.outcome()
    assert [p.name for p in space.output.iterdir()] == ["mine.txt"]


def test_the_command_compiles_what_is_not_saved(start: Any) -> None:
    space = start(settings='compile-on-save = false\noutput-dir = "out"\n')
    space.change(PROGRAM.replace("range(3)", "range(5)"))
    answer = space.execute("pto.compile", "main")
    folder = space.folder / "out" / "model" / "main"
    assert answer["outputDir"] == str(space.folder / "out") and answer["entries"] == ["main"]
    assert {Path(file) for file in answer["files"]} >= {folder / "kernel_config.py", folder / "orchestration/main.cpp"}
    assert answer["messages"] == []
    assert "< 5" in (folder / "orchestration" / "main.cpp").read_text()
    assert space.execute("pto.compile", "gone")["messages"] == ["no entry 'gone' in this file"]
    space.change(REFUSED)
    (message,) = space.execute("pto.compile", None)["messages"]
    assert message.startswith("main: not compiled: model.py:14: PTO005 ")


def test_the_command_can_be_cancelled(start: Any) -> None:
    space = start()
    asked = space.client.request("workspace/executeCommand", {"command": "pto.compile", "arguments": [space.uri]})
    space.until(lambda state: state == "compiling model.py")
    space.client.notify("$/cancelRequest", {"id": asked})
    assert space.client.answer(asked)["error"]["code"] == -32800
    space.client.quiet(0.5)
    assert not space.output.exists()
    assert space.states()[-1] == ""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for the compiler is a shell script")
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("pulls", [False, True])
def test_the_cpp_compiler_complains_in_python(start: Any, tmp_path: Path, encoding: str, pulls: bool) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    compiler = tools / "g++"
    # It minds the first submission.
    compiler.write_text(
        "#!/bin/sh\nwhile IFS= read -r line; do n=$((n+1)); case $line in *rt_submit*)\n"
        'echo "<stdin>:$n:5: error: no such thing [-Wthing]" >&2; exit 1;; esac; done\n'
    )
    compiler.chmod(compiler.stat().st_mode | stat.S_IEXEC)
    capabilities = {**SHOWN, "general": {"positionEncodings": [encoding]}}
    if pulls:
        capabilities["textDocument"] = PULLING["textDocument"]
        capabilities["workspace"] = {"diagnostics": {"refreshSupport": True}}
    space = start(path=str(tools), capabilities=capabilities)
    first = space.client.answer(space.client.pull(space.uri))["result"] if pulls else space.client.published(space.uri)
    space.save()
    assert space.outcome() == "model.py: compiled main"
    if pulls:
        while space.client.next().get("method") != "workspace/diagnostic/refresh":
            pass
        report = space.client.answer(space.client.pull(space.uri, first["resultId"]))["result"]
        found = report["items"]
    else:
        assert first == []
        found = space.client.published(space.uri)
    (complaint,) = found
    assert complaint["source"] == "pto-cc" and complaint["severity"] == 1 and "code" not in complaint
    assert complaint["message"].startswith("orchestration/main.cpp:")
    assert complaint["message"].endswith(": no such thing [-Wthing]")
    assert cut(PROGRAM, complaint["range"], encoding) in ("s = put(x, s)", "put(x, s)")
    space.change(PROGRAM + "\n")
    if pulls:
        assert space.client.answer(space.client.pull(space.uri))["result"]["items"] == []
    else:
        assert space.client.published(space.uri, space.version) == []


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_generated_code_of_what_stands_at_the_cursor(start: Any, encoding: str) -> None:
    space = start(capabilities={**SHOWN, "general": {"positionEncodings": [encoding]}})

    def line_at(marked: str) -> str:
        answer = space.execute("pto.generatedCpp", at(PROGRAM, marked, encoding))
        assert answer["path"] == str(space.orchestration)
        return str(answer["text"].splitlines()[answer["line"]])

    assert "for (" in line_at("for ⟦i in")
    first, inside = line_at("⟦s = put(x, s)  # é"), line_at("        ⟦s = put(x, s)\n    return")
    assert first.startswith("    ") and inside.startswith("        ")
    assert space.execute("pto.generatedCpp", None)["line"] == 0
    kernel = space.execute("pto.generatedCpp", at(PROGRAM, "pl.store(⟦pl.load", encoding))
    assert kernel["path"] == str(space.output / "kernels" / "aiv" / "put.cpp")
    assert kernel["text"].splitlines()[kernel["line"] - 1].endswith("// model.py:6")
    bare = PROGRAM.replace("def main(x: pl.Tensor[[128, 64], pl.FP32], ", "def main(x: pl.Tensor, ")
    space.change(
        bare
        + '\n\nif __name__ == "__main__":\n    import torch\n\n    main(torch.zeros(128, 64), torch.zeros(128, 64))\n'
    )
    shaped = space.execute("pto.generatedCpp", at(bare, "for ⟦i in", encoding))
    assert "for (" in shaped["text"].splitlines()[shaped["line"]]
    space.change(UNSUPPORTED)
    assert "no C++ code for" in space.execute("pto.generatedCpp", None)["message"]
    space.change(HEADER)
    assert space.execute("pto.generatedCpp", None) == {"message": "no orchestration function and no Graph in this file"}
