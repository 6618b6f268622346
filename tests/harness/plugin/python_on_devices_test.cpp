// Python that each device calls with its part, as debug.print(partitioned=True) does, and Python
// that is called while a program is compiled. The plugin called the first once, with the whole
// array, and refused the second.
#include <mutex>

#include "harness/plugin/python_callbacks.h"
#include "tests/harness/plugin/partitions_under_test.h"

namespace vintage::tests {
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// In the place of Python.
std::mutex seenMutex;
std::vector<std::vector<float>> seenFloats;
std::vector<std::string> seenBytes;
int keepArguments(const PythonCall* call) {
  const std::lock_guard lock(seenMutex);
  std::vector<float>& floats = seenFloats.emplace_back();
  for (size_t i = 0; i < call->argumentCount; ++i) {
    const HostArray& array = call->arguments[i];
    const auto* data = static_cast<const char*>(array.data);
    if (std::string_view(array.dtype) == "uint8") seenBytes.emplace_back(data, array.shape[0]);
    if (std::string_view(array.dtype) != "float32") continue;
    const auto* values = static_cast<const float*>(array.data);
    floats.insert(floats.end(), values, values + array.shape[0]);
  }
  return 0;
}

std::string callingPython(std::string_view operand) {
  return fmt::format(
      "stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback({}) {{api_version = 4 : i32, "
      "has_side_effect = true, mhlo.backend_config = {{index = 0 : ui64}}, "
      "vintage.python_function = 3 : i64}} : ({}) -> ()\n%0 = stablehlo.negate %a : tensor<4xf32>",
      operand, operand.empty() ? "" : "tensor<4xf32>");
}

class PluginPythonOnDevices : public PluginOnTwoDevices {
 protected:
  PluginPythonOnDevices() {
    setCallPython(keepArguments);
    seenFloats.clear();
    seenBytes.clear();
  }
  ~PluginPythonOnDevices() override { setCallPython(nullptr); }
};

TEST_F(PluginPythonOnDevices, EachDeviceCallsPythonWithItsPart) {
  for (const auto& [operand, expected] :
       {std::pair("%a", testing::Matcher<std::vector<std::vector<float>>>(
                            UnorderedElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)))),
        {"", ElementsAre(IsEmpty(), IsEmpty())}}) {
    seenFloats.clear();
    const Answer compiled = compileOnTwo(programOf(callingPython(operand)));
    ASSERT_EQ(compiled.code, kOk) << compiled.message;
    EXPECT_THAT(runOnBoth(), ElementsAre(-1, -2, -3, -4));
    EXPECT_THAT(seenFloats, expected);
  }
}

TEST_F(PluginPythonOnDevices, AnInspectionCallsPythonWithTheSharding) {
  const std::string inspecting =
      "%1 = stablehlo.abs %a : tensor<4xf32>\n"
      "%2 = stablehlo.custom_call @InspectSharding(%1) {backend_config = \"addresses\"{}} : "
      "(tensor<4xf32>) -> tensor<4xf32>\n%0 = stablehlo.negate %2 : tensor<4xf32>";
  std::string numbered = inspecting, bare = inspecting;
  numbered.replace(numbered.find("{}"), 2, ", vintage.python_function = 3 : i64");
  bare.erase(bare.find("{}"), 2);
  const Answer compiled = compileOnTwo(programOf(numbered, kSplit, ""));
  ASSERT_EQ(compiled.code, kOk) << compiled.message;
  EXPECT_THAT(seenBytes, ElementsAre(kHalves));
  // The result of an inspection lies as its operand.
  EXPECT_THAT(runOnBoth(), ElementsAre(-1, -2, -3, -4));
  EXPECT_THAT(seenBytes, ElementsAre(kHalves));
  // Its addresses are never called: they may be of another process.
  EXPECT_EQ(compileOnTwo(programOf(bare)).code, kUnimplemented);
  const std::string within = R"(
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
        manual_axes={"x"} (%p: tensor<2xf32>) {
      %2 = stablehlo.custom_call @InspectSharding(%p) {vintage.python_function = 3 : i64} :
        (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %2 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>)";
  ASSERT_EQ(compileOnTwo(programOf(within, kSplit, kSplit, "sdy.mesh @mesh = <[\"x\"=2]>")).code,
            kOk);
  EXPECT_THAT(seenBytes, ElementsAre(kHalves, "\x08\x04"));
  EXPECT_THAT(runOnBoth(), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace vintage::tests
