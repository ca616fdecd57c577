// Who may use the admin interface over TCP: holders of a certificate.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "daemon/admin_address.h"

namespace oxpool::daemon::admin {

// TLS that wants a certificate of every client, signed by tls.client_ca. Throws Refused when one of
// the files is not given, can not be read or is no PEM, or the key belongs to another certificate.
std::shared_ptr<grpc::ServerCredentials> tls_credentials(const AdminTls& tls);

}  // namespace oxpool::daemon::admin
