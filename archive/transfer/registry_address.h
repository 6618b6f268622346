// An archive's address in a registry, and the credentials for it.
#pragma once

#include <string>

#include "archive/transfer/place.h"
#include "golden/base/result.h"

namespace vintage::archive {

inline constexpr size_t kLongestTag = 128;

struct RegistryAddress {
  std::string location;    // As a person would type it.
  std::string base;        // "https://ghcr.io", without a slash at the end.
  std::string repository;  // "team/archive"
  std::string tag;
  std::string user, password;  // Both empty: none.
  std::string token;           // Sent as it is where there is no user.
  // Where docker's configuration names a program that keeps the credentials: what to do.
  std::string hint;

  // From "oci://HOST[:PORT]/NAME:TAG", with HTTPS but for this machine's own names, or
  // "oci+http://…", without. Credentials come from the options' token ("USER:PASSWORD", or a token
  // for the registry itself), else from docker's configuration.
  static Result<RegistryAddress> find(const std::string& location, const PlaceOptions& options);
};

}  // namespace vintage::archive
