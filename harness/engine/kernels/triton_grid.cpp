#include "harness/engine/kernels/triton_grid.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/kernels/kernel_orders.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Array = TritonPayload::Array;

enum class Order { kForward, kBackward, kInterleaved, kCount };

TritonRun::Place placeOf(int64_t program, const TritonRun::Place& grid) {
  return {program % grid[0], program / grid[0] % grid[1], program / grid[0] / grid[1]};
}

int64_t inOrder(int64_t i, int64_t programs, Order order) {
  if (order == Order::kForward) return i;
  if (order == Order::kBackward) return programs - 1 - i;
  const int64_t even = (programs + 1) / 2;  // Even programs first, then odd ones.
  return i < even ? 2 * i : 2 * (i - even) + 1;
}

// Whether the array with this number among the parameters, counted from 1, is zeroed.
bool isZeroed(const TritonGrid& call, size_t number) {
  for (const auto& parameter : call.parameters)
    if (const auto* array = std::get_if<Array>(&parameter); array && --number == 0)
      return array->isZeroed;
  return false;
}

Result<std::vector<Tensor>> runGrid(const TritonGrid& call, std::span<const Tensor> operands,
                                    Order order, WatchedElement* watched) {
  TritonRun run(call.grid);
  std::vector<size_t> buffers, outputs;  // Their arrays: those of all parameters, of the results.
  for (size_t i = 0; i < operands.size(); ++i) {
    run.memory.add(fmt::format("operand {}", i), operands[i], /*isWritten=*/true);
    buffers.push_back(i);
  }
  const auto arrays = std::ranges::count_if(
      call.parameters, [](const auto& each) { return std::holds_alternative<Array>(each); });
  const bool takesAll = static_cast<size_t>(arrays) == operands.size() + call.results.size();
  for (size_t i = 0; i < call.results.size(); ++i) {
    if (call.aliases[i] >= 0) {
      outputs.push_back(static_cast<size_t>(call.aliases[i]));
      if (takesAll) buffers.push_back(outputs.back());
      continue;
    }
    ASSIGN_OR_RETURN(auto tensor, Tensor::make(call.results[i].element, call.results[i].shape));
    outputs.push_back(run.memory.count());
    buffers.push_back(outputs.back());
    run.memory.add(fmt::format("result {}", i), std::move(tensor), isZeroed(call, buffers.size()));
  }
  KernelValues arguments;
  size_t next = 0;
  for (const auto& parameter : call.parameters) {
    if (const auto* scalar = std::get_if<Tensor>(&parameter)) {
      arguments.emplace_back(*scalar);
      continue;
    }
    Tensor pointer(ElementType::kI64, {});
    pointer.mutableValues<int64_t>()[0] = run.memory.address(buffers[next++]);
    arguments.emplace_back(std::move(pointer));
  }
  const auto program = [&] { return fmt::format("program ({})", fmt::join(run.program, ", ")); };
  if (watched)
    watched->watch(
        run,
        [&, array = outputs[watched->result]] {
          return run.memory.bytesOf(array, watched->element);
        },
        program);
  const int64_t programs = call.programs();
  for (int64_t i = 0; i < programs; ++i) {
    run.program = placeOf(inOrder(i, programs, order), call.grid);
    if (const auto ended = call.function->call(arguments, run); !ended)
      return within(program(), ended.error());
  }
  std::vector<Tensor> results;
  for (const size_t array : outputs) {
    RETURN_IF_ERROR(run.memory.checkWritten(array));
    results.push_back(run.memory.tensor(array));
  }
  return results;
}

}  // namespace

Result<RawResults> runTriton(const TritonGrid& call, std::span<const Tensor> operands) {
  const OrderCheck check{.orders = call.programs() > 1 ? static_cast<int>(Order::kCount) : 1,
                         .addsFloats = call.addsFloats,
                         .what = fmt::format("the order in which the {} programs of the grid run",
                                             fmt::join(call.grid, " x "))};
  ASSIGN_OR_RETURN(auto made, runInOrders(check, [&](int order, WatchedElement* watched) {
                     return runGrid(call, operands, static_cast<Order>(order), watched);
                   }));
  return RawResults(std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
}

}  // namespace vintage::harness
