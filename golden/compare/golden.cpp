#include "golden/compare/golden.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/utf8.h"
#include "golden/compare/comparator.h"

namespace vintage::golden {
namespace {

using Json = nlohmann::json;
using Seeds = std::vector<std::optional<SeededInput>>;

// See docs/reference/golden_format.md.
constexpr std::string_view kMagic = "VINTGOLD";
// Version 3: the golden keeps a second opinion. Version 2: a seed gives an input, or the golden
// keeps noise. Every other golden has version 1.
constexpr uint32_t kVersion = 1, kNoiseVersion = 2, kNewestVersion = 3;
constexpr size_t kPrefixBytes = 8 + 4 + 4 + 8;
constexpr size_t kAlignment = 64;
constexpr size_t kHashBytes = 64;           // As hex digits.
constexpr int64_t kMostHalfOctaves = 2200;  // Of a scale: beyond those of any float.

size_t aligned(size_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

void appendNumber(std::vector<std::byte>& to, uint64_t number, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to.push_back(static_cast<std::byte>(number >> (8 * i)));
}

uint64_t readNumber(std::span<const std::byte> from, size_t offset, size_t bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes; ++i) number |= static_cast<uint64_t>(from[offset + i]) << (8 * i);
  return number;
}

Status checkSeeds(const Golden& golden) {
  if (golden.seeds.empty()) return {};
  if (golden.seeds.size() != golden.inputs.size())
    return badInput("{} seeds for {} inputs; there must be one for each, or none",
                    golden.seeds.size(), golden.inputs.size());
  size_t left = kMostSeededBytes;
  for (size_t i = 0; i < golden.inputs.size(); ++i) {
    if (!golden.seeds[i]) continue;
    const Tensor& input = golden.inputs[i];
    ASSIGN_OR_RETURN(const Tensor given,
                     within(fmt::format("inputs {}", i),
                            seededTensor(*golden.seeds[i], input.type(), input.shape(), left)));
    if (!given.identical(input)) return badInput("inputs {} is not what its seed gives", i);
    left -= given.bytes().size();
  }
  return {};
}

Status check(const Golden& golden) {
  if (golden.comparators.size() != 1 && golden.comparators.size() != golden.expected.size())
    return badInput("{} comparators for {} outputs; there must be one, or one for each",
                    golden.comparators.size(), golden.expected.size());
  if (!isUtf8(golden.oracle)) return badInput("the oracle's name is not UTF-8 text");
  for (const Comparator& comparator : golden.comparators) {
    for (const double bound :
         {comparator.tolerance.absolute.value_or(0), comparator.tolerance.relative.value_or(0)})
      if (!std::isfinite(bound) || bound < 0)
        return badInput("a tolerance is {}; it must be finite and not negative", bound);
    if (comparator.tolerance.ulps.value_or(0) < 0) return badInput("a number of ulps is negative");
    if (!std::ranges::all_of(comparator.roles, isUtf8)) return badInput("a role is not UTF-8 text");
  }
  for (const std::vector<Tensor>* tensors : {&golden.inputs, &golden.expected})
    for (const Tensor& tensor : *tensors)
      if (isPredicate(tensor.type()) &&
          std::ranges::any_of(tensor.bytes(), [](std::byte b) { return b > std::byte{1}; }))
        return badInput("{} has a predicate other than 0 and 1", describe(tensor));
  const auto same = [](const Tensor& a, const Tensor& b) { return a.has(b.type(), b.shape()); };
  if (golden.second && !std::ranges::equal(golden.second->outputs, golden.expected, same))
    return badInput("the second opinion has other outputs than are expected");
  if (golden.second && !isUtf8(golden.second->by))
    return badInput("the name of the second opinion is not UTF-8 text");
  if (!golden.noise) return {};
  if (golden.noise->outputs.size() != golden.expected.size())
    return badInput("the noise has scales of {} outputs, and {} are expected",
                    golden.noise->outputs.size(), golden.expected.size());
  for (size_t i = 0; i < golden.expected.size(); ++i) {
    const Tensor& codes = golden.noise->outputs[i].codes;
    const int64_t lowest = golden.noise->outputs[i].lowest;
    if (codes.type() != ElementType::kUi8 ||
        (codes.shape() != golden.expected[i].shape() && codes.shape() != Shape{} &&
         codes.shape() != Shape{0}))
      return badInput(
          "the scales of output {} are {}; ui8 with the shape of {}, [] or [0] is needed", i,
          describe(codes), describe(golden.expected[i]));
    if (lowest < -kMostHalfOctaves || lowest > kMostHalfOctaves)
      return badInput("the scales of output {} begin at 2^({}/2), which is not finite", i, lowest);
  }
  return {};
}

Json writeTypes(const std::vector<Tensor>& tensors, const Seeds& seeds) {
  Json json = Json::array();
  for (size_t i = 0; i < tensors.size(); ++i) {
    json.push_back({{"dtype", dtypeName(tensors[i].type())}, {"shape", tensors[i].shape()}});
    if (i < seeds.size() && seeds[i]) json.back()["seeded"] = seededInputJson(*seeds[i]);
  }
  return json;
}

// The member of an object, if it is there; a null one is not there.
const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool hasSeeds(const Golden& golden) {
  return std::ranges::any_of(golden.seeds, [](const auto& seed) { return seed.has_value(); });
}

// Takes the tensors' data from `offset` on, which it moves past them. `seeds` gets those of the
// tensors, if they may have some.
Result<std::vector<Tensor>> readTensors(const Json& header, const char* name,
                                        std::span<const std::byte> data, size_t& offset,
                                        Seeds* seeds) {
  const Json* list = member(header, name);
  if (!list || !list->is_array()) return badInput("the header lacks the list '{}'", name);
  std::vector<Tensor> tensors;
  size_t left = kMostSeededBytes;
  for (const Json& entry : *list) {
    const auto place = [&] { return fmt::format("{} {}", name, tensors.size()); };
    const Json* dtype = entry.is_object() ? member(entry, "dtype") : nullptr;
    const Json* shape = entry.is_object() ? member(entry, "shape") : nullptr;
    if (!dtype || !dtype->is_string() || !shape || !shape->is_array())
      return badInput("{}", place() + ": it needs a dtype and a shape");
    const std::string& dtypeText = dtype->get_ref<const std::string&>();
    const std::optional<ElementType> type = parseDtypeName(dtypeText);
    if (!type) return badInput("{}: the dtype '{}' is unknown", place(), dtypeText);
    Shape dimensions;
    for (const Json& dimension : *shape) {
      if (!dimension.is_number_unsigned() ||
          dimension.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
        return badInput("{}", place() + ": a dimension is not a number of 0 or more");
      dimensions.push_back(static_cast<int64_t>(dimension.get<uint64_t>()));
    }
    if (seeds) seeds->emplace_back();
    if (const Json* seed = seeds ? member(entry, "seeded") : nullptr) {
      ASSIGN_OR_RETURN(seeds->back(), within(place(), seededInputOfJson(*seed)));
      ASSIGN_OR_RETURN(
          tensors.emplace_back(),
          within(place(), seededTensor(*seeds->back(), *type, std::move(dimensions), left)));
      left -= tensors.back().bytes().size();
      continue;
    }
    offset = aligned(offset);
    const std::optional<int64_t> count = checkedElementCount(dimensions);
    if (!count || offset > data.size() ||
        static_cast<size_t>(*count) > (data.size() - offset) / byteWidth(*type))
      return badInput("{}: the file ends before the {} elements of {}", place(),
                      count ? std::to_string(*count) : "too many to count",
                      describe(*type, dimensions));
    const size_t size = static_cast<size_t>(*count) * byteWidth(*type);
    ASSIGN_OR_RETURN(tensors.emplace_back(),
                     within(place(), Tensor::fromBytes(*type, std::move(dimensions),
                                                       data.subspan(offset, size))));
    offset += size;
  }
  return tensors;
}

// From version 2 on.
Status readNoise(const Json& header, std::span<const std::byte> data, size_t& offset,
                 Golden& golden) {
  const Json* noise = member(header, "noise");
  if (!noise) return {};
  const Json* lowest = noise->is_object() ? member(*noise, "lowest") : nullptr;
  const Json* seeds = noise->is_object() ? member(*noise, "seeds") : nullptr;
  const auto areIntegers = [](const Json* list) {
    return list && list->is_array() &&
           std::ranges::all_of(*list, [](const Json& each) { return each.is_number_integer(); });
  };
  if (!areIntegers(lowest) || !areIntegers(seeds))
    return badInput("'noise' needs 'lowest' and 'seeds', lists of integers");
  golden.noise.emplace().seeds = seeds->get<std::vector<int64_t>>();
  ASSIGN_OR_RETURN(auto codes, readTensors(header, "scales", data, offset, nullptr));
  if (codes.size() != lowest->size())
    return badInput("there are scales of {} outputs, and {} begin somewhere", codes.size(),
                    lowest->size());
  for (size_t i = 0; i < codes.size(); ++i)
    golden.noise->outputs.push_back({std::move(codes[i]), (*lowest)[i].get<int64_t>()});
  return {};
}

// From version 3 on.
Status readSecondOpinion(const Json& header, std::span<const std::byte> data, size_t& offset,
                         Golden& golden) {
  const Json* by = member(header, "second_by");
  if (!by) return {};
  if (!by->is_string()) return badInput("'second_by' is not a text");
  golden.second.emplace().by = by->get<std::string>();
  ASSIGN_OR_RETURN(golden.second->outputs, readTensors(header, "second", data, offset, nullptr));
  return {};
}

Result<Golden> readContent(std::span<const std::byte> bytes, uint64_t version) {
  const size_t dataEnd = bytes.size() - kHashBytes;
  const uint64_t headerBytes = readNumber(bytes, 16, 8);
  if (headerBytes > dataEnd - kPrefixBytes)
    return badInput("the header should have {} bytes, but only {} follow", headerBytes,
                    dataEnd - kPrefixBytes);
  const char* text = reinterpret_cast<const char*>(bytes.data()) + kPrefixBytes;
  const Json header = Json::parse(text, text + headerBytes, nullptr, false);
  if (!header.is_object()) return badInput("the header is not a JSON object");

  Golden golden;
  const Json* oracle = member(header, "oracle");
  const Json* comparators = member(header, "comparators");
  if (!oracle || !oracle->is_string() || !comparators || !comparators->is_array())
    return badInput("the header lacks 'oracle' or 'comparators'");
  golden.oracle = oracle->get<std::string>();
  for (const Json& entry : *comparators) {
    ASSIGN_OR_RETURN(golden.comparators.emplace_back(), comparatorOfJson(entry));
  }
  const std::span<const std::byte> data = bytes.first(dataEnd);
  size_t offset = kPrefixBytes + headerBytes;
  // A file has no fields of later versions.
  Seeds* seeds = version >= kNoiseVersion ? &golden.seeds : nullptr;
  ASSIGN_OR_RETURN(golden.inputs, readTensors(header, "inputs", data, offset, seeds));
  if (!hasSeeds(golden)) golden.seeds.clear();
  ASSIGN_OR_RETURN(golden.expected, readTensors(header, "expected", data, offset, nullptr));
  if (version >= kNoiseVersion) RETURN_IF_ERROR(readNoise(header, data, offset, golden));
  if (version >= kNewestVersion) RETURN_IF_ERROR(readSecondOpinion(header, data, offset, golden));
  if (offset != dataEnd) return badInput("{} bytes follow the last tensor", dataEnd - offset);
  RETURN_IF_ERROR(check(golden));
  return golden;
}

Result<Golden> read(std::span<const std::byte> bytes) {
  if (bytes.size() < kPrefixBytes || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    return badInput("this is not a golden file; it must begin with VINTGOLD");
  const uint64_t version = readNumber(bytes, 8, 4);
  if (version < kVersion || version > kNewestVersion)
    return unsupported(
        "it is a golden file of version {}; this build reads versions {} to {}. "
        "Use a newer build of Vintage",
        version, kVersion, kNewestVersion);
  if (bytes.size() < kPrefixBytes + kHashBytes) return badInput("the file ends within its header");
  const std::span<const std::byte> content = bytes.first(bytes.size() - kHashBytes);
  const std::string stated(reinterpret_cast<const char*>(bytes.data()) + content.size(),
                           kHashBytes);
  if (contentHash(content) != stated)
    return badInput(
        "its checksum does not match: the file is damaged or was cut short. Fetch or "
        "compute the golden again");
  if (readNumber(bytes, 12, 4) != 0) return badInput("its reserved bytes are not zero");
  return readContent(bytes, version);
}

}  // namespace

Json comparatorJson(const Comparator& comparator) {
  Json json = {{"kind", comparatorName(comparator.kind)}};
  if (comparator.tolerance.absolute) json["absolute"] = *comparator.tolerance.absolute;
  if (comparator.tolerance.relative) json["relative"] = *comparator.tolerance.relative;
  if (comparator.tolerance.ulps) json["ulps"] = *comparator.tolerance.ulps;
  if (!comparator.roles.empty()) json["roles"] = comparator.roles;
  if (comparator.dimension != 0) json["dimension"] = comparator.dimension;
  if (!comparator.open.empty()) json["open"] = openValuesJson(comparator.open);
  return json;
}

Result<Comparator> comparatorOfJson(const Json& json) {
  const auto wrong = [] { return badInput("a comparator in the header is malformed"); };
  const Json* kind = json.is_object() ? member(json, "kind") : nullptr;
  if (!kind || !kind->is_string()) return wrong();
  Comparator comparator;
  ASSIGN_OR_RETURN(comparator.kind, parseComparatorName(kind->get_ref<const std::string&>()));
  for (const auto& [name, bound] : {std::pair("absolute", &comparator.tolerance.absolute),
                                    std::pair("relative", &comparator.tolerance.relative)}) {
    const Json* value = member(json, name);
    if (!value) continue;
    if (!value->is_number()) return wrong();
    *bound = value->get<double>();
  }
  if (const Json* ulps = member(json, "ulps")) {
    if (!ulps->is_number_integer()) return wrong();
    comparator.tolerance.ulps = ulps->get<int64_t>();
  }
  if (const Json* dimension = member(json, "dimension")) {
    if (!dimension->is_number_integer()) return wrong();
    comparator.dimension = dimension->get<int64_t>();
  }
  if (const Json* roles = member(json, "roles")) {
    if (!roles->is_array()) return wrong();
    for (const Json& role : *roles) {
      if (!role.is_string()) return wrong();
      comparator.roles.push_back(role.get<std::string>());
    }
  }
  if (const Json* open = member(json, "open")) {
    ASSIGN_OR_RETURN(comparator.open, openValuesOfJson(*open));
  }
  return comparator;
}

Result<std::vector<std::byte>> writeGolden(const Golden& golden) {
  RETURN_IF_ERROR(check(golden));
  RETURN_IF_ERROR(checkSeeds(golden));
  Json comparators = Json::array();
  for (const Comparator& comparator : golden.comparators)
    comparators.push_back(comparatorJson(comparator));
  // Keys are sorted and nothing is indented, so that equal goldens are equal
  // bytes.
  Json described{{"comparators", std::move(comparators)},
                 {"expected", writeTypes(golden.expected, {})},
                 {"inputs", writeTypes(golden.inputs, golden.seeds)},
                 {"oracle", golden.oracle}};
  std::vector<Tensor> scales;
  if (golden.noise) {
    Json lowest = Json::array();
    for (const NoiseScale& scale : golden.noise->outputs) {
      lowest.push_back(scale.lowest);
      scales.push_back(scale.codes);
    }
    described["noise"] = {{"lowest", std::move(lowest)}, {"seeds", golden.noise->seeds}};
    described["scales"] = writeTypes(scales, {});
  }
  if (golden.second) {
    described["second"] = writeTypes(golden.second->outputs, {});
    described["second_by"] = golden.second->by;
  }
  const std::string header = described.dump();
  std::vector<std::byte> bytes;
  for (const char c : kMagic) bytes.push_back(static_cast<std::byte>(c));
  appendNumber(bytes,
               golden.second                      ? kNewestVersion
               : golden.noise || hasSeeds(golden) ? kNoiseVersion
                                                  : kVersion,
               4);
  appendNumber(bytes, 0, 4);
  appendNumber(bytes, header.size(), 8);
  const auto* headerBytes = reinterpret_cast<const std::byte*>(header.data());
  bytes.insert(bytes.end(), headerBytes, headerBytes + header.size());
  const auto append = [&bytes](const Tensor& tensor) {
    bytes.resize(aligned(bytes.size()));
    bytes.insert(bytes.end(), tensor.bytes().begin(), tensor.bytes().end());
  };
  for (size_t i = 0; i < golden.inputs.size(); ++i)
    if (i >= golden.seeds.size() || !golden.seeds[i]) append(golden.inputs[i]);
  std::ranges::for_each(golden.expected, append);
  std::ranges::for_each(scales, append);
  if (golden.second) std::ranges::for_each(golden.second->outputs, append);
  for (const char c : contentHash(bytes)) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

Result<Golden> readGolden(std::span<const std::byte> bytes, std::string_view name) {
  return within(std::string(name), read(bytes));
}

}  // namespace vintage::golden
