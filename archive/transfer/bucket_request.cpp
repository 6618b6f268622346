#include "archive/transfer/bucket_request.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "archive/transfer/http_client.h"

namespace vintage::archive {
namespace {

using Entity = std::pair<std::string_view, char>;
constexpr Entity kEntities[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

// "&#39;" or "&#x27;" at the beginning, as its character; only ASCII is written so
// (the rest is UTF-8). How long it is goes to `length`; 0: it is not one.
char numberedEntity(std::string_view text, size_t& length) {
  length = 0;
  const size_t end = text.substr(0, 8).find(';');
  if (!text.starts_with("&#") || end == std::string_view::npos) return 0;
  const bool hex = text.substr(2).starts_with('x');
  const char* first = text.data() + (hex ? 3 : 2);
  unsigned number = 0;
  const auto [stop, problem] = std::from_chars(first, text.data() + end, number, hex ? 16 : 10);
  if (problem != std::errc() || stop != text.data() + end || number >= 0x80) return 0;
  length = end + 1;
  return static_cast<char>(number);
}

std::string withoutEntities(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    size_t length = 0;
    char letter = numberedEntity(text, length);
    const auto named = std::ranges::find_if(
        kEntities, [&](const Entity& entity) { return text.starts_with(entity.first); });
    if (named != std::end(kEntities)) {
      letter = named->second;
      length = named->first.size();
    } else if (length == 0) {
      letter = text.front();
      length = 1;
    }
    plain += letter;
    text.remove_prefix(length);
  }
  return plain;
}

bool isRefusal(const HttpResponse& response, int status,
               std::initializer_list<std::string_view> codes) {
  return response.status == status &&
         std::ranges::find(codes, errorCodeOf(response)) != codes.end();
}

}  // namespace

const std::string& noBodyHeader() {
  static const std::string header = bodyHashHeader(contentHash(std::string_view()));
  return header;
}

HttpRequest requestWithoutBody(std::string method, std::string url) {
  return {std::move(method), std::move(url), {noBodyHeader()}, {}};
}

std::string errorCodeOf(const HttpResponse& response) {
  if (response.status == 200 && response.body.find("<Error") == std::string::npos) return {};
  return firstXmlText(response.body, "Code").value_or("");
}

std::unique_ptr<HttpExchange> lookFor(const std::string& url, std::function<void(bool)> found) {
  const std::string what = "look for " + url;
  return std::make_unique<SimpleExchange>(
      what, requestWithoutBody("HEAD", url), "",
      [what, found = std::move(found)](HttpResponse& response) -> Result<HttpExchange::Next> {
        if (response.status != 200 && response.status != 404)
          return tl::unexpected(errorOfResponse(what, response));
        found(response.status == 200);
        return HttpExchange::Next::kDone;
      });
}

bool refusesCondition(const HttpResponse& response) {
  return response.status == 501 ||
         isRefusal(response, 400, {"NotImplemented", "InvalidArgument", "InvalidRequest"});
}

bool wantsMd5(const HttpResponse& response) {
  return isRefusal(response, 400, {"InvalidRequest", "InvalidArgument", "MissingContentMD5"}) &&
         response.body.find("MD5") != std::string::npos;
}

bool passesBy(const HttpResponse& response) {
  return isRefusal(response, 409, {"ConditionalRequestConflict", "OperationAborted"}) ||
         isRefusal(response, 400, {"RequestTimeout"});
}

bool foundOtherBytes(const HttpResponse& response) {
  return isRefusal(response, 400, {"BadDigest", "XAmzContentSHA256Mismatch"});
}

std::vector<std::string_view> xmlElements(std::string_view xml, std::string_view element) {
  const std::string open = "<" + std::string(element) + ">";
  const std::string close = "</" + std::string(element) + ">";
  std::vector<std::string_view> insides;
  for (size_t at = 0; (at = xml.find(open, at)) != std::string_view::npos;) {
    at += open.size();
    const size_t end = xml.find(close, at);
    if (end == std::string_view::npos) break;
    insides.push_back(xml.substr(at, end - at));
    at = end + close.size();
  }
  return insides;
}

std::optional<std::string> firstXmlText(std::string_view xml, std::string_view element) {
  const auto insides = xmlElements(xml, element);
  if (insides.empty()) return std::nullopt;
  return withoutEntities(insides.front());
}

std::string xmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    const auto entity = std::ranges::find(kEntities, letter, &Entity::second);
    if (entity == std::end(kEntities))
      escaped += letter;
    else
      escaped += entity->first;
  }
  return escaped;
}

}  // namespace vintage::archive
