// The part of ONNX Runtime's C interface that this library uses, declared by the project itself.
//
// No package ships the header. The table of functions only ever grows, so a slot number is a contract: the
// slots of version 1 exist in every release, later ones from the release given beside them. GetApi(1) is asked
// for, which every release grants; what is beyond version 1 is read from the same table once the release's own
// version string says that it is there.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct OrtStatus;
struct OrtValue;
struct OrtTensorTypeAndShapeInfo;
struct OrtKernelInfo;
struct OrtKernelContext;
struct OrtSessionOptions;
struct OrtCustomOpDomain;

struct OrtApi {
  void* slot[512];  // as many as the release has
};

struct OrtApiBase {
  const OrtApi* (*GetApi)(uint32_t version);
  const char* (*GetVersionString)();
};

enum OrtErrorCode { ORT_OK = 0, ORT_FAIL = 1, ORT_INVALID_ARGUMENT = 2 };

enum OrtElement {
  ORT_UNDEFINED = 0, ORT_FLOAT = 1, ORT_UINT8 = 2, ORT_INT8 = 3, ORT_UINT16 = 4, ORT_INT16 = 5, ORT_INT32 = 6,
  ORT_INT64 = 7, ORT_STRING = 8, ORT_BOOL = 9, ORT_FLOAT16 = 10, ORT_DOUBLE = 11, ORT_UINT32 = 12, ORT_UINT64 = 13,
  ORT_COMPLEX64 = 14, ORT_COMPLEX128 = 15, ORT_BFLOAT16 = 16
};

// 26 words. Releases up to 1.16 read the first ones of version 1 or 7; from 1.17 the V2 pair can report errors.
struct OrtCustomOp {
  uint32_t version;
  void* (*CreateKernel)(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info);
  const char* (*GetName)(const OrtCustomOp* op);
  const char* (*GetExecutionProviderType)(const OrtCustomOp* op);
  int (*GetInputType)(const OrtCustomOp* op, size_t index);
  size_t (*GetInputTypeCount)(const OrtCustomOp* op);
  int (*GetOutputType)(const OrtCustomOp* op, size_t index);
  size_t (*GetOutputTypeCount)(const OrtCustomOp* op);
  void (*KernelCompute)(void* kernel, OrtKernelContext* context);
  void (*KernelDestroy)(void* kernel);
  int (*GetInputCharacteristic)(const OrtCustomOp* op, size_t index);
  int (*GetOutputCharacteristic)(const OrtCustomOp* op, size_t index);
  int (*GetInputMemoryType)(const OrtCustomOp* op, size_t index);
  int (*GetVariadicInputMinArity)(const OrtCustomOp* op);
  int (*GetVariadicInputHomogeneity)(const OrtCustomOp* op);
  int (*GetVariadicOutputMinArity)(const OrtCustomOp* op);
  int (*GetVariadicOutputHomogeneity)(const OrtCustomOp* op);
  OrtStatus* (*CreateKernelV2)(const OrtCustomOp* op, const OrtApi* api, const OrtKernelInfo* info, void** kernel);
  OrtStatus* (*KernelComputeV2)(void* kernel, OrtKernelContext* context);
  void* reserved[7];
};
static_assert(sizeof(OrtCustomOp) == 26 * sizeof(void*), "the runtime reads 26 words");

namespace onnxgrid {
namespace ort {

// A typed view of the function table.
class Api {
 public:
  Api() = default;
  Api(const OrtApi* table, int minor) : table_(table), minor_(minor) {}

  const OrtApi* table() const { return table_; }
  bool has_integer_lists() const { return minor_ >= 8; }
  bool takes_overloads() const { return minor_ >= 15; }
  bool has_parallel_for() const { return minor_ >= 17; }
  bool reports_errors() const { return minor_ >= 17; }

  OrtStatus* create_status(OrtErrorCode code, const char* message) const {
    return call<0, OrtStatus*>(int(code), message);
  }
  const char* message_of(const OrtStatus* status) const { return call<2, const char*>(status); }
  OrtStatus* create_domain(const char* name, OrtCustomOpDomain** out) const { return call<26, OrtStatus*>(name, out); }
  OrtStatus* add_to_domain(OrtCustomOpDomain* domain, const OrtCustomOp* op) const {
    return call<27, OrtStatus*>(domain, op);
  }
  OrtStatus* add_domain(OrtSessionOptions* options, OrtCustomOpDomain* domain) const {
    return call<28, OrtStatus*>(options, domain);
  }
  OrtStatus* data_of(OrtValue* value, void** out) const { return call<51, OrtStatus*>(value, out); }
  OrtStatus* element_of(const OrtTensorTypeAndShapeInfo* info, int* out) const { return call<60, OrtStatus*>(info, out); }
  OrtStatus* rank_of(const OrtTensorTypeAndShapeInfo* info, size_t* out) const { return call<61, OrtStatus*>(info, out); }
  OrtStatus* shape_of(const OrtTensorTypeAndShapeInfo* info, int64_t* out, size_t count) const {
    return call<62, OrtStatus*>(info, out, count);
  }
  OrtStatus* info_of(const OrtValue* value, OrtTensorTypeAndShapeInfo** out) const {
    return call<65, OrtStatus*>(value, out);
  }
  OrtStatus* attribute(const OrtKernelInfo* info, const char* name, int64_t* out) const {
    return call<86, OrtStatus*>(info, name, out);
  }
  OrtStatus* attribute(const OrtKernelInfo* info, const char* name, char* out, size_t* size) const {
    return call<87, OrtStatus*>(info, name, out, size);
  }
  OrtStatus* input_count(const OrtKernelContext* context, size_t* out) const { return call<88, OrtStatus*>(context, out); }
  OrtStatus* input(const OrtKernelContext* context, size_t index, const OrtValue** out) const {
    return call<90, OrtStatus*>(context, index, out);
  }
  OrtStatus* output(OrtKernelContext* context, size_t index, const int64_t* shape, size_t rank, OrtValue** out) const {
    return call<91, OrtStatus*>(context, index, shape, rank, out);
  }
  void release(OrtStatus* status) const { call<93, void>(status); }
  void release(OrtTensorTypeAndShapeInfo* info) const { call<99, void>(info); }
  // From 1.8 and from 1.17.
  OrtStatus* attribute(const OrtKernelInfo* info, const char* name, int64_t* out, size_t* count) const {
    return call<163, OrtStatus*>(info, name, out, count);
  }
  OrtStatus* parallel_for(const OrtKernelContext* context, void (*body)(void*, size_t), size_t total, void* data) const {
    return call<274, OrtStatus*>(context, body, total, size_t(0), data);
  }

 private:
  template <int kSlot, typename Result, typename... Args> Result call(Args... args) const {
    return reinterpret_cast<Result (*)(Args...)>(table_->slot[kSlot])(args...);
  }

  const OrtApi* table_ = nullptr;
  int minor_ = 0;
};

// "1.16.3" -> 16; anything newer than version 1 counts as newest.
inline int minor_version(const char* text) {
  if (!text || text[0] != '1' || text[1] != '.') return 999;
  return atoi(text + 2);
}

}  // namespace ort
}  // namespace onnxgrid
