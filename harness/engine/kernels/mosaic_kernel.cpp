#include "harness/engine/kernels/mosaic_kernel.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/mosaic_steps.h"

namespace vintage::harness {
using namespace golden;

namespace {

// "vmem" of "memref<8xf32, #tpu.memory_space<vmem>>"; empty where the type does not say.
std::string spaceOf(const ValueType& type) {
  constexpr std::string_view kSpace = "memory_space<";
  const size_t at = type.text.find(kSpace);
  if (at == std::string::npos) return {};
  const size_t from = at + kSpace.size();
  return type.text.substr(from, type.text.find_first_of(",>", from) - from);
}

// The padding of an element window, low and high of each dimension: "<[0, 0], [1, 0]>".
std::vector<int64_t> paddingOf(std::string_view text) {
  const auto lists = listsIn(text);
  return lists.empty() ? std::vector<int64_t>() : lists[0];
}

// Whether devices meet in it: it names another one, or asks for their barrier.
bool communicates(const Region& region) {
  const auto names = [](const Operation& operation, std::string_view name, size_t groups,
                        size_t device) {
    if (operation.name != name) return false;
    const auto found = operandGroups(operation, groups);
    return found && !(*found)[device].empty();
  };
  return std::ranges::any_of(region.blocks, [&](const Block& block) {
    return std::ranges::any_of(block.operations, [&](const Operation& operation) {
      return operation.name == "tpu.sem_barrier" || names(operation, "tpu.enqueue_dma", 7, 4) ||
             names(operation, "tpu.sem_signal", 5, 2) ||
             std::ranges::any_of(operation.regions, communicates);
    });
  });
}

// Which dimensions of the grid a device may walk in any order.
std::vector<bool> parallelDimensions(const AttributeMap& own, size_t dimensions) {
  std::vector<bool> parallel(dimensions, false);
  const auto* semantics = attributeField<AttributeList>(own, "dimension_semantics");
  for (size_t i = 0; semantics && i < std::min(dimensions, semantics->size()); ++i) {
    const auto* text = std::get_if<std::string>(&(*semantics)[i].value);
    parallel[i] = text && text->find("parallel") != std::string::npos;
  }
  return parallel;
}

// A TPU's sparse cores have instructions of their own.
Status checkCores(const ModuleTree& kernel) {
  for (const Function& function : kernel.functions) {
    const auto* own = attributeField<AttributeMap>(kernel.attributes, "@" + function.name);
    for (const auto& [name, value] : own ? *own : AttributeMap()) {
      if (!name.ends_with(".core_type")) continue;
      if (const std::string core = keywordOf(*own, name); core.starts_with("sc_"))
        return unsupported(
            "@{} runs on a sparse core ({}); the embedded engine runs kernels for a TPU's tensor "
            "cores",
            function.name, core);
    }
  }
  return {};
}

Status readWindow(const AttributeMap& window, const KernelProgram& program,
                  MosaicOperand& operand) {
  if (!window.contains("transform_indices")) return {};
  CheckedAttributes read(window, "window_params");
  const std::string name = read.text("transform_indices");
  const std::vector<int64_t> bounds = read.integers("window_bounds");
  RETURN_IF_ERROR(read.status());
  operand.transform = program.find(name);
  if (!operand.transform) return badInput("window_params: there is no function @{}", name);
  operand.isWhole = false;
  if (bounds.size() != operand.window.size() ||
      operand.transform->source->resultTypes.size() != bounds.size())
    return badInput("@{} gives {} indices, its window has {} dimensions and its memory {}", name,
                    operand.transform->source->resultTypes.size(), bounds.size(),
                    operand.window.size());
  operand.window = bounds;
  if (const auto* kind = attributeField<std::string>(window, "window_kind")) {
    operand.countsElements = true;
    operand.padding = paddingOf(*kind);
  }
  operand.padding.resize(bounds.size(), 0);
  return {};
}

}  // namespace

Result<std::shared_ptr<const MosaicKernel>> MosaicKernel::make(ModuleTree tree,
                                                               std::span<const ValueType> inputs,
                                                               std::span<const ValueType> outputs,
                                                               std::vector<int64_t> aliases) {
  auto kernel = std::make_shared<MosaicKernel>();
  kernel->kernel_ = std::move(tree);
  kernel->inputs_.assign(inputs.begin(), inputs.end());
  kernel->outputs_.assign(outputs.begin(), outputs.end());
  kernel->aliases_ = std::move(aliases);
  std::vector<StepTable> tables = sharedSteps();
  tables.push_back(mosaicVectorSteps());
  tables.push_back(mosaicMemorySteps());
  tables.push_back(mosaicRegisterSteps());
  RETURN_IF_ERROR(checkCores(kernel->kernel_));
  ASSIGN_OR_RETURN(kernel->program_, planKernel(kernel->kernel_, tables));
  // The first function is the kernel, the others place its windows.
  if (kernel->kernel_.functions.empty()) return badInput("the kernel has no function");
  const Function& main = kernel->kernel_.functions.front();
  kernel->main_ = kernel->program_->find(main.name);
  const auto* own = attributeField<AttributeMap>(kernel->kernel_.attributes, "@" + main.name);
  CheckedAttributes read(*own, "@" + main.name);
  kernel->bounds_ = read.integers("iteration_bounds", std::vector<int64_t>{});
  kernel->parallel_ = parallelDimensions(*own, kernel->bounds_.size());
  kernel->communicates_ =
      std::ranges::any_of(kernel->kernel_.functions,
                          [](const Function& function) { return communicates(function.body); });
  const int64_t prefetched = read.integer("scalar_prefetch", 0);
  const int64_t scratch = read.integer("scratch_operands", 0);
  RETURN_IF_ERROR(read.status());
  const auto& arguments = main.argumentTypes;
  kernel->dynamicBounds_ = static_cast<size_t>(std::ranges::count(kernel->bounds_, kDynamicBound));
  const int64_t seen = std::ssize(arguments) - std::ssize(kernel->bounds_) - prefetched - scratch;
  const int64_t called = std::ssize(inputs) + std::ssize(outputs) -
                         static_cast<int64_t>(kernel->dynamicBounds_) - prefetched;
  if (prefetched < 0 || scratch < 0 || seen < 0 || seen != called)
    return badInput(
        "@{} takes {} arguments: {} indices, {} prefetched, {} scratch and {} others, where the "
        "call has {} operands and {} results",
        main.name, arguments.size(), kernel->bounds_.size(), prefetched, scratch, seen,
        inputs.size(), outputs.size());
  kernel->prefetched_ = static_cast<size_t>(prefetched);
  const size_t first = kernel->bounds_.size() + kernel->prefetched_;
  const auto* windows = attributeField<AttributeList>(*own, "window_params");
  for (size_t i = 0; i < static_cast<size_t>(seen); ++i) {
    const ValueType& type = arguments[first + i];
    MosaicOperand operand;
    operand.window = type.shape;
    operand.element = type.element;
    operand.space = spaceOf(type);
    const auto* window =
        windows && i < windows->size() ? std::get_if<AttributeMap>(&(*windows)[i].value) : nullptr;
    if (window)
      RETURN_IF_ERROR(within(fmt::format("@{}, argument {}", main.name, first + i),
                             readWindow(*window, *kernel->program_, operand)));
    kernel->operands_.push_back(std::move(operand));
  }
  kernel->scratch_.assign(arguments.end() - scratch, arguments.end());
  return kernel;
}

}  // namespace vintage::harness
