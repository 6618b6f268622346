#include "harness/consumers/pjrt/gpu_targets.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"

namespace vintage::harness::consumers::pjrt {
namespace {

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

std::vector<std::string_view> knownGpuTargets() {
  std::vector<std::string_view> names;
  for (const Gpu& gpu : kGpus) names.push_back(gpu.name);
  return names;
}

Result<std::string> gpuTarget(const std::string& nameOrFile) {
  const auto known = std::ranges::find(kGpus, std::string_view(nameOrFile), &Gpu::name);
  if (known != std::end(kGpus)) return textOf(*known);
  std::error_code problem;
  if (!std::filesystem::is_regular_file(nameOrFile, problem))
    return usageError("'{}' is neither a known GPU ({}) nor a file with a GpuTargetConfigProto",
                      nameOrFile, fmt::join(knownGpuTargets(), ", "));
  ASSIGN_OR_RETURN(const auto bytes, readFile(nameOrFile));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace vintage::harness::consumers::pjrt
