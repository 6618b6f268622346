// What requests to a bucket, and its answers to them, have in common.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/transfer/http_client.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {

// The SHA-256 of the request's body: signed, and checked by the server.
inline std::string bodyHashHeader(const std::string& hash) {
  return "x-amz-content-sha256: " + hash;
}
const std::string& noBodyHeader();
HttpRequest requestWithoutBody(std::string method, std::string url);

// Asks whether there is an object.
std::unique_ptr<HttpExchange> lookFor(const std::string& url, std::function<void(bool)> found);

// S3's name of an error, as "NoSuchKey"; empty where the answer names none. An
// answer with the status 200 can hold one too.
std::string errorCodeOf(const HttpResponse& response);

// Whether the server refuses the header If-None-Match, rather than the object.
bool refusesCondition(const HttpResponse& response);

// Whether the server takes the object only with its MD5, as with object lock.
bool wantsMd5(const HttpResponse& response);

// Whether a refusal is one of the moment: another writer of the same key, or a
// body that came too slowly.
bool passesBy(const HttpResponse& response);

// Whether the body that arrived is not what its hash says.
bool foundOtherBytes(const HttpResponse& response);
// How often such a body is sent.
inline constexpr int kSendsOfOtherBytes = 3;

// Texts of named elements in S3's answers, which are flat XML without comments
// or attributes that matter. Not a parser: nothing else is read with it.

// What is inside all elements of this name, in order, as it is.
std::vector<std::string_view> xmlElements(std::string_view xml, std::string_view element);
// The text of the first element of this name, with entities replaced.
std::optional<std::string> firstXmlText(std::string_view xml, std::string_view element);
// A text as it is written into an element.
std::string xmlEscaped(std::string_view text);

}  // namespace vintage::archive
