#include "harness/plugin/client.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

constexpr int kMostDevices = 1024, kMostGibibytes = 1 << 20;

struct Choice {
  std::string_view option;
  const char* variable;
  Status (*take)(PluginSettings& settings, const std::string& value);
};

Status takePlatform(PluginSettings& settings, const std::string& value) {
  if (value != "vintage" && value != "cpu")
    return usageError("'{}' is not a platform of this plugin; use vintage or cpu", value);
  settings.platform = value;
  return {};
}

Result<int> takeNumber(const std::string& value, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > most)
    return usageError("'{}' is no number from 1 to {}", value, most);
  return number;
}

Status takeDevices(PluginSettings& settings, const std::string& value) {
  ASSIGN_OR_RETURN(settings.devices, takeNumber(value, kMostDevices));
  return {};
}

Status takeMemory(PluginSettings& settings, const std::string& value) {
  ASSIGN_OR_RETURN(const int gibibytes, takeNumber(value, kMostGibibytes));
  settings.memoryLimitBytes = static_cast<size_t>(gibibytes) << 30;
  return {};
}

Status takeMode(PluginSettings& settings, const std::string& value) {
  if (value != "graph" && value != "eager")
    return usageError("'{}' is not a mode of the engine; use graph or eager", value);
  settings.mode = value == "eager" ? ExecutionMode::kEager : ExecutionMode::kGraph;
  return {};
}

template <auto kText>
Status takeText(PluginSettings& settings, const std::string& value) {
  settings.*kText = value;
  return {};
}

Status takeProducerDate(PluginSettings& settings, const std::string& value) {
  ASSIGN_OR_RETURN(settings.producerDate, parseDate(value));
  return {};
}

constexpr Choice kChoices[] = {
    {"platform", "VINTAGE_PLUGIN_PLATFORM", takePlatform},
    {"devices", "VINTAGE_PLUGIN_DEVICES", takeDevices},
    {"mode", "VINTAGE_PLUGIN_MODE", takeMode},
    {"memory_gib", "VINTAGE_PLUGIN_MEMORY_GIB", takeMemory},
    {"record", "VINTAGE_PLUGIN_RECORD", takeText<&PluginSettings::recordFolder>},
    {"producer", "VINTAGE_PLUGIN_PRODUCER", takeText<&PluginSettings::producer>},
    {"producer_date", "VINTAGE_PLUGIN_PRODUCER_DATE", takeProducerDate},
};

Result<std::string> optionText(const NamedValue& option) {
  switch (option.type) {
    case NamedValue::Type::kString:
      return std::string(option.text, option.valueSize);
    case NamedValue::Type::kInt64:
      return std::to_string(option.integer);
    default:
      return usageError("it is neither text nor an integer");
  }
}

}  // namespace

Result<PluginSettings> pluginSettings(std::span<const NamedValue> options) {
  PluginSettings settings;
  for (const Choice& choice : kChoices) {
    const char* value = std::getenv(choice.variable);
    if (value && *value) RETURN_IF_ERROR(within(choice.variable, choice.take(settings, value)));
  }
  for (const NamedValue& option : options) {
    const std::string name(option.name, option.nameSize);
    for (const Choice& choice : kChoices) {
      if (name != choice.option) continue;  // Clients send options of their own to all plugins.
      const std::string place = "option " + name;
      ASSIGN_OR_RETURN(auto value, within(place, optionText(option)));
      RETURN_IF_ERROR(within(place, choice.take(settings, value)));
    }
  }
  return settings;
}

Result<StablehloVersion> requestedStablehloVersion() {
  constexpr const char* kVariable = "VINTAGE_PLUGIN_STABLEHLO";
  const char* value = std::getenv(kVariable);
  if (!value || !*value) return kCurrentStablehloVersion;
  ASSIGN_OR_RETURN(auto version, within(kVariable, parseStablehloVersion(value)));
  if (version < kOldestStablehloVersion || version > kCurrentStablehloVersion)
    return usageError("{}: this engine does not read {}; use a version from {} to {}", kVariable,
                      value, formatStablehloVersion(kOldestStablehloVersion),
                      formatStablehloVersion(kCurrentStablehloVersion));
  return version;
}

}  // namespace vintage::harness
