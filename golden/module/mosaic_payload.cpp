#include "golden/module/mosaic_payload.h"

#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::golden {

Result<std::vector<std::byte>> mosaicPayload(std::string_view backendConfig) {
  const auto json = nlohmann::json::parse(backendConfig, nullptr, /*allow_exceptions=*/false);
  const nlohmann::json* body = &json;
  for (const char* field : {"custom_call_config", "body"}) {
    const auto found = body->is_object() ? body->find(field) : body->end();
    if (found == body->end())
      return badInput("backend_config has no custom_call_config.body, where a kernel stands");
    body = &*found;
  }
  auto bytes =
      body->is_string() ? bytesOfBase64(body->get_ref<const std::string&>()) : std::nullopt;
  if (!bytes) return badInput("custom_call_config.body of backend_config is not base64");
  return *std::move(bytes);
}

}  // namespace vintage::golden
