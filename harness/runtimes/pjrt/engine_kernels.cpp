#include "harness/runtimes/pjrt/engine_kernels.h"

#include <filesystem>
#include <span>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libvintage_lapack.so";
constexpr const char* kPlatform = "cpu";

}  // namespace

Result<EngineKernels> EngineKernels::load() {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  const fs::path library = self.parent_path().parent_path() / "lib" / kLibrary;
  // Its LAPACK stays its own, as the plugin's symbols do.
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return ioError("the kernels, which are built and installed with {}, cannot be loaded: {}",
                   self.filename().string(), ::dlerror());
  const auto function =
      reinterpret_cast<KernelTableFunction>(::dlsym(handle, kKernelTableFunction));
  if (!function)
    return ioError("{} has no function {}; install it again", library.string(),
                   kKernelTableFunction);
  return EngineKernels(*function());
}

Status EngineKernels::registerWith(const Plugin& plugin, const std::string& platform) const {
  if (platform != kPlatform)
    return unsupported("the engine's kernels run on the CPU, and the plugin is for '{}'", platform);
  for (const FfiKernel& kernel : std::span(table_->kernels, table_->count))
    RETURN_IF_ERROR(
        within(kernel.target, plugin.registerHandler(kernel.target, kPlatform, kernel.handler)));
  return {};
}

std::string EngineKernels::takeNote() {
  std::vector<std::string_view> called;
  for (size_t i = 0; i < table_->count; ++i) {
    const uint64_t calls = table_->calls(i);
    if (calls != taken_[i]) called.emplace_back(table_->kernels[i].target);
    taken_[i] = calls;
  }
  if (called.empty()) return "";
  return fmt::format("with the engine's LAPACK kernels: {}", fmt::join(called, ", "));
}

}  // namespace vintage::harness
