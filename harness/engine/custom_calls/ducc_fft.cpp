// The Fourier transforms of JAX on CPUs: ducc_fft until June 2023, and
// dynamic_ducc_fft until May 2024.
//
// The first operand is a FlatBuffers table (ducc_fft.fbs of jaxlib), the second
// the array. The table of ducc_fft: 0 dtype (byte), 1 fft_type (byte: C2C, C2R,
// R2C), 2 shape, 3 strides_in, 4 strides_out (uint64 vectors), 5 axes (uint32
// vector), 6 forward (bool), 7 scale (double). That of dynamic_ducc_fft: 0 ndims
// (uint32), 1 dtype, 2 fft_type, 3 axes, 4 forward; shape, strides_in,
// strides_out (i32 vectors) and scale (f64) are further operands. The shape is
// that of the real or complex values in the time domain; the strides are those
// of the declared layouts.
#include <flatbuffers/flatbuffers.h>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operations/fourier_transform.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr flatbuffers::voffset_t field(int index) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * index);
}

using Sizes = flatbuffers::Vector<uint64_t>;
using Axes = flatbuffers::Vector<uint32_t>;

// By the numbers of the fields.
template <int kDtype, int kKind, int kAxes, int kForward>
class Descriptor : protected flatbuffers::Table {
 public:
  bool Verify(flatbuffers::Verifier& verifier) const {
    return verifyFields(verifier) && verifier.EndTable();
  }
  int8_t kind() const { return GetField<int8_t>(field(kKind), 0); }
  bool forward() const { return GetField<uint8_t>(field(kForward), 0) != 0; }
  const Axes* axes() const { return GetPointer<const Axes*>(field(kAxes)); }

 protected:
  bool verifyFields(flatbuffers::Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyField<int8_t>(verifier, field(kDtype), 1) &&
           VerifyField<int8_t>(verifier, field(kKind), 1) && VerifyOffset(verifier, field(kAxes)) &&
           verifier.VerifyVector(axes()) && VerifyField<uint8_t>(verifier, field(kForward), 1);
  }
};

class StaticDescriptor : public Descriptor<0, 1, 5, 6> {
 public:
  bool Verify(flatbuffers::Verifier& verifier) const {
    return verifyFields(verifier) && VerifyOffset(verifier, field(2)) &&
           verifier.VerifyVector(shape()) && VerifyField<double>(verifier, field(7), 8) &&
           verifier.EndTable();
  }
  double scale() const { return GetField<double>(field(7), 0.0); }
  const Sizes* shape() const { return GetPointer<const Sizes*>(field(2)); }
};

using DynamicDescriptor = Descriptor<1, 2, 3, 4>;

template <typename Table>
Result<const Table*> rootOf(const Tensor& bytes) {
  flatbuffers::Verifier verifier(bytes.values<uint8_t>().data(), static_cast<size_t>(bytes.size()));
  if (bytes.size() < 8 || !verifier.VerifyBuffer<Table>(nullptr))
    return badInput("The descriptor of the transform is damaged.");
  return flatbuffers::GetRoot<Table>(bytes.values<uint8_t>().data());
}

Result<FourierTransform> transformOf(int8_t kind, bool forward, const Axes* axes,
                                     std::span<const int64_t> shape, double scale) {
  if (axes == nullptr || kind < 0 || kind > 2)
    return badInput("The descriptor of the transform lacks its axes, or is of an unknown kind.");
  FourierTransform transform;
  transform.kind = kind == 0   ? (forward ? FftType::kComplex : FftType::kInverseComplex)
                   : kind == 1 ? FftType::kComplexToReal
                               : FftType::kRealToComplex;
  transform.scale = scale;
  for (const uint32_t axis : *axes) {
    if (axis >= shape.size())
      return badInput("The descriptor's axis {} is beyond its {} dimensions.", axis, shape.size());
    transform.axes.push_back(axis);
    transform.lengths.push_back(shape[axis]);
  }
  return transform;
}

Result<FourierTransform> staticTransform(std::span<const Value> operands) {
  ASSIGN_OR_RETURN(auto* table, rootOf<StaticDescriptor>(operands[0].tensor));
  if (!table->shape()) return badInput("The descriptor of the transform lacks its shape.");
  std::vector<int64_t> shape;
  for (const uint64_t size : *table->shape()) shape.push_back(static_cast<int64_t>(size));
  return transformOf(table->kind(), table->forward(), table->axes(), shape, table->scale());
}

Result<FourierTransform> dynamicTransform(std::span<const Value> operands) {
  ASSIGN_OR_RETURN(auto* table, rootOf<DynamicDescriptor>(operands[0].tensor));
  const Tensor& shape = operands[2].tensor;
  const Tensor& scale = operands[5].tensor;
  if (!isInteger(shape.type()) || scale.type() != ElementType::kF64 || scale.size() != 1)
    return badInput("The shape is {} and the scale {}; integers and one f64 are needed.",
                    describe(shape), describe(scale));
  return transformOf(table->kind(), table->forward(), table->axes(), integerElements(shape),
                     scale.values<double>()[0]);
}

// Where the result's shape is dynamic, it follows the operands that are needed.
template <size_t kOperands, Result<FourierTransform> (*kRead)(std::span<const Value> operands)>
Result<Kernel> makeTransform(const CustomCallTarget& target, const KernelRequest& request) {
  if (request.operandTypes.size() < kOperands || request.operandTypes.size() > kOperands + 1 ||
      request.resultTypes.size() != 1 || request.operandTypes[0].element != ElementType::kUi8)
    return badInput(
        "custom_call @{} needs {} operands, a ui8 descriptor and the array "
        "first, and gives one result.",
        target.name, kOperands);
  return tensorKernel([name = "custom_call @" + target.name](KernelCall& call) -> Result<Tensor> {
    ASSIGN_OR_RETURN(auto transform, within(name, kRead(call.operands)));
    return within(name, fourierTransform(call.operands[1].tensor, transform));
  });
}

}  // namespace

std::vector<CustomCallTarget> duccFftTargets() {
  return {{"ducc_fft",
           "cpu",
           {CustomCallApi::kStatusReturning},
           {{"descriptor: ui8[size]", "x: array"}, {"y: array"}, {}},
           makeTransform<2, staticTransform>},
          {"dynamic_ducc_fft",
           "cpu",
           {CustomCallApi::kStatusReturning},
           {{"descriptor: ui8[size]", "x: array", "shape: i32[rank]", "strides_in: i32[rank]",
             "strides_out: i32[rank]", "scale: f64[1]"},
            {"y: array"},
            {}},
           makeTransform<6, dynamicTransform>}};
}

}  // namespace vintage::harness
