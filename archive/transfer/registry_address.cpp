#include "archive/transfer/registry_address.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/user_folder.h"

namespace vintage::archive {
namespace {

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kTagLetters =
    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_.-";

bool isRepository(std::string_view name) {
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || kLower.find(part.front()) == std::string_view::npos ||
        kLower.find(part.back()) == std::string_view::npos ||
        part.find_first_not_of(std::string(kLower) + "._-") != std::string_view::npos)
      return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

bool isTag(std::string_view tag) {
  return !tag.empty() && tag.size() <= kLongestTag && tag.front() != '.' && tag.front() != '-' &&
         tag.find_first_not_of(kTagLetters) == std::string_view::npos;
}

// Whether requests to it stay on this machine.
bool isLoopback(const std::string& host) {
  const std::string name =
      host.substr(0, host.starts_with('[') ? host.find(']') + 1 : host.find(':'));
  return name == "localhost" || name == "[::1]" || name.starts_with("127.");
}

// The login for the host that 'docker login', 'podman login' or 'oras login' kept.
Status findLogin(const std::string& host, RegistryAddress& address) {
  const char* file = std::getenv("REGISTRY_AUTH_FILE");
  const std::filesystem::path path = file != nullptr && *file != '\0'
                                         ? std::filesystem::path(file)
                                         : userFolder("DOCKER_CONFIG", ".docker") / "config.json";
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return {};
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  ASSIGN_OR_RETURN(const auto config, within(path.string(), parseOutsideJson(text)));
  const nlohmann::json none = nlohmann::json::object();
  const auto in = [&](const nlohmann::json& object, const char* key) {
    return object.is_object() && object.contains(key) ? object.at(key) : none;
  };
  const nlohmann::json login = in(in(config, "auths"), host.c_str());
  const auto bytes = bytesOfBase64(textIn(login, "auth")).value_or(std::vector<std::byte>());
  const std::string pair(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const size_t colon = pair.find(':'); colon != std::string::npos) {
    address.user = pair.substr(0, colon);
    address.password = pair.substr(colon + 1);
    return {};
  }
  std::string helper = textIn(in(config, "credHelpers"), host.c_str());
  if (helper.empty() && config.is_object() && config.contains("credsStore"))
    helper = textIn(config, "credsStore");
  if (!helper.empty())
    address.hint = fmt::format(
        "; {} leaves credentials to docker-credential-{}, which Vintage does not start: write "
        "USER:PASSWORD to a file for --token-file",
        path.string(), helper);
  return {};
}

}  // namespace

Result<RegistryAddress> RegistryAddress::find(const std::string& location,
                                              const PlaceOptions& options) {
  const size_t scheme = location.find("://");
  const std::string rest = location.substr(scheme + 3);
  const size_t slash = rest.find('/'), colon = rest.rfind(':');
  const std::string host = rest.substr(0, slash);
  RegistryAddress address;
  address.location = location;
  if (slash != std::string::npos && colon != std::string::npos && colon > slash) {
    address.repository = rest.substr(slash + 1, colon - slash - 1);
    address.tag = rest.substr(colon + 1);
  }
  if (host.empty() || !isRepository(address.repository) || !isTag(address.tag))
    return usageError(
        "'{}' is no archive in a registry; one is oci://HOST[:PORT]/NAME:TAG, the name in lower "
        "case: oci://ghcr.io/team/archive:nightly",
        location);
  // A certificate's authority is named for a registry that has one.
  const bool isPlain =
      location.starts_with("oci+http:") || (isLoopback(host) && options.caCertificate.empty());
  ASSIGN_OR_RETURN(address.base,
                   within(location, checkedBaseUrl((isPlain ? "http://" : "https://") + host)));
  if (const size_t end = options.token.find(':'); end != std::string::npos) {
    address.user = options.token.substr(0, end);
    address.password = options.token.substr(end + 1);
  } else if (!options.token.empty()) {
    address.token = options.token;
  } else {
    RETURN_IF_ERROR(findLogin(host, address));
  }
  return address;
}

}  // namespace vintage::archive
