// Any bytes as text of an XML 1.0 document.
#pragma once

#include <string>
#include <string_view>

namespace vintage::reports {

// Escaped for content and for attributes in double quotes. Characters that XML
// 1.0 cannot hold, and bytes that are not UTF-8, become U+FFFD; line breaks
// become character references, so that they survive in attributes.
std::string xmlText(std::string_view text);

}  // namespace vintage::reports
