// The client of a request, and what it may do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "archive/service/room.h"

namespace vintage::archive::service {

// Each may do what those before it may.
enum class Role { kNone, kRead, kPush, kAdmin };

constexpr std::string_view roleName(Role role) {
  constexpr std::string_view kNames[] = {"none", "read", "push", "admin"};
  return kNames[static_cast<int>(role)];
}

inline std::optional<Role> parseRole(std::string_view name) {
  for (const Role role : {Role::kNone, Role::kRead, Role::kPush, Role::kAdmin}) {
    if (roleName(role) == name) return role;
  }
  return std::nullopt;
}

// What a token may use; 0: as much as it wants.
struct Quota {
  uint64_t bytesPerDay = 0;     // That it sends, in UTC days.
  uint64_t bytes = 0;           // That it sends in all.
  uint64_t requestsPerDay = 0;  // Of all kinds.
  bool isSet() const { return bytesPerDay + bytes + requestsPerDay > 0; }
};

struct Identity {
  std::string token;  // Its name; empty: nobody.
  Role role = Role::kNone;
  std::string hash;  // Of the token: another one of the same name is another one.
  Quota quota;
};

}  // namespace vintage::archive::service
