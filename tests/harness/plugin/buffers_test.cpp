// Arrays between a host and a device of the plugin.
#include <limits>
#include <numeric>

#include "harness/plugin/buffers.h"
#include "harness/runtimes/pjrt/element_codes.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PluginBuffers : public PluginTest {
 protected:
  PluginBuffers() { EXPECT_EQ(makeClient({{"devices", "2"}}).code, kOk); }

  std::vector<float> numbers(size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }

  ClientBufferFromHostBuffer transferOf(const void* data, const Shape& shape,
                                        const std::vector<int64_t>& strides) {
    ClientBufferFromHostBuffer transfer;
    transfer.client = client_;
    transfer.data = data;
    transfer.type = 11;
    transfer.dimensions = shape.data();
    transfer.rank = shape.size();
    transfer.strides = strides.data();
    transfer.strideCount = strides.size();
    return transfer;
  }

  std::vector<float> arrive(ClientBufferFromHostBuffer& transfer) {
    const Answer answer = call(transfer);
    EXPECT_EQ(answer.code, kOk) << answer.message;
    if (!transfer.buffer) return {};
    endEvent(transfer.done);
    buffers_.push_back(transfer.buffer);
    return floatsOf(transfer.buffer);
  }
};

// jnp.from_dlpack(x, copy=False) came back with a copy, and took memory that is not aligned.
TEST_F(PluginBuffers, ViewsMemoryWhereItLies) {
  alignas(golden::Tensor::kAlignment) float owned[4] = {0, 1, 2, 3};
  const Shape shape{3};
  int released = 0;
  ClientCreateViewOfDeviceBuffer view;
  view.client = client_;
  view.data = owned + 1;
  view.type = 11;
  view.dimensions = shape.data();
  view.rank = 1;
  view.device = device();
  view.onDelete = [](void*, void* count) { ++*static_cast<int*>(count); };
  view.onDeleteArgument = &released;
  const Answer refused = call(view);
  EXPECT_EQ(refused.code, kInvalidArgument);
  EXPECT_THAT(refused.message, HasSubstr("is not aligned to 512 bits"));
  EXPECT_EQ(released, 0);
  view.data = owned;
  ASSERT_EQ(call(view).code, kOk);
  owned[0] = 7;
  EXPECT_THAT(floatsOf(view.buffer), ElementsAre(7, 1, 2));
  EXPECT_EQ(released, 0);
  BufferDestroy destroy;
  destroy.object = view.buffer;
  call(destroy);
  EXPECT_EQ(released, 1);
}

TEST_F(PluginBuffers, TakesAnyStrides) {
  const std::vector<float> host = numbers(6);
  const Shape shape{3, 2};
  const std::vector<int64_t> columns{4, 12}, descending{-8, 4}, still{0, 4};
  auto transposed = transferOf(host.data(), shape, columns);
  EXPECT_THAT(arrive(transposed), ElementsAre(0, 3, 1, 4, 2, 5));
  auto backwards = transferOf(host.data() + 4, shape, descending);
  EXPECT_THAT(arrive(backwards), ElementsAre(4, 5, 2, 3, 0, 1));
  auto repeated = transferOf(host.data(), shape, still);
  EXPECT_THAT(arrive(repeated), ElementsAre(0, 1, 0, 1, 0, 1));
}

TEST_F(PluginBuffers, TakesEmptyArraysAndScalars) {
  const Shape empty{3, 0, 2}, scalar;
  auto nothing = transferOf(nullptr, empty, {});
  EXPECT_THAT(arrive(nothing), ElementsAre());
  const float one = 7;
  auto single = transferOf(&one, scalar, {});
  EXPECT_THAT(arrive(single), ElementsAre(7));
}

TEST_F(PluginBuffers, RefusesWhatIsNoArray) {
  const float one = 7;
  const Shape negative{-1}, huge{std::numeric_limits<int64_t>::max(), 8}, two{2};
  for (const Shape* shape : {&negative, &huge}) {
    auto transfer = transferOf(&one, *shape, {});
    EXPECT_EQ(call(transfer).code, kInvalidArgument);
  }
  auto missing = transferOf(nullptr, two, {});
  EXPECT_EQ(call(missing).code, kInvalidArgument);
  const std::vector<int64_t> tooMany{4, 4};
  auto strides = transferOf(&one, two, tooMany);
  EXPECT_EQ(call(strides).code, kInvalidArgument);
  auto type = transferOf(&one, two, {});
  type.type = 99;
  EXPECT_EQ(call(type).code, kUnimplemented);
}

// The plugin refused every layout but row-major, and JAX could not give one to device_put.
TEST_F(PluginBuffers, ADeviceHoldsAnArrayInTheOrderThatWasAskedFor) {
  const std::vector<float> host = numbers(6);
  const Shape shape{3, 2};
  const std::vector<int64_t> columns{0, 1}, rows{1, 0};
  MemoryLayout layout = memoryLayout(columns);
  auto transfer = transferOf(host.data(), shape, {});
  transfer.layout = &layout;
  // A host that names no layout takes the bytes as they lie.
  EXPECT_THAT(arrive(transfer), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(bytesOf(transfer.buffer, 6), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(orderOf(transfer.buffer), ElementsAre(0, 1));
  BufferDimensions dimensions;
  dimensions.object = transfer.buffer;
  ASSERT_EQ(call(dimensions).code, kOk);
  EXPECT_THAT(std::vector(dimensions.items, dimensions.items + dimensions.count),
              ElementsAre(3, 2));
  BufferCopyToDevice copy;
  copy.object = transfer.buffer;
  copy.place = device(1);
  ASSERT_EQ(call(copy).code, kOk);
  buffers_.push_back(copy.copy);
  EXPECT_THAT(orderOf(copy.copy), ElementsAre(0, 1));
  std::vector<float> taken(6);
  MemoryLayout wanted = memoryLayout(rows);
  BufferToHostBuffer back;
  back.buffer = copy.copy;
  back.layout = &wanted;
  back.target = taken.data();
  back.size = 24;
  ASSERT_EQ(call(back).code, kOk);
  endEvent(back.event);
  EXPECT_EQ(taken, host);
  layout.tiled.tiles = 1;
  EXPECT_EQ(call(transfer).code, kUnimplemented);
  layout = memoryLayout(std::span(columns).first(1));
  EXPECT_EQ(call(transfer).code, kInvalidArgument);
}

// jax.dlpack takes arrays of other libraries, which need not be row-major.
TEST_F(PluginBuffers, ViewsMemoryInAnyOrder) {
  alignas(golden::Tensor::kAlignment) float owned[6] = {0, 2, 4, 1, 3, 5};
  const Shape shape{3, 2};
  const std::vector<int64_t> columns{0, 1}, rows{1, 0};
  MemoryLayout layout = memoryLayout(columns), wanted = memoryLayout(rows);
  ClientCreateViewOfDeviceBuffer view;
  view.client = client_;
  view.data = owned;
  view.type = 11;
  view.dimensions = shape.data();
  view.rank = 2;
  view.layout = &layout;
  view.device = device();
  ASSERT_EQ(call(view).code, kOk);
  buffers_.push_back(view.buffer);
  owned[3] = 7;
  std::vector<float> taken(6);
  BufferToHostBuffer back;
  back.buffer = view.buffer;
  back.layout = &wanted;
  back.target = taken.data();
  back.size = 24;
  ASSERT_EQ(call(back).code, kOk);
  endEvent(back.event);
  EXPECT_THAT(taken, ElementsAre(0, 7, 2, 3, 4, 5));
}

TEST_F(PluginBuffers, GivesAnArrayInTheOrderThatAHostWants) {
  const std::vector<float> host = numbers(6);
  const Shape shape{3, 2};
  auto transfer = transferOf(host.data(), shape, {});
  arrive(transfer);
  const std::vector<int64_t> columns{0, 1};
  MemoryLayout layout{};
  layout.tiled.minorToMajor = columns.data();
  layout.tiled.minorToMajorSize = 2;
  std::vector<float> taken(6);
  BufferToHostBuffer back;
  back.buffer = transfer.buffer;
  back.layout = &layout;
  back.target = taken.data();
  back.size = 24;
  ASSERT_EQ(call(back).code, kOk);
  endEvent(back.event);
  EXPECT_THAT(taken, ElementsAre(0, 2, 4, 1, 3, 5));
  back.size = 20;
  EXPECT_EQ(call(back).code, kInvalidArgument);
  layout.tiled.tiles = 1;
  EXPECT_EQ(call(back).code, kUnimplemented);
  const std::vector<int64_t> twice{1, 1};
  layout.tiled.tiles = 0;
  layout.tiled.minorToMajor = twice.data();
  EXPECT_EQ(call(back).code, kInvalidArgument);
}

// XLA leaves the unused bits of narrow integers as it likes; a Tensor keeps them extended.
TEST(PluginHostLayout, UnusedBitsOfNarrowTypesAreMadeWhatATensorHas) {
  const std::vector<uint8_t> bytes{0x0f, 0xf7, 0x98};
  const auto wrap = [&](ElementType type) {
    const auto array = harness::arrayFromHost(type, {3}, {0}, bytes.data(), {1});
    const auto values = array->tensor.values<int8_t>();
    return std::vector<int>(values.begin(), values.end());
  };
  EXPECT_THAT(wrap(ElementType::kI4), ElementsAre(-1, 7, -8));
  EXPECT_THAT(wrap(ElementType::kUi4), ElementsAre(15, 7, 8));
  EXPECT_THAT(wrap(ElementType::kI2), ElementsAre(-1, -1, 0));
  EXPECT_THAT(wrap(ElementType::kI1), ElementsAre(1, 1, 1));
  EXPECT_THAT(wrap(ElementType::kF6E2M3FN), ElementsAre(0x0f, 0x37, 0x18));
}

// Arrays of f6E2M3FN and f6E3M2FN were refused: the C API of today has codes for them.
TEST_F(PluginBuffers, TakesEveryElementType) {
  const std::vector<std::byte> host(32, std::byte{1});
  const Shape shape{2};
  for (const auto& [code, type] : kElementCodes) {
    ClientBufferFromHostBuffer transfer = transferOf(host.data(), shape, {});
    transfer.type = code;
    ASSERT_EQ(call(transfer).code, kOk) << stablehloName(type);
    endEvent(transfer.done);
    buffers_.push_back(transfer.buffer);
    BufferElementType asked;
    asked.object = transfer.buffer;
    ASSERT_EQ(call(asked).code, kOk);
    EXPECT_EQ(asked.value, code);
    BufferToHostBuffer back;
    back.buffer = transfer.buffer;
    ASSERT_EQ(call(back).code, kOk);
    EXPECT_EQ(back.size, 2 * byteWidth(type)) << stablehloName(type);
    std::vector<std::byte> values(back.size);
    back.target = values.data();
    ASSERT_EQ(call(back).code, kOk);
    endEvent(back.event);
    EXPECT_THAT(values, testing::Each(std::byte{1})) << stablehloName(type);
  }
}

TEST_F(PluginBuffers, ADeletedBufferIsKeptForThoseWhoReferToIt) {
  PluginBuffer* buffer = floats({1, 2});
  BufferIncreaseExternalReferenceCount refer;
  refer.object = buffer;
  ASSERT_EQ(call(refer).code, kOk);
  BufferDelete remove;
  remove.object = buffer;
  ASSERT_EQ(call(remove).code, kOk);
  EXPECT_TRUE(isDeleted(buffer));
  BufferToHostBuffer read;
  read.buffer = buffer;
  EXPECT_EQ(call(read).code, kFailedPrecondition);
  BufferOpaqueDeviceMemoryDataPointer pointer;
  pointer.object = buffer;
  ASSERT_EQ(call(pointer).code, kOk);
  EXPECT_EQ(static_cast<float*>(pointer.value)[1], 2);
  BufferDecreaseExternalReferenceCount end;
  end.object = buffer;
  EXPECT_EQ(call(end).code, kOk);
  EXPECT_EQ(call(end).code, kInvalidArgument);
  EXPECT_EQ(call(pointer).code, kFailedPrecondition);
}

TEST_F(PluginBuffers, AreCountedOnTheirDevice) {
  const auto use = [&](int id) {
    DeviceMemoryStats stats;
    stats.device = device(id);
    EXPECT_EQ(call(stats).code, kOk);
    EXPECT_TRUE(stats.peakBytesInUseIsSet);
    EXPECT_FALSE(stats.poolBytesIsSet);
    return std::pair(stats.bytesInUse, stats.peakBytesInUse);
  };
  PluginBuffer* first = floats({1, 2, 3, 4}, 0);
  BufferCopyToDevice copy;
  copy.object = first;
  copy.place = device(1);
  ASSERT_EQ(call(copy).code, kOk);
  buffers_.push_back(copy.copy);
  EXPECT_EQ(use(0), std::pair(int64_t{16}, int64_t{16}));
  EXPECT_EQ(use(1), std::pair(int64_t{16}, int64_t{16}));
  BufferDelete remove;
  remove.object = first;
  ASSERT_EQ(call(remove).code, kOk);
  EXPECT_EQ(use(0), std::pair(int64_t{0}, int64_t{16}));
  EXPECT_THAT(floatsOf(copy.copy), ElementsAre(1, 2, 3, 4));
  BufferDevice where;
  where.object = copy.copy;
  ASSERT_EQ(call(where).code, kOk);
  EXPECT_EQ(where.value, device(1));
}

}  // namespace
}  // namespace vintage::tests
