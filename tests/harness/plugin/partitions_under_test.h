// Programs on two devices of the plugin, and a partitioner that answers as a test says.
#pragma once

#include <fmt/format.h>

#include "harness/plugin/custom_partitioner.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {

using namespace std::string_literals;

// An option of compilation: Shardy's propagation.
inline const std::string kShardy = "\x98\x01\x01";
// OpSharding: over two devices.
inline const std::string kHalves = "\x08\x03\x1a\x01\x02\x22\x02\x00\x01"s, kWhole = "\x08\x00"s;
// ShapeProto.
inline const std::string kFourFloats = "\x10\x0b\x1a\x01\x04\x32\x01\x00"s;

inline constexpr std::string_view kSplit = "{mhlo.sharding = \"{devices=[2]<=[2]}\"}";

inline std::string programOf(std::string_view body, std::string_view argument = kSplit,
                             std::string_view result = kSplit, std::string_view more = "") {
  return fmt::format(R"(module @jit_f attributes {{mhlo.num_partitions = 2 : i32}} {{
    func.func public @main(%a: tensor<4xf32> {}) -> (tensor<4xf32> {}) {{
      {}
      return %0 : tensor<4xf32>
    }}
    {}
  }})",
                     argument, result, body, more);
}

class PluginOnTwoDevices : public PluginTest {
 protected:
  explicit PluginOnTwoDevices(std::vector<std::pair<std::string, std::string>> options = {}) {
    options.emplace_back("devices", "2");
    EXPECT_EQ(makeClient(options).code, kOk);
  }

  // The values of both devices, one behind the other.
  std::vector<float> runOnBoth(const std::vector<std::vector<float>>& given = {{1, 2}, {3, 4}}) {
    const Answer ran = given.empty()
                           ? run({{}, {}}, 1, results_)
                           : run({{floats(given[0], 0)}, {floats(given[1], 1)}}, 1, results_);
    EXPECT_EQ(ran.code, kOk) << ran.message;
    if (ran.code != kOk) return {};
    std::vector<float> values = floatsOf(results_[0][0]);
    const std::vector<float> second = floatsOf(results_[1][0]);
    values.insert(values.end(), second.begin(), second.end());
    return values;
  }
  Answer compileOnTwo(const std::string& program, const std::string& options = kShardy) {
    return compile(program, onDevices(1, 2, options));
  }

  std::vector<std::vector<harness::PluginBuffer*>> results_;
};

// Answers as the test says, and keeps what it was asked.
struct TestPartitioner {
  harness::PartitionerFunctions functions{0,    this, nullptr, partition, infer, takeUserSharding,
                                          false};

  std::string module, error;
  std::vector<std::string> operandShardings;
  std::string resultSharding;
  std::string inferred;  // Empty: nothing.
  bool takesUsers = false;

  std::vector<std::string> asked;  // "partition(shape sharding, …) -> shape sharding: config"
  int cleaned = 0;

  explicit TestPartitioner(const std::string& name) {
    auto* extension = static_cast<harness::CustomPartitionerExtension*>(extensionOfType(2));
    harness::PartitionerRegistration registration;
    registration.name = name.data();
    registration.nameSize = name.size();
    registration.functions = &functions;
    EXPECT_EQ(takeAnswer(extension->registerPartitioner(&registration)).message, "");
  }

 private:
  std::vector<harness::PartitionerText> texts_;

  static TestPartitioner& of(harness::PartitionerFunctions* functions) {
    return *static_cast<TestPartitioner*>(functions->own);
  }
  static harness::PartitionerText lent(const std::string& text) {
    return {text.data(), text.size()};
  }
  static std::string known(const std::string& message) {
    if (message == kHalves) return "halves";
    if (message == kWhole) return "whole";
    return message == kFourFloats ? "f32[4]" : message;
  }
  static std::string copyOf(const harness::PartitionerText& text) { return {text.data, text.size}; }
  template <typename Call>
  bool begin(const char* name, Call& call) {
    EXPECT_EQ(call.header.version, 0);
    std::string text = fmt::format("{}:", name);
    if constexpr (requires { call.operands; })
      for (size_t i = 0; i < call.operandCount; ++i)
        text += fmt::format(" {} {}", known(copyOf(call.operands[i].shape)),
                            known(copyOf(call.operands[i].sharding)));
    asked.push_back(text + ": " + copyOf(call.backendConfig));
    call.header.data = this;
    call.header.cleanUp = [](void* data) { ++static_cast<TestPartitioner*>(data)->cleaned; };
    call.header.hasFailed = !error.empty();
    call.header.message = lent(error);
    return error.empty();
  }
  static void partition(harness::PartitionerFunctions* functions, harness::PartitionCall* call) {
    TestPartitioner& self = of(functions);
    if (!self.begin("partition", *call)) return;
    self.asked.back() += " -> " + known(copyOf(call->result.sharding));
    call->module = lent(self.module);
    self.texts_.clear();
    for (const std::string& each : self.operandShardings) self.texts_.push_back(lent(each));
    call->operandShardings = self.texts_.data();
    call->resultSharding = lent(self.resultSharding);
  }
  static void infer(harness::PartitionerFunctions* functions, harness::InferCall* call) {
    TestPartitioner& self = of(functions);
    if (!self.begin("infer", *call)) return;
    call->hasSharding = !self.inferred.empty();
    call->resultSharding = lent(self.inferred);
  }
  static void takeUserSharding(harness::PartitionerFunctions* functions,
                               harness::UserShardingCall* call) {
    TestPartitioner& self = of(functions);
    if (!self.begin("user", *call)) return;
    self.asked.back() += " " + known(copyOf(call->resultSharding));
    if (!self.takesUsers) call->resultSharding = lent(kWhole);
  }
};

}  // namespace vintage::tests
