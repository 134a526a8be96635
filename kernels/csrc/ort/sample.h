// GridSample, AffineGrid and AffineGridSample: from tensors and attributes to a problem for the core.
#pragma once
#include "tensors.h"

namespace onnxgrid {
namespace ort {

struct Attributes {
  int mode = ONNXGRID_BILINEAR, padding = ONNXGRID_ZEROS;
  bool align_corners = false, grid_align_corners = false;
};

inline int one_of(const std::string& value, const char* op, const char* name, const char* a, const char* b,
                  const char* c) {
  const char* names[3] = {a, b, c};
  for (int i = 0; i < 3; ++i)
    if (value == names[i]) return i;
  throw Failure(std::string(op) + ": " + name + " is \"" + value + "\"; it must be " + a + ", " + b + " or " + c);
}

inline Attributes read_attributes(const Api& api, const OrtKernelInfo* info, const char* op) {
  Attributes out;
  std::string mode = text(api, info, "mode", "bilinear");
  if (mode == "linear") mode = "bilinear";  // the spelling of GridSample-20
  if (mode == "cubic") mode = "bicubic";
  out.mode = one_of(mode, op, "mode", "bilinear", "nearest", "bicubic");
  out.padding = one_of(text(api, info, "padding_mode", "zeros"), op, "padding_mode", "zeros", "border", "reflection");
  out.align_corners = integer(api, info, "align_corners", 0) != 0;
  out.grid_align_corners = integer(api, info, "grid_align_corners", out.align_corners) != 0;
  return out;
}

inline void dense_strides(const std::vector<int64_t>& shape, int64_t* stride) {
  // Rank 2 images skip the depth entry.
  int64_t step = 1;
  const int missing = 5 - int(shape.size());
  for (int i = 4; i >= 0; --i) {
    const bool depth = missing == 1 && i == 2;
    const int axis = i < 2 ? i : i - missing;
    stride[i] = depth ? 0 : step;
    if (!depth) step *= shape[size_t(axis)];
  }
}

inline void set_image(const Tensor& x, const char* op, onnxgrid_problem* p) {
  const int rank = int(x.shape.size()) - 2;
  require(rank == 2 || rank == 3,
          std::string(op) + ": X must be 4-D (N, C, H, W) or 5-D (N, C, D, H, W), not " + x.describe());
  p->rank = rank;
  p->dtype = core_dtype(x.element);
  require(p->dtype >= 0, std::string(op) + ": X must be float32, float64, float16 or bfloat16 (element type " +
                             std::to_string(x.element) + " was given); cast it first");
  p->batch = x.shape[0];
  p->channels = x.shape[1];
  p->in[0] = rank == 3 ? x.shape[2] : 1;
  p->in[1] = x.shape[size_t(rank)];
  p->in[2] = x.shape[size_t(rank) + 1];
  dense_strides(x.shape, p->x_stride);
  p->x = x.data;
}

// The output's shape, and everything that depends on it.
inline std::vector<int64_t> set_output(const std::vector<int64_t>& spatial, onnxgrid_problem* p) {
  std::vector<int64_t> shape = {p->batch, p->channels};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  p->out[0] = p->rank == 3 ? spatial[0] : 1;
  p->out[1] = spatial[spatial.size() - 2];
  p->out[2] = spatial[spatial.size() - 1];
  dense_strides(shape, p->y_stride);
  return shape;
}

inline std::vector<int64_t> set_grid(const Tensor& x, const Tensor& grid, const char* op, onnxgrid_problem* p) {
  const size_t rank = size_t(p->rank);
  require(grid.shape.size() == rank + 2 && grid.shape[0] == p->batch && grid.shape[rank + 1] == p->rank,
          std::string(op) + ": for X " + x.describe() + " the grid must be (" + std::to_string(p->batch) + ", " +
              (rank == 3 ? "D, H, W, 3" : "H, W, 2") + "), not " + grid.describe());
  p->grid_dtype = core_dtype(grid.element);
  p->grid = grid.data;
  p->grid_stride[4] = 1;
  p->grid_stride[3] = p->rank;
  p->grid_stride[2] = p->grid_stride[3] * grid.shape[rank];
  p->grid_stride[1] = rank == 3 ? p->grid_stride[2] * grid.shape[2] : 0;
  p->grid_stride[0] = p->rank;
  for (size_t i = 1; i <= rank; ++i) p->grid_stride[0] *= grid.shape[i];
  return std::vector<int64_t>(grid.shape.begin() + 1, grid.shape.end() - 1);
}

inline void set_theta(const Tensor& theta, int rank, const char* op, onnxgrid_problem* p) {
  require(theta.shape.size() == 3 && theta.shape[1] == rank && theta.shape[2] == rank + 1,
          std::string(op) + ": theta must be (N, " + std::to_string(rank) + ", " + std::to_string(rank + 1) +
              ") for a size of " + std::to_string(rank + 2) + " entries, not " + theta.describe());
  p->grid_dtype = core_dtype(theta.element);
  require(p->grid_dtype >= 0, std::string(op) + ": theta must be float32, float64, float16 or bfloat16");
  p->theta = theta.data;
  p->theta_stride[2] = 1;
  p->theta_stride[1] = rank + 1;
  p->theta_stride[0] = int64_t(rank) * (rank + 1);
}

// size is (N, C, H, W) or (N, C, D, H, W); the spatial part of it.
inline std::vector<int64_t> spatial_size(const Tensor& size, const char* op) {
  require(size.element == ORT_INT64 && size.shape.size() == 1 && (size.shape[0] == 4 || size.shape[0] == 5),
          std::string(op) + ": size must be an int64 vector (N, C, H, W) or (N, C, D, H, W), not " + size.describe());
  const int64_t* entries = static_cast<const int64_t*>(size.data);
  std::vector<int64_t> spatial(entries + 2, entries + size.shape[0]);
  for (int64_t extent : spatial) require(extent > 0, std::string(op) + ": size must hold positive spatial extents");
  return spatial;
}

inline void accept(const onnxgrid_problem& p, const char* op) {
  const char* complaint = onnxgrid_check(&p);
  require(complaint == nullptr, std::string(op) + ": " + (complaint ? complaint : ""));
}

struct Share {
  const onnxgrid_problem* problem;
  int64_t tasks, shares;
};

inline void run_share(void* data, size_t index) {
  const Share& s = *static_cast<const Share*>(data);
  onnxgrid_run(s.problem, s.tasks * int64_t(index) / s.shares, s.tasks * int64_t(index + 1) / s.shares);
}

// On the runtime's own threads where it lends them.
inline void run(const Api& api, OrtKernelContext* context, const onnxgrid_problem& problem) {
  Share share = {&problem, onnxgrid_tasks(&problem), 1};
  if (share.tasks == 0) return;
  if (!api.has_parallel_for() || share.tasks < 4) return run_share(&share, 0);
  share.shares = share.tasks < 64 ? share.tasks : 64;
  check(api, api.parallel_for(context, run_share, size_t(share.shares), &share));
}

}  // namespace ort
}  // namespace onnxgrid
