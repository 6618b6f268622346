// An Ed25519 key that nobody had before, as PEM.
#pragma once

#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>

namespace vintage::tests {

struct FreshKey {
  std::string privatePem, publicPem;

  FreshKey() {
    EVP_PKEY* made = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    const auto textOf = [](const auto& write) {
      BIO* text = BIO_new(BIO_s_mem());
      write(text);
      char* bytes = nullptr;
      const long size = BIO_get_mem_data(text, &bytes);
      std::string pem(bytes, static_cast<size_t>(size));
      BIO_free(text);
      return pem;
    };
    privatePem = textOf([&](BIO* text) {
      PEM_write_bio_PrivateKey(text, made, nullptr, nullptr, 0, nullptr, nullptr);
    });
    publicPem = textOf([&](BIO* text) { PEM_write_bio_PUBKEY(text, made); });
    EVP_PKEY_free(made);
  }
};

}  // namespace vintage::tests
