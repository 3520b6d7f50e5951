// Element types, and how numbers become elements.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

using half = _Float16;

struct bfloat16_t {
    uint16_t bits;
    bfloat16_t() = default;
    explicit bfloat16_t(float value) {
        uint32_t wide;
        std::memcpy(&wide, &value, 4);
        const bool nan = value != value;
        bits = static_cast<uint16_t>((nan ? wide | 0x400000 : wide + 0x7FFF + ((wide >> 16) & 1)) >> 16);
    }
    explicit operator float() const {
        const uint32_t wide = static_cast<uint32_t>(bits) << 16;
        float value;
        std::memcpy(&value, &wide, 4);
        return value;
    }
    explicit operator double() const { return static_cast<float>(*this); }
};

namespace model {

template <typename T>
constexpr bool is_integer = std::is_integral_v<T>;

// What the vector core computes with.
template <typename T>
constexpr bool is_computed = std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, int32_t> ||
                             std::is_same_v<T, int16_t>;

template <typename T>
T rounded(double value) {
    if constexpr (std::is_same_v<T, bfloat16_t>) return bfloat16_t(static_cast<float>(value));
    else if constexpr (std::is_same_v<T, half>) return static_cast<half>(static_cast<float>(value));
    else return static_cast<T>(value);
}

template <typename T>
T saturated(double value) {
    if (value != value) return 0;
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}

}  // namespace model
