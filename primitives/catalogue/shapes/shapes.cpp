// broadcast_in_dim, reshape, squeeze, expand_dims, transpose, rev, slice,
// concatenate.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {
namespace {

using Move = std::function<Tensor(std::span<const Tensor>)>;
using Write = std::function<SsaValue(FunctionWriter&, std::span<const SsaValue>)>;

// A use of a primitive that only moves elements, for one element type.
void addMove(CaseList& cases, const char* primitive, std::string label, ElementType type,
             std::vector<Shape> shapes, Write write, Move move) {
  std::vector<CaseArgument> arguments;
  for (Shape& shape : shapes) arguments.push_back({type, std::move(shape)});
  cases.add({.primitive = primitive,
             .label = std::move(label),
             .arguments = std::move(arguments),
             .domains = {domains::kComplexEdges},
             .emit = [write](FunctionWriter& main, std::span<const SsaValue> arguments,
                             const std::string&) -> SsaValues { return {write(main, arguments)}; },
             .expect = one([move](std::span<const Tensor> inputs) -> Result<Tensor> {
               return move(inputs);
             }),
             .oracle = "definition"});
}

void addBroadcast(CaseList& cases, ElementType type, const Shape& from, const Shape& to,
                  const Shape& dimensions) {
  addMove(cases, "broadcast_in_dim",
          fmt::format("shape={}_dims={}", dashed(to), dashed(dimensions)), type, {from},
          [=](FunctionWriter& main, std::span<const SsaValue> x) {
            return main.broadcast(x[0], dimensions, to);
          },
          [=](std::span<const Tensor> x) { return oracle::broadcastInDim(x[0], to, dimensions); });
}

void addReshape(CaseList& cases, const char* primitive, std::string label, ElementType type,
                const Shape& from, const Shape& to, const Shape& order = {}) {
  addMove(cases, primitive, std::move(label), type, {from},
          [=](FunctionWriter& main, std::span<const SsaValue> x) {
            return main.reshape(order.empty() ? x[0] : main.transpose(x[0], order), to);
          },
          [=](std::span<const Tensor> x) {
            const Tensor ordered = order.empty() ? x[0] : oracle::transposed(x[0], order);
            return ordered.reshaped(to).value();
          });
}

void addTranspose(CaseList& cases, ElementType type, const Shape& shape, const Shape& permutation) {
  addMove(cases, "transpose", "permutation=" + dashed(permutation), type, {shape},
          [=](FunctionWriter& main, std::span<const SsaValue> x) {
            return main.transpose(x[0], permutation);
          },
          [=](std::span<const Tensor> x) { return oracle::transposed(x[0], permutation); });
}

void addReverse(CaseList& cases, ElementType type, const Shape& shape, const Shape& dimensions) {
  addMove(cases, "rev", "dims=" + dashed(dimensions), type, {shape},
          [=](FunctionWriter& main, std::span<const SsaValue> x) {
            return main.emit(x[0].type, x[0].shape,
                             fmt::format("stablehlo.reverse {}, dims = {} : {}", x[0].name,
                                         listText(dimensions), typeText(x[0])));
          },
          [=](std::span<const Tensor> x) { return oracle::reversed(x[0], dimensions); });
}

void addSlice(CaseList& cases, ElementType type, const Shape& shape, const Shape& start,
              const Shape& limit, const Shape& stride) {
  std::vector<std::string> ranges;
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i) {
    ranges.push_back(stride[i] == 1 ? fmt::format("{}:{}", start[i], limit[i])
                                    : fmt::format("{}:{}:{}", start[i], limit[i], stride[i]));
    result.push_back((limit[i] - start[i] + stride[i] - 1) / stride[i]);
  }
  addMove(cases, "slice",
          fmt::format("start={}_limit={}_strides={}", dashed(start), dashed(limit), dashed(stride)),
          type, {shape},
          [=](FunctionWriter& main, std::span<const SsaValue> x) {
            return main.emit(x[0].type, result,
                             fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", x[0].name,
                                         fmt::join(ranges, ", "), typeText(x[0]),
                                         tensorText(x[0].type, result)));
          },
          [=](std::span<const Tensor> x) { return oracle::sliced(x[0], start, limit, stride); });
}

void addConcatenate(CaseList& cases, ElementType type, const std::vector<Shape>& shapes,
                    int64_t dimension) {
  Shape result = shapes[0];
  const auto axis = static_cast<size_t>(dimension);
  for (size_t i = 1; i < shapes.size(); ++i) result[axis] += shapes[i][axis];
  addMove(cases, "concatenate", fmt::format("dim={}", dimension), type, shapes,
          [=](FunctionWriter& main, std::span<const SsaValue> x) {
            return main.emit(x[0].type, result,
                             fmt::format("stablehlo.concatenate {}, dim = {} : ({}) -> {}",
                                         namesText(x), dimension, typesText(x),
                                         tensorText(x[0].type, result)));
          },
          [=](std::span<const Tensor> x) { return oracle::concatenated(x, dimension); });
}

}  // namespace

VINTAGE_FAMILY(addShapeCases) {
  for (ElementType type : types::small()) {
    addBroadcast(cases, type, {2}, {2, 3}, {0});
    addReshape(cases, "reshape", "new=3-2", type, {2, 3}, {3, 2});
    addTranspose(cases, type, {2, 3}, {1, 0});
    addReverse(cases, type, {4, 5}, {0});
    addSlice(cases, type, {3, 4}, {1, 0}, {3, 4}, {1, 2});
    addConcatenate(cases, type, {{2, 3}, {2, 3}}, 0);
  }
  for (ElementType type : types::all()) {
    const bool f32 = type == ElementType::kF32;
    addBroadcast(cases, type, {2}, {2, 3}, {0});
    addReshape(cases, "reshape", "new=3-2", type, {2, 3}, {3, 2});
    addReshape(cases, "squeeze", "dims=0-2", type, {1, 2, 1, 3}, {2, 3});
    addReshape(cases, "expand_dims", "dims=1", type, {2, 3}, {2, 1, 3});
    addTranspose(cases, type, {2, 3}, {1, 0});
    addReverse(cases, type, {4, 5}, {0});
    addSlice(cases, type, {3, 4}, {1, 0}, {3, 4}, {1, 2});
    addConcatenate(cases, type, {{2, 3}, {2, 3}}, 0);
    using Sizes = const DimensionSizes&;
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addBroadcast(list, type, {sizes.b}, {sizes.b, 3}, {0});
    });
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addReshape(list, "reshape", "new=flat", type, {sizes.b, sizes.c}, {sizes.b * sizes.c});
    });
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addReshape(list, "squeeze", "dims=1", type, {sizes.b, 1, 3}, {sizes.b, 3});
    });
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addReshape(list, "expand_dims", "dims=1", type, {sizes.b, 3}, {sizes.b, 1, 3});
    });
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addTranspose(list, type, {sizes.b, 3, sizes.c}, {2, 0, 1});
    });
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addReverse(list, type, {sizes.b, 5}, {0});
    });
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addConcatenate(list, type, {{sizes.b, 3}, {sizes.c, 3}, {2, 3}}, 0);
    });
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addSlice(list, type, {sizes.b, 4}, {1, 0}, {sizes.b, 4}, {1, 2});
    });
    if (!f32) continue;
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addReshape(list, "reshape", "new=doubled", type, {2 * sizes.b, 3}, {sizes.b, 6});
    });
    cases.addPolymorphic([&](CaseList& list, Sizes sizes) {
      addSlice(list, type, {sizes.b + 1, sizes.c}, {0, 0}, {sizes.b - 1, sizes.c}, {1, 1});
    });
    addBroadcast(cases, type, {}, {2, 3}, {});
    addBroadcast(cases, type, {1, 2}, {4, 3, 2}, {0, 2});
    addBroadcast(cases, type, {2, 3}, {2, 3, 2}, {0, 1});
    addBroadcast(cases, type, {0}, {2, 0}, {1});
    addBroadcast(cases, type, {2}, {3, 2}, {1});
    addReshape(cases, "reshape", "new=6", type, {2, 3}, {6});
    addReshape(cases, "reshape", "new=0-2", type, {2, 0}, {0, 2});
    addReshape(cases, "reshape", "new=3-9_dimensions=2-1-0", type, {3, 3, 3}, {3, 9}, {2, 1, 0});
    addReshape(cases, "reshape", "new=scalar", type, {1, 1}, {});
    addReshape(cases, "reshape", "new=1-1", type, {}, {1, 1});
    addReshape(cases, "squeeze", "dims=0", type, {1}, {});
    addReshape(cases, "squeeze", "dims=none", type, {1}, {1});
    addReshape(cases, "squeeze", "dims=1", type, {1, 1}, {1});
    addReshape(cases, "squeeze", "dims=0-1", type, {1, 1}, {});
    addReshape(cases, "squeeze", "dims=0", type, {1, 3, 1}, {3, 1});
    addReshape(cases, "squeeze", "dims=2", type, {1, 3, 1}, {1, 3});
    addReshape(cases, "squeeze", "dims=0-2", type, {1, 3, 1}, {3});
    addReshape(cases, "squeeze", "dims=1-3", type, {2, 1, 3, 1}, {2, 3});
    addReshape(cases, "expand_dims", "dims=0", type, {}, {1});
    addTranspose(cases, type, {2, 3, 4}, {0, 2, 1});
    addTranspose(cases, type, {2, 3, 4}, {2, 0, 1});
    addReverse(cases, type, {4, 5}, {1});
    addReverse(cases, type, {4, 5}, {0, 1});
    addReverse(cases, type, {2, 3, 4}, {0, 2});
    addReverse(cases, type, {3}, {});
    addReverse(cases, type, {0, 2}, {0});
    addSlice(cases, type, {3}, {1}, {2}, {1});
    addSlice(cases, type, {7}, {4}, {7}, {1});
    addSlice(cases, type, {5}, {1}, {5}, {2});
    addSlice(cases, type, {8}, {1}, {6}, {2});
    addSlice(cases, type, {5, 3}, {1, 1}, {3, 2}, {1, 1});
    addSlice(cases, type, {7, 5, 3}, {4, 0, 1}, {7, 1, 3}, {1, 1, 1});
    addSlice(cases, type, {5, 3}, {1, 1}, {2, 1}, {1, 1});
    addSlice(cases, type, {5, 3}, {1, 1}, {5, 3}, {2, 1});
    addSlice(cases, type, {0, 3}, {0, 1}, {0, 3}, {1, 1});
    addConcatenate(cases, type, {{2, 3}, {2, 2}}, 1);
    addConcatenate(cases, type, {{2, 3}, {1, 3}, {0, 3}}, 0);
    addConcatenate(cases, type, {{4}}, 0);
  }
}

}  // namespace vintage::primitives::catalogue
