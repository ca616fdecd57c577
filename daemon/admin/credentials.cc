#include "daemon/admin/credentials.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "daemon/refused.h"

namespace oxpool::daemon::admin {

namespace {

using X509Ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using BioPtr = std::unique_ptr<BIO, decltype(&BIO_free)>;

std::string contents_of(const char* key, const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file || text.fail()) {
    throw Refused(std::string("admin_tls.") + key + " " + path +
                  " can not be read: " + std::strerror(errno != 0 ? errno : EINVAL) +
                  "; check the path and its permissions");
  }
  return text.str();
}

BioPtr bio_of(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

X509Ptr certificate_of(const char* key, const std::string& path, const std::string& text) {
  X509Ptr certificate(PEM_read_bio_X509(bio_of(text).get(), nullptr, nullptr, nullptr), X509_free);
  if (certificate != nullptr) return certificate;
  throw Refused(std::string("admin_tls.") + key + " " + path +
                " has no certificate in PEM; name a file that begins with one");
}

// A key with a passphrase is not asked for one: nobody is there to answer.
int no_passphrase(char*, int, int, void*) { return 0; }

}  // namespace

std::shared_ptr<grpc::ServerCredentials> tls_credentials(const AdminTls& tls) {
  const std::string certificate = contents_of("certificate", tls.certificate);
  const std::string key = contents_of("key", tls.key);
  const std::string client_ca = contents_of("client_ca", tls.client_ca);
  const X509Ptr own = certificate_of("certificate", tls.certificate, certificate);
  certificate_of("client_ca", tls.client_ca, client_ca);
  const KeyPtr own_key(PEM_read_bio_PrivateKey(bio_of(key).get(), nullptr, no_passphrase, nullptr),
                       EVP_PKEY_free);
  if (own_key == nullptr) {
    throw Refused("admin_tls.key " + tls.key +
                  " has no private key in PEM without a passphrase; name a file that has one");
  }
  if (X509_check_private_key(own.get(), own_key.get()) != 1) {
    throw Refused("admin_tls.key " + tls.key + " is not the key of the certificate " +
                  tls.certificate + "; name the two that belong together");
  }
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = client_ca;
  options.pem_key_cert_pairs.push_back({key, certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace oxpool::daemon::admin
