// The client's settings that follow from how a place is reached, whatever it is.
#pragma once

#include "archive/transfer/http_client.h"
#include "archive/transfer/open_place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

// Without what identifies the client.
inline HttpOptions httpOptionsOf(const PlaceOptions& options) {
  HttpOptions http;
  http.jobs = options.jobs;
  http.caCertificate = options.caCertificate;
  http.retry = options.retry;
  http.stallTimeout = options.stallTimeout;
  return http;
}

}  // namespace vintage::archive::transfer
