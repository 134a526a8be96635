// The four operators of the domain custom.ops and their registration with any ONNX Runtime from 1.7 on.
#include <map>
#include <mutex>

#include "sample.h"

using namespace onnxgrid;
using namespace onnxgrid::ort;

namespace {

Api runtime;  // one runtime per process loads this library

// A custom operator with the element types of its inputs and of its output.
//
// A runtime infers the type of an output from at most one input of undefined type. An operator whose two inputs
// share a type is therefore declared once per type from 1.15 on; up to 1.14, which takes one declaration per
// name, the second input has the type chosen before registration (float32 unless onnxgrid_ort_choose was called).
struct Operator : OrtCustomOp {
  const char* name;
  std::vector<int> inputs;
  int output;
};

struct Kernel {
  virtual ~Kernel() = default;
  virtual void compute(OrtKernelContext* context) = 0;
};

struct GridSample : Kernel {
  explicit GridSample(const OrtKernelInfo* info) : attributes(read_attributes(runtime, info, "GridSample")) {}
  void compute(OrtKernelContext* context) override {
    const Tensor x = input(runtime, context, 0, "GridSample", "X"), grid = input(runtime, context, 1, "GridSample", "grid");
    onnxgrid_problem p = {};
    set_image(x, "GridSample", &p);
    const std::vector<int64_t> spatial = set_grid(x, grid, "GridSample", &p);
    p.mode = attributes.mode;
    p.padding = attributes.padding;
    p.align_corners = attributes.align_corners;
    const std::vector<int64_t> shape = set_output(spatial, &p);
    accept(p, "GridSample");
    p.y = output(runtime, context, shape);
    run(runtime, context, p);
  }
  Attributes attributes;
};

struct AffineGrid : Kernel {
  explicit AffineGrid(const OrtKernelInfo* info) : align_corners(integer(runtime, info, "align_corners", 0) != 0) {}
  void compute(OrtKernelContext* context) override {
    const Tensor theta = input(runtime, context, 0, "AffineGrid", "theta"), size = input(runtime, context, 1, "AffineGrid", "size");
    const std::vector<int64_t> spatial = spatial_size(size, "AffineGrid");
    onnxgrid_problem p = {};
    p.rank = int32_t(spatial.size());
    set_theta(theta, p.rank, "AffineGrid", &p);
    p.dtype = p.grid_dtype;
    p.batch = theta.shape[0];
    p.grid_align_corners = align_corners;
    set_output(spatial, &p);
    std::vector<int64_t> shape = {p.batch};
    shape.insert(shape.end(), spatial.begin(), spatial.end());
    shape.push_back(p.rank);
    p.y = output(runtime, context, shape);
    onnxgrid_affine_grid(&p);
  }
  bool align_corners;
};

struct AffineGridSample : Kernel {
  explicit AffineGridSample(const OrtKernelInfo* info) : attributes(read_attributes(runtime, info, "AffineGridSample")) {}
  void compute(OrtKernelContext* context) override {
    const char* op = "AffineGridSample";
    const Tensor x = input(runtime, context, 0, op, "X"), theta = input(runtime, context, 1, op, "theta");
    const std::vector<int64_t> spatial = spatial_size(input(runtime, context, 2, op, "size"), op);
    onnxgrid_problem p = {};
    set_image(x, op, &p);
    require(int32_t(spatial.size()) == p.rank, "AffineGridSample: size must have as many entries as X has axes");
    set_theta(theta, p.rank, op, &p);
    require(theta.shape[0] == p.batch, "AffineGridSample: X and theta must have the same batch size");
    p.mode = attributes.mode;
    p.padding = attributes.padding;
    p.align_corners = attributes.align_corners;
    p.grid_align_corners = attributes.grid_align_corners;
    const std::vector<int64_t> shape = set_output(spatial, &p);
    accept(p, op);
    p.y = output(runtime, context, shape);
    run(runtime, context, p);
  }
  Attributes attributes;
};

struct Rotate : Kernel {
  explicit Rotate(const OrtKernelInfo* info) : turns(int32_t(integer(runtime, info, "k", 1) & 3)) {
    // 1.7 cannot hand out lists of integers; to guess the axes could be silently wrong, so compute() refuses.
    if (!runtime.has_integer_lists()) return;
    size_t count = 2;
    OrtStatus* status = runtime.attribute(info, "dims", axes, &count);
    if (status) runtime.release(status);
    require(status == nullptr && count == 2, "Rotate: dims must be two axes");
    known = true;
  }
  void compute(OrtKernelContext* context) override {
    require(known, "Rotate: this ONNX Runtime cannot read the attribute dims; it needs 1.8 or later");
    const Tensor x = input(runtime, context, 0, "Rotate", "X");
    const int64_t rank = int64_t(x.shape.size()), size = element_size(x.element);
    require(size > 0, "Rotate: X must hold numbers or booleans");
    require(rank >= 2 && rank <= 16, "Rotate: X must have 2 to 16 axes, not shape " + x.describe());
    int64_t at[2];
    for (int i = 0; i < 2; ++i) {
      at[i] = axes[i] < 0 ? axes[i] + rank : axes[i];
      require(at[i] >= 0 && at[i] < rank, "Rotate: dims must name axes of X " + x.describe());
    }
    require(at[0] != at[1], "Rotate: dims must be two different axes");
    std::vector<int64_t> shape = x.shape;
    if (turns & 1) std::swap(shape[size_t(at[0])], shape[size_t(at[1])]);
    void* y = output(runtime, context, shape);
    onnxgrid_rotate(x.data, y, size, int32_t(rank), x.shape.data(), int32_t(at[0]), int32_t(at[1]), turns);
  }
  int32_t turns;
  int64_t axes[2] = {0, 1};
  bool known = false;
};

template <typename K> void* create(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo* info) { return new K(info); }

template <typename Body> OrtStatus* as_status(Body body) {
  try {
    body();
    return nullptr;
  } catch (const std::exception& error) {
    return runtime.create_status(ORT_INVALID_ARGUMENT, error.what());
  } catch (...) {
    return runtime.create_status(ORT_FAIL, "onnxgrid: unknown failure");
  }
}

template <typename K>
OrtStatus* create_v2(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo* info, void** kernel) {
  return as_status([&] { *kernel = new K(info); });
}

void compute(void* kernel, OrtKernelContext* context) { static_cast<Kernel*>(kernel)->compute(context); }

OrtStatus* compute_v2(void* kernel, OrtKernelContext* context) {
  return as_status([&] { compute(kernel, context); });
}

template <typename K> Operator* make_operator(const std::string& name, std::vector<int> inputs, int output) {
  Operator* op = new Operator();  // never freed: the runtime holds the pointer
  op->name = (new std::string(name))->c_str();
  op->inputs = inputs;
  op->output = output;
  op->version = runtime.reports_errors() ? 17 : 7;
  op->GetName = [](const OrtCustomOp* self) { return static_cast<const Operator*>(self)->name; };
  op->GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };
  op->GetInputTypeCount = [](const OrtCustomOp* self) { return static_cast<const Operator*>(self)->inputs.size(); };
  op->GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  op->GetInputType = [](const OrtCustomOp* self, size_t i) { return static_cast<const Operator*>(self)->inputs[i]; };
  op->GetOutputType = [](const OrtCustomOp* self, size_t) { return static_cast<const Operator*>(self)->output; };
  op->GetInputCharacteristic = [](const OrtCustomOp*, size_t) -> int { return 0; };
  op->GetOutputCharacteristic = [](const OrtCustomOp*, size_t) -> int { return 0; };
  op->GetInputMemoryType = [](const OrtCustomOp*, size_t) -> int { return 0; };
  // 1.15 compares the overloads of a name by these four without asking for the version that has them.
  op->GetVariadicInputMinArity = [](const OrtCustomOp*) -> int { return 1; };
  op->GetVariadicInputHomogeneity = [](const OrtCustomOp*) -> int { return 1; };
  op->GetVariadicOutputMinArity = [](const OrtCustomOp*) -> int { return 1; };
  op->GetVariadicOutputHomogeneity = [](const OrtCustomOp*) -> int { return 1; };
  op->KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
  if (runtime.reports_errors()) {
    op->CreateKernelV2 = create_v2<K>;
    op->KernelComputeV2 = compute_v2;
  } else {
    op->CreateKernel = create<K>;
    op->KernelCompute = compute;
  }
  return op;
}

constexpr int kNames = 8;  // GridSample, GridSample_2, …: an export numbers uses with other attributes
int chosen_element = ORT_FLOAT;

std::vector<Operator*> all_operators(const std::string& suffix) {
  std::vector<Operator*> ops = {make_operator<AffineGrid>("AffineGrid" + suffix, {ORT_UNDEFINED, ORT_INT64}, ORT_UNDEFINED),
                                make_operator<Rotate>("Rotate" + suffix, {ORT_UNDEFINED}, ORT_UNDEFINED)};
  const auto add = [&](int x, int grid, int y) {
    ops.push_back(make_operator<GridSample>("GridSample" + suffix, {x, grid}, y));
    ops.push_back(make_operator<AffineGridSample>("AffineGridSample" + suffix, {x, grid, ORT_INT64}, y));
  };
  if (!runtime.takes_overloads()) {
    add(ORT_UNDEFINED, chosen_element, ORT_UNDEFINED);
    return ops;
  }
  for (int element : {ORT_FLOAT, ORT_DOUBLE, ORT_FLOAT16, ORT_BFLOAT16}) add(element, element, element);
  return ops;
}

OrtStatus* fill_domain(OrtCustomOpDomain* domain) {
  for (int i = 1; i <= kNames; ++i)
    for (Operator* op : all_operators(i == 1 ? "" : "_" + std::to_string(i)))
      if (OrtStatus* status = runtime.add_to_domain(domain, op)) return status;
  return nullptr;
}

}  // namespace

extern "C" ONNXGRID_API OrtStatus* RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
  static std::mutex mutex;
  static std::map<int, OrtCustomOpDomain*> domains;
  std::lock_guard<std::mutex> lock(mutex);
  OrtCustomOpDomain*& domain = domains[chosen_element];
  if (!domain) {
    runtime = Api(base->GetApi(1), minor_version(base->GetVersionString()));
    OrtCustomOpDomain* made = nullptr;
    if (OrtStatus* status = runtime.create_domain("custom.ops", &made)) return status;
    if (OrtStatus* status = fill_domain(made)) return status;
    domain = made;
  }
  return runtime.add_domain(options, domain);
}

// The element type of grid and theta in registrations to come; matters to runtimes up to 1.14 only.
extern "C" ONNXGRID_API void onnxgrid_ort_choose(int element) { chosen_element = element; }
