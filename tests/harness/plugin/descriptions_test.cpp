// Descriptions of executables, devices and memories, which a client asks for after each
// compilation.
//
// JAX's client found no function for layouts and shardings at API 0.54, which the plugin declared:
// it read the text of each program instead, and spent longer on it than on compiling.
#include <map>

#include "harness/plugin/extensions.h"
#include "harness/plugin/sharding_messages.h"
#include "tests/harness/plugin/partitions_under_test.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A client does not clear the fields that the plugin fills in.
template <typename Pointer>
Pointer unset() {
  return reinterpret_cast<Pointer>(uintptr_t{0x5a5a5a5a});
}

class PluginDescriptions : public PluginOnTwoDevices {
 protected:
  ~PluginDescriptions() override {
    for (PluginExecutable* executable : asked_) {
      ExecutableDestroy destroy;
      destroy.object = executable;
      EXPECT_EQ(call(destroy).code, kOk);
    }
  }

  PluginExecutable* executable() {
    LoadedExecutableGetExecutable get;
    get.object = executables_.back();
    EXPECT_EQ(call(get).code, kOk);
    return asked_.emplace_back(get.value);
  }

  template <ShardingsPlace kPlace>
  std::vector<std::string> shardings() {
    const auto* extension = static_cast<ShardingsExtension*>(extensionOfType(19));
    if (!extension) return {"no extension"};
    ShardingArguments<kPlace> arguments;
    arguments.executable = executable();
    arguments.count = 7;
    arguments.messages = unset<const char* const*>();
    arguments.sizes = unset<const size_t*>();
    const AnyFunction any = extension->functions[static_cast<size_t>(kPlace)];
    EXPECT_EQ(takeAnswer(reinterpret_cast<PluginError* (*)(void*)>(any)(&arguments)).code, kOk);
    std::vector<std::string> messages;
    if (!arguments.messages) {
      EXPECT_EQ(arguments.sizes, nullptr);
      return messages;
    }
    for (size_t i = 0; i < arguments.count; ++i)
      messages.emplace_back(arguments.messages[i], arguments.sizes[i]);
    return messages;
  }

  template <typename Arguments>
  std::string textOf(decltype(Arguments::object) object) {
    Arguments arguments;
    arguments.object = object;
    arguments.serialized = unset<const char*>();
    EXPECT_EQ(call(arguments).code, kOk);
    std::string text(arguments.serialized, arguments.serializedSize);
    arguments.destroy(arguments.holder);
    return text;
  }

  std::vector<PluginExecutable*> asked_;
};

TEST_F(PluginDescriptions, TellHowValuesLieOnTheDevices) {
  ASSERT_EQ(compile(kSharded, onDevices(1, 2)).code, kOk);
  EXPECT_THAT(shardings<ShardingsPlace::kOfParameters>(), ElementsAre(kHalves, kWhole));
  EXPECT_THAT(shardings<ShardingsPlace::kOfOutputs>(), ElementsAre(kHalves, kWhole));
}

TEST_F(PluginDescriptions, TellNoShardingsOnOneDevice) {
  ASSERT_EQ(compile(kAddition).code, kOk);
  EXPECT_THAT(shardings<ShardingsPlace::kOfParameters>(), IsEmpty());
  EXPECT_THAT(shardings<ShardingsPlace::kOfOutputs>(), IsEmpty());
}

// The bytes are those that jaxlib's OpSharding.SerializeToString() gives.
TEST(PluginShardingMessages, SayAlongWhichAxesPiecesAddUp) {
  DevicePlacement placement;
  placement.mesh = {{2, 2}, {0, 1, 2, 3}};
  placement.axes = {{}};
  placement.summed = {0, 1};
  EXPECT_EQ(shardingMessage(placement), "\x08\x06");
  placement.axes = {{0}, {}};
  placement.summed = {1};
  EXPECT_EQ(shardingMessage(placement), "\x08\x03\x1a\x03\x02\x01\x02\"\x04\0\1\2\3B\1\x06"s);
}

TEST_F(PluginDescriptions, TellTheRequestOfAProgram) {
  const std::string options = onDevices(1, 2);
  ASSERT_EQ(compile(kSharded, options).code, kOk);
  EXPECT_EQ(textOf<ExecutableGetCompileOptions>(executable()), options);
  // One replica of two partitions: {0} and {1}.
  EXPECT_EQ(textOf<LoadedExecutableGetDeviceAssignment>(executables_.back()),
            "\x08\x01\x10\x02\x1a\x03\x0a\x01\0\x1a\x03\x0a\x01\x01"s);
  // No assignment: the program runs on whichever device it is given.
  ASSERT_EQ(compile(kAddition).code, kOk);
  EXPECT_EQ(textOf<LoadedExecutableGetDeviceAssignment>(executables_.back()), "");
}

TEST_F(PluginDescriptions, EachKindOfMemoryHasANumber) {
  ClientAddressableMemories memories;
  memories.object = client_;
  ASSERT_EQ(call(memories).code, kOk);
  std::map<std::string, int> numbers;
  for (size_t i = 0; i < memories.count; ++i) {
    MemoryKind kind;
    MemoryKindId number;
    kind.object = number.object = memories.items[i];
    ASSERT_EQ(call(kind).code, kOk);
    ASSERT_EQ(call(number).code, kOk);
    const auto [known, isNew] = numbers.emplace(std::string(kind.items, kind.count), number.value);
    EXPECT_EQ(known->second, number.value) << known->first;
  }
  std::map<int, std::string> names;
  for (const auto& [name, number] : numbers) names.emplace(number, name);
  EXPECT_EQ(numbers.size(), 3u);
  EXPECT_EQ(names.size(), 3u);
}

TEST_F(PluginDescriptions, DevicesHaveNoAttributesBeyondTheirDescriptions) {
  DeviceGetAttributes ask;
  ask.device = device();
  ask.attributes = unset<const NamedValue*>();
  ask.count = 7;
  ASSERT_EQ(call(ask).code, kOk);
  EXPECT_EQ(ask.attributes, nullptr);
  EXPECT_EQ(ask.count, 0u);
  ASSERT_NE(ask.destroy, nullptr);
  ask.destroy(ask.holder);
}

}  // namespace
}  // namespace vintage::tests
