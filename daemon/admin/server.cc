#include "daemon/admin/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <cstring>
#include <thread>

#include "daemon/admin/credentials.h"
#include "daemon/admin/errands.h"
#include "daemon/admin/grpc_log.h"
#include "daemon/admin/service.h"
#include "daemon/admin/watchers.h"
#include "daemon/refused.h"
#include "daemon/unique_fd.h"
#include "shm/clock.h"

namespace oxpool::daemon::admin {

namespace {

constexpr size_t kQuotaBytes = 64 << 20;
constexpr int kQuotaThreads = 16;  // of the reflection service; the rest has gRPC's own few
constexpr int kLargestRequestBytes = 64 << 10;
constexpr int kStreamsPerConnection = 256;
constexpr int kHandshakeMs = 5000;
constexpr int kIdleConnectionMs = 300'000;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Refused("admin address " + where + " can not be served: " + why +
                "; choose another with --admin unix:PATH, or --admin off");
}

sockaddr_un socket_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

// gRPC takes a socket's path away from whoever listens there, without a word.
void require_free_path(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    refuse("unix:" + path, std::strerror(errno));
  }
  if (!S_ISSOCK(status.st_mode)) refuse("unix:" + path, "there is something that is no socket");
  const sockaddr_un address = socket_address(path);
  const UniqueFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN) {
    refuse("unix:" + path, "another program listens there");
  }
}

// gRPC would only say that it failed.
void require_free_port(const ListenAddress& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  const UniqueFd probe(socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  boost::system::error_code ignored;
  const boost::asio::ip::tcp::endpoint endpoint(
      boost::asio::ip::make_address(address.host, ignored), address.port);
  if (bind(probe.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 ||
      ::listen(probe.get(), 1) != 0) {
    refuse(address.text(), std::strerror(errno));
  }
}

}  // namespace

class Server::Impl {
 public:
  Impl(boost::asio::io_context& io, SegmentStore& segments, std::function<Facts()> facts)
      : errands(io),
        watchers(segments),
        service(make_service(segments, errands, watchers, std::move(facts))) {}

  ~Impl() {
    stop(0, [] {});
    if (stopper.joinable()) stopper.join();
    server.reset();
  }

  void listen_on_socket(const std::string& path, const Config& config) {
    require_free_path(path);
    // Nobody gets in before the socket has its final permissions.
    const mode_t before = umask(0777);
    start("unix:" + path, grpc::InsecureServerCredentials());
    umask(before);
    if (server == nullptr) refuse("unix:" + path, "gRPC could not listen there");
    const auto give = [&](const char* what, int status) {
      if (status != 0) refuse("unix:" + path, std::string(what) + ": " + std::strerror(errno));
    };
    if (config.admin_group) {
      give("chown to access.admin_group",
           lchown(path.c_str(), static_cast<uid_t>(-1), *config.admin_group));
    }
    give("chmod to access.admin_mode", chmod(path.c_str(), config.admin_mode));
    struct stat status {};
    lstat(path.c_str(), &status);
    inode = status.st_ino;
    socket = path;
    address = "unix:" + path;
  }

  void listen_on_tcp(const ListenAddress& where, const Config& config) {
    if (!config.admin_tls.complete()) {
      throw Refused("admin address " + where.text() +
                    " is TCP, which takes TLS with client certificates: set admin_tls.certificate, "
                    "admin_tls.key and admin_tls.client_ca in " +
                    config.file_for_people() + ", or serve unix:PATH");
    }
    const auto credentials = tls_credentials(config.admin_tls);
    require_free_port(where);
    const int port = start(where.text(), credentials);
    if (server == nullptr || port == 0) refuse(where.text(), "gRPC could not listen there");
    address = ListenAddress{where.host, static_cast<uint16_t>(port)}.text();
  }

  // Returns the port; `server` is nullptr when it failed.
  int start(const std::string& where, const std::shared_ptr<grpc::ServerCredentials>& credentials) {
    take_grpc_log();
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(where, credentials, &port);
    builder.RegisterService(service.get());
    grpc::ResourceQuota quota("oxpoold");
    quota.Resize(kQuotaBytes).SetMaxThreads(kQuotaThreads);
    builder.SetResourceQuota(quota);
    // Reflection alone is served by threads that wait.
    builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
    builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 1);
    builder.SetMaxReceiveMessageSize(kLargestRequestBytes);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a second daemon is refused
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsPerConnection);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleConnectionMs);
    server = builder.BuildAndStart();
    return port;
  }

  void stop(int64_t deadline_ns, std::function<void()> done) {
    errands.close();
    watchers.close();
    if (server == nullptr) return done();
    if (stopper.joinable()) return;
    const gpr_timespec deadline =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                     gpr_time_from_nanos(deadline_ns - shm::monotonic_ns(), GPR_TIMESPAN));
    // Shutdown waits, and calls that are being done need this thread meanwhile.
    stopper = std::thread([this, deadline, done = std::move(done)] {
      server->Shutdown(deadline);
      server->Wait();
      done();
    });
  }

  Errands errands;
  Watchers watchers;
  std::unique_ptr<grpc::Service> service;
  std::unique_ptr<grpc::Server> server;
  std::string address = "off";
  std::string socket;
  ino_t inode = 0;
  std::thread stopper;
};

Server::Server(boost::asio::io_context& io, SegmentStore& segments, std::function<Facts()> facts)
    : impl_(std::make_unique<Impl>(io, segments, std::move(facts))) {}

Server::~Server() = default;

void Server::listen(const Config& config, const std::string& socket) {
  if (config.admin.off()) return;
  if (config.admin.tcp) return impl_->listen_on_tcp(*config.admin.tcp, config);
  impl_->listen_on_socket(config.admin.socket->empty() ? socket : *config.admin.socket, config);
}

std::string Server::address() const { return impl_->address; }

bool Server::reachable() const {
  struct stat status {};
  return impl_->socket.empty() ||
         (lstat(impl_->socket.c_str(), &status) == 0 && status.st_ino == impl_->inode);
}

void Server::set_ready(bool ready) {
  if (impl_->server == nullptr) return;
  grpc::HealthCheckServiceInterface* health = impl_->server->GetHealthCheckService();
  if (health != nullptr) health->SetServingStatus(ready);
}

void Server::stop(int64_t deadline_ns, std::function<void()> done) {
  impl_->stop(deadline_ns, std::move(done));
}

}  // namespace oxpool::daemon::admin
