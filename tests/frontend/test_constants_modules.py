from pto_lsp.analysis.frontend.constants.importer import MemoryImporter, ModuleSource
from pto_lsp.analysis.frontend.constants.modules import Evaluator, ModuleEnv, evaluate_module


def run(texts: dict[str, str], entry: str = "main.py", evaluator: Evaluator | None = None) -> ModuleEnv:
    texts = {f"/p/{path}": text for path, text in texts.items()}
    importer = MemoryImporter(texts)
    source = ModuleSource.from_text(f"/p/{entry}", texts[f"/p/{entry}"])
    return evaluator.evaluate_module(source, importer) if evaluator else evaluate_module(source, importer)


CONFIG = """
import dataclasses
from dataclasses import dataclass

@dataclass(frozen=True)
class Config:
    hidden: int
    experts: int = 8

    @property
    def rows(self):
        return self.hidden // 4

FLASH = Config(hidden=4096)
TOKENS = 16
PREFILL = 128
"""

KERNEL = """
from config import FLASH as M, TOKENS
T = TOKENS
ROWS = M.rows
EXPERTS = M.experts
"""


def test_values_of_another_module() -> None:
    env = run({"main.py": KERNEL, "config.py": CONFIG})
    assert (env.get("T"), env.get("ROWS"), env.get("EXPERTS")) == (16, 1024, 8)
    assert env.reads == {"/p/main.py", "/p/config.py"}


def test_attributes_set_by_the_entry_before_it_imports() -> None:
    texts = {
        "main.py": """
import dataclasses
import config
config.TOKENS = config.PREFILL
config.FLASH = dataclasses.replace(config.FLASH, experts=config.FLASH.experts // 2)
from kernel import T
""",
        "kernel.py": KERNEL,
        "config.py": CONFIG,
    }
    evaluator = Evaluator()
    for _ in range(2):
        env = run(texts, "main.py", evaluator)
        kernel = env.module("/p/kernel.py")
        assert kernel is not None
        assert (env.get("T"), kernel.get("T"), kernel.get("EXPERTS")) == (128, 128, 4)
        alone = run(texts, "kernel.py", evaluator)
        assert (alone.get("T"), alone.get("EXPERTS")) == (16, 8)


def test_an_evaluation_that_changes_nothing_gives_the_same_environment() -> None:
    texts = {
        "main.py": "import config\nconfig.TOKENS = 3\nfrom kernel import T\n",
        "kernel.py": KERNEL,
        "config.py": CONFIG,
    }
    evaluator = Evaluator()
    first = run(texts, "main.py", evaluator)
    assert run(texts, "main.py", evaluator) is first
    changed = run({**texts, "config.py": CONFIG.replace("4096", "8192")}, "main.py", evaluator)
    assert changed is not first
    kernel = changed.module("/p/kernel.py")
    assert kernel is not None and kernel.get("ROWS") == 2048
