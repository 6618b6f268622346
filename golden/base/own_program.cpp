#include "golden/base/own_program.h"

#include "golden/base/failures.h"

namespace vintage::golden::base {

namespace fs = std::filesystem;

Result<fs::path> programBeside(std::string_view name) {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  fs::path program = self.parent_path() / name;
  if (!problem && fs::exists(program, problem)) return program;
  return ioError("{}: the program is missing; it is built and installed beside {}",
                 program.string(), self.filename().string());
}

}  // namespace vintage::golden::base
