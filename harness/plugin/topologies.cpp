#include "harness/plugin/topologies.h"

#include <memory>

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

Status destroyTopology(EngineTopology& topology, TopologyDescriptionDestroy&) {
  delete &topology;
  return {};
}

Status tellTopologyPlatform(EngineTopology& topology, TopologyDescriptionPlatformName& arguments) {
  arguments.name = topology.settings.platform.data();
  arguments.nameSize = topology.settings.platform.size();
  return {};
}

Status tellTopologyVersion(EngineTopology&, TopologyDescriptionPlatformVersion& arguments) {
  arguments.name = platformVersion().data();
  arguments.nameSize = platformVersion().size();
  return {};
}

Status tellTopologyDevices(EngineTopology& topology,
                           TopologyDescriptionGetDeviceDescriptions& arguments) {
  arguments.descriptions = topology.devices.descriptions().data();
  arguments.count = topology.devices.descriptions().size();
  return {};
}

Status tellTopologyAttributes(EngineTopology&, TopologyDescriptionAttributes& arguments) {
  arguments.attributes = nullptr;
  arguments.count = 0;
  return {};
}

Status serializeTopology(EngineTopology& topology, TopologyDescriptionSerialize& arguments) {
  auto text = std::make_unique<std::string>(fmt::format(
      "vintage topology 1: {} x {}", topology.settings.platform, topology.settings.devices));
  arguments.serialized = text->data();
  arguments.serializedSize = text->size();
  arguments.destroy = [](PluginSerializedTopology* holder) {
    delete reinterpret_cast<std::string*>(holder);
  };
  arguments.holder = reinterpret_cast<PluginSerializedTopology*>(text.release());
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
  answer<destroyTopology>(api);
  answer<tellTopologyPlatform>(api);
  answer<tellTopologyVersion>(api);
  answer<tellTopologyDevices>(api);
  answer<tellTopologyAttributes>(api);
  answer<serializeTopology>(api);
}

}  // namespace vintage::harness::plugin
