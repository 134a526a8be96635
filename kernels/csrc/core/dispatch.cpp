// The C interface: checks, and the choice of instruction set at run time.
#include <stdlib.h>

#include <atomic>

#include "affine.h"
#include "backward.h"
#include "plain.h"
#include "rotate.h"

namespace onnxgrid {
int64_t tasks_generic(const onnxgrid_problem& p);
void run_generic(const onnxgrid_problem& p, int64_t begin, int64_t end);
#if ONNXGRID_HAS_X86
int64_t tasks_avx2(const onnxgrid_problem& p);
void run_avx2(const onnxgrid_problem& p, int64_t begin, int64_t end);
int64_t tasks_avx512(const onnxgrid_problem& p);
void run_avx512(const onnxgrid_problem& p, int64_t begin, int64_t end);
#endif

namespace {

int32_t best_isa() {
#if ONNXGRID_HAS_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    return ONNXGRID_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return ONNXGRID_AVX2;
#endif
  return ONNXGRID_GENERIC;
}

int32_t wanted_isa() {
  const int32_t best = best_isa();
  const char* name = getenv("ONNXGRID_ISA");
  if (!name) return best;
  const char* names[] = {"plain", "generic", "avx2", "avx512"};
  for (int32_t i = 0; i <= best; ++i)
    if (!strcmp(name, names[i])) return i;
  return best;
}

std::atomic<int32_t> selected{-1};

int32_t isa() {
  int32_t now = selected.load(std::memory_order_relaxed);
  if (now < 0) {
    now = wanted_isa();
    selected.store(now, std::memory_order_relaxed);
  }
  return now;
}

}  // namespace
}  // namespace onnxgrid

using namespace onnxgrid;

const char* onnxgrid_check(const onnxgrid_problem* p) {
  if (p->rank != 2 && p->rank != 3) return "the input must be 4-D (N, C, H, W) or 5-D (N, C, D, H, W)";
  if (p->dtype < ONNXGRID_F32 || p->dtype > ONNXGRID_BF16)
    return "the input must be float32, float64, float16 or bfloat16; cast it first";
  if (p->grid_dtype != p->dtype && !(p->grid_dtype == ONNXGRID_F32 && p->dtype >= ONNXGRID_F16))
    return "grid or theta must have the dtype of the input (or float32 beside a 16-bit input)";
  if (p->mode < 0 || p->mode > 2) return "mode must be bilinear, nearest or bicubic";
  if (p->padding < 0 || p->padding > 2) return "padding_mode must be zeros, border or reflection";
  if (p->mode == ONNXGRID_BICUBIC && p->rank == 3) return "bicubic works on 4-D inputs only; use bilinear for 5-D";
  for (int i = 0; i < 3; ++i) {
    if (p->in[i] < 1) return "the input must have non-empty spatial axes";
    if (p->out[i] < 0) return "the output size must not be negative";
  }
  return nullptr;
}

int64_t onnxgrid_tasks(const onnxgrid_problem* p) {
  switch (isa()) {
#if ONNXGRID_HAS_X86
    case ONNXGRID_AVX512: return tasks_avx512(*p);
    case ONNXGRID_AVX2: return tasks_avx2(*p);
#endif
    case ONNXGRID_GENERIC: return tasks_generic(*p);
    default: return p->channels && p->out[2] ? p->batch * p->out[0] * p->out[1] : 0;
  }
}

void onnxgrid_run(const onnxgrid_problem* p, int64_t begin, int64_t end) {
  switch (isa()) {
#if ONNXGRID_HAS_X86
    case ONNXGRID_AVX512: return run_avx512(*p, begin, end);
    case ONNXGRID_AVX2: return run_avx2(*p, begin, end);
#endif
    case ONNXGRID_GENERIC: return run_generic(*p, begin, end);
    default: return run_plain(*p, begin, end);
  }
}

int64_t onnxgrid_gradient_tasks(const onnxgrid_gradient* g, int input_half) { return gradient_tasks(*g, input_half); }

void onnxgrid_gradient_run(const onnxgrid_gradient* g, int input_half, int64_t begin, int64_t end) {
  run_gradient(*g, input_half, begin, end);
}

void onnxgrid_affine_grid(const onnxgrid_problem* p) { affine_grid(*p); }

void onnxgrid_rotate(const void* x, void* y, int64_t item_size, int32_t rank, const int64_t* shape, int32_t axis_a,
                     int32_t axis_b, int32_t quarter_turns) {
  rotate(x, y, item_size, rank, shape, axis_a, axis_b, quarter_turns);
}

int32_t onnxgrid_isa_in_use(void) { return isa(); }

int32_t onnxgrid_isa_select(int32_t wanted) {
  const int32_t best = best_isa();
  selected.store(wanted < 0 ? wanted_isa() : (wanted > best ? best : wanted));
  return isa();
}
