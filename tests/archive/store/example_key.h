// An Ed25519 key for tests: RFC 8410, section 10.3 and 10.1, the example key and
// its public half.
#pragma once

#include <string_view>

namespace vintage::tests {

inline constexpr std::string_view kExamplePrivateKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
    "-----END PRIVATE KEY-----\n";
inline constexpr std::string_view kExamplePublicKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
    "-----END PUBLIC KEY-----\n";

}  // namespace vintage::tests
