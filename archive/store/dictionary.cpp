#include "archive/store/dictionary.h"

#include <zdict.h>

#include <fmt/format.h>

#include "archive/store/blob_store.h"
#include "archive/store/collect.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive {

Dictionary::Dictionary(uint32_t id, std::span<const std::byte> bytes)
    : id_(id),
      reader_(ZSTD_createDDict(bytes.data(), bytes.size())),
      bytes_(bytes.begin(), bytes.end()) {}

const ZSTD_CDict* Dictionary::made(Writer& writer, int level) const {
  std::call_once(writer.asked, [&] {
    writer.digest.reset(ZSTD_createCDict(bytes_.data(), bytes_.size(), level));
  });
  return writer.digest.get();
}

const ZSTD_CDict* Dictionary::forWriting(bool close) const {
  return close ? made(close_, kCloseLevel) : made(quick_, kQuickLevel);
}

const ZSTD_CDict* Dictionary::forPacks() const { return made(packs_, kPackLevel); }

Result<std::shared_ptr<const Dictionary>> Dictionary::make(std::span<const std::byte> bytes) {
  const uint32_t id = ZDICT_getDictID(bytes.data(), bytes.size());
  if (id == 0) return badInput("{} bytes that are no zstd dictionary with an id", bytes.size());
  std::shared_ptr<const Dictionary> made(new Dictionary(id, bytes));
  if (!made->reader_) return badInput("zstd does not accept the dictionary");
  return made;
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
  ASSIGN_OR_RETURN(
      const bool kept,
      firstRow(database_,
               "SELECT b.hash FROM dictionary AS d JOIN blob AS b ON b.id = d.blob WHERE d.id = ?",
               std::tie(content), id));
  if (!kept) return badInput("it needs the dictionary {}, which the archive lacks", id);
  const std::string what = fmt::format("its dictionary {}", id);
  ASSIGN_OR_RETURN(const auto bytes, within(what, read_(content)));
  ASSIGN_OR_RETURN(auto made, within(what, Dictionary::make(bytes)));
  return (loaded_[id] = std::move(made)).get();
}

}  // namespace vintage::archive
