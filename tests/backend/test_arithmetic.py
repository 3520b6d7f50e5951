"""What single operations compute."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.backend.execution.arithmetic import binary, cast, matmul, reduce
from pto_lsp.backend.execution.errors import NotExecutable
from pto_lsp.backend.execution.values import Operand, converted, promoted

_INTEGERS = st.integers(-1000, 1000)


def operand(values: object, dtype: str, tile: bool = False) -> Operand:
    return Operand(converted(np.asarray(values), dtype), dtype, None, tile)


@settings(max_examples=200, deadline=None)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**99), max_value=2.0**99))
def test_bf16_is_the_nearest_value_of_eight_significant_bits(value: float) -> None:
    rounded = float(converted(np.asarray([value], np.float32), "BF16")[0])
    if abs(value) < 2.0**-126:
        assert abs(rounded - value) <= 2.0**-134
        return
    step = math.ldexp(1.0, math.frexp(value)[1] - 8)
    assert math.fmod(rounded, step / 2) == 0
    assert abs(rounded - value) <= step / 2
    assert rounded == round(value / step) * step


def test_bf16_keeps_nan_and_infinity() -> None:
    found = converted(np.asarray([np.nan, np.inf, -np.inf], np.float32), "BF16")
    assert np.isnan(found[0])
    assert list(found[1:]) == [np.inf, -np.inf]


@settings(max_examples=100, deadline=None)
@given(_INTEGERS, _INTEGERS.filter(bool))
def test_integer_division_rounds_towards_zero(left: int, right: int) -> None:
    found = binary("div", operand([left], "INT32"), operand([right], "INT32"))
    assert found.dtype == "INT32"
    assert found.array[0] == math.trunc(left / right)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("round", [-3, -2, 3, 4, 0]),
        ("rint", [-2, -2, 2, 4, 0]),
        ("floor", [-3, -2, 2, 3, 0]),
        ("ceil", [-2, -1, 3, 4, 1]),
        ("trunc", [-2, -1, 2, 3, 0]),
        (2, [-3, -2, 3, 4, 0]),
    ],
)
def test_casts_to_integers_round_as_their_mode_says(mode: object, expected: list[int]) -> None:
    found = cast(operand([-2.5, -1.75, 2.5, 3.5, 0.25], "FP32"), "INT32", mode)
    assert found.array.tolist() == expected


def test_casts_saturate() -> None:
    assert cast(operand([3e9, -3e9, np.nan], "FP32"), "INT32", "round").array.tolist() == [2**31 - 1, -(2**31), 0]
    assert cast(operand([300.0, -5.0], "FP32"), "UINT8", "round").array.tolist() == [255, 0]


def test_an_unknown_rounding_mode_is_refused() -> None:
    with pytest.raises(NotExecutable, match="rounding mode 'odd'"):
        cast(operand([1.0], "FP32"), "INT32", "odd")


def test_types_of_mixed_operands() -> None:
    assert promoted("FP32", "INT32") == "FP32"
    assert promoted("INT8", "FP16") == "FP16"
    assert promoted("BF16", "FP16") == "FP32"
    assert promoted("INT32", "INT64") == "INT64"
    assert binary("mul", operand([2], "INT32"), 0.5).dtype == "FP32"
    assert binary("mul", operand([2.0], "BF16"), 3).dtype == "BF16"


def test_products_of_tiles_stay_in_the_accumulators_type() -> None:
    half = operand(np.full((2, 2), 0.5), "FP16")
    assert matmul(half, half, "").dtype == "FP16"
    assert matmul(half, half, "FP32").dtype == "FP32"
    assert matmul(operand(half.array, "FP16", tile=True), half, "").dtype == "FP32"
    bytes_ = operand(np.full((2, 2), 100), "INT8", tile=True)
    product = matmul(bytes_, bytes_, "")
    assert (product.dtype, product.array.tolist()) == ("INT32", [[20000, 20000], [20000, 20000]])


def test_half_precision_sums_do_not_stall() -> None:
    assert reduce("sum", operand(np.ones((1, 4096)), "FP16"), -1).array.item() == 4096
