// The CUDA half without a toolkit: the kernel source travels in this library, NVRTC compiles an instantiation when it
// is first used on a device, and the driver launches it on the caller's stream. Neither library is linked: both are
// opened when the first kernel runs, so that the file loads on a machine without a GPU.
#include <dlfcn.h>

#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "entry.h"

namespace {

const char kSource[] = {
#include "kernel_source.inc"
};

void* open_one(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  throw std::runtime_error(names.front() + " cannot be loaded");
}

// A function of a library by name, with the signature of `Function`.
template <typename Function> void bind(void* library, const char* name, Function* to) {
  *to = reinterpret_cast<Function>(dlsym(library, name));
  if (!*to) throw std::runtime_error(std::string(name) + " is missing");
}

// The functions of the driver and of NVRTC in use, declared as their stable C interfaces define them.
struct Driver {
  int (*ctx_get_device)(int*);
  int (*device_attribute)(int*, int, int);
  int (*module_load)(void**, const void*);
  int (*module_function)(void**, void*, const char*);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*error_string)(int, const char**);
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*name_expression)(void*, const char*);
  int (*compile)(void*, int, const char* const*);
  int (*lowered_name)(void*, const char*, const char**);
  int (*image_size)(void*, size_t*);
  int (*image)(void*, char*);
  int (*log_size)(void*, size_t*);
  int (*log)(void*, char*);
  int (*destroy)(void**);

  Driver() {
    void* cuda = open_one({"libcuda.so.1", "libcuda.so"});
    bind(cuda, "cuCtxGetDevice", &ctx_get_device);
    bind(cuda, "cuDeviceGetAttribute", &device_attribute);
    bind(cuda, "cuModuleLoadData", &module_load);
    bind(cuda, "cuModuleGetFunction", &module_function);
    bind(cuda, "cuLaunchKernel", &launch);
    bind(cuda, "cuGetErrorString", &error_string);
    void* nvrtc = open_one({ONNXGRID_NVRTC_LIBRARY, "libnvrtc.so"});
    bind(nvrtc, "nvrtcCreateProgram", &create);
    bind(nvrtc, "nvrtcAddNameExpression", &name_expression);
    bind(nvrtc, "nvrtcCompileProgram", &compile);
    bind(nvrtc, "nvrtcGetLoweredName", &lowered_name);
    bind(nvrtc, "nvrtcGetPTXSize", &image_size);
    bind(nvrtc, "nvrtcGetPTX", &image);
    bind(nvrtc, "nvrtcGetProgramLogSize", &log_size);
    bind(nvrtc, "nvrtcGetProgramLog", &log);
    bind(nvrtc, "nvrtcDestroyProgram", &destroy);
  }

  void check(int code) const {
    if (!code) return;
    const char* text = nullptr;
    error_string(code, &text);
    throw std::runtime_error(text ? text : "unknown driver error");
  }
};

const Driver& driver() {
  static const Driver one;
  return one;
}

const char* type_name(int dtype) {
  const char* names[] = {"float", "double", "onnxgrid::half_t", "onnxgrid::bfloat_t"};
  return names[dtype];
}

// PTX of `name` for the device's architecture, or for the newest one that an older NVRTC knows below it.
std::pair<std::string, std::string> compile(const std::string& name, int architecture) {
  const Driver& d = driver();
  std::string complaint;
  const int known[] = {120, 100, 90, 89, 87, 86, 80, 75, 70, 61, 60};
  for (int candidate : known) {
    if (candidate > architecture) continue;
    void* program = nullptr;
    if (d.create(&program, kSource, "onnxgrid.cu", 0, nullptr, nullptr)) throw std::runtime_error("NVRTC failed to start");
    d.name_expression(program, name.c_str());
    const std::string arch = "--gpu-architecture=compute_" + std::to_string(candidate);
    const char* options[] = {"--std=c++14", "--device-as-default-execution-space", arch.c_str()};
    if (d.compile(program, 3, options)) {
      size_t size = 0;
      d.log_size(program, &size);
      complaint.resize(size);
      d.log(program, &complaint[0]);
      d.destroy(&program);
      continue;
    }
    const char* lowered = nullptr;
    size_t size = 0;
    d.lowered_name(program, name.c_str(), &lowered);
    d.image_size(program, &size);
    std::pair<std::string, std::string> out(lowered, std::string(size, '\0'));
    d.image(program, &out.second[0]);
    d.destroy(&program);
    return out;
  }
  throw std::runtime_error("NVRTC: " + complaint);
}

// The kernel on the current device; compiled once per device, since a module belongs to a context.
void* function(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::pair<int, std::string>, void*> made;
  const Driver& d = driver();
  int device = 0, major = 0, minor = 0;
  d.check(d.ctx_get_device(&device));
  std::lock_guard<std::mutex> lock(mutex);
  void*& kernel = made[std::make_pair(device, name)];
  if (kernel) return kernel;
  d.check(d.device_attribute(&major, 75, device));
  d.check(d.device_attribute(&minor, 76, device));
  const auto image = compile(name, 10 * major + minor);
  void* module = nullptr;
  d.check(d.module_load(&module, image.second.c_str()));
  d.check(d.module_function(&kernel, module, image.first.c_str()));
  return kernel;
}

template <typename What>
const char* start(const What& what, const onnxgrid::cuda::Launch& plan, const char* x, const char* grid, void* stream) {
  static thread_local std::string complaint;
  try {
    const std::string name = std::string("onnxgrid::cuda::") + plan.kernel + "<" + x + ", " + grid + ", " +
                             std::to_string(plan.kind) + ", " + (plan.wide ? "long long" : "int") + ">";
    What copy = what;
    int64_t parameter = plan.parameter;
    void* arguments[] = {&copy, &parameter};
    driver().check(driver().launch(function(name), plan.grid[0], plan.grid[1], plan.grid[2], onnxgrid::cuda::kThreads, 1, 1,
                                   0, stream, arguments, nullptr));
    return nullptr;
  } catch (const std::exception& error) {
    complaint = error.what();
    return complaint.c_str();
  }
}

}  // namespace

namespace onnxgrid {
namespace cuda {

const char* launch(const onnxgrid_problem& p, const Launch& plan, void* stream) {
  const bool grid_only = !std::strcmp(plan.kernel, "affine_grid");
  return start(p, plan, type_name(grid_only ? p.grid_dtype : p.dtype), type_name(p.grid_dtype), stream);
}

const char* launch(const onnxgrid_gradient& g, const Launch& plan, void* stream) {
  return start(g, plan, type_name(g.forward.dtype), type_name(g.forward.grid_dtype), stream);
}

}  // namespace cuda
}  // namespace onnxgrid
