// Which block of its task a kernel is.
#pragma once

#include <cstdint>

inline int32_t get_block_idx(int64_t *args) { return reinterpret_cast<const int32_t *>(args[48])[0]; }
inline int32_t get_block_num(int64_t *args) { return reinterpret_cast<const int32_t *>(args[48])[1]; }
inline int32_t get_sub_block_id(int64_t *args) { return static_cast<int32_t>(args[49]); }
