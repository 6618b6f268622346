#include "golden/program/referred_constants.h"

#include <atomic>

#include <fmt/format.h>

#include "golden/base/memory_pages.h"
#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "golden/program/tree_types.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace vintage::golden {
using namespace mlir;

namespace {

bool isConstant(mlir::Operation& operation) {
  const StringRef name = operation.getName().getStringRef();
  return name == "stablehlo.constant" || name == "chlo.constant";
}

// Whether the elements lie in `data` as a tensor keeps them: whole bytes, one value each.
bool liesAsInTensor(RankedTensorType type, ArrayRef<char> data) {
  if (!type.hasStaticShape()) return false;
  const auto element = elementTypeOf(type.getElementType());
  if (!element || bitWidth(*element) < 8) return false;
  const auto count = checkedElementCount(type.getShape());
  return count && data.size() % byteWidth(*element) == 0 &&
         data.size() / byteWidth(*element) == static_cast<uint64_t>(*count);
}

bool refersToArtifact(DenseResourceElementsAttr constant) {
  const AsmResourceBlob* blob = constant.getRawHandle().getBlob();
  // Those of a text belong to MLIR.
  return blob != nullptr && blob->isMutable() && !blob->getDeleter();
}

}  // namespace

void ReferredConstants::attach(BytecodeReaderConfig& config) {
  config.attachAttributeCallback(
      [this](DialectBytecodeReader& reader, StringRef dialect, mlir::Attribute& entry) {
        return read(reader, dialect, entry);
      });
}

// Success without an entry: MLIR decodes it anew, as it would without us.
LogicalResult ReferredConstants::read(DialectBytecodeReader& reader, StringRef dialect,
                                      mlir::Attribute& entry) {
  if (dialect != "vhlo") return mlir::success();
  uint64_t code = 0;
  if (failed(reader.readVarInt(code))) return mlir::failure();
  if (code != vhlo::TensorV1Attr::kCode) return mlir::success();
  Type portable;
  ArrayRef<char> data;
  if (failed(reader.readType(portable))) return mlir::failure();
  if (!portable) return mlir::success();
  if (failed(reader.readBlob(data))) return mlir::failure();
  const auto type = dyn_cast_or_null<RankedTensorType>(types_.fromPortable(portable));
  if (data.size() < kLargeConstant || !type || !liesAsInTensor(type, data)) return mlir::success();
  // A name of its own: MLIR would look for a free one from the first on.
  static std::atomic<uint64_t> number{0};
  const std::string name = fmt::format("constant_{}", number++);
  AsmResourceBlob blob(data, /*dataAlignment=*/1, /*deleter=*/{}, /*dataIsMutable=*/true);
  entry = DenseResourceElementsAttr::get(type, name, std::move(blob));
  ++made_;
  return mlir::success();
}

bool onlyConstantsRefer(ModuleOp module) {
  const auto holdsOne = [](mlir::Attribute attribute) {
    return attribute
        .walk<WalkOrder::PreOrder>([](DenseResourceElementsAttr constant) {
          return refersToArtifact(constant) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  const auto walked = module->walk([&](mlir::Operation* operation) {
    for (const NamedAttribute& each : operation->getAttrDictionary()) {
      if (isConstant(*operation) && each.getName() == "value") continue;
      if (holdsOne(each.getValue())) return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

Result<Tensor> TakenConstants::take(DenseResourceElementsAttr constant) {
  if (!refersToArtifact(constant)) return tensorOf(constant);
  if (const auto found = taken_.find(constant); found != taken_.end()) return found->second;
  const ShapedType type = constant.getShapedType();
  ASSIGN_OR_RETURN(auto tensor, Tensor::makeUninitialized(
                                    *elementTypeOf(type.getElementType()),
                                    Shape(type.getShape().begin(), type.getShape().end())));
  AsmResourceBlob& blob = *constant.getRawHandle().getBlob();
  const MutableArrayRef<char> data = blob.getMutableData();
  const std::span<std::byte> bytes = tensor.mutableBytes();
  moveOut(std::as_writable_bytes(std::span(data.data(), data.size())), bytes.data());
  const ArrayRef<char> moved(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  blob = AsmResourceBlob(moved, /*dataAlignment=*/1, /*deleter=*/{}, /*dataIsMutable=*/true);
  taken_.try_emplace(constant, tensor);
  return tensor;
}

}  // namespace vintage::golden
