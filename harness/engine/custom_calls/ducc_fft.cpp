// ducc_fft: JAX's Fourier transform on CPUs until 2023.
//
// Its first operand is a FlatBuffers table (ducc_fft.fbs of jaxlib): 0 dtype
// (byte), 1 fft_type (byte: C2C, C2R, R2C), 2 shape, 3 strides_in, 4
// strides_out (uint64 vectors), 5 axes (uint32 vector), 6 forward (bool), 7
// scale (double). The strides are those of the declared layouts.
#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include "harness/engine/custom_calls/raw_call.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operations/fourier_transform.h"

namespace vintage::harness::engine {
namespace {

class Descriptor : private flatbuffers::Table {
 public:
  static constexpr flatbuffers::voffset_t field(int index) {
    return static_cast<flatbuffers::voffset_t>(4 + 2 * index);
  }
  bool Verify(flatbuffers::Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyField<int8_t>(verifier, field(0), 1) &&
           VerifyField<int8_t>(verifier, field(1), 1) && VerifyOffset(verifier, field(2)) &&
           verifier.VerifyVector(GetPointer<const flatbuffers::Vector<uint64_t>*>(field(2))) &&
           VerifyOffset(verifier, field(5)) &&
           verifier.VerifyVector(GetPointer<const flatbuffers::Vector<uint32_t>*>(field(5))) &&
           VerifyField<uint8_t>(verifier, field(6), 1) &&
           VerifyField<double>(verifier, field(7), 8) && verifier.EndTable();
  }
  int8_t kind() const { return GetField<int8_t>(field(1), 0); }
  bool forward() const { return GetField<uint8_t>(field(6), 0) != 0; }
  double scale() const { return GetField<double>(field(7), 0.0); }
  const flatbuffers::Vector<uint64_t>* shape() const {
    return GetPointer<const flatbuffers::Vector<uint64_t>*>(field(2));
  }
  const flatbuffers::Vector<uint32_t>* axes() const {
    return GetPointer<const flatbuffers::Vector<uint32_t>*>(field(5));
  }
};

Result<FourierTransform> readDescriptor(const Tensor& bytes) {
  flatbuffers::Verifier verifier(bytes.values<uint8_t>().data(), static_cast<size_t>(bytes.size()));
  if (bytes.size() < 8 || !verifier.VerifyBuffer<Descriptor>(nullptr)) {
    return failure(Error::Kind::kBadInput, "The descriptor of the transform is damaged.");
  }
  const auto* told = flatbuffers::GetRoot<Descriptor>(bytes.values<uint8_t>().data());
  if (!told->shape() || !told->axes() || told->kind() < 0 || told->kind() > 2) {
    return failure(Error::Kind::kBadInput, "The descriptor of the transform lacks shape or axes.");
  }
  FourierTransform transform;
  transform.kind = told->kind() == 0
                       ? (told->forward() ? FftType::kComplex : FftType::kInverseComplex)
                   : told->kind() == 1 ? FftType::kComplexToReal
                                       : FftType::kRealToComplex;
  transform.scale = told->scale();
  for (uint32_t axis : *told->axes()) {
    if (axis >= told->shape()->size()) {
      return failure(Error::Kind::kBadInput,
                     fmt::format("The descriptor's axis {} is beyond its {} dimensions.", axis,
                                 told->shape()->size()));
    }
    transform.axes.push_back(axis);
    transform.lengths.push_back(static_cast<int64_t>(told->shape()->Get(axis)));
  }
  return transform;
}

Result<Kernel> makeDuccFft(const CustomCallTarget& target, const KernelRequest& request) {
  if (request.operandTypes.size() != 2 || request.operandTypes[0].element != ElementType::kUi8) {
    return failure(Error::Kind::kBadInput,
                   "custom_call @ducc_fft needs two operands: a ui8 descriptor and the array.");
  }
  return Kernel([name = target.name](KernelCall& call) -> Status {
    auto transform = readDescriptor(call.operands[0].tensor);
    if (!transform) return within("custom_call @" + name, transform.error());
    auto result = fourierTransform(call.operands[1].tensor, *transform);
    if (!result) return within("custom_call @" + name, result.error());
    call.results[0].tensor = *std::move(result);
    return {};
  });
}

}  // namespace

std::vector<CustomCallTarget> duccFftTargets() {
  CustomCallTarget target;
  target.name = "ducc_fft";
  target.platform = "cpu";
  target.apiVersions = {CustomCallApi::kStatusReturning};
  target.signature = {{"descriptor: ui8[size]", "x: array"}, {"y: array"}, {}};
  target.factory = makeDuccFft;
  return {target};
}

}  // namespace vintage::harness::engine
