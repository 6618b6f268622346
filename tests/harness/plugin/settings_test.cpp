
#include "harness/plugin/client.h"
#include "tests/harness/plugin/plugin_under_test.h"

namespace vintage::tests {
using namespace harness;

namespace {

using harness::pluginSettings;
using harness::requestedStablehloVersion;
using testing::AllOf;
using testing::HasSubstr;

class PluginSettings : public testing::Test {
 protected:
  ~PluginSettings() override {
    for (const char* name : {"VINTAGE_PLUGIN_DEVICES", "VINTAGE_PLUGIN_STABLEHLO"})
      ::unsetenv(name);
  }
};

TEST_F(PluginSettings, OptionsOfAClientComeBeforeTheEnvironment) {
  ::setenv("VINTAGE_PLUGIN_DEVICES", "3", 1);
  auto settings = pluginSettings({});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->devices, 3);
  EXPECT_EQ(settings->platform, "vintage");
  const std::string devices = "devices", five = "5", own = "max_inflight", some = "x";
  const std::vector<NamedValue> options{textOption(devices, five), textOption(own, some)};
  settings = pluginSettings(options);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->devices, 5);
}

struct WrongSetting {
  const char *name, *value, *message;
};

class WrongPluginSetting : public testing::TestWithParam<WrongSetting> {};

TEST_P(WrongPluginSetting, IsNamedWithWhatItMaySay) {
  const std::string name = GetParam().name, value = GetParam().value;
  const std::vector<NamedValue> options{textOption(name, value)};
  const auto settings = pluginSettings(options);
  ASSERT_FALSE(settings);
  EXPECT_THAT(settings.error().message,
              AllOf(HasSubstr("option " + name), HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(Each, WrongPluginSetting,
                         testing::Values(WrongSetting{"platform", "tpu", "use vintage or cpu"},
                                         WrongSetting{"devices", "0", "from 1 to 1024"},
                                         WrongSetting{"devices", "2x", "from 1 to 1024"},
                                         WrongSetting{"memory_gib", "-1", "from 1 to"},
                                         WrongSetting{"mode", "fast", "use graph or eager"},
                                         WrongSetting{"producer_date", "yesterday", "yesterday"}),
                         [](const auto& info) {
                           return std::to_string(info.index) + info.param.name;
                         });

TEST_F(PluginSettings, TheVersionThatIsAskedForIsOneThatTheEngineReads) {
  EXPECT_EQ(*requestedStablehloVersion(), kCurrentStablehloVersion);
  ::setenv("VINTAGE_PLUGIN_STABLEHLO", "1.5.0", 1);
  EXPECT_EQ(*requestedStablehloVersion(), (StablehloVersion{1, 5, 0}));
  ::setenv("VINTAGE_PLUGIN_STABLEHLO", "9.0.0", 1);
  // Said when the plugin is initialized, where a client reports it.
  PluginInitialize initialize;
  const Answer answer = call(initialize);
  EXPECT_EQ(answer.code, kInvalidArgument);
  EXPECT_THAT(answer.message, AllOf(HasSubstr("VINTAGE_PLUGIN_STABLEHLO"), HasSubstr("0.9.0 to")));
}

}  // namespace
}  // namespace vintage::tests
