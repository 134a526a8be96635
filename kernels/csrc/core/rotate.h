// torch.rot90: quarter turns in the plane of two axes, on contiguous tensors of any element size.
#pragma once
#include <stdint.h>
#include <string.h>

namespace onnxgrid {
namespace {

constexpr int kMaxRotateRank = 16;

template <typename Item>
void rotate_items(const char* x, char* y, int64_t item_size, int rank, const int64_t* shape, const int64_t* stride,
                  int64_t first) {
  int64_t count = 1, at[kMaxRotateRank] = {}, from = first;
  for (int i = 0; i < rank; ++i) count *= shape[i];
  const int64_t size = sizeof(Item) > 1 ? int64_t(sizeof(Item)) : item_size;
  for (int64_t k = 0; k < count; ++k) {
    memcpy(y + k * size, x + from * size, size_t(size));
    for (int i = rank - 1; i >= 0; --i) {
      from += stride[i];
      if (++at[i] < shape[i]) break;
      from -= stride[i] * shape[i];
      at[i] = 0;
    }
  }
}

// `shape` is the input's. An odd number of turns swaps the two axes of the output.
inline void rotate(const void* x, void* y, int64_t item_size, int rank, const int64_t* shape, int a, int b, int turns) {
  int64_t stride[kMaxRotateRank], out[kMaxRotateRank], step = 1, first = 0;
  for (int i = rank - 1; i >= 0; --i) {
    stride[i] = step;
    step *= shape[i];
    out[i] = shape[i];
  }
  if (step == 0) return;
  turns = ((turns % 4) + 4) % 4;
  // One turn: y[.., i, .., j, ..] = x[.., j, .., size_b - 1 - i, ..] with i on axis a and j on axis b.
  const int64_t along_a = stride[a], along_b = stride[b];
  if (turns & 1) {
    out[a] = shape[b];
    out[b] = shape[a];
  }
  if (turns == 1) { first = (shape[b] - 1) * along_b; stride[a] = -along_b; stride[b] = along_a; }
  if (turns == 2) { first = (shape[a] - 1) * along_a + (shape[b] - 1) * along_b; stride[a] = -along_a; stride[b] = -along_b; }
  if (turns == 3) { first = (shape[a] - 1) * along_a; stride[a] = along_b; stride[b] = -along_a; }
  const char* from = static_cast<const char*>(x);
  char* to = static_cast<char*>(y);
  switch (item_size) {
    case 2: return rotate_items<uint16_t>(from, to, item_size, rank, out, stride, first);
    case 4: return rotate_items<uint32_t>(from, to, item_size, rank, out, stride, first);
    case 8: return rotate_items<uint64_t>(from, to, item_size, rank, out, stride, first);
    default: return rotate_items<char>(from, to, item_size, rank, out, stride, first);
  }
}

}  // namespace
}  // namespace onnxgrid
