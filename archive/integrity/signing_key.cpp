// The client's side: keys, and a file of pins.
#include <cstdlib>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "archive/integrity/signing.h"
#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file_system.h"
#include "golden/base/strict_json.h"
#include "golden/base/user_folder.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr size_t kRawBytes = 32, kSignatureBytes = 64;

struct Free {
  void operator()(BIO* text) const { BIO_free(text); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

// A key file that asks for a password is not asked back.
int noPassword(char*, int, int, void*) { return 0; }

// Pins in their file.
constexpr int kPinVersion = 1;
constexpr const char* kPinFormat = "vintage_pins";
constexpr uint64_t kLargestPinFile = uint64_t{16} << 20;

struct PinEntry {
  std::string place, trusted;
  Pin pin;
  int counter = 0;
};
constexpr auto kPinFields = [](auto& fields, auto& entry) {
  fields.required("place", entry.place);
  fields.required("trusted_key", entry.trusted);
  fields.required("counter", entry.counter);
  fields.required("list", entry.pin.list);
  fields.required("key", entry.pin.key);
  fields.required("date", entry.pin.date);
};

Result<std::vector<PinEntry>> readEntries(const std::string& path) {
  std::vector<PinEntry> entries;
  const auto bytes = realFileSystem().read(path, kLargestPinFile);
  if (!bytes && bytes.error().kind == Error::Kind::kNotFound) return entries;
  if (!bytes) return tl::unexpected(bytes.error());
  ASSIGN_OR_RETURN(const auto document,
                   parseDocument({reinterpret_cast<const char*>(bytes->data()), bytes->size()},
                                 path, kPinFormat, kPinVersion));
  Status status;
  JsonObject root(document, path, status);
  JsonFieldReader(root, status).list("pins", entries, kPinFields);
  root.finish();
  if (!status) return tl::unexpected(status.error());
  for (PinEntry& entry : entries) entry.pin.counter = entry.counter;
  return entries;
}

}  // namespace

SigningKey::SigningKey(std::shared_ptr<EVP_PKEY> key, std::string publicKey)
    : key_(std::move(key)),
      publicKey_(std::move(publicKey)),
      fingerprint_(contentHash(hashBytes(publicKey_)).substr(0, 16)) {}

Result<SigningKey> SigningKey::read(std::string_view pem, std::string_view file, bool isPrivate) {
  const auto readHalf = isPrivate ? PEM_read_bio_PrivateKey : PEM_read_bio_PUBKEY;
  const Owned<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Owned<EVP_PKEY> key;
  if (text) key.reset(readHalf(text.get(), nullptr, noPassword, nullptr));
  std::vector<std::byte> raw(kRawBytes);
  size_t size = raw.size();
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(raw.data()), &size) !=
          1)
    return badInput(
        "{}: not the {} half of an Ed25519 key in PEM, without a password; 'openssl genpkey "
        "-algorithm ed25519' makes a key, 'openssl pkey -pubout' its public half",
        file, isPrivate ? "private" : "public");
  return SigningKey(std::move(key), hashText(raw));
}

Result<SigningKey> SigningKey::readPrivateFile(const std::string& path) {
  ASSIGN_OR_RETURN(const auto pem, readTextFile(path));
  return readPrivate(pem, path);
}

Result<SigningKey> SigningKey::readPublicFile(const std::string& path) {
  ASSIGN_OR_RETURN(const auto pem, readTextFile(path));
  return readPublic(pem, path);
}

Result<SigningKey> SigningKey::readRawPublic(std::string_view digits) {
  if (digits.size() != 2 * kRawBytes || !isContentHash(digits))
    return badInput("'{}' is no public key; 64 hexadecimal digits are expected",
                    digits.substr(0, 80));
  const auto raw = hashBytes(digits);
  Owned<EVP_PKEY> key(EVP_PKEY_new_raw_public_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(raw.data()), raw.size()));
  if (!key) return badInput("{} is no Ed25519 public key", digits);
  return SigningKey(std::move(key), std::string(digits));
}

Result<std::vector<std::byte>> SigningKey::sign(std::string_view text) const {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  std::vector<std::byte> signature(kSignatureBytes);
  size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     reinterpret_cast<const unsigned char*>(text.data()), text.size()) != 1)
    return usageError("the key {} does not sign: it is the public half", fingerprint_);
  signature.resize(size);
  return signature;
}

bool SigningKey::verifies(std::string_view text, std::span<const std::byte> signature) const {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  return context && signature.size() == kSignatureBytes &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

std::string PinFile::defaultPath() {
  const auto state = userFolder("XDG_STATE_HOME", ".local/state");
  return state.empty() ? std::string() : (state / "vintage/pins.json").string();
}

Result<std::optional<Pin>> PinFile::find(const std::string& place, const std::string& key) const {
  ASSIGN_OR_RETURN(const auto entries, readEntries(path_));
  for (const PinEntry& entry : entries)
    if (entry.place == place && entry.trusted == key) return std::optional<Pin>(entry.pin);
  return std::optional<Pin>();
}

Result<std::vector<Pin>> PinFile::ofPlace(const std::string& place) const {
  ASSIGN_OR_RETURN(const auto entries, readEntries(path_));
  std::vector<Pin> pins;
  for (const PinEntry& entry : entries)
    if (entry.place == place) pins.push_back(entry.pin);
  return pins;
}

Status PinFile::put(const std::string& place, const std::string& key, const Pin& pin) const {
  ASSIGN_OR_RETURN(auto entries, readEntries(path_));
  std::erase_if(
      entries, [&](const PinEntry& entry) { return entry.place == place && entry.trusted == key; });
  entries.push_back({place, key, pin, static_cast<int>(pin.counter)});
  json pins = json::array();
  for (const PinEntry& entry : entries) pins.push_back(JsonFieldWriter::write(entry, kPinFields));
  const std::string text =
      json{{"format", kPinFormat}, {"version", kPinVersion}, {"pins", pins}}.dump(1) + "\n";
  FileSystem& files = realFileSystem();
  RETURN_IF_ERROR(createFoldersDurably(files, parentFolder(path_)));
  return writeDurably(files, fmt::format("{}.{}.tmp", path_, ::getpid()), path_,
                      std::as_bytes(std::span(text)));
}

}  // namespace vintage::archive
