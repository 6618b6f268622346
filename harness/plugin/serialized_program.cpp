#include "harness/plugin/serialized_program.h"

#include <charconv>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::harness::plugin {
namespace {

// "vintage executable 1\nSHA-256 of the rest\nsize of the options\noptions, code"
constexpr std::string_view kMagic = "vintage executable ";
constexpr std::string_view kVersion = "1";

Result<std::string_view> takeLine(std::string_view& rest) {
  const size_t end = rest.find('\n');
  if (end == rest.npos) return badInput("the serialized executable is cut off within its header");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

}  // namespace

std::string serializeProgram(const CompiledProgram& program) {
  const std::string_view code(reinterpret_cast<const char*>(program.code.data()),
                              program.code.size());
  const std::string body = fmt::format("{}\n{}{}", program.options.size(), program.options, code);
  return fmt::format("{}{}\n{}\n{}", kMagic, kVersion, contentHash(body), body);
}

Result<SerializedProgram> readSerializedProgram(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return badInput("these bytes are no executable that this plugin serialized");
  std::string_view rest = bytes.substr(kMagic.size());
  ASSIGN_OR_RETURN(const std::string_view version, takeLine(rest));
  if (version != kVersion)
    return unsupported(
        "the executable was serialized in version {}; this plugin reads version {}. "
        "Compile the program again",
        version, kVersion);
  ASSIGN_OR_RETURN(const std::string_view hash, takeLine(rest));
  if (contentHash(rest) != hash)
    return badInput("the serialized executable is damaged or cut off: its checksum differs");
  ASSIGN_OR_RETURN(const std::string_view length, takeLine(rest));
  size_t size = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), size);
  if (error != std::errc() || end != length.data() + length.size() || size > rest.size())
    return badInput("the serialized executable announces '{}' bytes of options; {} are left",
                    length, rest.size());
  return SerializedProgram{rest.substr(size), rest.substr(0, size)};
}

}  // namespace vintage::harness::plugin
