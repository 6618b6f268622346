#include "harness/plugin/buffers.h"

#include <bit>
#include <span>

#include "harness/plugin/entry.h"
#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"
#include "harness/runtimes/pjrt/element_codes.h"

namespace vintage::harness {
using namespace golden;

namespace {

Result<ElementType> typeOfCode(int code) {
  const auto type = elementOfCode(code);
  if (!type) return unsupported("the embedded engine has no element type of the code {}", code);
  return *type;
}

Result<Shape> shapeOf(const int64_t* dimensions, size_t rank) {
  if (!dimensions && rank > 0) return usageError("the dimensions of an array are missing");
  Shape shape(dimensions, dimensions + rank);
  if (!checkedElementCount(shape))
    return badInput("{} is no shape", describe(ElementType::kI1, shape));
  return shape;
}

// On the device or memory that the call names; the API's caller owns the buffer.
template <typename Arguments>
auto newBuffer(EngineClient& client, const Arguments& arguments, StoredArray array) {
  EngineMemory& memory = chosenMemory(client, arguments.device, arguments.memory);
  return handleOf(new DeviceBuffer(client.shared_from_this(), memory, std::move(array)));
}

Status transferFromHost(EngineClient& client, ClientBufferFromHostBuffer& arguments) {
  ASSIGN_OR_RETURN(const ElementType type, typeOfCode(arguments.type));
  ASSIGN_OR_RETURN(auto shape, shapeOf(arguments.dimensions, arguments.rank));
  ASSIGN_OR_RETURN(auto order, orderOf(arguments.layout, shape.size()));
  const size_t width = byteWidth(type);
  ByteStrides strides = denseStrides(shape, rowMajorOrder(shape.size()), width);
  if (arguments.strides && arguments.strideCount > 0) {
    if (arguments.strideCount != shape.size())
      return badInput("an array of {} dimensions came with {} strides", shape.size(),
                      arguments.strideCount);
    strides.assign(arguments.strides, arguments.strides + arguments.strideCount);
  }
  ASSIGN_OR_RETURN(
      auto array, arrayFromHost(type, std::move(shape), std::move(order), arguments.data, strides));
  arguments.done = settledEvent();
  arguments.buffer = newBuffer(client, arguments, std::move(array));
  return {};
}

Status viewDeviceMemory(EngineClient& client, ClientCreateViewOfDeviceBuffer& arguments) {
  ASSIGN_OR_RETURN(const ElementType type, typeOfCode(arguments.type));
  ASSIGN_OR_RETURN(auto shape, shapeOf(arguments.dimensions, arguments.rank));
  ASSIGN_OR_RETURN(const auto order, orderOf(arguments.layout, shape.size()));
  if (!arguments.data && elementCount(shape) > 0)
    return usageError("there is no data for {}", describe(type, shape));
  // Callers copy the data where they may, as for XLA's CPU client.
  if (std::bit_cast<uintptr_t>(arguments.data) % Tensor::kAlignment != 0)
    return badInput("the memory to be viewed is not aligned to {} bits", 8 * Tensor::kAlignment);
  const auto release = [done = arguments.onDelete, data = arguments.data,
                        argument = arguments.onDeleteArgument] {
    if (done) done(data, argument);
  };
  StoredArray array{{}, order};
  if (bitWidth(type) < 8) {
    // The owner may write bits that a Tensor must not have.
    const ByteStrides strides = denseStrides(shape, order, byteWidth(type));
    ASSIGN_OR_RETURN(array, arrayFromHost(type, std::move(shape), order, arguments.data, strides));
    release();
  } else {
    const auto* data = static_cast<const std::byte*>(arguments.data);
    ASSIGN_OR_RETURN(array.tensor, Tensor::view(type, std::move(shape), data, release));
  }
  arguments.buffer = newBuffer(client, arguments, std::move(array));
  return {};
}

Status copyToDevice(DeviceBuffer& buffer, BufferCopyToDevice& arguments) {
  if (!arguments.place) return usageError("a copy of a buffer needs a device; the call names none");
  EngineMemory& memory = objectOf<EngineDevice>(arguments.place)->ownMemories.front();
  ASSIGN_OR_RETURN(auto copy, buffer.copyIn(memory));
  arguments.copy = handleOf(copy.release());
  return {};
}

Status copyToMemory(DeviceBuffer& buffer, BufferCopyToMemory& arguments) {
  if (!arguments.place) return usageError("a copy of a buffer needs a memory; the call names none");
  ASSIGN_OR_RETURN(auto copy, buffer.copyIn(*objectOf<EngineMemory>(arguments.place)));
  arguments.copy = handleOf(copy.release());
  return {};
}

Status transferToHost(DeviceBuffer& buffer, BufferToHostBuffer& arguments) {
  ASSIGN_OR_RETURN(const auto array, buffer.array());
  const size_t width = byteWidth(buffer.type());
  // Without a layout the bytes go as they lie.
  ByteStrides strides = denseStrides(buffer.shape(), buffer.order(), width);
  if (arguments.layout) {
    ASSIGN_OR_RETURN(strides, stridesOf(*arguments.layout, buffer.shape(), width));
  }
  for (const int64_t stride : strides)
    if (stride < 0) return unsupported("an array is to be written with a negative stride");
  const size_t size = spanOf(buffer.shape(), strides, width);
  if (!arguments.target) {
    arguments.size = size;
    // A host may pass no address for an empty array, but still waits for the event.
    arguments.event = size == 0 ? settledEvent() : nullptr;
    return {};
  }
  if (arguments.size < size)
    return badInput("{} takes {} bytes; there is room for {}",
                    describe(buffer.type(), buffer.shape()), size, arguments.size);
  arrayToHost(array, strides, arguments.target);
  arguments.event = settledEvent();
  return {};
}

// As a number, or as a pointer.
template <typename Arguments>
Status tellAddress(DeviceBuffer& buffer, Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::byte* address, buffer.address());
  arguments.value = std::bit_cast<decltype(arguments.value)>(address);
  return {};
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::shared_ptr<EngineClient> client, EngineMemory& memory,
                           std::optional<StoredArray> array)
    : client_(std::move(client)),
      memory_(memory),
      code_(array ? elementCode(array->tensor.type()) : kTokenCode),
      type_(array ? array->tensor.type() : ElementType::kI1),
      shape_(array ? array->tensor.shape() : Shape{}),
      order_(array ? array->order : DimensionOrder{}),
      byteCount_(array ? array->tensor.bytes().size() : 0),
      stored_(array ? std::move(array->tensor) : Tensor()) {
  device().use.add(byteCount_);
}

DeviceBuffer::~DeviceBuffer() {
  if (held_) device().use.remove(byteCount_);
}

Result<StoredArray> DeviceBuffer::array() const {
  const std::lock_guard lock(mutex_);
  if (removed_)
    return conflict("{} was deleted or donated, and cannot be read", describe(type_, shape_));
  return StoredArray{stored_, order_};
}

Result<const std::byte*> DeviceBuffer::address() const {
  const std::lock_guard lock(mutex_);
  if (!held_)
    return conflict("{} was deleted or donated, and has no address", describe(type_, shape_));
  return stored_.bytes().data();
}

void DeviceBuffer::letGo() {
  if (!removed_ || references_ > 0 || !held_) return;
  stored_ = Tensor();
  held_ = false;
  device().use.remove(byteCount_);
}

void DeviceBuffer::remove() {
  const std::lock_guard lock(mutex_);
  removed_ = true;
  letGo();
}

bool DeviceBuffer::removed() const {
  const std::lock_guard lock(mutex_);
  return removed_;
}

void DeviceBuffer::referFromOutside() {
  const std::lock_guard lock(mutex_);
  ++references_;
}

Status DeviceBuffer::endReferenceFromOutside() {
  const std::lock_guard lock(mutex_);
  if (references_ == 0)
    return usageError("there is no external reference to {}", describe(type_, shape_));
  --references_;
  letGo();
  return {};
}

Result<std::unique_ptr<DeviceBuffer>> DeviceBuffer::copyIn(EngineMemory& memory) const {
  ASSIGN_OR_RETURN(auto copy, array());
  if (code_ == kTokenCode) return std::make_unique<DeviceBuffer>(client_, memory, std::nullopt);
  ASSIGN_OR_RETURN(copy.tensor, Tensor::fromBytes(type_, copy.tensor.shape(), copy.tensor.bytes()));
  return std::make_unique<DeviceBuffer>(client_, memory, std::move(copy));
}

void answerBuffers(Api& api) {
  answer<transferFromHost>(api);
  answer<viewDeviceMemory>(api);
  answer<&destroyOf<BufferDestroy, DeviceBuffer>>(api);
  tell<BufferElementType, &DeviceBuffer::code>(api);
  tell<BufferDimensions, &DeviceBuffer::shape>(api);
  // Nothing is padded, and no dimension is dynamic.
  tell<BufferUnpaddedDimensions, &DeviceBuffer::shape>(api);
  tell<BufferDynamicDimensionIndices, [](DeviceBuffer&) { return std::span<size_t>(); }>(api);
  tell<BufferGetMemoryLayout, [](DeviceBuffer& buffer) { return memoryLayout(buffer.order()); }>(
      api);
  tell<BufferOnDeviceSizeInBytes, &DeviceBuffer::byteCount>(api);
  tell<BufferDevice, [](DeviceBuffer& buffer) { return handleOf(&buffer.device()); }>(api);
  tell<BufferMemory, [](DeviceBuffer& buffer) { return handleOf(&buffer.memory()); }>(api);
  tell<BufferDelete, &DeviceBuffer::remove>(api);
  tell<BufferIsDeleted, &DeviceBuffer::removed>(api);
  answer<copyToDevice>(api);
  answer<copyToMemory>(api);
  answer<transferToHost>(api);
  tell<BufferIsOnCpu, [](DeviceBuffer&) { return true; }>(api);
  tell<BufferReadyEvent, [](DeviceBuffer&) { return settledEvent(); }>(api);
  answer<&tellAddress<BufferUnsafePointer>>(api);
  answer<&tellAddress<BufferOpaqueDeviceMemoryDataPointer>>(api);
  tell<BufferIncreaseExternalReferenceCount, &DeviceBuffer::referFromOutside>(api);
  tell<BufferDecreaseExternalReferenceCount, &DeviceBuffer::endReferenceFromOutside>(api);
}

}  // namespace vintage::harness
