// Values that are no tensors: tuples, tokens, barriers. Branches and loops are
// the planner's.
#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {
using namespace golden;

namespace {

tl::unexpected<Error> wrong(const KernelRequest& request, std::string_view what) {
  return badInput("{}: {}", request.operation.name, what);
}

Result<Kernel> makeToken(const KernelRequest&) {
  return [](KernelCall& call) -> Status {
    call.results[0].isToken = true;
    return {};
  };
}

Result<Kernel> makeTuple(const KernelRequest&) {
  return [](KernelCall& call) -> Status {
    call.results[0].isTuple = true;
    for (size_t i = 0; i < call.operands.size(); ++i)
      call.results[0].elements.push_back(call.take(i));
    return {};
  };
}

Result<Kernel> makeGetTupleElement(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const int64_t index, integerOf(request.operation, "index"));
  if (request.operandTypes[0].kind != ValueType::Kind::kTuple || index < 0 ||
      index >= std::ssize(request.operandTypes[0].elements))
    return wrong(request, fmt::format("there is no element {}", index));
  return [index](KernelCall& call) -> Status {
    call.results[0] = call.operands[0].elements[static_cast<size_t>(index)];
    return {};
  };
}

// Prints for a person at a debugger, so the engine ignores it.
Result<Kernel> makePrint(const KernelRequest&) {
  return [](KernelCall&) -> Status { return {}; };
}

Result<Kernel> makeForward(const KernelRequest& request) {
  if (request.operandTypes.size() != request.resultTypes.size())
    return wrong(request, "it must have as many results as operands");
  return [](KernelCall& call) -> Status {
    for (size_t i = 0; i < call.operands.size(); ++i) call.results[i] = call.take(i);
    return {};
  };
}

// An asynchronous call is made at once; its future is a tuple of its results.
Result<Kernel> makeAsyncStart(const KernelRequest& request) {
  if (request.regions.size() != 1) return wrong(request, "it must have one region");
  return [body = request.regions[0].call](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(call.results[0].elements, body(call.operands));
    call.results[0].isTuple = true;
    return {};
  };
}

Result<Kernel> makeAsyncDone(const KernelRequest& request) {
  if (request.operandTypes[0].kind != ValueType::Kind::kFuture)
    return wrong(request, "its operand must be a future");
  return [](KernelCall& call) -> Status {
    Value future = call.take(0);
    if (future.elements.size() != call.results.size())
      return badInput("the future holds {} values and {} are wanted", future.elements.size(),
                      call.results.size());
    for (size_t i = 0; i < call.results.size(); ++i)
      call.results[i] = std::move(future.elements[i]);
    return {};
  };
}

}  // namespace

std::vector<OperationEntry> controlFlowOperations() {
  return {
      {"interpreter.print", makePrint, kAnyNumber, 0},
      {"interpreter.probe", makeForward},
      {"stablehlo.after_all", makeToken, kAnyNumber, 1},
      {"stablehlo.async_done", makeAsyncDone, 1},
      {"stablehlo.async_start", makeAsyncStart, kAnyNumber, 1},
      {"stablehlo.create_token", makeToken, kAnyNumber, 1},
      {"stablehlo.get_tuple_element", makeGetTupleElement, 1, 1},
      {"stablehlo.optimization_barrier", makeForward},
      {"stablehlo.tuple", makeTuple, kAnyNumber, 1},
  };
}

}  // namespace vintage::harness
