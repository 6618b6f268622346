#include "harness/model/array_files.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>
#include <nlohmann/json.hpp>

#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/tensor/npy.h"

namespace vintage::harness {
using namespace golden;

namespace {

using nlohmann::json;

constexpr std::string_view kNumberedName = "arr_";
constexpr size_t kLengthBytes = 8;
constexpr zip_uint64_t kLargestArray = zip_uint64_t{1} << 34;

// Before its type is known: the bytes of a .npy file, or elements with their type.
struct UnreadArray {
  std::string name;  // In its file.
  std::vector<std::byte> npy;
  std::optional<Tensor> tensor;
};
using UnreadArrays = std::vector<UnreadArray>;

// ---- .npz

struct ZipCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Zip = std::unique_ptr<zip_t, ZipCloser>;

Result<Zip> openZip(const std::string& file, int flags) {
  int code = 0;
  zip_t* opened = zip_open(file.c_str(), flags, &code);
  if (opened != nullptr) return Zip(opened);
  if (code == ZIP_ER_NOENT) return usageError("{}: there is no such file", file);
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  return badInput("{}: no .npz file that can be read: {}", file, reason);
}

Result<UnreadArray> readMember(zip_t* archive, zip_uint64_t index, const std::string& file) {
  zip_stat_t entry;
  if (zip_stat_index(archive, index, 0, &entry) != 0 || entry.size > kLargestArray)
    return badInput("{}: its member {} is damaged or too large", file, index);
  UnreadArray array;
  array.name = entry.name;
  if (array.name.ends_with(".npy")) array.name.resize(array.name.size() - 4);
  array.npy.resize(entry.size);
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> member(
      zip_fopen_index(archive, index, 0), &zip_fclose);
  if (!member ||
      zip_fread(member.get(), array.npy.data(), entry.size) != static_cast<zip_int64_t>(entry.size))
    return badInput("{}: its member '{}' cannot be read: {}", file, entry.name,
                    zip_strerror(archive));
  return array;
}

std::optional<int> numberOf(const UnreadArray& array) {
  if (!array.name.starts_with(kNumberedName)) return std::nullopt;
  const char *first = array.name.data() + kNumberedName.size(),
             *last = array.name.data() + array.name.size();
  int number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

Result<UnreadArrays> readNpz(const std::string& file) {
  ASSIGN_OR_RETURN(auto archive, openZip(file, ZIP_RDONLY));
  UnreadArrays arrays;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(arrays.emplace_back(),
                     readMember(archive.get(), static_cast<zip_uint64_t>(i), file));
  }
  const bool numbered = std::ranges::all_of(
      arrays, [](const UnreadArray& array) { return numberOf(array).has_value(); });
  if (numbered) std::ranges::stable_sort(arrays, {}, numberOf);
  return arrays;
}

// ---- safetensors

struct SafetensorsType {
  std::string_view name;
  ElementType type;
};
constexpr SafetensorsType kSafetensorsTypes[] = {
    {"BOOL", ElementType::kI1},          {"U8", ElementType::kUi8},
    {"U16", ElementType::kUi16},         {"U32", ElementType::kUi32},
    {"U64", ElementType::kUi64},         {"I8", ElementType::kI8},
    {"I16", ElementType::kI16},          {"I32", ElementType::kI32},
    {"I64", ElementType::kI64},          {"F16", ElementType::kF16},
    {"BF16", ElementType::kBF16},        {"F32", ElementType::kF32},
    {"F64", ElementType::kF64},          {"C64", ElementType::kC64},
    {"F8_E4M3", ElementType::kF8E4M3FN}, {"F8_E5M2", ElementType::kF8E5M2},
};

// With where its elements begin, which lie behind the header.
using PlacedArray = std::pair<size_t, UnreadArray>;

Result<PlacedArray> readEntry(const std::string& name, const json& fields,
                              std::span<const std::byte> elements) {
  const std::string dtype = fields.at("dtype");
  const auto known = std::ranges::find(kSafetensorsTypes, dtype, &SafetensorsType::name);
  if (known == std::end(kSafetensorsTypes))
    return unsupported("'{}' is of the type {}, which no program here takes", name, dtype);
  const auto [begin, end] = fields.at("data_offsets").get<std::pair<size_t, size_t>>();
  if (begin > end || end > elements.size())
    return badInput("the elements of '{}' lie beyond its end", name);
  ASSIGN_OR_RETURN(auto tensor,
                   within(fmt::format("'{}'", name),
                          Tensor::fromBytes(known->type, fields.at("shape").get<Shape>(),
                                            elements.subspan(begin, end - begin))));
  return PlacedArray{begin, {name, {}, std::move(tensor)}};
}

Result<UnreadArrays> readSafetensors(const std::string& file) {
  ASSIGN_OR_RETURN(const auto bytes, readFile(file));
  uint64_t length = 0;
  if (bytes.size() >= kLengthBytes) std::memcpy(&length, bytes.data(), kLengthBytes);
  if (bytes.size() < kLengthBytes || length > bytes.size() - kLengthBytes)
    return badInput("{}: its header is cut off", file);
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + kLengthBytes;
  const json header = json::parse(text, text + length, nullptr, false);
  if (!header.is_object()) return badInput("{}: its header is no JSON object", file);
  const auto elements = std::span(bytes).subspan(kLengthBytes + length);
  std::vector<PlacedArray> entries;
  try {
    for (const auto& [name, fields] : header.items()) {
      if (name == "__metadata__") continue;
      ASSIGN_OR_RETURN(entries.emplace_back(), within(file, readEntry(name, fields, elements)));
    }
  } catch (const json::exception& problem) {
    return badInput("{}: its header is malformed: {}", file, problem.what());
  }
  std::ranges::stable_sort(entries, {}, &PlacedArray::first);
  UnreadArrays arrays;
  for (PlacedArray& entry : entries) arrays.push_back(std::move(entry.second));
  return arrays;
}

// ---- all of them

Result<UnreadArrays> readOneFile(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension();
  if (extension == ".npz") return readNpz(file);
  if (extension == ".safetensors") return readSafetensors(file);
  if (extension != ".npy")
    return usageError("{}: arrays are read from .npy, .npz and .safetensors files", file);
  UnreadArrays one(1);
  ASSIGN_OR_RETURN(one.front().npy, readFile(file));
  return one;
}

Result<Tensor> readAs(ElementType type, UnreadArray array, const std::string& place) {
  if (!array.tensor) return readNpy(array.npy, place, type);
  if (array.tensor->type() == type) return std::move(*array.tensor);
  return badInput("{}: it is {}, and {} is taken", place, dtypeName(array.tensor->type()),
                  dtypeName(type));
}

}  // namespace

Result<std::vector<Tensor>> readArrayFiles(std::span<const std::string> files,
                                           std::span<const ElementType> types,
                                           const std::string& what) {
  std::vector<std::pair<std::string, UnreadArray>> arrays;  // With the place, for messages.
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(auto read, readOneFile(file));
    for (UnreadArray& array : read) {
      std::string place = array.name.empty() ? file : fmt::format("{}: '{}'", file, array.name);
      arrays.emplace_back(std::move(place), std::move(array));
    }
  }
  if (arrays.size() != types.size())
    return usageError("{}: {} as {}; the program has {}", fmt::join(files, ", "),
                      counted(arrays.size(), "array"), what, types.size());
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < types.size(); ++i) {
    ASSIGN_OR_RETURN(tensors.emplace_back(),
                     readAs(types[i], std::move(arrays[i].second), arrays[i].first));
  }
  return tensors;
}

bool isArrayFile(const std::string& path) {
  return path.ends_with(".npy") || path.ends_with(".npz") || path.ends_with(".safetensors");
}

Result<std::vector<NamedArray>> readArrayFile(const std::string& file) {
  ASSIGN_OR_RETURN(auto unread, readOneFile(file));
  std::vector<NamedArray> arrays;
  for (UnreadArray& array : unread) {
    if (!array.tensor) {
      ASSIGN_OR_RETURN(array.tensor,
                       readNpy(array.npy, array.name.empty() ? file : file + ": " + array.name));
    }
    arrays.push_back({std::move(array.name), std::move(*array.tensor)});
  }
  return arrays;
}

Status writeNpz(const std::string& path, std::span<const Tensor> tensors) {
  auto archive = openZip(path, ZIP_CREATE | ZIP_TRUNCATE);
  if (!archive) return failure(Error::Kind::kIo, archive.error().message);
  const auto failed = [&] { return ioError("{}: {}", path, zip_strerror(archive->get())); };
  std::vector<std::vector<std::byte>> contents;  // Read when the archive is closed.
  for (const Tensor& tensor : tensors) {
    contents.push_back(writeNpy(tensor));
    const std::string name = fmt::format("{}{}.npy", kNumberedName, contents.size() - 1);
    zip_source_t* source =
        zip_source_buffer(archive->get(), contents.back().data(), contents.back().size(), 0);
    const zip_int64_t index =
        source == nullptr ? -1
                          : zip_file_add(archive->get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return failed();
    }
    // As they are: random weights take a minute to compress, and stay as large.
    if (zip_set_file_compression(archive->get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE,
                                 0) != 0)
      return failed();
    // The oldest day that a zip file can name, so that the same arrays are the same bytes.
    constexpr zip_uint16_t kFirstDay = (1 << 5) | 1;
    if (zip_file_set_dostime(archive->get(), static_cast<zip_uint64_t>(index), 0, kFirstDay, 0) !=
        0)
      return failed();
  }
  if (zip_close(archive->get()) != 0) return failed();
  static_cast<void>(archive->release());
  return {};
}

}  // namespace vintage::harness
