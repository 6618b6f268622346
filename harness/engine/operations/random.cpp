// stablehlo.rng_bit_generator and stablehlo.rng.
#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/operation_table.h"
#include "harness/engine/operations/random_bits.h"
#include "harness/engine/operations/random_distributions.h"

namespace vintage::harness::engine {
namespace {

Result<Kernel> makeRngBitGenerator(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const std::string algorithm = read.text("rng_algorithm");
  RETURN_IF_ERROR(read.status());
  if (request.operandTypes.size() != 1 || request.resultTypes.size() != 2) {
    return failure(Error::Kind::kBadInput,
                   "stablehlo.rng_bit_generator needs one operand and two results.");
  }
  BitGenerator generator = BitGenerator::kPhilox;
  if (algorithm == "THREE_FRY") {
    generator = BitGenerator::kThreefry;
  } else if (algorithm != "PHILOX" && algorithm != "DEFAULT") {  // XLA's CPU default is Philox.
    return failure(Error::Kind::kBadInput,
                   fmt::format("stablehlo.rng_bit_generator: the algorithm {} is none of DEFAULT, "
                               "THREE_FRY, PHILOX.",
                               algorithm));
  }
  return Kernel([=, type = request.resultTypes[1]](KernelCall& call) -> Status {
    auto bits = generateBits(generator, call.operands[0].tensor, type.element, type.shape);
    if (!bits) return within("stablehlo.rng_bit_generator", bits.error());
    call.results[0].tensor = std::move(bits->state);
    call.results[1].tensor = std::move(bits->values);
    return {};
  });
}

Result<Kernel> makeRng(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const std::string name = read.text("rng_distribution");
  RETURN_IF_ERROR(read.status());
  if (request.operandTypes.size() != 3 || (name != "UNIFORM" && name != "NORMAL")) {
    return failure(
        Error::Kind::kBadInput,
        fmt::format("stablehlo.rng needs three operands and UNIFORM or NORMAL; it has {} "
                    "and {}.",
                    request.operandTypes.size(), name));
  }
  const auto distribution = name == "UNIFORM" ? Distribution::kUniform : Distribution::kNormal;
  // Several draws in one program must differ: each is seeded by its own place.
  uint64_t seed = 0x9E3779B97F4A7C15u;
  for (ValueId id : request.operation.results) seed += id;
  return Kernel([=](KernelCall& call) -> Status {
    const Tensor& dimensions = call.operands[2].tensor;
    Shape shape;
    if (dimensions.type() == ElementType::kI64) {
      const auto values = dimensions.values<int64_t>();
      shape.assign(values.begin(), values.end());
    } else if (dimensions.type() == ElementType::kI32) {
      const auto values = dimensions.values<int32_t>();
      shape.assign(values.begin(), values.end());
    } else {
      return failure(Error::Kind::kBadInput,
                     fmt::format("stablehlo.rng: the shape is {}; i64 or i32 is needed.",
                                 describe(dimensions)));
    }
    auto numbers = drawNumbers(distribution, call.operands[0].tensor, call.operands[1].tensor,
                               shape, seed, call.availableBytes);
    if (!numbers) return within("stablehlo.rng", numbers.error());
    call.results[0].tensor = *std::move(numbers);
    return {};
  });
}

constexpr OperationEntry kRandomOperations[] = {{"stablehlo.rng_bit_generator", makeRngBitGenerator},
                                          {"stablehlo.rng", makeRng}};

}  // namespace

std::span<const OperationEntry> randomOperations() { return kRandomOperations; }

}  // namespace vintage::harness::engine
