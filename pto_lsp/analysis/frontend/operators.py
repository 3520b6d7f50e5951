"""The DSL's operators: canonical names, what may stand at orchestration level, what a call of one yields.

The table may be older than the user's PyPTO, so an operator that is not in it is simply unknown (surface.md §9).
"""

from __future__ import annotations

# Short surface names of operators on tensors that mean the same at orchestration level and inside kernels.
CANONICAL = {
    "create_tensor": "tensor.create",
    "slice": "tensor.slice",
    "reshape": "tensor.reshape",
    "transpose": "tensor.transpose",
    "reinterpret_view": "tensor.reinterpret_view",
    "view": "tensor.view",
    "full": "tensor.full",
    "assemble": "tensor.assemble",
    "dim": "tensor.dim",
    "read": "tensor.read",
    "write": "tensor.write",
}

VIEWS = frozenset({"tensor.slice", "tensor.view", "tensor.reshape", "tensor.transpose", "tensor.reinterpret_view"})
"""Same storage, new descriptor."""

# Value operators that compute on tensors or tiles: a task has to run them, so they are misplaced outside every region.
COMPUTE = frozenset(
    """
    add sub mul div maximum minimum neg abs exp log sqrt rsqrt recip relu cmp sel fmods adds subs muls divs maxs
    mins matmul matmul_acc batch_matmul row_sum row_max row_min row_argmax row_expand row_expand_add row_expand_sub
    row_expand_mul row_expand_div col_sum col_max col_min col_expand col_expand_add col_expand_sub col_expand_mul
    col_expand_div gather gather_row scatter mrgsort concat fillpad arange load store move tensor.full loads
    tensor.add tensor.sub tensor.mul tensor.div tensor.exp tensor.matmul tensor.maximum tensor.minimum tensor.cast
    """.split()
)

ELEMENTWISE = frozenset(
    """
    add sub mul div maximum minimum neg abs exp log sqrt rsqrt recip relu fmods adds subs muls divs maxs mins
    row_expand_add row_expand_sub row_expand_mul row_expand_div col_expand_add col_expand_sub col_expand_mul
    col_expand_div
    """.split()
)
"""The result has the shape of the first operand."""

SCALAR_QUERIES = frozenset(
    {
        "tensor.dim",
        "system.available_aiv_count",
        "system.available_aic_count",
        "system.available_cluster_count",
        "tile.get_block_idx",
        "tile.get_block_num",
        "tile.get_subblock_idx",
        "get_block_idx",
        "get_block_num",
        "get_subblock_idx",
    }
)
"""Yield an INDEX scalar."""

DTYPES = frozenset(
    """
    FP4 FP8E4M3FN FP8E5M2 FP8E8M0 FP16 FP32 FP64 BF16 HF4 HF8 INT4 INT8 INT16 INT32 INT64 UINT4 UINT8 UINT16 UINT32
    UINT64 BOOL INDEX TASK_ID
    """.split()
)

INTEGER_DTYPES = frozenset(d for d in DTYPES if d.startswith(("INT", "UINT"))) | {"INDEX"}

PYTHON_BUILTINS = frozenset(
    """
    abs all any bool bytes callable chr dict dir divmod enumerate filter float format frozenset getattr hasattr
    hash hex id input int isinstance issubclass iter len list locals globals map max min next object oct open ord
    pow print range repr reversed round set setattr slice sorted str sum super tuple type vars zip True False None
    NotImplemented Exception ValueError TypeError RuntimeError KeyError IndexError AssertionError
    NotImplementedError StopIteration __name__ __file__ __doc__ __builtins__ staticmethod classmethod property
    memoryview bytearray complex
    """.split()
)


def canonical(dotted: str) -> str:
    """Canonical operator name of a dotted path below ``pl`` ("create_tensor", "tensor.create", "tile.load")."""
    return CANONICAL.get(dotted, dotted)
