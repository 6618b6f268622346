// geqrf, householder_product, hessenberg, tridiagonal, schur: the factorizations
// that LAPACK builds from, each with its reflectors as LAPACK packs them.
#include <algorithm>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

namespace {

Shape batchOf(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

Shape withLast(Shape batch, int64_t size) {
  batch.push_back(size);
  return batch;
}

void storeVector(Tensor& tensor, int64_t batch, std::span<const oracle::QuadComplex> values) {
  const auto size = static_cast<int64_t>(values.size());
  for (int64_t i = 0; i < size; ++i) {
    const oracle::QuadComplex& value = values[static_cast<size_t>(i)];
    oracle::store(
        tensor, batch * size + i,
        {0, oracle::roundTo(tensor.type(), value.re), oracle::roundTo(tensor.type(), value.im)});
  }
}

// The packed reflectors of each matrix, and their taus.
std::vector<Tensor> reflected(const Tensor& matrices, const Shape& tauShape,
                              oracle::Reflected (*factor)(const oracle::QuadMatrix&)) {
  Tensor packed(matrices.type(), matrices.shape()), taus(matrices.type(), tauShape);
  for (int64_t b = 0; b < oracle::matrixCount(packed); ++b) {
    const oracle::Reflected factors = factor(oracle::matrixAt(matrices, b));
    oracle::storeMatrix(packed, b, factors.packed);
    storeVector(taus, b, factors.taus);
  }
  return {std::move(packed), std::move(taus)};
}

const char* const kTpuQr = "Qr";
const char* const kTpuProduct = "ProductOfElementaryHouseholderReflectors";

void addGeqrf(CaseList& cases, ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const Shape tauShape = withLast(batch, std::min(shape[batch.size()], shape.back()));
  cases.add({.primitive = "geqrf",
             .arguments = {{type, shape}},
             .emit = [=](FunctionBuilder& main, Arguments arguments,
                         const std::string& platform) -> SsaValues {
               const TensorType results[] = {{type, shape}, {type, tauShape}};
               if (platform == "tpu") return emitTpuCall(main, kTpuQr, arguments, results);
               return emitSolverCall(main, {.target = platform == "cpu"
                                                          ? lapackTarget(type, "geqrf")
                                                          : acceleratorTarget(platform, "geqrf"),
                                            .operands = {arguments[0]},
                                            .results = {results[0], results[1]},
                                            .aliases = {{0, 0}},
                                            .batch = batch.size()});
             },
             .expect =
                 [=](Tensors inputs) {
                   return reflected(inputs[0], tauShape, oracle::householderQr);
                 },
             .oracle = "quadruple",
             .comparators = {byMeaning(Comparator::Kind::kQr, type)},
             .makeInputs = oneMatrix(type, shape, Structure::kGeneral)});
}

// Inputs are what a factorization leaves, so that the product is orthonormal.
void addProduct(CaseList& cases, ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const Shape tauShape = withLast(batch, shape.back());
  const double unit = 32 * epsilonOf(type);
  cases.add({.primitive = "householder_product",
             .arguments = {{type, shape}, {type, tauShape}},
             .emit = [=](FunctionBuilder& main, Arguments arguments,
                         const std::string& platform) -> SsaValues {
               const TensorType result{type, shape};
               if (platform == "tpu") return emitTpuCall(main, kTpuProduct, arguments, {result});
               return emitSolverCall(main, {.target = platform == "cpu"
                                                          ? lapackTarget(type, "orgqr", "ungqr")
                                                          : acceleratorTarget(platform, "orgqr"),
                                            .operands = {arguments.begin(), arguments.end()},
                                            .results = {result},
                                            .aliases = {{0, 0}},
                                            .batch = batch.size()});
             },
             .expect = [](Tensors inputs) {
               Tensor result(inputs[0].type(), inputs[0].shape());
               const int64_t count = inputs[1].shape().back();
               for (int64_t b = 0; b < oracle::matrixCount(result); ++b) {
                 std::vector<oracle::QuadComplex> taus;
                 for (int64_t i = 0; i < count; ++i) {
                   const oracle::Number tau = oracle::load(inputs[1], b * count + i);
                   taus.push_back({tau.real, tau.imaginary});
                 }
                 oracle::storeMatrix(
                     result, b, oracle::householderProduct(oracle::matrixAt(inputs[0], b), taus));
               }
               return result;
             },
             .oracle = "quadruple",
             .comparators = {withinRelative(unit, unit)},
             .makeInputs =
                 [=](Random& random) {
                   const Tensor matrix = makeMatrix(type, shape, Structure::kGeneral, random);
                   return reflected(matrix, tauShape, oracle::householderQr);
                 }});
}

void addHessenberg(CaseList& cases, ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const Shape tauShape = withLast(batch, shape.back() - 1);
  cases.add({.primitive = "hessenberg",
             .arguments = {{type, shape}},
             .emit = [=](FunctionBuilder& main, Arguments arguments) -> SsaValues {
               const SsaValues results = emitSolverCall(
                   main,
                   {.target = lapackTarget(type, "gehrd"),
                    .configuration = {{"high", {shape.back(), kInt}}, {"low", {int64_t{1}, kInt}}},
                    .operands = {arguments[0]},
                    .results = {{type, shape}, {type, tauShape}, {kInt, batch}},
                    .aliases = {{0, 0}},
                    .batch = batch.size()});
               return nanUnless(main, results[2], "EQ", {results[0], results[1]});
             },
             .expect =
                 [=](Tensors inputs) { return reflected(inputs[0], tauShape, oracle::hessenberg); },
             .oracle = "quadruple",
             .comparators = {byMeaning(Comparator::Kind::kHessenberg, type)},
             .makeInputs = oneMatrix(type, shape, Structure::kGeneral),
             .platforms = {"cpu"}});
}

void addTridiagonal(CaseList& cases, ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const int64_t size = shape.back();
  const ElementType real = realPart(type);
  const Shape inner = withLast(batch, size - 1), outer = withLast(batch, size);
  cases.add(
      {.primitive = "tridiagonal",
       .label = "lower=true",
       .arguments = {{type, shape}},
       .emit = [=](FunctionBuilder& main, Arguments arguments, const std::string& platform) {
         const bool cpu = platform == "cpu";
         const SsaValues results = emitSolverCall(
             main, {.target = cpu ? lapackTarget(type, "sytrd", "hetrd")
                                  : acceleratorTarget(platform, "sytrd"),
                    .configuration = cpu ? AttributeMap{{"uplo", letter('L')}}
                                         : AttributeMap{{"lower", true}},
                    .operands = {arguments[0]},
                    .results = {{type, shape}, {real, outer}, {real, inner}, {type, inner},
                                {kInt, batch}},
                    .aliases = {{0, 0}},
                    .batch = batch.size()});
         return nanUnless(main, results[4], "EQ", {results.begin(), results.begin() + 4});
       },
       .expect = [=](Tensors inputs) -> Result<std::vector<Tensor>> {
         Tensor packed(type, shape), diagonal(real, outer), below(real, inner), taus(type, inner);
         for (int64_t b = 0; b < oracle::matrixCount(packed); ++b) {
           const oracle::QuadMatrix matrix = oracle::matrixAt(inputs[0], b);
           oracle::Reflected t = oracle::hessenberg(matrix);
           std::vector<oracle::QuadComplex> d, e;
           for (int64_t i = 0; i < size; ++i) {
             d.push_back(t.packed(i, i));
             if (i + 1 < size) e.push_back(t.packed(i + 1, i));
             // The upper triangle is not touched.
             for (int64_t j = i + 1; j < size; ++j) t.packed(i, j) = matrix(i, j);
           }
           oracle::storeMatrix(packed, b, t.packed);
           storeVector(diagonal, b, d);
           storeVector(below, b, e);
           storeVector(taus, b, t.taus);
         }
         return std::vector<Tensor>{std::move(packed), std::move(diagonal), std::move(below),
                                    std::move(taus)};
       },
       .oracle = "quadruple",
       .comparators = {byMeaning(Comparator::Kind::kTridiagonal, type)},
       .makeInputs = oneMatrix(type, shape, Structure::kHermitian),
       .platforms = {"cpu", "cuda", "rocm"}});
}

void addSchur(CaseList& cases, ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const Shape values = withLast(batch, shape.back());
  cases.add({.primitive = "schur",
             .label = "vectors=true_sort=false",
             .arguments = {{type, shape}},
             .emit = [=](FunctionBuilder& main, Arguments arguments) -> SsaValues {
               SolverCall call{.target = lapackTarget(type, "gees"),
                               .configuration = {{"mode", letter('V')}, {"sort", letter('N')}},
                               .operands = {arguments[0]},
                               .results = {{type, shape}, {type, shape}, {type, values}},
                               .aliases = {{0, 0}},
                               .batch = batch.size()};
               if (!isComplex(type)) call.results.push_back({type, values});  // Imaginary parts.
               call.results.push_back({kInt, batch});  // How many were selected.
               call.results.push_back({kInt, batch});
               const SsaValues results = emitSolverCall(main, call);
               return nanUnless(main, results.back(), "EQ", {results[0], results[1]});
             },
             .expect = [=](Tensors inputs) -> Result<std::vector<Tensor>> {
               Tensor t(type, shape), z(type, shape);
               for (int64_t b = 0; b < oracle::matrixCount(t); ++b) {
                 const oracle::Schur form =
                     oracle::schur(oracle::matrixAt(inputs[0], b), !isComplex(type));
                 oracle::storeMatrix(t, b, form.t);
                 oracle::storeMatrix(z, b, form.z);
               }
               return std::vector<Tensor>{std::move(t), std::move(z)};
             },
             .oracle = "quadruple",
             .comparators = {byMeaning(Comparator::Kind::kSchur, type)},
             .makeInputs = oneMatrix(type, shape, Structure::kGeneral),
             .platforms = {"cpu"}});
}

}  // namespace

VINTAGE_FAMILY(addReductionFactorizationCases) {
  for (ElementType type : solverTypes()) {
    for (const Shape& shape :
         {Shape{4, 4}, Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 3}, Shape{1, 1}}) {
      addGeqrf(cases, type, shape);
    }
    for (const Shape& shape : {Shape{4, 4}, Shape{5, 3}, Shape{2, 4, 3}, Shape{1, 1}}) {
      addProduct(cases, type, shape);
    }
    for (const Shape& shape : {Shape{2, 2}, Shape{4, 4}, Shape{6, 6}, Shape{2, 5, 5}}) {
      addHessenberg(cases, type, shape);
      addTridiagonal(cases, type, shape);
    }
    for (const Shape& shape : {Shape{1, 1}, Shape{4, 4}, Shape{5, 5}, Shape{2, 3, 3}}) {
      addSchur(cases, type, shape);
    }
    using Add = void (*)(CaseList&, ElementType, const Shape&);
    for (const Add add : {addGeqrf, addProduct, addHessenberg, addTridiagonal, addSchur}) {
      const int64_t columns = add == addGeqrf || add == addProduct ? 3 : 4;
      cases.addPoly([&](CaseList& list, Sizes s) { add(list, type, {s.b, 4, columns}); });
    }
  }
}

}  // namespace vintage::primitives
