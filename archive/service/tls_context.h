// The certificate that new connections get. Certificates are renewed every few
// weeks, so the files are looked at again while the service runs.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "archive/service/metrics.h"
#include "golden/base/clock.h"
#include "golden/base/file_system.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct CertificateFiles {
  std::string certificate, key;  // PEM; the certificate's chain in one file.
  bool operator==(const CertificateFiles&) const = default;
};

// Any thread.
class TlsContext {
 public:
  using Context = std::shared_ptr<boost::asio::ssl::context>;

  // kBadInput where the files are no pair. All must outlive it.
  static Result<std::unique_ptr<TlsContext>> open(const CertificateFiles& files,
                                                  FileSystem& fileSystem, Clock& clock,
                                                  Metrics& metrics);

  // For one new connection, which keeps it as long as it lasts: it is never
  // changed once it is here, only replaced.
  Context current() const;
  // Why the certificate in use is not valid: it has ended, or begins later. Empty: it is valid.
  std::string doubt() const;

  // Reads the files. If they hold another pair than the one in use, takes it and returns true.
  // A pair that cannot be read, does not fit together, has ended or begins later
  // is left alone: the one in use stays, and the next look tries again.
  Result<bool> look();

 private:
  struct Pair;
  TlsContext(const CertificateFiles& files, FileSystem& fileSystem, Clock& clock, Metrics& metrics)
      : files_(files), fileSystem_(fileSystem), clock_(clock), metrics_(metrics) {}
  Result<bool> take();
  Result<std::shared_ptr<const Pair>> read() const;
  std::string doubtOf(const Pair& pair) const;
  void use(std::shared_ptr<const Pair> pair);

  const CertificateFiles files_;
  FileSystem& fileSystem_;
  Clock& clock_;
  Metrics& metrics_;
  std::mutex looking_;        // One look at a time.
  mutable std::mutex mutex_;  // Guards inUse_.
  std::shared_ptr<const Pair> inUse_;
};

}  // namespace vintage::archive
