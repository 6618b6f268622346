#include "archive/store/dictionary.h"

#include <mutex>

#include <zdict.h>
#include <zstd.h>

#include <fmt/format.h>

#include "archive/store/blob_codec.h"
#include "archive/store/blob_store.h"
#include "archive/store/collect.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

struct FreeWriter {
  void operator()(ZSTD_CDict* digest) const { ZSTD_freeCDict(digest); }
};
struct FreeReader {
  void operator()(ZSTD_DDict* digest) const { ZSTD_freeDDict(digest); }
};

}  // namespace

struct Dictionary::Digests {
  uint32_t id = 0;
  std::unique_ptr<ZSTD_DDict, FreeReader> reader;
  std::vector<std::byte> bytes;
  // Made when first asked for: who only reads needs none.
  struct Writer {
    std::once_flag asked;
    std::unique_ptr<ZSTD_CDict, FreeWriter> digest;
  };
  Writer quick, close, packs;
  const void* made(Writer& writer, int level) {
    std::call_once(writer.asked, [&] {
      writer.digest.reset(ZSTD_createCDict(bytes.data(), bytes.size(), level));
    });
    return writer.digest.get();
  }
};

Dictionary::Dictionary(std::unique_ptr<Digests> digests) : digests_(std::move(digests)) {}
Dictionary::~Dictionary() = default;

uint32_t Dictionary::id() const { return digests_->id; }
const void* Dictionary::forReading() const { return digests_->reader.get(); }
const void* Dictionary::forWriting(bool close) const {
  return close ? digests_->made(digests_->close, kCloseLevel)
               : digests_->made(digests_->quick, kQuickLevel);
}

const void* Dictionary::forPacks() const { return digests_->made(digests_->packs, kPackLevel); }

Result<std::shared_ptr<const Dictionary>> Dictionary::make(std::span<const std::byte> bytes) {
  auto digests = std::make_unique<Digests>();
  digests->id = ZDICT_getDictID(bytes.data(), bytes.size());
  if (digests->id == 0)
    return badInput("{} bytes that are no zstd dictionary with an id", bytes.size());
  digests->reader.reset(ZSTD_createDDict(bytes.data(), bytes.size()));
  if (!digests->reader)
    return failure(Error::Kind::kBadInput, "zstd does not accept the dictionary");
  digests->bytes.assign(bytes.begin(), bytes.end());
  return std::shared_ptr<const Dictionary>(new Dictionary(std::move(digests)));
}

Result<std::vector<std::byte>> Dictionary::train(std::span<const std::vector<std::byte>> samples,
                                                 size_t most) {
  std::vector<std::byte> joined;
  std::vector<size_t> sizes;
  for (const std::vector<std::byte>& sample : samples) {
    joined.insert(joined.end(), sample.begin(), sample.end());
    sizes.push_back(sample.size());
  }
  if (sizes.size() < kFewestDictionarySamples)
    return unsupported(
        "{} small contents are too few to find what they have in common; a dictionary needs {}",
        sizes.size(), kFewestDictionarySamples);
  std::vector<std::byte> dictionary(most);
  const size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), joined.data(),
                                            sizes.data(), static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size))
    return unsupported("zstd finds too little in common in {} contents: {}", sizes.size(),
                       ZDICT_getErrorName(size));
  dictionary.resize(size);
  return dictionary;
}

Result<const Dictionary*> DictionaryTable::newest() {
  const auto id =
      database_.integer("SELECT id FROM dictionary ORDER BY made DESC, blob DESC LIMIT 1");
  if (!id) return tl::unexpected(id.error());
  if (*id == 0) return nullptr;
  return find(static_cast<uint32_t>(*id));
}

Result<const Dictionary*> DictionaryTable::find(uint32_t id) {
  if (const auto loaded = loaded_.find(id); loaded != loaded_.end()) return loaded->second.get();
  ContentId content;
  {
    ASSIGN_OR_RETURN(
        auto query,
        database_.query(
            "SELECT b.hash FROM dictionary AS d JOIN blob AS b ON b.id = d.blob WHERE d.id = ?"));
    ASSIGN_OR_RETURN(const auto row, query.bind(static_cast<int64_t>(id)).step());
    if (!row) return badInput("it needs the dictionary {}, which the archive lacks", id);
    content = hashText(query.blob(0));
  }
  ASSIGN_OR_RETURN(const auto bytes, within(fmt::format("its dictionary {}", id), read_(content)));
  ASSIGN_OR_RETURN(auto made,
                   within(fmt::format("its dictionary {}", id), Dictionary::make(bytes)));
  return (loaded_[id] = std::move(made)).get();
}

}  // namespace vintage::archive
