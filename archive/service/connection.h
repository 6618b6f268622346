// One connection: requests one after the other until either side ends it.
#pragma once

#include <functional>

#include "archive/service/event_loop.h"
#include "archive/service/room.h"
#include "archive/service/tls_context.h"

namespace vintage::archive::service {

// Serves the socket on its loop; `ended` is called on the loop's thread when
// everything of it is gone. With a TLS context the handshake comes first, and
// the connection keeps it.
void serveConnection(Socket socket, EventLoop& loop, ServerShared& shared, TlsContext::Context tls,
                     std::function<void()> ended);

}  // namespace vintage::archive::service
