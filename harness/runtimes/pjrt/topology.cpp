#include "harness/runtimes/pjrt/topology.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <ranges>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "harness/runtimes/pjrt/client.h"

namespace vintage::harness {
namespace {

// Machines are named by chips, or by the two cores of each chip.
struct TpuGeneration {
  std::string_view topology, machine;
  int64_t perChip;
};
constexpr TpuGeneration kGenerations[] = {
    {"v4", "v4", 2}, {"v5e", "v5litepod", 1}, {"v5p", "v5p", 2}, {"v6e", "v6e", 1}};

// The product of "2x2x4"; nullopt: `sizes` does not have this form.
std::optional<int64_t> product(std::string_view sizes) {
  int64_t chips = 1;
  while (true) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(sizes.data(), sizes.data() + sizes.size(), size);
    if (error != std::errc() || size < 1 || size > 1 << 16) return std::nullopt;
    chips *= size;
    sizes.remove_prefix(static_cast<size_t>(end - sizes.data()));
    if (sizes.empty()) return chips;
    if (!sizes.starts_with('x') || chips > 1 << 20) return std::nullopt;
    sizes.remove_prefix(1);
  }
}

// The figures are those that the devices report to CUDA.
struct Gpu {
  std::string_view name, description;
  int computeMajor, computeMinor, cores, floatUnits, threadsPerCore;
  int64_t sharedPerCore, sharedPerBlockOptIn, cacheBytes, memoryBytes, bytesPerSecond;
  double clockGhz;
};
constexpr Gpu kGpus[] = {
    {"a100", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 64, 2048, 167'936, 166'912, 41'943'040,
     84'987'740'160, 2'039'000'000'000, 1.41},
    {"h100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 128, 2048, 233'472, 232'448, 52'428'800,
     84'978'434'048, 3'352'320'000'000, 1.98},
};

std::string textOf(const Gpu& gpu) {
  return fmt::format(
      "gpu_device_info {{\n"
      "  cuda_compute_capability {{ major: {} minor: {} }}\n"
      "  core_count: {}\n  fpus_per_core: {}\n  clock_rate_ghz: {}\n"
      "  threads_per_block_limit: 1024\n  threads_per_warp: 32\n  threads_per_core_limit: {}\n"
      "  block_dim_limit_x: 2147483647\n  block_dim_limit_y: 65535\n  block_dim_limit_z: 65535\n"
      "  registers_per_core_limit: 65536\n  registers_per_block_limit: 65536\n"
      "  shared_memory_per_block: 49152\n  shared_memory_per_core: {}\n"
      "  shared_memory_per_block_optin: {}\n"
      "  l2_cache_size: {}\n  device_memory_size: {}\n  memory_bandwidth: {}\n"
      "}}\n"
      "platform_name: \"CUDA\"\n"
      "device_description_str: \"{}\"\n",
      gpu.computeMajor, gpu.computeMinor, gpu.cores, gpu.floatUnits, gpu.clockGhz,
      gpu.threadsPerCore, gpu.sharedPerCore, gpu.sharedPerBlockOptIn, gpu.cacheBytes,
      gpu.memoryBytes, gpu.bytesPerSecond, gpu.description);
}

}  // namespace

Result<Topology> Topology::create(const Plugin& plugin, const std::string& name,
                                  const std::vector<PluginOption>& options) {
  const std::vector<NamedValue> values = namedValues(options);
  TopologyDescriptionCreate create;
  create.name = name.data();
  create.nameSize = name.size();
  create.options = values.data();
  create.optionCount = values.size();
  if (Status status = plugin.call(create); !status)
    return ioError("the plugin has no topology '{}': {}", name, status.error().message);
  Topology topology(plugin, own<TopologyDescriptionDestroy>(plugin, create.topology));
  PluginTopology* handle = create.topology;
  ASSIGN_OR_RETURN(topology.platform_, plugin.text<TopologyDescriptionPlatformName>(handle));
  ASSIGN_OR_RETURN(topology.version_, plugin.text<TopologyDescriptionPlatformVersion>(handle));
  ASSIGN_OR_RETURN(const auto devices,
                   plugin.call<TopologyDescriptionGetDeviceDescriptions>(handle));
  for (PluginDeviceDescription* device : devices) {
    ASSIGN_OR_RETURN(const int id, plugin.call<DeviceDescriptionId>(device));
    topology.ids_.push_back(id);
  }
  if (devices.empty()) return ioError("the topology has no device");
  return topology;
}

Result<std::optional<archive::CompilerMemory>> Topology::compile(std::span<const std::byte> module,
                                                                 size_t devices,
                                                                 bool shardy) const {
  if (devices > ids_.size())
    return unsupported("it was exported for {} devices; the topology has {}", devices, ids_.size());
  Compile compile;
  compile.topology = topology_.get();
  RETURN_IF_ERROR(callCompile(plugin_, module, std::span(ids_).first(devices), shardy, compile));
  const auto executable = own<ExecutableDestroy>(plugin_, compile.executable);
  return memoryOf(plugin_, executable.get());
}

std::optional<std::string> acceleratorType(std::string_view topology) {
  const size_t colon = topology.find(':');
  if (colon == topology.npos) return std::nullopt;
  const auto generation =
      std::ranges::find(kGenerations, topology.substr(0, colon), &TpuGeneration::topology);
  const auto chips = product(topology.substr(colon + 1));
  if (generation == std::end(kGenerations) || !chips) return std::nullopt;
  return fmt::format("{}-{}", generation->machine, *chips * generation->perChip);
}

void setTpuEnvironment(std::string_view topology) {
  constexpr int kKeep = 0;
  ::setenv("TPU_SKIP_MDS_QUERY", "1", kKeep);
  // It lets one process at a time have the device, also where there is none.
  ::setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", kKeep);
  ::setenv("TPU_WORKER_HOSTNAMES", "localhost", kKeep);
  ::setenv("TPU_WORKER_ID", "0", kKeep);
  if (const auto type = acceleratorType(topology))
    ::setenv("TPU_ACCELERATOR_TYPE", type->c_str(), kKeep);
}

Result<std::string> gpuTarget(const std::string& nameOrFile) {
  const auto known = std::ranges::find(kGpus, std::string_view(nameOrFile), &Gpu::name);
  if (known != std::end(kGpus)) return textOf(*known);
  std::error_code problem;
  if (!std::filesystem::is_regular_file(nameOrFile, problem))
    return usageError("'{}' is neither a known GPU ({}) nor a file with a GpuTargetConfigProto",
                      nameOrFile, fmt::join(kGpus | std::views::transform(&Gpu::name), ", "));
  return readTextFile(nameOrFile);
}

}  // namespace vintage::harness
