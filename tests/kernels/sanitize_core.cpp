// Random problems on buffers that end exactly where the data ends, for a build with AddressSanitizer and
// UndefinedBehaviorSanitizer: any read or write outside aborts. Prints the number of problems.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "../../kernels/csrc/core/api.h"

namespace {

std::mt19937 generator(1);
int64_t up_to(int64_t most) { return std::uniform_int_distribution<int64_t>(1, most)(generator); }

template <typename T> std::unique_ptr<T[]> floats(int64_t count, bool coordinates) {
  std::unique_ptr<T[]> out(new T[size_t(count)]);
  const double odd[] = {NAN, INFINITY, -INFINITY, 1e9, -1e20, 3e38, 1.0, -1.0, 0.0, 2147483647.0};
  for (int64_t i = 0; i < count; ++i) {
    const double value = std::uniform_real_distribution<double>(-1.5, 1.5)(generator);
    out[size_t(i)] = T(coordinates && up_to(8) == 1 ? odd[up_to(10) - 1] : value);
  }
  return out;
}

template <typename T> void one(int dtype, bool theta) {
  onnxgrid_problem p = {};
  p.rank = int32_t(up_to(2)) + 1;
  p.dtype = p.grid_dtype = dtype;
  p.mode = int32_t(up_to(p.rank == 3 ? 2 : 3)) - 1;
  p.padding = int32_t(up_to(3)) - 1;
  p.align_corners = up_to(2) == 1;
  p.grid_align_corners = up_to(2) == 1;
  p.batch = up_to(2);
  p.channels = up_to(4) == 1 ? up_to(70) : up_to(5);
  for (int i = 0; i < 3; ++i) {
    p.in[i] = i || p.rank == 3 ? up_to(i ? 40 : 5) : 1;
    p.out[i] = i || p.rank == 3 ? up_to(i == 2 && up_to(3) == 1 ? 600 : (i ? 30 : 4)) : 1;
  }
  const int64_t in = p.in[0] * p.in[1] * p.in[2], out = p.out[0] * p.out[1] * p.out[2];
  const bool last = up_to(3) == 1;  // channels last
  const auto strides = [&](const int64_t* extent, int64_t* to) {
    const int64_t unit = last ? p.channels : 1, plane = extent[0] * extent[1] * extent[2];
    to[0] = p.channels * plane;
    to[1] = last ? 1 : plane;
    to[2] = p.rank == 3 ? extent[1] * extent[2] * unit : 0;
    to[3] = extent[2] * unit;
    to[4] = unit;
  };
  strides(p.in, p.x_stride);
  strides(p.out, p.y_stride);
  auto x = floats<T>(p.batch * p.channels * in, false);
  auto y = floats<T>(p.batch * p.channels * out, false);
  auto grid = floats<T>(theta ? p.batch * p.rank * (p.rank + 1) : p.batch * out * p.rank, true);
  p.x = x.get();
  p.y = y.get();
  if (theta) {
    p.theta = grid.get();
    p.theta_stride[0] = p.rank * (p.rank + 1);
    p.theta_stride[1] = p.rank + 1;
    p.theta_stride[2] = 1;
  } else {
    p.grid = grid.get();
    const int64_t g[5] = {out * p.rank, p.rank == 3 ? p.out[1] * p.out[2] * 3 : 0, p.out[2] * p.rank, p.rank, 1};
    memcpy(p.grid_stride, g, sizeof g);
  }
  if (onnxgrid_check(&p)) abort();
  onnxgrid_run(&p, 0, onnxgrid_tasks(&p));
  onnxgrid_gradient g = {};
  g.forward = p;
  g.grad_y = p.y;
  std::vector<T> grad_x(size_t(p.batch * p.channels * in)), grad_grid(size_t(p.batch * out * p.rank));
  g.grad_x = grad_x.data();
  g.grad_grid = grad_grid.data();
  memcpy(g.grad_x_stride, p.x_stride, sizeof p.x_stride);
  for (int half = 0; half < 2; ++half) onnxgrid_gradient_run(&g, half, 0, onnxgrid_gradient_tasks(&g, half));
  if (theta) {
    p.y = grad_grid.data();
    onnxgrid_affine_grid(&p);
  }
}

}  // namespace

int main(int, char** argv) {
  const int rounds = atoi(argv[1]);
  int done = 0;
  for (int isa = 0; isa <= 3; ++isa) {
    if (onnxgrid_isa_select(isa) != isa) break;
    for (int i = 0; i < rounds; ++i, done += 3) {
      one<float>(ONNXGRID_F32, false);
      one<float>(ONNXGRID_F32, true);
      one<double>(ONNXGRID_F64, i % 2 == 0);
    }
  }
  for (int turns = 0; turns < 4; ++turns) {
    const int64_t shape[3] = {3, 4, 5};
    std::unique_ptr<float[]> x = floats<float>(60, false), y = floats<float>(60, false);
    onnxgrid_rotate(x.get(), y.get(), 4, 3, shape, 0, 2, turns);
  }
  printf("%d\n", done);
}
