#include "harness/plugin/extensions.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace harness;

namespace {

using testing::HasSubstr;

TEST(PluginTable, DeclaresTheApiThatOldAndNewClientsTake) {
  const Api& api = harness::apiTable();
  EXPECT_EQ(api.version.majorVersion, 0);
  EXPECT_EQ(api.version.minorVersion, 93);
  for (const AnyFunction function : api.functions) EXPECT_NE(function, nullptr);
}

TEST(PluginTable, AFunctionThatIsLackedIsOneErrorAndNoAbort) {
  struct {
    size_t size = 64;
    void* rest[7] = {};
  } arguments;
  for (const Slot slot : {Slot::kCopyToDeviceStreamAddChunk, Slot::kCopyToDeviceStreamDestroy,
                          Slot::kCopyToDeviceStreamTotalBytes, Slot::kClientDmaMap}) {
    const Answer answer = callSlot(slot, &arguments);
    EXPECT_EQ(answer.code, kUnimplemented);
    EXPECT_THAT(answer.message, HasSubstr("of the PJRT C API"));
  }
}

TEST(PluginTable, EachFunctionRefusesACallWithoutItsObjectOrItsArguments) {
  struct Empty {
    size_t size = 512;
    std::byte rest[504] = {};
  };
  for (size_t slot = static_cast<size_t>(Slot::kEventDestroy); slot < kSlotCount; ++slot) {
    const auto place = static_cast<Slot>(slot);
    if (place == Slot::kClientCreate || place == Slot::kTopologyDescriptionCreate) continue;
    Empty empty;
    EXPECT_NE(callSlot(place, &empty).code, kOk) << slot;
    EXPECT_NE(callSlot(place, nullptr).code, kOk) << slot;
  }
}

TEST(PluginTable, ArgumentsThatAreTooShortForTheirHeaderAreRefused) {
  ClientCreate create;
  create.structSize = 8;
  const Answer answer = call(create);
  EXPECT_EQ(answer.code, kInvalidArgument);
  EXPECT_THAT(answer.message, HasSubstr("say that they have 8 bytes"));
}

// JAX 0.4.30 announced PJRT_Plugin_Attributes_Args without its last field, the number of
// attributes. The plugin left it out in its answer, and the client read what lay there: it died
// of a segmentation fault.
TEST(PluginTable, AnOldClientThatAnnouncesTooLittleGetsTheWholeAnswer) {
  PluginAttributes ask;
  ask.structSize = offsetof(PluginAttributes, count);
  ask.count = 12345;
  ASSERT_EQ(call(ask).code, kOk);
  EXPECT_EQ(ask.count, 2u);
}

TEST(PluginTable, WhatAnOldClientLacksIsNotWritten) {
  struct OldStats {
    size_t structSize = offsetof(ExecutableGetCompiledMemoryStats, hostCode);
    void* extension = nullptr;
    PluginExecutable* executable = nullptr;
    int64_t code = 0, arguments = 0, outputs = 0, aliased = 0, temporaries = 0;
    int64_t behind = 77;
  };
  PluginProgram program{};
  program.code = kAddition.data();
  program.codeSize = kAddition.size();
  program.format = "mlir";
  program.formatSize = 4;
  TopologyDescriptionCreate topology;
  ASSERT_EQ(call(topology).code, kOk);
  Compile compile;
  compile.topology = topology.topology;
  compile.program = &program;
  ASSERT_EQ(call(compile).code, kOk);
  OldStats stats;
  stats.executable = compile.executable;
  ASSERT_EQ(callSlot(Slot::kExecutableGetCompiledMemoryStats, &stats).code, kOk);
  EXPECT_EQ(stats.arguments, 16);
  EXPECT_EQ(stats.outputs, 8);
  EXPECT_EQ(stats.behind, 77);
  ExecutableDestroy destroy;
  destroy.object = compile.executable;
  EXPECT_EQ(call(destroy).code, kOk);
  TopologyDescriptionDestroy end;
  end.object = topology.topology;
  EXPECT_EQ(call(end).code, kOk);
}

// JAX 0.4.33 asks for the layout of each buffer by an extension, and ended the process
// ("Got unexpected layout type") where a plugin did not have it.
TEST(PluginTable, TheLayoutsExtensionTellsTheDefaultOrder) {
  ASSERT_NE(extensionOfType(4), nullptr);
  const auto& extension = *static_cast<LayoutsExtension*>(extensionOfType(4));
  ClientCreate create;
  ASSERT_EQ(call(create).code, kOk);
  const auto ask = [&](auto& arguments) {
    const AnyFunction any = extension.functions[static_cast<size_t>(arguments.kSlot)];
    return takeAnswer(reinterpret_cast<PluginError* (*)(void*)>(any)(&arguments));
  };
  ClientGetDefaultLayout layout;
  layout.object = create.client;
  layout.rank = 3;
  ASSERT_EQ(ask(layout).code, kOk);
  LayoutSerialize serialize;
  serialize.object = layout.layout;
  ASSERT_EQ(ask(serialize).code, kOk);
  EXPECT_EQ(std::string(serialize.serialized, serialize.serializedSize), "{2,1,0}");
  serialize.destroy(serialize.holder);
  LayoutDestroy end;
  end.object = layout.layout;
  EXPECT_EQ(ask(end).code, kOk);
  ClientDestroy last;
  last.object = create.client;
  EXPECT_EQ(call(last).code, kOk);
}

// jax.profiler.start_trace of JAX 0.4.30 and 0.8.1 ended the process of a plugin without it.
TEST(PluginTable, TheProfilerExtensionHasMeasuredNothing) {
  ASSERT_NE(extensionOfType(1), nullptr);
  const auto& extension = *static_cast<ProfilerExtension*>(extensionOfType(1));
  const ProfilerFunctions& functions = *extension.functions;
  const auto function = [](AnyFunction any) { return reinterpret_cast<void* (*)(void*)>(any); };
  ProfilerCreate create;
  EXPECT_EQ(function(functions.create)(&create), nullptr);
  ASSERT_NE(create.profiler, nullptr);
  ProfilerCollect collect;
  collect.profiler = create.profiler;
  collect.size = 99;
  EXPECT_EQ(function(functions.start)(&collect), nullptr);
  EXPECT_EQ(function(functions.stop)(&collect), nullptr);
  EXPECT_EQ(function(functions.collect)(&collect), nullptr);
  EXPECT_EQ(collect.size, 0u);
  EXPECT_EQ(function(functions.destroy)(&collect), nullptr);
}

TEST(PluginTable, AnEventCallsBackAtOnce) {
  ClientCreate create;
  ASSERT_EQ(call(create).code, kOk);
  const float value = 1;
  ClientBufferFromHostBuffer transfer;
  transfer.client = create.client;
  transfer.data = &value;
  transfer.type = 11;
  ASSERT_EQ(call(transfer).code, kOk);
  int calls = 0;
  EventOnReady ready;
  ready.event = transfer.done;
  EXPECT_EQ(call(ready).code, kInvalidArgument);  // Without a function.
  ready.callback = [](PluginError* error, void* argument) {
    EXPECT_EQ(error, nullptr);
    ++*static_cast<int*>(argument);
  };
  ready.argument = &calls;
  EXPECT_EQ(call(ready).code, kOk);
  EXPECT_EQ(calls, 1);
  EventDestroy end;
  end.object = transfer.done;
  EXPECT_EQ(call(end).code, kOk);
  // A client may destroy itself before its buffers.
  ClientDestroy last;
  last.object = create.client;
  EXPECT_EQ(call(last).code, kOk);
  BufferDestroy buffer;
  buffer.object = transfer.buffer;
  EXPECT_EQ(call(buffer).code, kOk);
}

}  // namespace
}  // namespace vintage::tests
