// C interface of the CUDA half: the core's descriptions with device pointers, on the caller's stream.
//
// Each function returns null or a sentence that says what went wrong; nothing synchronises or allocates, so that
// calls can be captured in a graph.
#pragma once
#include "../core/api.h"

extern "C" {
typedef const char* (*onnxgrid_cuda_forward_t)(const onnxgrid_problem* problem, void* stream);
typedef const char* (*onnxgrid_cuda_gradient_t)(const onnxgrid_gradient* gradient, int deterministic, void* stream);
typedef const char* (*onnxgrid_cuda_affine_grid_t)(const onnxgrid_problem* problem, void* stream);
}
