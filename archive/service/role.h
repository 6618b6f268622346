// The client of a request, and what it may do.
#pragma once

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

struct Identity {
  std::string token;  // Its name; empty: nobody.
  Role role = Role::kNone;
};

}  // namespace vintage::archive::service
