// The manifest, the tables and the signatures of an archive in a registry.
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "archive/transfer/record_objects.h"
#include "archive/transfer/registry_objects.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

// A table that has become so large stays as it is; the next objects begin another one.
constexpr size_t kTableBytes = size_t{1} << 20;
constexpr const char* kTitle = "org.opencontainers.image.title";

std::string digestOf(std::string_view text) { return "sha256:" + contentHash(text); }

json descriptor(const char* type, const Blob& blob) {
  return {{"mediaType", type}, {"digest", "sha256:" + blob.hash}, {"size", blob.bytes}};
}

// Registries from before `artifactType` take the configuration's type for it.
json manifestJson(const char* type, const Blob& config, json layers) {
  return {{"schemaVersion", 2},
          {"mediaType", kManifestType},
          {"artifactType", type},
          {"config", descriptor(type, config)},
          {"layers", std::move(layers)}};
}

struct Layer : Blob {
  std::string type, title;
};
// The members of a list of descriptors, "layers" or "manifests".
Result<std::vector<json>> descriptorsIn(const json& manifest, const char* list) {
  if (!manifest.is_object() || !manifest.contains(list) || !manifest[list].is_array())
    return badInput("the manifest has no list '{}'", list);
  return manifest[list].get<std::vector<json>>();
}
Result<Layer> layerOf(const json& entry) {
  Layer layer;
  layer.type = textIn(entry, "mediaType");
  const std::string digest = textIn(entry, "digest");
  layer.hash = digest.substr(digest.find(':') + 1);
  if (!digest.starts_with("sha256:") || !isContentHash(layer.hash) || !entry.contains("size") ||
      !entry["size"].is_number_unsigned())
    return badInput("a layer has no SHA-256 digest or no size: {}", jsonExcerpt(entry));
  layer.bytes = entry["size"].get<uint64_t>();
  if (entry.contains("annotations")) layer.title = textIn(entry["annotations"], kTitle);
  return layer;
}

// The type that a manifest gives itself.
std::string typeOf(const json& manifest) {
  for (const char* field : {"artifactType", "mediaType"})
    if (std::string type = textIn(manifest, field); !type.empty()) return type;
  return "something without a media type";
}

// "123 rest" -> 123; `text` goes on after the space. False where no number stands there.
bool takeNumber(std::string_view& text, uint64_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (problem != std::errc() || !(text.empty() || text.front() == ' ')) return false;
  text.remove_prefix(std::min<size_t>(text.size(), 1));
  return true;
}

}  // namespace

Status RegistryObjects::load() {
  ASSIGN_OR_RETURN(const auto text, client_.manifest(client_.address().tag));
  blobs_.clear();
  blobIndex_.clear();
  objects_.clear();
  tables_.clear();
  tail_.clear();
  manifest_ = text.value_or("");
  if (text) {
    ASSIGN_OR_RETURN(tables_, within(name(), readManifest(*text)));
    std::vector<WantedContent> wanted;
    for (const Blob& table : tables_)
      wanted.push_back({table.hash, static_cast<int64_t>(table.bytes)});
    std::map<std::string, std::string> texts;
    RETURN_IF_ERROR(client_.download(
        wanted,
        [&](const ContentId& id, const Bytes& bytes) -> Status {
          texts[id].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          return {};
        },
        [&](const ContentId&, const Error& error) {
          return within(name() + ": a table of the archive", error);
        }));
    for (const Blob& table : tables_)
      RETURN_IF_ERROR(readTable(texts[table.hash],
                                fmt::format("{}: table sha256:{}", name(), table.hash), false));
    if (!tables_.empty() && tables_.back().bytes < kTableBytes) {
      tail_ = texts[tables_.back().hash];
      tables_.pop_back();
    }
    RETURN_IF_ERROR(readLists());
  }
  RETURN_IF_ERROR(readTable(fresh_, name(), true));
  for (const auto& [key, blob] : lists_) objects_[key] = {blobOf(blob), 0, blob.bytes};
  return {};
}

// The tables, in order.
Result<std::vector<Blob>> RegistryObjects::readManifest(const std::string& text) {
  ASSIGN_OR_RETURN(const json manifest, parseOutsideJson(text));
  if (textIn(manifest, "artifactType") != kArchiveType)
    return unsupported(
        "the tag holds '{}', and Vintage reads and writes archives of its own ('{}'): name "
        "another tag",
        typeOf(manifest), kArchiveType);
  ASSIGN_OR_RETURN(const auto layers, descriptorsIn(manifest, "layers"));
  std::vector<Blob> tables;
  for (const json& entry : layers) {
    ASSIGN_OR_RETURN(Layer layer, layerOf(entry));
    if (layer.type == kTableType) {
      tables.push_back(layer);
    } else if (layer.type == kPackType) {
      layer.isPack = true;
      blobOf(layer);
    } else {
      return unsupported(
          "a layer is '{}', which this program does not know: use the Vintage that wrote it, or a "
          "newer one",
          layer.type);
    }
  }
  return tables;
}

Status RegistryObjects::readTable(std::string_view text, const std::string& place, bool own) {
  Blob pack;
  size_t index = 0;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto refuse = [&](std::string_view problem) {
      return badInput("{}: line {}: {}", place, number, problem);
    };
    if (end == std::string_view::npos) return refuse("it does not end");
    if (line.starts_with("- ")) {
      objects_.erase(std::string(line.substr(2)));
      continue;
    }
    if (line.starts_with("pack ")) {
      const size_t space = line.rfind(' ');
      pack = {std::string(line.substr(5, space - 5)), 0, own};
      line.remove_prefix(space + 1);
      if (!isContentHash(pack.hash) || !takeNumber(line, pack.bytes) || !line.empty())
        return refuse("it names no pack");
      if (!own && !blobIndex_.contains(pack.hash))
        return refuse("its pack is no layer of the manifest");
      index = blobOf(pack);
      if (blobs_[index].bytes != pack.bytes) return refuse("its pack has another size");
      continue;
    }
    Object object{index, 0, 0};
    if (pack.hash.empty() || !takeNumber(line, object.offset) || !takeNumber(line, object.bytes) ||
        line.empty() || object.bytes > pack.bytes || object.offset > pack.bytes - object.bytes)
      return refuse("it names no part of a pack");
    objects_[std::string(line)] = object;
  }
  return {};
}

Status RegistryObjects::readLists() {
  ASSIGN_OR_RETURN(const auto text, client_.referrers(digestOf(manifest_)));
  if (!text) return {};
  const std::string place = name() + ": referrers";
  ASSIGN_OR_RETURN(const json index, within(place, parseOutsideJson(*text)));
  ASSIGN_OR_RETURN(const auto referrers, within(place, descriptorsIn(index, "manifests")));
  for (const json& entry : referrers) {
    if (textIn(entry, "artifactType") != kListsType) continue;
    const std::string digest = textIn(entry, "digest");
    ASSIGN_OR_RETURN(const auto manifest, client_.manifest(digest));
    if (!manifest) continue;  // Removed since.
    ASSIGN_OR_RETURN(const json lists, within(place, parseOutsideJson(*manifest)));
    ASSIGN_OR_RETURN(const auto layers, within(place, descriptorsIn(lists, "layers")));
    for (const json& one : layers) {
      ASSIGN_OR_RETURN(Layer layer, within(place, layerOf(one)));
      if (!layer.title.starts_with(kListFolder) || hashInRecordKey(layer.title) != layer.hash)
        return badInput("{}: {} has a layer '{}', which names no signed list", place, digest,
                        layer.title);
      lists_[layer.title] = layer;
    }
  }
  return {};
}

// A registry has no way to say "only if the tag is what I saw". So it is looked at before and
// afterwards: two writers at once lose nothing unless both look, and then both write.
Status RegistryObjects::commit() {
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ASSIGN_OR_RETURN(const auto before, client_.manifest(client_.address().tag));
    if (before.value_or("") != manifest_) RETURN_IF_ERROR(load());
    std::string tail = tail_ + fresh_;
    ASSIGN_OR_RETURN(const Blob table, upload(tail));
    ASSIGN_OR_RETURN(const Blob config, upload("{}"));
    const std::string text = manifestText(table, config);
    RETURN_IF_ERROR(client_.putManifest(client_.address().tag, text));
    ASSIGN_OR_RETURN(const auto after, client_.manifest(client_.address().tag));
    if (after != text) continue;
    manifest_ = text;
    tail_ = std::move(tail);
    if (tail_.size() >= kTableBytes) {
      tables_.push_back(table);
      tail_.clear();
    }
    fresh_.clear();
    freshBytes_ = 0;
    return lists_.empty() ? Status() : putLists();
  }
  return conflict("{}: other writers moved the tag {} times meanwhile: let one write at a time",
                  name(), kAttempts);
}

std::string RegistryObjects::manifestText(const Blob& lastTable, const Blob& config) const {
  json layers = json::array();
  for (const Blob& table : tables_) layers.push_back(descriptor(kTableType, table));
  layers.push_back(descriptor(kTableType, lastTable));
  for (const Blob& blob : blobs_)
    if (blob.isPack) layers.push_back(descriptor(kPackType, blob));
  return jsonText(manifestJson(kArchiveType, config, std::move(layers)));
}

// One manifest with all signed lists, whose subject is the archive's.
Status RegistryObjects::putLists() {
  json layers = json::array();
  for (const auto& [key, blob] : lists_) {
    json layer = descriptor("application/json", blob);
    layer["annotations"] = {{kTitle, key}};
    layers.push_back(std::move(layer));
  }
  ASSIGN_OR_RETURN(const Blob config, upload("{}"));
  json manifest = manifestJson(kListsType, config, std::move(layers));
  const Blob subject{contentHash(manifest_), manifest_.size()};
  manifest["subject"] = descriptor(kManifestType, subject);
  const std::string text = jsonText(manifest);
  // Under a tag, since some registries collect what only an index names.
  const std::string tag = client_.address().tag + ".lists";
  ASSIGN_OR_RETURN(const bool isListed,
                   client_.putManifest(tag.size() > kLongestTag ? digestOf(text) : tag, text));
  listsChanged_ = false;
  if (isListed) return {};
  const std::string fallback = "sha256-" + subject.hash;
  ASSIGN_OR_RETURN(const auto kept, client_.manifest(fallback));
  json index = {{"schemaVersion", 2}, {"mediaType", kIndexType}, {"manifests", json::array()}};
  if (kept) {
    ASSIGN_OR_RETURN(index, within(name() + ": " + fallback, parseOutsideJson(*kept)));
    ASSIGN_OR_RETURN(auto others,
                     within(name() + ": " + fallback, descriptorsIn(index, "manifests")));
    std::erase_if(others,
                  [](const json& entry) { return textIn(entry, "artifactType") == kListsType; });
    index["manifests"] = others;
  }
  json entry = descriptor(kManifestType, {contentHash(text), text.size()});
  entry["artifactType"] = kListsType;
  index["manifests"].push_back(std::move(entry));
  RETURN_IF_ERROR(client_.putManifest(fallback, jsonText(index)));
  return {};
}

}  // namespace vintage::archive
