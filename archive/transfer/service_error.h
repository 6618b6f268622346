// What the service says in an error's body (docs/service.md).
#pragma once

#include <string>

#include "archive/transfer/http_client.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

// "checksum_mismatch"; empty where the answer is not the service's.
std::string errorKindOf(const HttpResponse& response);

// The kept content does not fit its id: asking again does not help.
inline bool isDamaged(const HttpResponse& response) {
  return response.status == 500 && errorKindOf(response) == "damaged";
}

}  // namespace vintage::archive::transfer
