// A state folder of its own for each test program: how builds are started is the user's state, and
// tests neither read nor change that of the person who runs them.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace {

class StateFolder {
 public:
  StateFolder() : owner_(::getpid()) {
    folder_ = (std::filesystem::temp_directory_path() / "vintage_state_XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
    ::setenv("XDG_STATE_HOME", folder_.c_str(), 1);
  }
  ~StateFolder() {
    if (::getpid() != owner_) return;  // A child of a test that forks.
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

 private:
  const pid_t owner_;
  std::string folder_;
};

const StateFolder stateFolder;

}  // namespace
