from pathlib import Path

from pto_lsp.analysis.frontend.constants.importer import FileImporter
from pto_lsp.analysis.frontend.constants.modules import Evaluator, ModuleEnv
from pto_lsp.analysis.frontend.constants.values import UNKNOWN, ModuleRef


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def run(path: Path, search_paths: tuple[str, ...] = ()) -> ModuleEnv:
    importer = FileImporter(search_paths)
    source = importer.source(str(path))
    assert source is not None
    return Evaluator().evaluate_module(source, importer)


def test_own_directory_first_then_search_paths(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a/main.py": "from config import N\nfrom shared import S\n",
            "a/config.py": "N = 1\n",
            "lib/config.py": "N = 2\n",
            "lib/shared.py": "from config import N\nS = N\n",
        },
    )
    env = run(tmp_path / "a/main.py", (str(tmp_path / "lib"),))
    assert env.get("N") == 1
    # A module found through a search path looks into its own directory first, too.
    assert env.get("S") == 2


def test_packages(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pkg/__init__.py": "VERSION = 3\nfrom .core import CORE\n",
            "pkg/core.py": "from . import util\nfrom .sub.deep import DEEP\nCORE = util.U + DEEP\n",
            "pkg/util.py": "U = 10\n",
            "pkg/sub/__init__.py": "",
            "pkg/sub/deep.py": "from ..util import U\nimport pkg.util as u\nfrom pkg import VERSION\nDEEP = U + u.U\n",
        },
    )
    env = run(tmp_path / "pkg/sub/deep.py")
    assert env.get("DEEP") == 20
    assert env.get("VERSION") == 3
    core = env.module(str(tmp_path / "pkg/core.py"))
    assert core is not None and core.get("U") is UNKNOWN and "U" not in core


def test_directory_without_init(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"main.py": "import space.inner as s\nfrom space import inner\nA = s.X\n", "space/inner.py": "X = 4\n"},
    )
    env = run(tmp_path / "main.py")
    assert env.get("A") == 4 and env.get("inner") == ModuleRef(str(tmp_path / "space/inner.py"))


def test_what_is_missing_is_reported(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": "import absent\nfrom gone.deep import X\nimport os, math\n"})
    path = str(tmp_path / "main.py")
    env = run(tmp_path / "main.py")
    assert env.missing == {(path, "absent", 0), (path, "gone.deep", 0)}
    assert "X" in env and env.get("X") is UNKNOWN


def test_cycles_see_what_is_there_so_far(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "X = 1\nimport b\nY = b.Z + 1\n",
            "b.py": "import a\nfrom a import X\nZ = X + 10\nW = hasattr(a, 'Y')\n",
        },
    )
    assert run(tmp_path / "a.py").get("Y") == 12
    # The other way round, a needs Z before b has it.
    assert run(tmp_path / "b.py").get("Z") == 11


def test_a_directory_that_appears_is_found_after_forget(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": "from late import X\n"})
    importer = FileImporter()
    source = importer.source(str(tmp_path / "main.py"))
    assert source is not None
    evaluator = Evaluator()
    assert evaluator.evaluate_module(source, importer).get("X") is UNKNOWN
    write(tmp_path, {"late.py": "X = 5\n"})
    importer.forget()
    assert evaluator.evaluate_module(source, importer).get("X") == 5
