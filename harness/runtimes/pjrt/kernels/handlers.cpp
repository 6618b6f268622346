#include "harness/runtimes/pjrt/kernels/handlers.h"

#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden/base/failures.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/custom_calls/lapack.h"

namespace vintage::harness {
using namespace golden;

namespace {

// XLA's PrimitiveType, for what LAPACK's kernels take and give.
constexpr int kPredicate = 1, kS8 = 2, kU8 = 6, kS32 = 4, kS64 = 5;
constexpr std::pair<int, ElementType> kTypes[] = {
    {kU8, ElementType::kUi8}, {kS32, ElementType::kI32}, {kS64, ElementType::kI64},
    {11, ElementType::kF32},  {12, ElementType::kF64},   {15, ElementType::kC64},
    {18, ElementType::kC128}};

Result<ElementType> typeOf(const FfiBuffer& buffer) {
  for (const auto& [code, type] : kTypes)
    if (code == buffer.type) return type;
  return badInput("a buffer of XLA's element type {}; LAPACK has none such", buffer.type);
}

Result<const FfiBuffer*> bufferAt(const FfiArguments& list, int64_t i, const char* what) {
  if (list.types[i] != kFfiBuffer)
    return badInput("{} {} is no buffer but of kind {}", what, i, list.types[i]);
  return static_cast<const FfiBuffer*>(list.values[i]);
}

Shape shapeOf(const FfiBuffer& buffer) {
  return Shape(buffer.dimensions, buffer.dimensions + buffer.rank);
}

template <typename T>
int64_t valueAs(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof(value));
  return static_cast<int64_t>(value);
}

bool answerMetadata(const FfiCallFrame& frame) {
  for (FfiFrameExtension* each = frame.extension; each; each = each->next) {
    if (each->type != kMetadataExtensionType) continue;
    FfiMetadata& metadata = *reinterpret_cast<FfiMetadataExtension*>(each)->metadata;
    if (frame.api) {
      metadata.version.major = frame.api->version.major;
      metadata.version.minor = frame.api->version.minor;
    }
    metadata.traits = 0;
    return true;
  }
  return false;
}

Result<std::vector<Tensor>> readOperands(const FfiCallFrame& frame) {
  std::vector<Tensor> operands;
  for (int64_t i = 0; i < frame.arguments.size; ++i) {
    ASSIGN_OR_RETURN(const FfiBuffer* buffer, bufferAt(frame.arguments, i, "operand"));
    ASSIGN_OR_RETURN(const ElementType type, typeOf(*buffer));
    ASSIGN_OR_RETURN(auto tensor, Tensor::makeUninitialized(type, shapeOf(*buffer)));
    const auto bytes = tensor.mutableBytes();
    if (!bytes.empty()) std::memcpy(bytes.data(), buffer->data, bytes.size());
    operands.push_back(std::move(tensor));
  }
  return operands;
}

Result<int64_t> integerAttribute(const FfiCallFrame& frame, std::string_view name) {
  const FfiAttributes& attributes = frame.attributes;
  for (int64_t i = 0; i < attributes.size; ++i) {
    if (std::string_view(attributes.names[i]->text, attributes.names[i]->size) != name) continue;
    if (attributes.types[i] != kFfiScalar) return badInput("attribute {} is no scalar", name);
    const auto& scalar = *static_cast<const FfiScalar*>(attributes.values[i]);
    switch (scalar.type) {
      case kPredicate:
      case kU8:
        return valueAs<uint8_t>(scalar.value);
      case kS8:
        return valueAs<int8_t>(scalar.value);
      case kS32:
        return valueAs<int32_t>(scalar.value);
      case kS64:
        return valueAs<int64_t>(scalar.value);
      default:
        return badInput("attribute {} is of XLA's element type {}", name, scalar.type);
    }
  }
  return badInput("attribute {} is missing", name);
}

Status writeResults(const FfiCallFrame& frame, std::span<const std::optional<Tensor>> results) {
  if (frame.results.size != static_cast<int64_t>(results.size()))
    return badInput("{} results are declared; {} are needed", frame.results.size, results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    ASSIGN_OR_RETURN(const FfiBuffer* buffer, bufferAt(frame.results, place, "result"));
    ASSIGN_OR_RETURN(const ElementType type, typeOf(*buffer));
    const Shape shape = shapeOf(*buffer);
    if (!results[i]) {
      std::memset(buffer->data, 0, static_cast<size_t>(elementCount(shape)) * byteWidth(type));
      continue;
    }
    if (results[i]->type() != type || results[i]->shape() != shape)
      return badInput("result {} is declared as {}; it is {}", i, describe(type, shape),
                      describe(*results[i]));
    const auto bytes = results[i]->bytes();
    if (!bytes.empty()) std::memcpy(buffer->data, bytes.data(), bytes.size());
  }
  return {};
}

FfiError* createError(const FfiCallFrame& frame, std::string_view target, const Error& error) {
  constexpr int kInvalidArgument = 3, kResourceExhausted = 8, kUnimplemented = 12;
  const std::string message = fmt::format("Vintage's kernel of {}: {}", target, error.message);
  FfiErrorCreate create{offsetof(FfiErrorCreate, code) + sizeof(int), nullptr, message.c_str(),
                        error.kind == Error::Kind::kUnsupported ? kUnimplemented
                        : error.kind == Error::Kind::kResource  ? kResourceExhausted
                                                                : kInvalidArgument};
  return frame.api->createError(&create);
}

// A frame does not say which target it calls, so that each needs a function of its own; they
// are made at compile time, and there is room for this many.
constexpr size_t kMost = 64;

const std::vector<TypedLapackTarget>& targets() {
  static const std::vector<TypedLapackTarget> all = typedLapackTargets();
  return all;
}
std::array<std::atomic<uint64_t>, kMost> calls{};

Status runTarget(const TypedLapackTarget& target, const FfiCallFrame& frame) {
  std::map<std::string, int64_t, std::less<>> parameters;
  for (const std::string& name : target.attributes) {
    ASSIGN_OR_RETURN(parameters[name], integerAttribute(frame, name));
  }
  ASSIGN_OR_RETURN(const auto operands, readOperands(frame));
  ASSIGN_OR_RETURN(const auto results, target.run(std::move(parameters), operands));
  return writeResults(frame, results);
}

FfiError* call(size_t place, FfiCallFrame& frame) {
  if (answerMetadata(frame)) return nullptr;
  if (frame.stage != kFfiExecute) return nullptr;  // Nothing is made ready before.
  calls[place].fetch_add(1, std::memory_order_relaxed);
  const TypedLapackTarget& target = targets()[place];
  try {
    const Status status = runTarget(target, frame);
    return status ? nullptr : createError(frame, target.name, status.error());
  } catch (const std::exception& exception) {
    return createError(frame, target.name, {Error::Kind::kResource, exception.what()});
  }
}

template <size_t kPlace>
FfiError* handle(FfiCallFrame* frame) {
  return call(kPlace, *frame);
}

template <size_t... kPlaces>
constexpr std::array<FfiHandler, kMost> makeHandlers(std::index_sequence<kPlaces...>) {
  return {&handle<kPlaces>...};
}
constexpr std::array<FfiHandler, kMost> kHandlers = makeHandlers(std::make_index_sequence<kMost>());

uint64_t callsOf(size_t place) { return calls[place].load(std::memory_order_relaxed); }

}  // namespace

const KernelTable& lapackKernelTable() {
  static const std::vector<FfiKernel> kernels = [] {
    std::vector<FfiKernel> list;
    // at(): more targets than there is room for end the process at its start.
    for (size_t i = 0; i < targets().size(); ++i)
      list.push_back({targets()[i].name.c_str(), kHandlers.at(i)});
    return list;
  }();
  static const KernelTable table{kernels.data(), kernels.size(), &callsOf};
  return table;
}

}  // namespace vintage::harness
