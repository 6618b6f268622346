#include "harness/consumers/pjrt/kernels/handlers.h"

#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "harness/consumers/pjrt/kernels/call_frame.h"
#include "harness/engine/custom_calls/lapack.h"

namespace vintage::harness::consumers::pjrt::kernels {
namespace {

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

}  // namespace vintage::harness::consumers::pjrt::kernels
