// Whom a registry takes requests from: HTTP's Basic authentication, or a token of the service that
// the registry names (docs/reference/oci.md).
#pragma once

#include <memory>
#include <string>

#include "archive/transfer/http_client.h"
#include "archive/transfer/registry_address.h"

namespace vintage::archive {

// Shared by all requests of a client.
struct RegistryLogin {
  const RegistryAddress& address;
  bool writes;
  std::string authorization;  // The header's value; empty: not asked for yet.
};

// The exchange, with the header that the registry wants. It fetches a token where the registry asks
// for one, and another when that expires. The login outlives it.
std::unique_ptr<HttpExchange> authorized(std::unique_ptr<HttpExchange> exchange,
                                         RegistryLogin& login);

}  // namespace vintage::archive
