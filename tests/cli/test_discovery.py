"""Which files a command line means, and how they are read."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest

from pto_lsp.discovery import Exclusion, Missing, SourceError, SourceFile, decode, discover, mentions_dsl, read_bytes


def shown(paths: list[str], root: Path, *patterns: str) -> list[str]:
    exclusion = Exclusion(str(root), patterns)
    return [
        found.shown if isinstance(found, SourceFile) else f"{found.shown}: {found.reason}"
        for found in discover(paths, lambda directory: exclusion)
    ]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.py", "b.txt", "sub/c.py", "sub/deep/d.py", ".git/hook.py", "venv/lib/e.py", "env2/f.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    (tmp_path / "env2" / "pyvenv.cfg").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_directory_is_walked_in_a_stable_order_without_environments(tree: Path) -> None:
    assert shown(["."], tree) == ["a.py", "sub/c.py", "sub/deep/d.py"]


def test_paths_are_shown_as_they_were_given(tree: Path) -> None:
    assert shown(["./sub", "sub/../a.py"], tree) == ["./sub/c.py", "./sub/deep/d.py", "sub/../a.py"]
    assert shown([str(tree / "sub")], tree) == [str(tree / "sub/c.py"), str(tree / "sub/deep/d.py")]


def test_a_file_named_twice_is_found_once(tree: Path) -> None:
    assert shown(["a.py", ".", "./a.py"], tree) == ["a.py", "sub/c.py", "sub/deep/d.py"]


def test_a_named_file_is_taken_whatever_it_is_called(tree: Path) -> None:
    assert shown(["b.txt"], tree, "*.txt") == ["b.txt"]


def test_what_is_missing_is_said_and_the_rest_is_found(tree: Path) -> None:
    assert shown(["nope.py", "a.py"], tree) == ["nope.py: no such file or directory", "a.py"]


def test_a_pipe_is_not_waited_for(tree: Path) -> None:
    os.mkfifo(tree / "pipe.py")
    assert shown(["pipe.py"], tree) == ["pipe.py: not a regular file"]


def test_excluded_patterns_prune_directories(tree: Path) -> None:
    assert shown(["."], tree, "deep/") == ["a.py", "sub/c.py"]
    assert shown(["."], tree, "/sub", "!a.py") == ["a.py"]


def test_gitignore_files_apply_from_the_repository_root_down(tree: Path) -> None:
    (tree / ".gitignore").write_text("# comment\nsub/c.py\nd.py\n")
    assert shown(["."], tree) == ["a.py"]
    assert shown(["sub"], tree) == []
    (tree / "sub" / "deep" / ".gitignore").write_text("!d.py\n")
    assert shown(["sub"], tree) == ["sub/deep/d.py"]


def test_gitignore_files_outside_the_repository_do_not_apply(tree: Path) -> None:
    inner = tree / "sub"
    (tree / ".gitignore").write_text("*.py\n")
    (inner / ".git").mkdir()
    assert shown(["sub"], tree) == ["sub/c.py", "sub/deep/d.py"]


def test_a_loop_of_links_ends(tree: Path) -> None:
    (tree / "sub" / "loop").symlink_to(tree, target_is_directory=True)
    (tree / "sub" / "self.py").symlink_to("self.py")
    (tree / "sub" / "gone.py").symlink_to("nowhere.py")
    assert shown(["."], tree) == ["a.py", "sub/c.py", "sub/deep/d.py"]


def test_discover_gives_absolute_paths(tree: Path) -> None:
    [found] = discover(["a.py"], lambda directory: Exclusion(directory, ()))
    assert found == SourceFile("a.py", str(tree / "a.py"))
    [missing] = discover(["\0"], lambda directory: Exclusion(directory, ()))
    assert isinstance(missing, Missing)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\r\ny = 2\r", "x = 1\r\ny = 2\r"),
        ("张量 = 1\n".encode(), "张量 = 1\n"),
        (codecs.BOM_UTF8 + b"x\n", "x\n"),
        ("# -*- coding: gbk -*-\ns = '张量'\n".encode("gbk"), "# -*- coding: gbk -*-\ns = '张量'\n"),
        ("#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\ns = 'é'\n".encode("latin-1"), None),
        (b"", ""),
    ],
)
def test_text_is_decoded_as_python_would(data: bytes, text: str | None) -> None:
    assert decode(data) == (data.decode("latin-1") if text is None else text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"ok\n\xff\n", "line 2 is not valid utf-8"),
        (b"# coding: klingon\n", "unknown encoding 'klingon'"),
        (b"\x7fELF\x00\x01", "not a text file: it contains null bytes"),
        (b"x = 1\n# coding: gbk\n\xff", "line 3 is not valid utf-8"),
    ],
)
def test_what_cannot_be_decoded_says_why(data: bytes, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        decode(data)


def test_what_the_system_refuses_says_why(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read: is a directory"):
        read_bytes(str(tmp_path))


def test_only_files_that_name_the_dsl_are_of_interest() -> None:
    assert mentions_dsl(b"import pypto.language as pl\n")
    assert not mentions_dsl(b"import numpy as np\n")
