// One connection: requests one after the other until either side ends it.
#pragma once

#include <functional>

#include <boost/asio/ssl/context.hpp>

#include "archive/service/event_loop.h"

namespace vintage::service {

// Serves the socket on its loop; `ended` is called on the loop's thread when
// everything of it is gone. With a TLS context the handshake comes first.
void serveConnection(Socket socket, EventLoop& loop, ServerShared& shared,
                     asio::ssl::context* tls, std::function<void()> ended);

}  // namespace vintage::service
