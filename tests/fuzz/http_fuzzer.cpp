// Bytes of a connection to the archive's service: parsed, routed and answered
// in process, as somebody whose token may push. The archive begins with one
// artifact and fills with what the fuzzer manages to push.
#include <cstdlib>
#include <filesystem>

#include "tests/service/in_process.h"

using namespace vintage;
using namespace vintage::service;

namespace {

struct Fixture {
  Fixture() {
    std::string pattern = (std::filesystem::temp_directory_path() / "vintage-fuzz-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder = pattern;
    auto archive = Archive::open(folder, Archive::Mode::kCreate);
    if (!archive) std::abort();
    ArtifactRecord record;
    record.name = "a";
    record.producer = "p";
    const std::string bytes = "abc";
    if (!archive->put(record, std::as_bytes(std::span(bytes)), nullptr)) std::abort();
    ApplicationOptions options;
    options.folder = folder;
    options.anonymous = Role::kPush;
    auto opened = Application::open(options);
    if (!opened) std::abort();
    application = std::move(*opened);
  }
  ~Fixture() {
    application.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::string folder;
  std::unique_ptr<Application> application;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Fixture fixture;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Response& response : answerBytes(*fixture.application, bytes)) {
    // Every refusal says what to do, and no bytes can break the service.
    const bool refused = response.status >= 400;
    if (response.status == 500 || (refused && response.text.find("\"next\"") == std::string::npos))
      std::abort();
  }
  return 0;
}
