// broadcast_in_dim, reshape, squeeze, expand_dims, transpose, rev, slice,
// concatenate; and what returns its argument or ignores its values: stop_gradient, device_put,
// copy_p, zeros_like.
#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// A use of a primitive that only moves elements, for one element type.
CaseSpecification moveCase(const char* primitive, std::string label, ElementType type,
                           std::vector<Shape> shapes, Emit emit, Expect expect) {
  std::vector<TensorType> arguments;
  for (Shape& shape : shapes) arguments.push_back({type, std::move(shape)});
  return {.primitive = primitive,
          .label = std::move(label),
          .arguments = std::move(arguments),
          .domains = {domains::kComplexEdges},
          .emit = std::move(emit),
          .expect = std::move(expect),
          .oracle = "definition"};
}

CaseSpecification broadcastCase(ElementType type, const Shape& from, const Shape& to,
                                const Shape& dimensions) {
  return moveCase(
      "broadcast_in_dim", fmt::format("shape={}_dims={}", dashed(to), dashed(dimensions)), type,
      {from}, [=](Arguments x) { return broadcast(x[0], dimensions, to); },
      [=](Tensors x) { return oracle::broadcastInDim(x[0], to, dimensions); });
}

CaseSpecification reshapeCase(const char* primitive, std::string label, ElementType type,
                              const Shape& from, const Shape& to, const Shape& order = {}) {
  return moveCase(
      primitive, std::move(label), type, {from},
      [=](Arguments x) {
        if (from == to) return x[0];
        return reshape(order.empty() ? x[0] : transpose(x[0], order), to);
      },
      [=](Tensors x) {
        const Tensor ordered = order.empty() ? x[0] : oracle::transposed(x[0], order);
        return ordered.reshaped(to).value();
      });
}

// A broadcast that repeats nothing; `dimension` is the new one.
CaseSpecification expandCase(ElementType type, const Shape& from, int64_t dimension) {
  Shape to = from, dimensions;
  to.insert(to.begin() + dimension, 1);
  for (int64_t i = 0; i < static_cast<int64_t>(to.size()); ++i) {
    if (i != dimension) dimensions.push_back(i);
  }
  return moveCase(
      "expand_dims", fmt::format("dims={}", dimension), type, {from},
      [=](Arguments x) { return broadcast(x[0], dimensions, to); },
      [=](Tensors x) { return x[0].reshaped(to).value(); });
}

CaseSpecification transposeCase(ElementType type, const Shape& shape, const Shape& permutation) {
  return moveCase(
      "transpose", "permutation=" + dashed(permutation), type, {shape},
      [=](Arguments x) { return transpose(x[0], permutation); },
      [=](Tensors x) { return oracle::transposed(x[0], permutation); });
}

CaseSpecification reverseCase(ElementType type, const Shape& shape, const Shape& dimensions) {
  return moveCase(
      "rev", "dims=" + dashed(dimensions), type, {shape},
      [=](Arguments x) { return reverse(x[0], dimensions); },
      [=](Tensors x) { return oracle::reversed(x[0], dimensions); });
}

CaseSpecification sliceCase(ElementType type, const Shape& shape, const Shape& start,
                            const Shape& limit, const Shape& stride) {
  return moveCase(
      "slice",
      fmt::format("start={}_limit={}_strides={}", dashed(start), dashed(limit), dashed(stride)),
      type, {shape}, [=](Arguments x) { return slice(x[0], start, limit, stride); },
      [=](Tensors x) { return oracle::sliced(x[0], start, limit, stride); });
}

CaseSpecification concatenateCase(ElementType type, const std::vector<Shape>& shapes,
                                  size_t dimension) {
  return moveCase(
      "concatenate", fmt::format("dim={}", dimension), type, shapes,
      [=](Arguments x) { return x.size() == 1 ? x[0] : concatenate(x, dimension); },
      [=](Tensors x) { return oracle::concatenated(x, dimension); });
}

}  // namespace

VINTAGE_FAMILY(addShapeCases) {
  for (types::Set set : {types::kSmall, types::kAll}) {
    for (ElementType type : set) {
      cases.add(broadcastCase(type, {2}, {2, 3}, {0}));
      cases.add(reshapeCase("reshape", "new=3-2", type, {2, 3}, {3, 2}));
      cases.add(transposeCase(type, {2, 3}, {1, 0}));
      cases.add(reverseCase(type, {4, 5}, {0}));
      cases.add(sliceCase(type, {3, 4}, {1, 0}, {3, 4}, {1, 2}));
      cases.add(concatenateCase(type, {{2, 3}, {2, 3}}, 0));
    }
  }
  for (ElementType type : types::kAll) {
    cases.add(reshapeCase("squeeze", "dims=0-2", type, {1, 2, 1, 3}, {2, 3}));
    cases.add(expandCase(type, {2, 3}, 1));
    cases.addPoly([&](Sizes s) { return broadcastCase(type, {s.b}, {s.b, 3}, {0}); });
    cases.addPoly(
        [&](Sizes s) { return reshapeCase("reshape", "new=flat", type, {s.b, s.c}, {s.b * s.c}); });
    cases.addPoly(
        [&](Sizes s) { return reshapeCase("squeeze", "dims=1", type, {s.b, 1, 3}, {s.b, 3}); });
    cases.addPoly([&](Sizes s) { return expandCase(type, {s.b, 3}, 1); });
    cases.addPoly([&](Sizes s) { return transposeCase(type, {s.b, 3, s.c}, {2, 0, 1}); });
    cases.addPoly([&](Sizes s) { return reverseCase(type, {s.b, 5}, {0}); });
    cases.addPoly([&](Sizes s) { return concatenateCase(type, {{s.b, 3}, {s.c, 3}, {2, 3}}, 0); });
    cases.addPoly([&](Sizes s) { return sliceCase(type, {s.b, 4}, {1, 0}, {s.b, 4}, {1, 2}); });
    if (type != ElementType::kF32) continue;
    cases.addPoly([&](Sizes s) {
      return reshapeCase("reshape", "new=doubled", type, {2 * s.b, 3}, {s.b, 6});
    });
    cases.addPoly(
        [&](Sizes s) { return sliceCase(type, {s.b + 1, s.c}, {0, 0}, {s.b - 1, s.c}, {1, 1}); });
    cases.add(broadcastCase(type, {}, {2, 3}, {}));
    cases.add(broadcastCase(type, {1, 2}, {4, 3, 2}, {0, 2}));
    cases.add(broadcastCase(type, {2, 3}, {2, 3, 2}, {0, 1}));
    cases.add(broadcastCase(type, {0}, {2, 0}, {1}));
    cases.add(broadcastCase(type, {2}, {3, 2}, {1}));
    cases.add(reshapeCase("reshape", "new=6", type, {2, 3}, {6}));
    cases.add(reshapeCase("reshape", "new=0-2", type, {2, 0}, {0, 2}));
    cases.add(
        reshapeCase("reshape", "new=3-9_dimensions=2-1-0", type, {3, 3, 3}, {3, 9}, {2, 1, 0}));
    cases.add(reshapeCase("reshape", "new=scalar", type, {1, 1}, {}));
    cases.add(reshapeCase("reshape", "new=1-1", type, {}, {1, 1}));
    cases.add(reshapeCase("squeeze", "dims=0", type, {1}, {}));
    cases.add(reshapeCase("squeeze", "dims=none", type, {1}, {1}));
    cases.add(reshapeCase("squeeze", "dims=1", type, {1, 1}, {1}));
    cases.add(reshapeCase("squeeze", "dims=0-1", type, {1, 1}, {}));
    cases.add(reshapeCase("squeeze", "dims=0", type, {1, 3, 1}, {3, 1}));
    cases.add(reshapeCase("squeeze", "dims=2", type, {1, 3, 1}, {1, 3}));
    cases.add(reshapeCase("squeeze", "dims=0-2", type, {1, 3, 1}, {3}));
    cases.add(reshapeCase("squeeze", "dims=1-3", type, {2, 1, 3, 1}, {2, 3}));
    cases.add(expandCase(type, {}, 0));
    cases.add(transposeCase(type, {2, 3, 4}, {0, 2, 1}));
    cases.add(transposeCase(type, {2, 3, 4}, {2, 0, 1}));
    cases.add(reverseCase(type, {4, 5}, {1}));
    cases.add(reverseCase(type, {4, 5}, {0, 1}));
    cases.add(reverseCase(type, {2, 3, 4}, {0, 2}));
    cases.add(reverseCase(type, {3}, {}));
    cases.add(reverseCase(type, {0, 2}, {0}));
    cases.add(sliceCase(type, {3}, {1}, {2}, {1}));
    cases.add(sliceCase(type, {7}, {4}, {7}, {1}));
    cases.add(sliceCase(type, {5}, {1}, {5}, {2}));
    cases.add(sliceCase(type, {8}, {1}, {6}, {2}));
    cases.add(sliceCase(type, {5, 3}, {1, 1}, {3, 2}, {1, 1}));
    cases.add(sliceCase(type, {7, 5, 3}, {4, 0, 1}, {7, 1, 3}, {1, 1, 1}));
    cases.add(sliceCase(type, {5, 3}, {1, 1}, {2, 1}, {1, 1}));
    cases.add(sliceCase(type, {5, 3}, {1, 1}, {5, 3}, {2, 1}));
    cases.add(sliceCase(type, {0, 3}, {0, 1}, {0, 3}, {1, 1}));
    cases.add(concatenateCase(type, {{2, 3}, {2, 2}}, 1));
    cases.add(concatenateCase(type, {{2, 3}, {1, 3}, {0, 3}}, 0));
    cases.add(concatenateCase(type, {{4}}, 0));
  }
}

VINTAGE_FAMILY(addIdentityCases) {
  for (ElementType type : types::kAll) {
    for (const char* name : {"stop_gradient", "device_put", "copy"}) {
      for (const Shape& shape : {Shape{3, 4}, Shape{20, 20}}) {
        cases.add({.primitive = name,
                   .arguments = {{type, shape}},
                   .domains = {domains::kFewEdges},
                   .emit = [](Arguments x) { return x[0]; },
                   .expect = [](Tensors inputs) { return inputs[0]; },
                   .oracle = "definition"});
      }
    }
    cases.add({.primitive = "zeros_like",
               .arguments = {{type, {3, 4}}},
               .domains = {domains::kFewEdges},
               .emit = [](FunctionBuilder& main,
                          Arguments x) { return main.fill(x[0].type, 0, x[0].shape); },
               .expect = [](Tensors inputs) { return Tensor(inputs[0].type(), inputs[0].shape()); },
               .oracle = "definition"});
  }
}

}  // namespace vintage::primitives
