// The sampler compiled for one instruction set; the build gives this file, and only this file, its flags.
#define ONNXGRID_LANES 8
#include "sampler.h"

namespace onnxgrid {
int64_t tasks_avx2(const onnxgrid_problem& p) { return count_tasks(p); }
void run_avx2(const onnxgrid_problem& p, int64_t begin, int64_t end) { run_tasks(p, begin, end); }
}  // namespace onnxgrid
