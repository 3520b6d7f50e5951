"""Logical lines of whole and broken text, their kinds, and the pieces of a signature."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

import pytest

from pto_lsp.analysis.source.document import Document
from pto_lsp.analysis.source.logical_lines import Fault, LineKind, LogicalLine
from pto_lsp.analysis.source.signature import split_signature


def outline(lines: Sequence[LogicalLine], depth: int = 0) -> list[str]:
    found = []
    for line in lines:
        found.append("  " * depth + line.text)
        found.extend(outline(line.children, depth + 1))
    return found


def outline_of(text: str) -> list[str]:
    return [line for chunk in Document(text).chunks for line in outline(chunk.lines)]


def every_line(lines: Sequence[LogicalLine]) -> list[LogicalLine]:
    return [found for line in lines for found in (line, *every_line(line.children))]


def lines_of(text: str) -> list[LogicalLine]:
    return [line for chunk in Document(text).chunks for line in every_line(chunk.lines)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1  # c\n", ["x = 1"]),
        ("x = f(  # c\n  1)  # d\n", ["x = f(  # c\n  1)"]),
        ("x = '#'; y = 2\n", ["x = '#'; y = 2"]),
        ("if x: y = 1\n", ["if x: y = 1"]),
        ("x = 1 + \\\n  2\ny\n", ["x = 1 + \\\n  2", "y"]),
        ("x = 1 \\\n\ny\n", ["x = 1", "y"]),
        ("x = '''a\n# b\n'''\n", ["x = '''a\n# b\n'''"]),
        ('x = rb"\\"", "\\\\"\n', ['x = rb"\\"", "\\\\"']),
        ('x = "a\\\nb"\ny\n', ['x = "a\\\nb"', "y"]),
        ('x = "a\\\r\nb"\r\ny\r\n', ['x = "a\\\r\nb"', "y"]),
        ("x = '''\\''''''\ny\n", ["x = '''\\''''''", "y"]),
        ('x = """a""" """b"""\ny', ['x = """a""" """b"""', "y"]),
        ('x = f"{a["b"]}"\ny', ['x = f"{a["b"]}"', "y"]),
        ("x = (\r1,\r)\ry", ["x = (\r1,\r)", "y"]),
        ("x = [\n1, {\n2: (3)}]\ny", ["x = [\n1, {\n2: (3)}]", "y"]),
        ("x = (1\n\n# c\n   \n)\ny", ["x = (1\n\n# c\n   \n)", "y"]),
        ("\\\nx\n", ["x"]),
        ("x\u2028y\x85\n", ["x\u2028y\x85"]),
    ],
)
def test_units(text: str, expected: list[str]) -> None:
    assert outline_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x = f(\na, b)\n",
        "def g():\n    x = f(\na,\nb=2\n)\n",
        "def g():\n    x = [\n# c\n  1,\n  for_, in_\n]\n",
        "if x[a:\n  b]: y\n",
        "def f(a:\n  int): y\n",
        "x = f(\na\n@b\n)\n",
        'x = """\ndef f():\n    pass\n"""\n',
        'def g():\n    x = """\ndef f():\n    pass\n""" if y else z\n',
        "def g():\n    x = '''\nimport a\n'''f'{x}'\n",
    ],
)
def test_odd_but_valid_lines_stay_whole(text: str) -> None:
    compile(text, "", "exec")
    assert len(outline_of(text)) == (2 if text.startswith("def g") else 1)


@pytest.mark.parametrize(
    ("broken", "damaged"),
    [
        ("x = f(", ["x = f("]),
        ("x = f(  # c", ["x = f("]),
        ("x = f(a, [", ["x = f(a, ["]),
        ("x = f(a[1)", ["x = f(a[1)"]),
        ("x = f(a)]", ["x = f(a)]"]),
        ("x = f(\n        a,", ["x = f(\n        a,"]),
        ("x = '", ["x = '"]),
        ('x = f("a, b)', ['x = f("a, b)']),
        ('x = "\\', ['x = "\\\n    y = g(b)']),
        ("x = pl.", ["x = pl."]),
        ("x = \\", ["x = \\\n    y = g(b)"]),
        ("x = $?", ["x = $?"]),
        ("x = f(\n    y = [\n    z = {", ["x = f(", "y = [", "z = {"]),
    ],
)
def test_damage_stays_in_its_line(broken: str, damaged: list[str]) -> None:
    text = f"def first(a):\n    {broken}\n    y = g(b)\n    if y:\n        return y\n\n\n@d\ndef second():\n    pass\n"
    swallowed = "y = g(b)" in damaged[-1]
    following = [] if swallowed else ["  y = g(b)"]
    assert outline_of(text) == [
        "def first(a):",
        *(f"  {line}" for line in damaged),
        *following,
        "  if y:",
        "    return y",
        "@d",
        "def second():",
        "  pass",
    ]


@pytest.mark.parametrize("header", ["for i in r(4:", "with f([a, (b:", "if x(:", "def f(a, b: int:", "while f(x"])
def test_a_header_without_its_closer_loses_no_more_than_itself(header: str) -> None:
    text = f"class C:\n    {header}\n        return x\n    y = 1\n"
    assert outline_of(text) == ["class C:", f"  {header}", "    return x", "  y = 1"]


def test_a_header_with_open_bracket_keeps_its_block() -> None:
    assert outline_of("def g():\n    for i in r(4:\n        x = i\n    return x\n") == [
        "def g():",
        "  for i in r(4:",
        "    x = i",
        "  return x",
    ]


METHODS = """\
class C:
    @d
    def first(self):
        ⟦⟧
        x = 1

    @d
    def second(self):
        {docstring}
        y = 1

def third():
    {docstring}
"""


@pytest.mark.parametrize("opened", ['"""', "'''", 'x = """Text', 'f(a, """'])
@pytest.mark.parametrize("docstring", ["pass", '"""Words."""'])
def test_an_open_triple_quote_ends_with_its_block(opened: str, docstring: str) -> None:
    text = METHODS.replace("⟦⟧", opened).format(docstring=docstring)
    assert outline_of(text) == [
        "class C:",
        "  @d",
        "  def first(self):",
        f"    {opened}\n        x = 1",
        "  @d",
        "  def second(self):",
        f"    {docstring}",
        "    y = 1",
        "def third():",
        f"  {docstring}",
    ]


def test_a_line_that_begins_with_a_closer_begins_no_statement() -> None:
    chunks = Document("def f(\n    a),\n    b,\n):\n    pass\n\nx = 1\n").chunks
    assert [chunk.text for chunk in chunks] == ["def f(\n    a),\n    b,\n):\n    pass", "x = 1"]


def test_an_open_triple_quote_without_anything_to_recover_at_takes_the_rest() -> None:
    assert outline_of("x = '''\ny = 1\n  z\n\n") == ["x = '''\ny = 1\n  z"]


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 10_000 + ")" * 10_000,
        "x = " + "(" * 10_000 + "]" * 10_000 + "\ny\n",
        "x = (" + "f(a), " * 100_000 + "\ny\n",
        "x = " + "(f(a), " * 50_000 + "\ny\n",
        "x = f(\n" * 10_000,
        "if x:\n" + "    x = f(\n    y\n" * 10_000,
        "x = f(\n" * 10_000 + ")\n" * 5_000 + "return",
        "x = '" + "a\\'" * 100_000 + "\n",
        "x = " + '"' * 300_001,
        "x = " + "\\" * 300_000,
        'x = """\ndef f():\n  \\"""\n' * 10_000,
        'x = """\n"""y\n' * 10_000,
        ("x = 1\n" * 1_000 + 'x = """\ndef f():\n"""y\n') * 20,
        "# c\n" * 100_000,
        "".join(" " * depth + "x:\n" for depth in range(1_000)),
        "if x:\n" + " x\n" * 50_000,
        "\\\n" * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_time_is_linear_in_the_text(text: str) -> None:
    """Each of these took minutes were anything quadratic; as it is, a fraction of a second."""
    begin = process_time()
    document = Document(text)
    for chunk in document.chunks:
        assert chunk.lines
    document.edit(len(text) // 2, len(text) // 2, "x")
    assert process_time() - begin < 3


def test_columns_count_tabs_and_form_feeds_as_python_does() -> None:
    text = "if x:\n\ty\n        z\n \t w\n  \f  v\n"
    assert [line.column for line in lines_of(text)] == [0, 8, 8, 9, 2]


def test_offsets_count_from_the_physical_line_of_the_chunk() -> None:
    text = "# 😀\n  x = 张  # c\n"
    document = Document(text)
    (line,) = document.chunks[0].lines
    assert document.chunk_start(0) == 4
    assert (line.start, line.end, line.column) == (2, 7, 2)
    assert document.chunks[0].text == "  x = 张  # c"
    assert document.chunks[0].comments == ((9, "# c"),)


@pytest.mark.parametrize(
    ("text", "kind", "keyword"),
    [
        ("x = 1", LineKind.SIMPLE, ""),
        ("forward = 1", LineKind.SIMPLE, ""),
        ("return x", LineKind.SIMPLE, ""),
        ("for i in x: pass", LineKind.COMPOUND, "for"),
        ("async for i in x:", LineKind.COMPOUND, "for"),
        ("async with x:", LineKind.COMPOUND, "with"),
        ("async def f():", LineKind.DEF, "def"),
        ("async \\\n  def f():", LineKind.DEF, "def"),
        ("async_ = 1", LineKind.SIMPLE, ""),
        ("if(x):", LineKind.COMPOUND, "if"),
        ("else:", LineKind.CLAUSE, "else"),
        ("except E as e:", LineKind.CLAUSE, "except"),
        ("def f(a):", LineKind.DEF, "def"),
        ("class C:", LineKind.CLASS, "class"),
        ("@d(x)", LineKind.DECORATOR, ""),
        ("match x:", LineKind.COMPOUND, "match"),
        ("match(x)", LineKind.SIMPLE, ""),
        ("match = {1: 2}", LineKind.SIMPLE, ""),
        ("case [1]: pass", LineKind.COMPOUND, "case"),
        ("case = {1: 2}", LineKind.SIMPLE, ""),
        ("张 = 1", LineKind.SIMPLE, ""),
    ],
)
def test_kinds(text: str, kind: LineKind, keyword: str) -> None:
    (line,) = lines_of(text)
    assert (line.kind, line.keyword) == (kind, keyword)


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("x\n  y\n  z", "y", Fault.UNEXPECTED_INDENT),
        ("  x\ny", "x", Fault.UNEXPECTED_INDENT),
        ("@d\n  def f(): pass", "@d", Fault.DANGLING_DECORATOR),
        ("if x:\n    y\n  z", "z", Fault.INCONSISTENT_DEDENT),
        ("if x:\ny", "if x:", Fault.MISSING_BLOCK),
        ("if x:\n    y\nelse:\nz", "else:", Fault.MISSING_BLOCK),
        ("def f():  # c\n", "def f():", Fault.MISSING_BLOCK),
        ("if x:\n  for i in y:\n\nz", "for i in y:", Fault.MISSING_BLOCK),
        ("x\nelse:\n  y", "else:", Fault.MISPLACED_CLAUSE),
        ("if x:\n  y\nexcept:\n  z", "except:", Fault.MISPLACED_CLAUSE),
        ("if x: y\nelse: y\nelif z: y", "elif z: y", Fault.MISPLACED_CLAUSE),
        ("for i in x: y\nelse: y\nfinally: y", "finally: y", Fault.MISPLACED_CLAUSE),
        ("try: x\nfinally: y\nelse: z", "else: z", Fault.MISPLACED_CLAUSE),
        ("try: x\ny", "try: x", Fault.MISSING_HANDLER),
        ("try: x\nelse: y", "try: x", Fault.MISSING_HANDLER),
        ("@d\nx", "@d", Fault.DANGLING_DECORATOR),
        ("def f():\n  @d\n\nx", "@d", Fault.DANGLING_DECORATOR),
    ],
)
def test_faults_of_the_layout(text: str, line: str, fault: Fault) -> None:
    with pytest.raises(SyntaxError):
        compile(text, "", "exec")
    faults = {found.text: what for chunk in Document(text).chunks for found, what in chunk.faults.items()}
    assert faults[line] is fault


def test_the_parent_is_the_nearest_line_indented_less() -> None:
    assert outline_of("if x:\n        a\n    b\n      c\n    d\ne\n") == ["if x:", "  a", "  b", "    c", "  d", "e"]


@pytest.mark.parametrize(
    ("text", "before", "parameters", "after"),
    [
        ("def f():", "def f(", [], "):"),
        ("def f( a ):", "def f(", ["a"], "):"),
        ("def f(a, b: int = 3, *, c) -> T[a, b]: pass", "def f(", ["a", "b: int = 3", "*", "c"], ") -> T[a, b]: pass"),
        ("def f(\n  a,  # one, two\n  # three\n  b,  # four\n):", "def f(", ["a", "b"], "):"),
        ("def f(a: T[1, (2, 3)], b={1: 2, 3: 4}):", "def f(", ["a: T[1, (2, 3)]", "b={1: 2, 3: 4}"], "):"),
        (
            "def f(a=lambda x, y=lambda: 0, z=1: (x, y), b=2):",
            "def f(",
            ["a=lambda x, y=lambda: 0, z=1: (x, y)", "b=2"],
            "):",
        ),
        ('def f(a: \'x, )\' = """,(""", b=\')\'):', "def f(", ['a: \'x, )\' = """,("""', "b=')'"], "):"),
        ("async def f[T: (int, str)](a: T):", "async def f[T: (int, str)](", ["a: T"], "):"),
        ("def f(a, \\\n  b \\\n  , c):", "def f(", ["a", "b", "c"], "):"),
        ("def f(a  # c\n  : int, b):", "def f(", ["a  # c\n  : int", "b"], "):"),
        ("def f(a,, b):", "def f(", ["a", "", "b"], "):"),
        ("def f(,):", "def f(", [""], "):"),
        ("def f(a, b: pl.", "def f(", ["a", "b: pl."], ""),
    ],
)
def test_pieces_of_a_signature(text: str, before: str, parameters: list[str], after: str) -> None:
    signature = split_signature(text)
    assert signature is not None
    assert signature.before.text == before
    assert [piece.text for piece in signature.parameters] == parameters
    assert signature.after.text == after
    assert signature.closed == bool(after)
    for piece in (signature.before, *signature.parameters, signature.after):
        assert text[piece.start : piece.end] == piece.text
    assert signature.head_text == before + after
    assert [text[signature.from_head(i)] for i in range(len(before + after))] == list(before + after)


@pytest.mark.parametrize("text", ["def", "def f", "def f:", "def f[(a)"])
def test_a_header_without_parameter_list_has_no_signature(text: str) -> None:
    assert split_signature(text) is None
