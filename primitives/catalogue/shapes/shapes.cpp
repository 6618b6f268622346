// broadcast_in_dim, reshape, squeeze, expand_dims, transpose, rev, slice,
// concatenate; and what returns its argument or ignores its values: stop_gradient, device_put,
// copy_p, zeros_like.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// A use of a primitive that only moves elements, for one element type.
void addMove(CaseList& cases, const char* primitive, std::string label, ElementType type,
             std::vector<Shape> shapes, Emit emit, Expect expect) {
  std::vector<CaseArgument> arguments;
  for (Shape& shape : shapes) arguments.push_back({type, std::move(shape)});
  cases.add({.primitive = primitive,
             .label = std::move(label),
             .arguments = std::move(arguments),
             .domains = {domains::kComplexEdges},
             .emit = std::move(emit),
             .expect = std::move(expect),
             .oracle = "definition"});
}

void addBroadcast(CaseList& cases, ElementType type, const Shape& from, const Shape& to,
                  const Shape& dimensions) {
  addMove(
      cases, "broadcast_in_dim", fmt::format("shape={}_dims={}", dashed(to), dashed(dimensions)),
      type, {from},
      [=](FunctionBuilder& main, Arguments x) { return main.broadcast(x[0], dimensions, to); },
      [=](Tensors x) { return oracle::broadcastInDim(x[0], to, dimensions); });
}

void addReshape(CaseList& cases, const char* primitive, std::string label, ElementType type,
                const Shape& from, const Shape& to, const Shape& order = {}) {
  addMove(
      cases, primitive, std::move(label), type, {from},
      [=](FunctionBuilder& main, Arguments x) {
        if (from == to) return x[0];
        return main.reshape(order.empty() ? x[0] : main.transpose(x[0], order), to);
      },
      [=](Tensors x) {
        const Tensor ordered = order.empty() ? x[0] : oracle::transposed(x[0], order);
        return ordered.reshaped(to).value();
      });
}

// A broadcast that repeats nothing; `dimension` is the new one.
void addExpand(CaseList& cases, ElementType type, const Shape& from, int64_t dimension) {
  Shape to = from, dimensions;
  to.insert(to.begin() + dimension, 1);
  for (int64_t i = 0; i < static_cast<int64_t>(to.size()); ++i) {
    if (i != dimension) dimensions.push_back(i);
  }
  addMove(
      cases, "expand_dims", fmt::format("dims={}", dimension), type, {from},
      [=](FunctionBuilder& main, Arguments x) { return main.broadcast(x[0], dimensions, to); },
      [=](Tensors x) { return x[0].reshaped(to).value(); });
}

void addTranspose(CaseList& cases, ElementType type, const Shape& shape, const Shape& permutation) {
  addMove(
      cases, "transpose", "permutation=" + dashed(permutation), type, {shape},
      [=](FunctionBuilder& main, Arguments x) { return main.transpose(x[0], permutation); },
      [=](Tensors x) { return oracle::transposed(x[0], permutation); });
}

void addReverse(CaseList& cases, ElementType type, const Shape& shape, const Shape& dimensions) {
  addMove(
      cases, "rev", "dims=" + dashed(dimensions), type, {shape},
      [=](FunctionBuilder& main, Arguments x) { return main.reverse(x[0], dimensions); },
      [=](Tensors x) { return oracle::reversed(x[0], dimensions); });
}

void addSlice(CaseList& cases, ElementType type, const Shape& shape, const Shape& start,
              const Shape& limit, const Shape& stride) {
  addMove(
      cases, "slice",
      fmt::format("start={}_limit={}_strides={}", dashed(start), dashed(limit), dashed(stride)),
      type, {shape},
      [=](FunctionBuilder& main, Arguments x) { return main.slice(x[0], start, limit, stride); },
      [=](Tensors x) { return oracle::sliced(x[0], start, limit, stride); });
}

void addConcatenate(CaseList& cases, ElementType type, const std::vector<Shape>& shapes,
                    size_t dimension) {
  addMove(
      cases, "concatenate", fmt::format("dim={}", dimension), type, shapes,
      [=](FunctionBuilder& main, Arguments x) {
        return x.size() == 1 ? x[0] : main.concatenate(x, dimension);
      },
      [=](Tensors x) { return oracle::concatenated(x, dimension); });
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
    addExpand(cases, type, {2, 3}, 1);
    addTranspose(cases, type, {2, 3}, {1, 0});
    addReverse(cases, type, {4, 5}, {0});
    addSlice(cases, type, {3, 4}, {1, 0}, {3, 4}, {1, 2});
    addConcatenate(cases, type, {{2, 3}, {2, 3}}, 0);
    cases.addPoly([&](CaseList& list, Sizes s) { addBroadcast(list, type, {s.b}, {s.b, 3}, {0}); });
    cases.addPoly([&](CaseList& list, Sizes s) {
      addReshape(list, "reshape", "new=flat", type, {s.b, s.c}, {s.b * s.c});
    });
    cases.addPoly([&](CaseList& list, Sizes s) {
      addReshape(list, "squeeze", "dims=1", type, {s.b, 1, 3}, {s.b, 3});
    });
    cases.addPoly([&](CaseList& list, Sizes s) {
      addExpand(list, type, {s.b, 3}, 1);
    });
    cases.addPoly([&](CaseList& list, Sizes s) {
      addTranspose(list, type, {s.b, 3, s.c}, {2, 0, 1});
    });
    cases.addPoly([&](CaseList& list, Sizes s) { addReverse(list, type, {s.b, 5}, {0}); });
    cases.addPoly([&](CaseList& list, Sizes s) {
      addConcatenate(list, type, {{s.b, 3}, {s.c, 3}, {2, 3}}, 0);
    });
    cases.addPoly([&](CaseList& list, Sizes s) {
      addSlice(list, type, {s.b, 4}, {1, 0}, {s.b, 4}, {1, 2});
    });
    if (!f32) continue;
    cases.addPoly([&](CaseList& list, Sizes s) {
      addReshape(list, "reshape", "new=doubled", type, {2 * s.b, 3}, {s.b, 6});
    });
    cases.addPoly([&](CaseList& list, Sizes s) {
      addSlice(list, type, {s.b + 1, s.c}, {0, 0}, {s.b - 1, s.c}, {1, 1});
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
    addExpand(cases, type, {}, 0);
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

VINTAGE_FAMILY(addIdentityCases) {
  static constexpr const char* kIdentities[] = {"stop_gradient", "device_put", "copy"};
  for (ElementType type : types::all()) {
    const std::vector<CaseArgument> arguments{{type, {3, 4}}};
    for (const char* name : kIdentities) {
      for (const Shape& shape : {Shape{3, 4}, Shape{20, 20}}) {
        cases.add({.primitive = name,
                   .arguments = {{type, shape}},
                   .domains = {domains::kFewEdges},
                   .emit = [](FunctionBuilder&, Arguments arguments,
                              const std::string&) -> SsaValues { return {arguments[0]}; },
                   .expect = [](Tensors inputs) { return inputs[0]; },
                   .oracle = "definition"});
      }
    }
    cases.add(
        {.primitive = "zeros_like",
         .arguments = arguments,
         .domains = {domains::kFewEdges},
         .emit = [](FunctionBuilder& main, Arguments arguments) {
           return main.fill(arguments[0].type, 0, arguments[0].shape);
         },
         .expect = [](Tensors inputs) { return Tensor(inputs[0].type(), inputs[0].shape()); },
         .oracle = "definition"});
  }
}

}  // namespace vintage::primitives
