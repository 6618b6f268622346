// Certificates that vouch for themselves, for 127.0.0.1, made where they are needed.
#pragma once

#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace vintage::tests::service {

struct SelfSigned {
  std::string certificate, key;  // PEM.

  // Valid from so many hours before now to so many after it.
  static SelfSigned make(long hoursBefore, long hoursAfter, std::string passphrase = "") {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair(EVP_EC_gen("P-256"),
                                                                   EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
    constexpr long kHour = 3600;
    static long serial = 0;
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -hoursBefore * kHour);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), hoursAfter * kHour);
    X509_set_pubkey(made.get(), pair.get());
    X509_NAME* name = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(made.get(), name);
    X509_EXTENSION* place =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(made.get(), place, -1);
    X509_EXTENSION_free(place);
    EXPECT_GT(X509_sign(made.get(), pair.get(), EVP_sha256()), 0);
    return {text([&](BIO* to) { PEM_write_bio_X509(to, made.get()); }), text([&](BIO* to) {
              PEM_write_bio_PrivateKey(to, pair.get(),
                                       passphrase.empty() ? nullptr : EVP_aes_128_cbc(),
                                       reinterpret_cast<unsigned char*>(passphrase.data()),
                                       static_cast<int>(passphrase.size()), nullptr, nullptr);
            })};
  }

 private:
  template <typename Write>
  static std::string text(const Write& write) {
    BIO* memory = BIO_new(BIO_s_mem());
    write(memory);
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(memory, &bytes);
    std::string result(bytes, static_cast<size_t>(size));
    BIO_free(memory);
    return result;
  }
};

}  // namespace vintage::tests::service
