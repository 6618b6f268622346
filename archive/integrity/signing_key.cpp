#include <openssl/evp.h>
#include <openssl/pem.h>

#include "archive/integrity/signing.h"
#include "archive/store/records.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/strict_json.h"

namespace vintage::archive {
namespace {

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

}  // namespace

struct SigningKey::Key {
  Owned<EVP_PKEY> key;
  std::string fingerprint;

  // `read` is OpenSSL's reader of one half.
  template <typename Read>
  static Result<SigningKey> from(std::string_view pem, std::string_view file, const char* half,
                                 const Read& read) {
    const Owned<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    auto key = std::make_unique<Key>();
    if (text) key->key.reset(read(text.get(), nullptr, noPassword, nullptr));
    std::vector<std::byte> raw(kRawBytes);
    size_t size = raw.size();
    if (!key->key || EVP_PKEY_get_base_id(key->key.get()) != EVP_PKEY_ED25519 ||
        EVP_PKEY_get_raw_public_key(key->key.get(), reinterpret_cast<unsigned char*>(raw.data()),
                                    &size) != 1)
      return badInput(
          "{}: not the {} half of an Ed25519 key in PEM, without a password; 'openssl genpkey "
          "-algorithm ed25519' makes a key, 'openssl pkey -pubout' its public half",
          file, half);
    key->fingerprint = contentHash(std::span(raw).first(size)).substr(0, 16);
    return SigningKey(std::move(key));
  }
};

SigningKey::SigningKey(std::unique_ptr<Key> key)
    : key_(std::move(key)), fingerprint_(key_->fingerprint) {}
SigningKey::~SigningKey() = default;
SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;

Result<SigningKey> SigningKey::readPrivate(std::string_view pem, std::string_view file) {
  return Key::from(pem, file, "private", PEM_read_bio_PrivateKey);
}
Result<SigningKey> SigningKey::readPublic(std::string_view pem, std::string_view file) {
  return Key::from(pem, file, "public", PEM_read_bio_PUBKEY);
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
  auto key = std::make_unique<Key>();
  key->key.reset(EVP_PKEY_new_raw_public_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(raw.data()), raw.size()));
  if (!key->key) return badInput("{} is no Ed25519 public key", digits);
  key->fingerprint = contentHash(raw).substr(0, 16);
  return SigningKey(std::move(key));
}

std::string SigningKey::publicKey() const {
  std::vector<std::byte> raw(kRawBytes);
  size_t size = raw.size();
  (void)EVP_PKEY_get_raw_public_key(key_->key.get(), reinterpret_cast<unsigned char*>(raw.data()),
                                    &size);  // It was read from it once already.
  return hashText(raw);
}

Result<std::vector<std::byte>> SigningKey::sign(std::string_view text) const {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  std::vector<std::byte> signature(kSignatureBytes);
  size_t size = signature.size();
  if (!context ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_->key.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     reinterpret_cast<const unsigned char*>(text.data()), text.size()) != 1)
    return usageError("the key {} does not sign: it is the public half", fingerprint_);
  signature.resize(size);
  return signature;
}

bool SigningKey::verifies(std::string_view text, std::span<const std::byte> signature) const {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  return context && signature.size() == kSignatureBytes &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_->key.get()) == 1 &&
         EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

}  // namespace vintage::archive
