// Tensors, attributes and failures of a custom operator's kernel.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "../core/api.h"
#include "abi.h"

namespace onnxgrid {
namespace ort {

// Carries a message to the runtime: as a status where it takes one (1.17 on), else as the exception itself.
class Failure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool condition, const std::string& message) {
  if (!condition) throw Failure(message);
}

inline void check(const Api& api, OrtStatus* status) {
  if (!status) return;
  const std::string message = api.message_of(status);
  api.release(status);
  throw Failure(message);
}

struct Tensor {
  void* data = nullptr;
  int element = ORT_UNDEFINED;
  std::vector<int64_t> shape;

  int64_t count() const {
    int64_t n = 1;
    for (int64_t extent : shape) n *= extent;
    return n;
  }
  std::string describe() const {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + ")";
  }
};

inline Tensor describe(const Api& api, OrtValue* value) {
  Tensor tensor;
  OrtTensorTypeAndShapeInfo* info = nullptr;
  check(api, api.info_of(value, &info));
  size_t rank = 0;
  OrtStatus* status = api.element_of(info, &tensor.element);
  if (!status) status = api.rank_of(info, &rank);
  tensor.shape.resize(rank);
  if (!status && rank) status = api.shape_of(info, tensor.shape.data(), rank);
  api.release(info);
  check(api, status);
  check(api, api.data_of(value, &tensor.data));
  return tensor;
}

inline Tensor input(const Api& api, OrtKernelContext* context, size_t index, const char* op, const char* name) {
  size_t count = 0;
  check(api, api.input_count(context, &count));
  const OrtValue* value = nullptr;
  if (index < count) check(api, api.input(context, index, &value));
  require(value != nullptr, std::string(op) + ": input " + name + " is missing");
  return describe(api, const_cast<OrtValue*>(value));
}

inline void* output(const Api& api, OrtKernelContext* context, const std::vector<int64_t>& shape) {
  OrtValue* value = nullptr;
  void* data = nullptr;
  check(api, api.output(context, 0, shape.data(), shape.size(), &value));
  check(api, api.data_of(value, &data));
  return data;
}

inline int64_t integer(const Api& api, const OrtKernelInfo* info, const char* name, int64_t otherwise) {
  int64_t value = otherwise;
  OrtStatus* status = api.attribute(info, name, &value);
  if (!status) return value;
  api.release(status);
  return otherwise;
}

inline std::string text(const Api& api, const OrtKernelInfo* info, const char* name, const char* otherwise) {
  char buffer[64] = {};
  size_t size = sizeof buffer;
  OrtStatus* status = api.attribute(info, name, buffer, &size);
  if (!status) return std::string(buffer, strnlen(buffer, sizeof buffer));
  api.release(status);
  return size > sizeof buffer ? "(too long)" : otherwise;
}

// The core's name for an element type, or -1.
inline int core_dtype(int element) {
  switch (element) {
    case ORT_FLOAT: return ONNXGRID_F32;
    case ORT_DOUBLE: return ONNXGRID_F64;
    case ORT_FLOAT16: return ONNXGRID_F16;
    case ORT_BFLOAT16: return ONNXGRID_BF16;
    default: return -1;
  }
}

inline int64_t element_size(int element) {
  switch (element) {
    case ORT_UINT8: case ORT_INT8: case ORT_BOOL: return 1;
    case ORT_UINT16: case ORT_INT16: case ORT_FLOAT16: case ORT_BFLOAT16: return 2;
    case ORT_FLOAT: case ORT_INT32: case ORT_UINT32: return 4;
    case ORT_DOUBLE: case ORT_INT64: case ORT_UINT64: case ORT_COMPLEX64: return 8;
    case ORT_COMPLEX128: return 16;
    default: return 0;
  }
}

}  // namespace ort
}  // namespace onnxgrid
