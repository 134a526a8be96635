// torch.nn.functional.affine_grid: theta (N, rank, rank + 1) -> grid (N, out..., rank).
#pragma once
#include "grid.h"

namespace onnxgrid {
namespace {

template <typename G> void affine_grid_typed(const onnxgrid_problem& p) {
  Coordinates<G> from(p);
  G* to = static_cast<G*>(p.y);
  typename Coordinates<G>::A c[3];
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t row = 0; row < p.out[0] * p.out[1]; ++row) {
      from.select(n, row);
      for (int64_t w = 0; w < p.out[2]; ++w) {
        from.read(w, c);
        for (int i = 0; i < p.rank; ++i) *to++ = Element<G>::write(c[i]);
      }
    }
}

inline void affine_grid(const onnxgrid_problem& p) {
  switch (p.grid_dtype) {
    case ONNXGRID_F32: return affine_grid_typed<float>(p);
    case ONNXGRID_F64: return affine_grid_typed<double>(p);
    case ONNXGRID_F16: return affine_grid_typed<half_t>(p);
    default: return affine_grid_typed<bfloat_t>(p);
  }
}

}  // namespace
}  // namespace onnxgrid
