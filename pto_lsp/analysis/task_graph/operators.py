"""How device operators touch their operands.

An operator that is in none of these tables may do anything to a tensor operand, so nothing is concluded from it.
"""

from __future__ import annotations

LOADS = frozenset({"load", "read"})
"""(tensor, offsets[, shape …]): reads that box; ``read`` one element."""

STORES: dict[str, tuple[int, int, int]] = {
    "store": (2, 0, 1),
    "assemble": (0, 1, 2),
    "write": (0, 2, 1),
}
"""Positions of the written tensor, the value, and the offsets."""

_PURE = """
    add sub mul div maximum minimum neg abs exp log sqrt rsqrt recip relu cmp cmps sel sels fmod fmods rem rems
    adds subs muls divs maxs mins and or xor not shl shr ands ors xors shls shrs
    add_scalar sub_scalar mul_scalar div_scalar addc subc addsc subsc lrelu prelu
    matmul matmul_acc matmul_bias gemv gemv_acc gemv_bias batch_matmul batch_matmul_acc matmul_mx matmul_mx_acc
    row_sum row_max row_min row_prod row_argmax row_argmin row_expand_add row_expand_sub row_expand_mul
    row_expand_div row_expand_max row_expand_min row_expand_expdif
    col_sum col_max col_min col_prod col_argmax col_argmin col_expand_add col_expand_sub col_expand_mul
    col_expand_div col_expand_max col_expand_min col_expand_expdif
    sum mean amax amin cast full zeros ones create arange ci tri
    gather concat fillpad extract move mov reshape transpose slice
    clamp sin cos tanh sigmoid silu gelu softmax pow square
"""
PURE = frozenset(_PURE.split())
"""Read their operands and write nothing but their result (names without ``tensor.`` and ``tile.``).

Operators with a destination or a mere shape among their operands are left out: nothing is concluded from those.
"""
