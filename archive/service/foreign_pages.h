// Requests that a page of the web makes a browser send. The browser of somebody who may reach the
// service carries them past firewalls and to 127.0.0.1.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "archive/service/exchange.h"
#include "archive/service/problem.h"

namespace vintage::archive {

// Whether `host` ("localhost:8700", "[::1]") is an address, localhost or one of `names`. The name
// of a page's own server can be made to lead here (DNS rebinding); these cannot.
bool isOwnHost(std::string_view host, std::span<const std::string> names);

// Refuses what a browser says comes from another page. A page has no token; a request without one
// must also name this service as its host and, where it has a body, the body's type, which a page
// cannot set to one of ours unasked.
Answer<void> refuseForeignPages(const Request& request, std::span<const std::string> names);

}  // namespace vintage::archive
