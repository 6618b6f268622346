#include "archive/integrity/signing.h"

#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/base/file_system.h"
#include "golden/base/strict_json.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr const char* kFormat = "vintage_pins";
constexpr uint64_t kLargestFile = uint64_t{16} << 20;

struct Entry {
  std::string place, trusted;
  Pin pin;
  int counter = 0;
};

Result<std::vector<Entry>> readEntries(const std::string& path) {
  std::vector<Entry> entries;
  const auto bytes = realFileSystem().read(path, kLargestFile);
  if (!bytes && bytes.error().kind == Error::Kind::kNotFound) return entries;
  if (!bytes) return tl::unexpected(bytes.error());
  ASSIGN_OR_RETURN(const auto document,
                   parseDocument({reinterpret_cast<const char*>(bytes->data()), bytes->size()},
                                 path, kFormat, kVersion));
  Status status;
  JsonObject root(document, path, status);
  root.list("pins", [&](const json& element, const std::string& place) {
    JsonObject object(element, place, status);
    Entry entry;
    object.required("place", entry.place);
    object.required("trusted_key", entry.trusted);
    object.required("counter", entry.counter);
    object.required("list", entry.pin.list);
    object.required("key", entry.pin.key);
    object.required("date", entry.pin.date);
    object.finish();
    entry.pin.counter = entry.counter;
    entries.push_back(std::move(entry));
  });
  root.finish();
  if (!status) return tl::unexpected(status.error());
  return entries;
}

}  // namespace

std::string PinFile::defaultPath() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty())
    return state + "/vintage/pins.json";
  const std::string home = variable("HOME");
  return home.empty() ? home : home + "/.local/state/vintage/pins.json";
}

Result<std::optional<Pin>> PinFile::find(const std::string& place, const std::string& key) const {
  ASSIGN_OR_RETURN(const auto entries, readEntries(path_));
  for (const Entry& entry : entries) {
    if (entry.place == place && entry.trusted == key) return std::optional<Pin>(entry.pin);
  }
  return std::optional<Pin>();
}

Result<std::vector<Pin>> PinFile::ofPlace(const std::string& place) const {
  ASSIGN_OR_RETURN(const auto entries, readEntries(path_));
  std::vector<Pin> pins;
  for (const Entry& entry : entries) {
    if (entry.place == place) pins.push_back(entry.pin);
  }
  return pins;
}

Status PinFile::put(const std::string& place, const std::string& key, const Pin& pin) const {
  ASSIGN_OR_RETURN(auto entries, readEntries(path_));
  std::erase_if(entries,
                [&](const Entry& entry) { return entry.place == place && entry.trusted == key; });
  entries.push_back({place, key, pin});
  json pins = json::array();
  for (const Entry& entry : entries)
    pins.push_back({{"place", entry.place},
                    {"trusted_key", entry.trusted},
                    {"counter", entry.pin.counter},
                    {"list", entry.pin.list},
                    {"key", entry.pin.key},
                    {"date", entry.pin.date}});
  const std::string text =
      json{{"format", kFormat}, {"version", kVersion}, {"pins", pins}}.dump(1) + "\n";
  FileSystem& files = realFileSystem();
  RETURN_IF_ERROR(createFoldersDurably(files, parentFolder(path_)));
  return writeDurably(files, fmt::format("{}.{}.tmp", path_, ::getpid()), path_,
                      std::as_bytes(std::span(text)));
}

}  // namespace vintage::archive
