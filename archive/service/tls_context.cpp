#include "archive/service/tls_context.h"

#include <chrono>
#include <ctime>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>

#include "archive/store/records.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using TimePoint = std::chrono::system_clock::time_point;

constexpr uint64_t kLargestFile = uint64_t{1} << 20;

TimePoint timeOf(const ASN1_TIME* time) {
  std::tm utc{};
  if (ASN1_TIME_to_tm(time, &utc) != 1) return TimePoint::max();
  return std::chrono::system_clock::from_time_t(::timegm(&utc));
}

// A file's bytes, wiped when they are no longer needed: one of them is a secret.
struct Secret {
  std::vector<std::byte> bytes;
  explicit Secret(std::vector<std::byte> read) : bytes(std::move(read)) {}
  Secret(Secret&&) = default;
  ~Secret() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

Result<Secret> readFile(FileSystem& fileSystem, const std::string& path) {
  auto bytes = fileSystem.read(path, kLargestFile);
  if (!bytes) return failure(Error::Kind::kBadInput, bytes.error().message);
  if (bytes->empty()) return badInput("{}: is empty; PEM text is expected", path);
  return Secret(std::move(*bytes));
}

}  // namespace

struct TlsContext::Pair {
  std::string hash;  // Hash of both files.
  Context context;
  TimePoint begins, ends;
};

Result<std::unique_ptr<TlsContext>> TlsContext::open(const CertificateFiles& files,
                                                     FileSystem& fileSystem, Clock& clock,
                                                     Metrics& metrics) {
  if (files.certificate.empty() || files.key.empty())
    return failure(Error::Kind::kUsage, "TLS needs both --certificate and --key");
  std::unique_ptr<TlsContext> context(new TlsContext(files, fileSystem, clock, metrics));
  ASSIGN_OR_RETURN(auto pair, context->read());
  context->use(std::move(pair));
  return context;
}

TlsContext::Context TlsContext::current() const {
  const std::lock_guard lock(mutex_);
  return inUse_->context;
}

std::string TlsContext::doubt() const {
  const std::lock_guard lock(mutex_);
  return doubtOf(*inUse_);
}

Result<bool> TlsContext::look() {
  const std::lock_guard lock(looking_);
  auto taken = take();
  metrics_.certificateRefused = !taken;
  return taken;
}

Result<bool> TlsContext::take() {
  ASSIGN_OR_RETURN(auto pair, read());
  if (pair == inUse_) return false;
  if (const std::string doubt = doubtOf(*pair); !doubt.empty())
    return failure(Error::Kind::kBadInput, doubt);
  use(std::move(pair));
  metrics_.certificatesTaken.fetch_add(1);
  return true;
}

// The pair in use itself where the files still hold it.
Result<std::shared_ptr<const TlsContext::Pair>> TlsContext::read() const {
  ASSIGN_OR_RETURN(const auto certificate, readFile(fileSystem_, files_.certificate));
  ASSIGN_OR_RETURN(const auto key, readFile(fileSystem_, files_.key));
  const std::string hash = contentHash(certificate.bytes) + contentHash(key.bytes);
  if (inUse_ && inUse_->hash == hash) return inUse_;

  const auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  error_code error;
  tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                       asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                       asio::ssl::context::no_tlsv1_1,
                   error);
  // A service cannot ask for a passphrase.
  tls->set_password_callback([](size_t, asio::ssl::context::password_purpose) { return ""; },
                             error);
  tls->use_certificate_chain(asio::buffer(certificate.bytes), error);
  if (error)
    return badInput("{}: is not a chain of certificates in PEM form: {}", files_.certificate,
                    error.message());
  // This call already compares a key of the certificate's kind with it.
  tls->use_private_key(asio::buffer(key.bytes), asio::ssl::context::pem, error);
  if (error || SSL_CTX_check_private_key(tls->native_handle()) != 1)
    return badInput(
        "{}: is not the private key, in PEM form and without a passphrase, of the certificate in "
        "{}{}{}",
        files_.key, files_.certificate, error ? ": " : "", error ? error.message() : "");
  const X509* leaf = SSL_CTX_get0_certificate(tls->native_handle());
  return std::make_shared<const Pair>(
      Pair{hash, tls, timeOf(X509_get0_notBefore(leaf)), timeOf(X509_get0_notAfter(leaf))});
}

std::string TlsContext::doubtOf(const Pair& pair) const {
  const TimePoint now = clock_.now();
  if (now >= pair.ends)
    return fmt::format("{}: the certificate ended at {}", files_.certificate, timeText(pair.ends));
  if (now < pair.begins)
    return fmt::format("{}: the certificate begins at {} only", files_.certificate,
                       timeText(pair.begins));
  return "";
}

void TlsContext::use(std::shared_ptr<const Pair> pair) {
  metrics_.certificateEnds =
      std::chrono::duration_cast<std::chrono::seconds>(pair->ends.time_since_epoch()).count();
  const std::lock_guard lock(mutex_);
  inUse_ = std::move(pair);
}

}  // namespace vintage::archive
