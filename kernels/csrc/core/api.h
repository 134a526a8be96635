// C interface of the sampling core: one description of a problem, used by every caller.
//
// Tensors are described by sizes and strides in elements, so contiguous, channels-last and sliced
// layouts need no copy. Rank 2 leaves the depth entries at size 1 and stride 0.
#pragma once
#if !defined(__CUDACC_RTC__)  // NVRTC has no headers; its user defines the integer types
#include <stdint.h>
#endif

#if defined(__CUDACC_RTC__)
#define ONNXGRID_API
#elif defined(_WIN32)
#define ONNXGRID_API __declspec(dllexport)
#else
#define ONNXGRID_API __attribute__((visibility("default")))
#endif

extern "C" {

enum onnxgrid_dtype { ONNXGRID_F32 = 0, ONNXGRID_F64 = 1, ONNXGRID_F16 = 2, ONNXGRID_BF16 = 3 };
enum onnxgrid_mode { ONNXGRID_BILINEAR = 0, ONNXGRID_NEAREST = 1, ONNXGRID_BICUBIC = 2 };
enum onnxgrid_padding { ONNXGRID_ZEROS = 0, ONNXGRID_BORDER = 1, ONNXGRID_REFLECTION = 2 };
enum onnxgrid_isa { ONNXGRID_PLAIN = 0, ONNXGRID_GENERIC = 1, ONNXGRID_AVX2 = 2, ONNXGRID_AVX512 = 3 };

typedef struct onnxgrid_problem {
  int32_t rank;           // 2: NCHW, 3: NCDHW
  int32_t dtype;          // of x and y
  int32_t grid_dtype;     // of grid or theta: the same, or F32 beside F16 and BF16
  int32_t mode;           // bicubic needs rank 2
  int32_t padding;
  int32_t align_corners;
  int32_t grid_align_corners;  // with theta only: the alignment of the grid that is computed
  int32_t reserved;
  int64_t batch;
  int64_t channels;
  int64_t in[3];          // depth, height, width
  int64_t out[3];
  int64_t x_stride[5];    // N, C, D, H, W
  int64_t y_stride[5];
  int64_t grid_stride[5]; // N, D, H, W, component
  const void* x;
  const void* grid;       // N, out..., rank; null when theta is given
  void* y;
  const void* theta;      // N, rank, rank + 1; the grid is then computed on the fly
  int64_t theta_stride[3];
} onnxgrid_problem;

typedef struct onnxgrid_gradient {
  onnxgrid_problem forward;   // y unused
  const void* grad_y;         // described by forward.y_stride
  void* grad_x;               // may be null; zeroed by the caller; float accumulator for 16-bit types
  int64_t grad_x_stride[5];
  void* grad_grid;            // may be null; contiguous N, out..., rank; dtype of the grid
} onnxgrid_gradient;

#if !defined(__CUDACC_RTC__)
// Null when the problem can be computed, else a sentence that says what is wrong and what would be right.
ONNXGRID_API const char* onnxgrid_check(const onnxgrid_problem* problem);

// Number of independent tasks; any split of [0, tasks) over threads gives the same result.
ONNXGRID_API int64_t onnxgrid_tasks(const onnxgrid_problem* problem);
ONNXGRID_API void onnxgrid_run(const onnxgrid_problem* problem, int64_t begin, int64_t end);

// Two families of backward tasks: first the gradient of the grid, then that of the input.
ONNXGRID_API int64_t onnxgrid_gradient_tasks(const onnxgrid_gradient* gradient, int input_half);
ONNXGRID_API void onnxgrid_gradient_run(const onnxgrid_gradient* gradient, int input_half, int64_t begin, int64_t end);

// grid[N, out..., rank] from theta; uses batch, rank, out, align_corners, grid_dtype, theta and y (contiguous).
ONNXGRID_API void onnxgrid_affine_grid(const onnxgrid_problem* problem);

// A quarter turn k times (counter-clockwise from axis a to axis b), as torch.rot90 does; any element size.
ONNXGRID_API void onnxgrid_rotate(const void* x, void* y, int64_t item_size, int32_t rank, const int64_t* shape,
                                  int32_t axis_a, int32_t axis_b, int32_t quarter_turns);

// The instruction set in use, and the override used by tests and benchmarks (-1: choose again).
ONNXGRID_API int32_t onnxgrid_isa_in_use(void);
ONNXGRID_API int32_t onnxgrid_isa_select(int32_t isa);
#endif
}
