// Where the normalised coordinates of an output pixel come from: a grid in memory, or theta.
#pragma once
#include "coords.h"

namespace onnxgrid {
namespace {

template <typename G> class Coordinates {
 public:
  using A = typename Element<G>::Acc;

  explicit Coordinates(const onnxgrid_problem& p) : p_(p), grid_(static_cast<const G*>(p.grid)) {}

  // Selects a batch item and an output row; `row` counts over depth and height together.
  void select(int64_t n, int64_t row) {
    const int64_t d = row / p_.out[1], h = row % p_.out[1];
    if (!p_.theta) {
      row_ = grid_ + n * p_.grid_stride[0] + d * p_.grid_stride[1] + h * p_.grid_stride[2];
      return;
    }
    const G* theta = static_cast<const G*>(p_.theta) + n * p_.theta_stride[0];
    const A y = base_coordinate<A>(h, p_.out[1], p_.grid_align_corners);
    const A z = base_coordinate<A>(d, p_.out[0], p_.grid_align_corners);
    for (int i = 0; i < p_.rank; ++i) {
      const G* line = theta + i * p_.theta_stride[1];
      const int64_t step = p_.theta_stride[2];
      slope_[i] = Element<G>::read(line[0]);
      A offset = Element<G>::read(line[step]) * y;
      if (p_.rank == 3) offset += Element<G>::read(line[2 * step]) * z;
      offset_[i] = offset + Element<G>::read(line[p_.rank * step]);
    }
  }

  void read(int64_t w, A* c) const {
    if (!p_.theta) {
      const G* item = row_ + w * p_.grid_stride[3];
      for (int i = 0; i < p_.rank; ++i) c[i] = Element<G>::read(item[i * p_.grid_stride[4]]);
      return;
    }
    const A x = base_coordinate<A>(w, p_.out[2], p_.grid_align_corners);
    for (int i = 0; i < p_.rank; ++i) c[i] = slope_[i] * x + offset_[i];
  }

  A slope(int i) const { return slope_[i]; }
  A offset(int i) const { return offset_[i]; }
  const G* row() const { return row_; }

 private:
  const onnxgrid_problem& p_;
  const G* grid_;
  const G* row_ = nullptr;
  A slope_[3] = {0, 0, 0}, offset_[3] = {0, 0, 0};
};

}  // namespace
}  // namespace onnxgrid
