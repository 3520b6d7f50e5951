from collections.abc import Sequence
from textwrap import dedent

from pto_lsp.analysis.frontend.constants.importer import MemoryImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import Evaluator, ModuleEnv, ScopeEnv
from pto_lsp.analysis.frontend.constants.values import MISSING, UNKNOWN, DynamicSymbol, FunctionRef
from pto_lsp.analysis.source.document import Document
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine


def find(
    lines: Sequence[LogicalLine], name: str, path: tuple[LogicalLine, ...] = ()
) -> tuple[tuple[LogicalLine, ...], LogicalLine] | None:
    """The last ``def name`` and the ``def`` lines around it."""
    found = None
    for line in lines:
        if line.text.startswith(f"def {name}("):
            found = path, line
        inside = (*path, line) if line.kind is LineKind.DEF else path
        found = find(line.children, name, inside) or found
    return found


def scope(text: str, qualname: str, ordinal: int = 0, evaluator: Evaluator | None = None) -> ScopeEnv | ModuleEnv:
    text = dedent(text)
    evaluator = evaluator or Evaluator()
    document = Document(text)
    env = evaluator.evaluate_module(ModuleSource("/m.py", document.chunks), MemoryImporter({}))
    for chunk in reversed(document.chunks):
        found = find(chunk.lines, qualname.rpartition(".")[2])
        if found is not None:
            return evaluator.evaluate_scope(env, found[0], found[1], qualname, ordinal)
    raise AssertionError(qualname)


FACTORY = """
    import pypto.language as pl
    WIDTH = 4

    def build(rows, cols=64):
        tile = WIDTH * 2
        M = pl.dynamic("M")
        if rows > 3:
            maybe = 1
        for step in (1, 2):
            pass

        @pl.jit.inline
        def helper(a: pl.Tensor):
            return a

        @pl.jit
        def kernel(a: pl.Tensor):
            return helper(a)

        late = 5

        def other():
            return 3

        return kernel
    """


def test_factory() -> None:
    env = scope(FACTORY, "build.<locals>.kernel")
    assert env.get("tile") == 8
    assert env.get("M") == DynamicSymbol("M")
    assert env.get("step") == 2
    assert env.get("WIDTH") == 4
    for name in ("rows", "cols", "maybe", "late"):
        assert name in env
        assert env.get(name) is UNKNOWN
    assert env.lookup("absent") is MISSING
    assert env.get("helper") == FunctionRef("/m.py", "build.<locals>.helper")
    assert env.get("other") == FunctionRef("/m.py", "build.<locals>.other")


def test_typing_inside_the_kernel_keeps_the_environment() -> None:
    evaluator = Evaluator()
    first = scope(FACTORY, "build.<locals>.kernel", 0, evaluator)
    edited = FACTORY.replace("return helper(a)", "return helper(a, (")
    assert scope(edited, "build.<locals>.kernel", 0, evaluator) is first
    changed = scope(FACTORY.replace("* 2", "* 3"), "build.<locals>.kernel", 0, evaluator)
    assert changed.get("tile") == 12


def test_method_of_a_test_class_with_a_program_inside() -> None:
    env = scope(
        """
        import pypto.language as pl
        class TestIt:
            hidden = 3
            def test_a(self):
                SIZE = 16
                with pytest.raises(ValueError) as info:
                    try:
                        N = SIZE // 2
                        @pl.program
                        class P:
                            @pl.function
                            def layer(self, a: pl.Tensor[[N], pl.FP32]):
                                return a
                    except ValueError:
                        pass
        """,
        "TestIt.test_a.<locals>.P.layer",
    )
    assert env.get("N") == 8
    assert env.get("info") is UNKNOWN
    assert env.get("self") is UNKNOWN
    assert "hidden" not in env


def test_loop_around_the_definition() -> None:
    env = scope(
        """
        def build():
            fixed, total = 2, 0
            for n in (1, 2, 3):
                total += n
                @pl.jit
                def kernel(a):
                    return a
        """,
        "build.<locals>.kernel",
    )
    assert env.get("fixed") == 2
    assert env.get("n") is UNKNOWN and env.get("total") is UNKNOWN


def test_functions_around_functions() -> None:
    env = scope(
        """
        def outer(n):
            a = 2
            def middle():
                b = a + 1
                n = 7
                @pl.jit
                def kernel(x):
                    return x
                return kernel
            c = 3
            return middle
        """,
        "outer.<locals>.middle.<locals>.kernel",
    )
    assert (env.get("a"), env.get("b"), env.get("n")) == (2, 3, 7)
    assert "c" in env


def test_same_name_twice_in_one_function() -> None:
    text = """
        def build(flag):
            if flag:
                N = 1
                @pl.jit
                def kernel(x):
                    return x
            else:
                N = 2
                @pl.jit
                def kernel(x):
                    return x + 1
            return kernel
        """
    env = scope(text, "build.<locals>.kernel", 5)
    assert env.get("N") == 2
    assert env.get("kernel") == FunctionRef("/m.py", "build.<locals>.kernel", 5)


def test_a_line_that_does_not_parse_costs_only_itself() -> None:
    env = scope(FACTORY.replace("M = pl.dynamic", "M = = pl.dynamic"), "build.<locals>.kernel")
    assert env.get("tile") == 8
    assert "M" in env
    assert env.get("M") is UNKNOWN
