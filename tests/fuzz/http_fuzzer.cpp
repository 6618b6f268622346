// Bytes of a connection to the archive's service: parsed, routed and answered
// in process. A first byte of 0 to 3 says whose connection it is: nobody's, or
// that of a token that may read, push or do everything; without it the token may
// push. The archive begins with one artifact and fills with what the fuzzer
// manages to push; what it held at first has to stay.
#include <cstdlib>
#include <filesystem>

#include "tests/archive/service/in_process.h"

using namespace vintage;
using namespace vintage::archive;
using namespace vintage::tests::service;

namespace {

constexpr std::string_view kContent = "abc";

class Fixture {
 public:
  Fixture() {
    std::string pattern = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
    pattern += "/vintage-fuzz-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
    begin();
  }
  ~Fixture() { end(); }

  void answer(std::string_view bytes) {
    // Before it fills the disk.
    if (++answered_ % 20'000 == 0) {
      end();
      begin();
    }
    size_t who = static_cast<size_t>(Role::kPush);
    if (!bytes.empty() && bytes[0] >= '0' && bytes[0] <= '3') {
      who = static_cast<size_t>(bytes[0] - '0');
      bytes.remove_prefix(1);
    }
    const std::string& authorization = authorizations_[who];
    for (const Response& response : answerBytes(*application_, bytes, authorization)) {
      // Every refusal says what to do, and no bytes can break the service.
      const bool refused = response.status >= 400;
      if (response.status == 500 ||
          (refused && response.text.find("\"next\"") == std::string::npos) ||
          (who == 0 && response.status == 201))
        std::abort();
    }
    const auto kept = application_->archives.borrow();
    if (!kept) std::abort();
    const auto content = (*kept)->read(id_);
    if (!content || content->size() != kContent.size()) std::abort();
  }

 private:
  void begin() {
    auto archive = Archive::open(folder_, Archive::Mode::kCreate);
    if (!archive) std::abort();
    ArtifactRecord record;
    record.name = "a";
    record.producer = "p";
    const auto id = archive->put(record, std::as_bytes(std::span(kContent)), nullptr);
    if (!id) std::abort();
    id_ = *id;
    authorizations_ = {""};
    for (const Role role : {Role::kRead, Role::kPush, Role::kAdmin}) {
      const std::string name = "the-" + std::string(roleName(role));
      const auto made = makeToken(folder_, systemClock(), name, role, std::nullopt);
      if (!made) std::abort();
      authorizations_.push_back("Bearer " + made->token);
    }
    ApplicationOptions options;
    options.folder = folder_;
    auto opened = Application::open(options);
    if (!opened) std::abort();
    application_ = std::move(*opened);
  }
  void end() {
    application_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string folder_;
  ContentId id_;
  std::vector<std::string> authorizations_;  // By role.
  std::unique_ptr<Application> application_;
  uint64_t answered_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Fixture fixture;
  fixture.answer({reinterpret_cast<const char*>(data), size});
  return 0;
}
