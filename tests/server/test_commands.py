"""The commands of ``workspace/executeCommand``, over the wire, with places in each encoding."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pto_lsp.analysis.rules import page, registry
from pto_lsp.server.commands.registration import MODULES
from tests.support.client import RawClient
from tests.support.features import COMMAND, ENCODINGS, GRAPH, HEADER, TASKS, URI, at, cut, serving

GRAPH_URI = "file:///graph.py"
PLAIN_URI = "file:///plain.py"
WRONG = (
    HEADER
    + """\
@pl.jit.graph
def layer(x: pl.Tensor[[256, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    rows = x[n * 128 : n * 128 + 128, :]
    s = put(rows, s)
    return s


@pl.jit
def main(x: pl.Tensor[[256, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]]):
    for step in pl.range(2):
        s = layer(x, s, step)
    return s
"""
)
WRONG_URI = "file:///wrong.py"
Server = tuple[RawClient, str]


@pytest.fixture(scope="module", params=ENCODINGS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    texts = ((URI, TASKS), (GRAPH_URI, GRAPH), (WRONG_URI, WRONG), (PLAIN_URI, "x = 1\n"))
    with serving(request.param, *texts) as client:
        yield client, request.param


def execute(server: Server, command: str, *arguments: Any) -> Any:
    answer = server[0].ask("workspace/executeCommand", {"command": command, "arguments": list(arguments)})
    assert "error" not in answer, answer
    return answer["result"]


def refused(server: Server, command: str, *arguments: Any) -> str:
    answer = server[0].ask("workspace/executeCommand", {"command": command, "arguments": list(arguments)})
    assert answer["error"]["code"] == -32602
    return str(answer["error"]["message"])


def test_every_command_is_announced() -> None:
    with RawClient(COMMAND) as client:
        offered = client.initialize({})
        assert offered["executeCommandProvider"]["commands"] == list(MODULES)
        assert client.leave() == 0


def test_every_command_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "editors.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(pto\.\w+)` \|", page, re.MULTILINE)) == sorted(MODULES)


def test_commands_refuse_what_they_do_not_understand(server: Server) -> None:
    assert refused(server, "pto.nothing") == "there is no command 'pto.nothing'"
    assert refused(server, "pto.taskGraph") == "pto.taskGraph: argument 1 must be the address of a document"
    assert "argument 2 must be a function's name or a position" in refused(server, "pto.taskGraph", URI, {"line": -1})
    beyond = {"line": 10**12, "character": 0}
    assert "argument 2 must be a function's name or a position" in refused(server, "pto.taskGraph", URI, beyond)
    assert "argument 3 must be one of json" in refused(server, "pto.taskGraph", URI, None, "png")


@pytest.mark.parametrize("command", ["pto.taskGraph", "pto.legalizedSource", "pto.replayTable"])
def test_commands_say_why_there_is_nothing(server: Server, command: str) -> None:
    assert execute(server, command, PLAIN_URI)["message"] == "'plain.py' holds no PyPTO function"
    assert execute(server, command, "file:///gone.py")["message"] == "'gone.py' is not open"


def test_the_task_graph_has_places(server: Server) -> None:
    _, encoding = server
    answer = execute(server, "pto.taskGraph", URI, None, "json")
    assert (answer["functions"], answer["selected"]) == (["main"], "main")
    graph = answer["graph"]
    band, total, first, second = graph["nodes"]
    assert cut(TASKS, band["range"], encoding).endswith("w[i * 64 : i * 64 + 64, :])")
    assert cut(TASKS, band["selectionRange"], encoding).startswith('with pl.at(level=pl.Level.CORE_GROUP, name_hint="é')
    assert cut(TASKS, total["range"], encoding).endswith("w[0:32, :])")
    assert cut(TASKS, second["range"], encoding) == "z = put(x, s)"
    assert band["summary"] == "waits for nothing · followed by: 1 · ×2"
    assert band["args"][0]["text"].startswith("'w' is opted out of tracking")
    assert {node["uri"] for node in graph["nodes"]} == {URI}
    (loop,) = graph["loops"]
    assert cut(TASKS, loop["range"], encoding).startswith("for i in pl.parallel(2)")
    tensors = {tensor["name"]: tensor for tensor in graph["tensors"]}
    assert cut(TASKS, tensors["w"]["range"], encoding).startswith("w: pl.Tensor")
    edges = [(e["pred"], e["succ"], e["source"], e["hazard"]) for e in graph["edges"]]
    assert edges == [(band["id"], total["id"], "explicit", None), (first["id"], second["id"], "tensormap", "WAW")]


def test_the_task_graph_by_tasks(server: Server) -> None:
    _, encoding = server

    def graph(uri: str, *view: Any) -> Any:
        return execute(server, "pto.taskGraph", uri, None, "json", *view)

    found = graph(URI, "unrolled")["graph"]
    bands = [node for node in found["nodes"] if node["of"] == "n1"]
    assert [node["at"] for node in bands] == ["i = 0", "i = 1"]
    assert {cut(TASKS, node["selectionRange"], encoding) for node in bands} == {
        cut(TASKS, graph(URI)["graph"]["nodes"][0]["selectionRange"], encoding)
    }
    assert [len(graph(URI, "unrolled", most)["graph"]["nodes"]) for most in (1, 500)] == [1, 5]
    steps = graph(GRAPH_URI, "iterations")["graph"]
    assert (steps["view"], [node["at"] for node in steps["nodes"]]) == ("iterations", ["step", "step + 1"])
    assert "argument 4 must be one of launches" in refused(server, "pto.taskGraph", URI, None, "json", "all")
    assert "argument 5 must be a number" in refused(server, "pto.taskGraph", URI, None, "json", "unrolled", "many")


RACE = (
    HEADER
    + """\
@pl.jit
def main(
    x: pl.Tensor[[128, 64], pl.FP32], s: pl.Out[pl.Tensor[[32, 64], pl.FP32]], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="one"):
        s[:, :] = pl.add(x[0:32, :], x[0:32, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="two"):
        y[:, :] = pl.add(s[:, :], s[:, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="three"):
        s[:, :] = pl.mul(x[0:32, :], x[0:32, :])
    return s, y
"""
)
RACE_URI = "file:///race.py"


def test_a_quick_fix_is_previewed(server: Server) -> None:
    client, encoding = server
    client.open(RACE_URI, RACE)
    where = at(RACE, 'with pl.a⟦t(level=pl.Level.CORE_GROUP, name_hint="three")', encoding)
    (found,) = execute(server, "pto.previewFixes", RACE_URI, where)["previews"]
    told = "longest chain 2 → 3 · width 2 → 1 · waits then: three for two (explicit)"
    assert (found["function"], found["text"], found["removed"]) == ("main", told, [])
    assert found["added"] == [{"pred": "n2", "succ": "n3", "carried": False, "reasons": ["explicit"]}]
    hover = client.ask("textDocument/hover", {"textDocument": {"uri": RACE_URI}, "position": where})["result"]
    assert (
        "longest chain 2 → 3" in hover["contents"]["value"] and found["title"].split()[0] in hover["contents"]["value"]
    )
    nothing = execute(
        server,
        "pto.previewFixes",
        RACE_URI,
        at(RACE, 'with pl.a⟦t(level=pl.Level.CORE_GROUP, name_hint="one")', encoding),
    )
    assert nothing == {"previews": []}


def test_peers_are_what_a_launch_waits_for_and_what_waits_for_it(server: Server) -> None:
    _, encoding = server

    def peers(text: str, uri: str, marked: str) -> list[tuple[str, str, list[str]]]:
        answer = execute(server, "pto.taskPeers", uri, at(text, marked, encoding))
        return [
            (each["relation"], cut(text, each["range"], encoding).split("(")[0], each["reasons"])
            for each in answer["peers"]
        ]

    assert peers(TASKS, URI, "⟦s = put(x, s)") == [("after", "z = put", ["WAW s"])]
    assert peers(TASKS, URI, "⟦z = put(x, s)") == [("before", "s = put", ["WAW s"])]
    # In the body of a region, too.
    assert [relation for relation, _, _ in peers(TASKS, URI, "pl.add(y[:, :], ⟦w[0:32")] == ["before"]
    assert execute(server, "pto.taskPeers", URI, at(TASKS, "return⟦ y", encoding)) == {
        "message": "no task is launched here"
    }
    assert refused(server, "pto.taskPeers", URI) == "pto.taskPeers: argument 2 must be a position"


def test_the_function_of_a_task_graph_is_chosen(server: Server) -> None:
    _, encoding = server

    def selected(which: Any) -> str:
        answer = execute(server, "pto.taskGraph", GRAPH_URI, which)
        assert answer["functions"] == ["layer", "main"]
        assert answer["graph"]["function"] == answer["selected"]
        return str(answer["selected"])

    assert selected(None) == "main"
    assert selected({"function": "layer"}) == "layer"
    assert selected({"position": at(GRAPH, "for i⟦ in pl.range(3)", encoding)}) == "layer"
    assert selected({"position": at(GRAPH, "for step⟦ in", encoding)}) == "main"
    assert selected(at(GRAPH, "pl.store⟦(", encoding)) == "layer"
    missing = execute(server, "pto.taskGraph", GRAPH_URI, {"function": "gone"})
    assert missing == {"message": "'gone' launches no tasks", "functions": ["layer", "main"]}


def test_lenses_of_launches_can_be_clicked_where_the_client_lists_peers() -> None:
    with RawClient(COMMAND) as client:
        client.initialize({"textDocument": {"codeLens": {}}, "experimental": {"ptoPeers": True}})
        client.open(GRAPH_URI, GRAPH)
        lenses = client.ask("textDocument/codeLens", {"textDocument": {"uri": GRAPH_URI}})["result"]
        clicked = {cut(GRAPH, lens["range"], "utf-16"): lens["command"] for lens in lenses}
        assert clicked["layer"]["command"] == ""
        command = clicked["s = layer(x, s, n)"]
        assert command["command"] == "pto-lsp.showPeers"
        answer = client.ask("workspace/executeCommand", {"command": "pto.taskPeers", "arguments": command["arguments"]})
        assert [peer["relation"] for peer in answer["result"]["peers"]] == ["before", "after"]
        assert client.leave() == 0


@pytest.mark.parametrize(
    ("form", "beginning", "inside"),
    [
        ("text", "main: 5 tasks", "[2] sum𝄞"),
        ("dot", "digraph", "sum𝄞"),
        ("mermaid", "flowchart LR", "sum𝄞"),
        ("svg", "<svg", "sum𝄞"),
    ],
)
def test_the_task_graph_in_other_forms(server: Server, form: str, beginning: str, inside: str) -> None:
    text = execute(server, "pto.taskGraph", URI, None, form)["text"]
    assert text.startswith(beginning) and inside in text


def test_an_inlined_launch_names_its_calls(tmp_path: Path) -> None:
    helper = (
        "import pypto.language as pl\n\n\n@pl.jit.inline\n"
        "def twice(x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):\n"
        '    with pl.at(level=pl.Level.CORE_GROUP, name_hint="add"):\n        y[:, :] = pl.add(x[:, :], x[:, :])\n'
        "    return y\n"
    )
    (tmp_path / "helper.py").write_text(helper)
    text = (
        "import pypto.language as pl\nfrom helper import twice\n\n\n@pl.jit\n"
        "def main(x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):\n"
        "    y = twice(x, y)\n    return y\n"
    )
    uri = (tmp_path / "main.py").as_uri()
    with serving("utf-16", (uri, text)) as client:
        graph = execute((client, "utf-16"), "pto.taskGraph", uri)["graph"]
        (node,) = graph["nodes"]
        assert node["uri"] == (tmp_path / "helper.py").as_uri()
        assert cut(helper, node["selectionRange"], "utf-16").startswith("with pl.at(")
        assert [cut(text, call["range"], "utf-16") for call in node["calls"]] == ["twice(x, y)"]
        assert node["site"] == f"{uri}#L7"


def test_the_legalized_source_follows_typing(server: Server) -> None:
    client, encoding = server
    answer = execute(server, "pto.legalizedSource", WRONG_URI)
    assert answer["language"] == "python" and "message" not in answer
    assert "rows__graph_arg" in answer["text"] and "x[step * 128 : step * 128 + 128, :]" in answer["text"]
    uri = f"file:///typed-{encoding}.py"
    client.open(uri, WRONG)
    client.change(uri, 2, WRONG.replace("rows", "part"))
    assert "part__graph_arg" in execute(server, "pto.legalizedSource", uri, "layer")["text"]
    unknown = execute(server, "pto.legalizedSource", uri, "gone")
    assert unknown == {"text": "", "language": "python", "message": "no entry 'gone'; there are: main, layer"}
    plain = execute(server, "pto.legalizedSource", URI)
    assert "def main(" in plain["text"] and plain["message"] == "no Graph in this program: nothing is hoisted"
    broken = WRONG.replace("def put", "def lost")
    client.change(uri, 3, broken)
    assert "text" in execute(server, "pto.legalizedSource", uri)


def test_the_replay_table_shows_what_goes_wrong(server: Server) -> None:
    wanted = {"position": at(WRONG, "rows⟦ = x", server[1])}
    for arguments in ((WRONG_URI,), (WRONG_URI, wanted)):
        text = execute(server, "pto.replayTable", *arguments)["markdown"]
        assert text.startswith("# Replay of main\n") and "0 ✗" in text and "8192" in text
    assert execute(server, "pto.replayTable", URI) == {"message": "'main' calls no Graph: nothing is recorded"}


@pytest.mark.parametrize("wanted", ["PTO101", "pto101", "derived-boundary-scalar"])
def test_a_rule_is_explained_by_code_or_name(server: Server, wanted: str) -> None:
    assert execute(server, "pto.explain", wanted)["markdown"] == page.render(registry.rule("PTO101"))


def test_there_is_no_page_of_an_unknown_rule(server: Server) -> None:
    assert execute(server, "pto.explain", "PTO999") == {"message": "there is no rule 'PTO999'"}


def test_debug_information_names_what_matters(server: Server) -> None:
    text = execute(server, "pto.printDebugInformation", URI)["text"]
    for wanted in ("pto-lsp ", "Python ", "libcst ", server[1], f"  {URI} version 1: ", 'target = "host_build_graph"'):
        assert wanted in text
    assert "pl.at" not in text
    assert "settings of" not in execute(server, "pto.printDebugInformation", None)["text"]


def test_settings_are_shown_with_their_origin(tmp_path: Path) -> None:
    (tmp_path / "pto-lsp.toml").write_text('ignore = ["PTO8"]\nselct = 1\n')
    uri = (tmp_path / "model.py").as_uri()
    with serving("utf-16", (uri, TASKS)) as client:
        text = execute((client, "utf-16"), "pto.showSettings", uri)["text"]
        assert f'ignore = ["PTO8"]  # {tmp_path}/pto-lsp.toml:1\n' in text
        assert "severity = {}  # default\n" in text
        assert f"# error: {tmp_path}/pto-lsp.toml:2: unknown key 'selct'\n" in text


APPLYING = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
HIDDEN_CALL = WRONG + "\n\n@pl.jit\ndef other(x: pl.Tensor):\n    s = layer(*x)\n    return s\n"


def fix_all(path: Path, text: str, capabilities: dict[str, Any], applies: bool = True) -> tuple[Any, list[Any]]:
    """The answer, and the edits that were asked for."""
    path.write_text(text)
    with RawClient(COMMAND) as client:
        client.applies = applies
        client.initialize(capabilities)
        client.open(path.as_uri(), text)
        answer = execute((client, "utf-16"), "pto.applyAllFixes", path.as_uri())
        edits = [m["params"]["edit"] for m in client.received if m.get("method") == "workspace/applyEdit"]
        assert client.leave() == 0
        return answer, edits


def test_shutting_down_answers_what_waits_for_somebody_else(tmp_path: Path) -> None:
    """An editor that has not said yet what became of a change, and a compilation that is under way."""
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)

    def ask(command: str) -> int:
        return client.request("workspace/executeCommand", {"command": command, "arguments": [path.as_uri()]})

    with RawClient(COMMAND) as client:
        client.answers = False
        client.initialize(APPLYING)
        client.open(path.as_uri(), WRONG)
        pending = [ask("pto.applyAllFixes")]
        while client.next().get("method") != "workspace/applyEdit":
            pass
        pending.append(ask("pto.compile"))
        time.sleep(0.1)
        assert client.ask("shutdown", None).get("result", "refused") is None
        assert [client.answer(identity)["error"]["code"] for identity in pending] == [-32800] * 2
        client.notify("exit", None)
        assert client.process.wait(10) == 0
        assert client.stderr == b""


def test_all_safe_fixes_are_applied_by_the_client(tmp_path: Path) -> None:
    answer, (edit,) = fix_all(tmp_path / "wrong.py", WRONG, APPLYING)
    assert answer == {"applied": 2, "left": []}  # the view, and the scalar that is then unused
    (change,) = edit["documentChanges"]
    assert change["textDocument"] == {"uri": (tmp_path / "wrong.py").as_uri(), "version": 1}
    assert any("x[step * 128 : step * 128 + 128, :]" in each["newText"] for each in change["edits"])


def test_fixes_that_are_not_applied_say_why(tmp_path: Path) -> None:
    answer, edits = fix_all(tmp_path / "hidden.py", HIDDEN_CALL, APPLYING)
    assert not edits and answer["applied"] == 0
    assert [reason.startswith("line 12: PTO201 'rows': ") for reason in answer["left"]] == [True]
    answer, edits = fix_all(tmp_path / "wrong.py", WRONG, APPLYING, applies=False)
    assert len(edits) == 1 and answer == {"applied": 0, "left": ["the editor did not apply the changes"]}
    answer, edits = fix_all(tmp_path / "wrong.py", WRONG, {})
    assert not edits and answer == {"applied": 0, "left": ["this editor does not let a server change documents"]}
    with RawClient(COMMAND) as client:
        client.initialize(APPLYING)
        answer = execute((client, "utf-16"), "pto.applyAllFixes", "file:///gone.py")
        assert answer == {"applied": 0, "left": ["the document is not open"]}


def test_a_command_that_waits_for_the_client_can_be_cancelled(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    with RawClient(COMMAND) as client:
        client.initialize(APPLYING)
        client.open(path.as_uri(), WRONG)
        client.answers = False
        asked = client.request(
            "workspace/executeCommand", {"command": "pto.applyAllFixes", "arguments": [path.as_uri()]}
        )
        while client.next().get("method") != "workspace/applyEdit":
            pass
        client.notify("$/cancelRequest", {"id": asked})
        assert client.answer(asked)["error"]["code"] == -32800
        assert client.leave() == 0
