#include "harness/plugin/client.h"

#include "golden/base/own_program.h"
#include "harness/plugin/entry.h"
#include "harness/runtimes/embedded/executor.h"
#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"

namespace vintage::harness {
namespace {

Status initializePlugin(PluginInitialize&) {
  // Errors in environment variables are reported here, where a client prints them.
  RETURN_IF_ERROR(requestedStablehloVersion());
  RETURN_IF_ERROR(pluginSettings({}));
  return {};
}

// The attribute's numbers live as long as the library.
template <size_t kPlace>
NamedValue versionAttribute(std::string_view name, StablehloVersion version) {
  static const int64_t kNumbers[] = {version.major, version.minor, version.patch};
  NamedValue value = namedValue(name, NamedValue::Type::kInt64List);
  value.integers = kNumbers;
  value.valueSize = std::size(kNumbers);
  return value;
}

Status tellPluginAttributes(PluginAttributes& arguments) {
  static const NamedValue kAttributes[] = {
      versionAttribute<0>("stablehlo_current_version",
                          requestedStablehloVersion().value_or(kCurrentStablehloVersion)),
      versionAttribute<1>("stablehlo_minimum_version", kOldestStablehloVersion)};
  arguments.attributes = kAttributes;
  arguments.count = std::size(kAttributes);
  return {};
}

Status createClient(ClientCreate& arguments) {
  if (!arguments.options && arguments.optionCount > 0)
    return usageError("{} options of a client are announced and none is given",
                      arguments.optionCount);
  ASSIGN_OR_RETURN(auto settings, pluginSettings({arguments.options, arguments.optionCount}));
  std::unique_ptr<Recorder> recorder;
  if (!settings.recordFolder.empty()) {
    ASSIGN_OR_RETURN(recorder, Recorder::open(settings));
  }
  auto client = std::make_shared<EngineClient>(std::move(settings), std::move(recorder));
  client->itself = client;
  arguments.client = handleOf(client.get());
  return {};
}

Status destroyClient(EngineClient& client, ClientDestroy&) {
  const std::shared_ptr<EngineClient> last = std::move(client.itself);
  return {};
}

template <typename Arguments>
Status lookUpDevice(EngineClient& client, Arguments& arguments) {
  EngineDevice* device = client.devices().find(arguments.id);
  if (!device)
    return badInput("there is no device {}; this client has devices 0 to {}", arguments.id,
                    client.devices().handles.size() - 1);
  arguments.device = handleOf(device);
  return {};
}

Status assignDevices(EngineClient& client, ClientDefaultDeviceAssignment& arguments) {
  const auto wanted = int64_t{arguments.replicas} * arguments.partitions;
  if (arguments.replicas < 1 || arguments.partitions < 1 || !arguments.assignment ||
      static_cast<int64_t>(arguments.assignmentSize) < wanted)
    return usageError("{} replicas of {} partitions do not fit an assignment of {} places",
                      arguments.replicas, arguments.partitions, arguments.assignmentSize);
  if (wanted > static_cast<int64_t>(client.devices().handles.size()))
    return badInput(
        "{} replicas of {} partitions need {} devices; this client has {} "
        "(VINTAGE_PLUGIN_DEVICES)",
        arguments.replicas, arguments.partitions, wanted, client.devices().handles.size());
  for (int64_t i = 0; i < wanted; ++i) arguments.assignment[i] = static_cast<int>(i);
  return {};
}

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

EngineMemory& chosenMemory(EngineClient& client, PluginDevice* device, PluginMemory* memory) {
  if (memory) return *objectOf<EngineMemory>(memory);
  EngineDevice& chosen =
      device ? *objectOf<EngineDevice>(device) : client.devices().devices.front();
  return chosen.ownMemories.front();
}

void answerClients(Api& api) {
  answer<initializePlugin>(api);
  answer<tellPluginAttributes>(api);
  answer<createClient>(api);
  answer<destroyClient>(api);
  tell<ClientPlatformName,
       [](EngineClient& client) -> auto& { return client.topology.settings.platform; }>(api);
  tell<ClientPlatformVersion, [](EngineClient&) -> auto& { return platformVersion(); }>(api);
  tell<ClientProcessIndex, [](EngineClient&) { return 0; }>(api);
  tell<ClientTopologyDescription, [](EngineClient& client) { return handleOf(&client.topology); }>(
      api);
  constexpr auto kDevices = [](EngineClient& client) -> auto& { return client.devices().handles; };
  tell<ClientDevices, kDevices>(api);
  tell<ClientAddressableDevices, kDevices>(api);
  answer<&lookUpDevice<ClientLookupDevice>>(api);
  answer<&lookUpDevice<ClientLookupAddressableDevice>>(api);
  tell<ClientAddressableMemories,
       [](EngineClient& client) -> auto& { return client.devices().memories; }>(api);
  answer<assignDevices>(api);
  answer<createTopology>(api);
  answer<&destroyOf<TopologyDescriptionDestroy, EngineTopology>>(api);
  tell<TopologyDescriptionPlatformName,
       [](EngineTopology& topology) -> auto& { return topology.settings.platform; }>(api);
  tell<TopologyDescriptionPlatformVersion,
       [](EngineTopology&) -> auto& { return platformVersion(); }>(api);
  tell<TopologyDescriptionGetDeviceDescriptions,
       [](EngineTopology& topology) -> auto& { return topology.devices.descriptions; }>(api);
  tell<TopologyDescriptionAttributes, [](EngineTopology&) { return std::span<NamedValue>(); }>(api);
  answer<serializeTopology>(api);
}

const std::string& platformVersion() {
  static const std::string kVersion =
      fmt::format("vintage-engine {} ({}), StableHLO {}", vintageVersion(),
                  formatDate(compiledOn()), formatStablehloVersion(kCurrentStablehloVersion));
  return kVersion;
}

}  // namespace vintage::harness
