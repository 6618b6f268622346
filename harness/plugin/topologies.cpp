#include "harness/plugin/topologies.h"

#include <span>

#include "golden/base/stablehlo_version.h"
#include "golden/base/vintage_version.h"
#include "harness/consumers/embedded/executor.h"
#include "harness/consumers/pjrt/c_api_plugin_arguments.h"
#include "harness/plugin/entry.h"

namespace vintage::harness::plugin {
namespace {

Status createTopology(TopologyDescriptionCreate& arguments) {
  ASSIGN_OR_RETURN(auto settings, pluginSettings({arguments.options, arguments.optionCount}));
  arguments.topology = handleOf(new EngineTopology(std::move(settings)));
  return {};
}

Status serializeTopology(EngineTopology& topology, TopologyDescriptionSerialize& arguments) {
  giveText(fmt::format("vintage topology 1: {} x {}", topology.settings.platform,
                       topology.settings.devices),
           arguments);
  return {};
}

}  // namespace

const std::string& platformVersion() {
  static const std::string kVersion =
      fmt::format("vintage-engine {} ({}), StableHLO {}", vintageVersion(),
                  formatDate(compiledOn()), formatStablehloVersion(kCurrentStablehloVersion));
  return kVersion;
}

void answerTopologies(Api& api) {
  answer<createTopology>(api);
  answer<&destroyOf<TopologyDescriptionDestroy, EngineTopology>>(api);
  tell<TopologyDescriptionPlatformName,
       [](EngineTopology& topology) { return std::string_view(topology.settings.platform); }>(api);
  tell<TopologyDescriptionPlatformVersion,
       [](EngineTopology&) { return std::string_view(platformVersion()); }>(api);
  tell<TopologyDescriptionGetDeviceDescriptions,
       [](EngineTopology& topology) { return std::span(topology.devices.descriptions()); }>(api);
  tell<TopologyDescriptionAttributes, [](EngineTopology&) { return std::span<NamedValue>(); }>(api);
  answer<serializeTopology>(api);
}

}  // namespace vintage::harness::plugin
