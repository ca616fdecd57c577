#include "daemon/ctl/client.h"

#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "daemon/ctl/target.h"
#include "daemon/ctl/text.h"
#include "oxpool/admin/v1/admin.grpc.pb.h"

namespace oxpool::ctl {

namespace {

std::string code_name(grpc::StatusCode code) {
  static constexpr const char* kNames[] = {"OK",
                                           "CANCELLED",
                                           "UNKNOWN",
                                           "INVALID_ARGUMENT",
                                           "DEADLINE_EXCEEDED",
                                           "NOT_FOUND",
                                           "ALREADY_EXISTS",
                                           "PERMISSION_DENIED",
                                           "RESOURCE_EXHAUSTED",
                                           "FAILED_PRECONDITION",
                                           "ABORTED",
                                           "OUT_OF_RANGE",
                                           "UNIMPLEMENTED",
                                           "INTERNAL",
                                           "UNAVAILABLE",
                                           "DATA_LOSS",
                                           "UNAUTHENTICATED"};
  const auto index = static_cast<size_t>(code);
  return index < std::size(kNames) ? kNames[index] : "UNKNOWN";
}

bool read_file(const std::string& path, std::string* contents) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) return false;
  *contents = text.str();
  return true;
}

}  // namespace

class Client::Impl {
 public:
  Impl(const Arguments& arguments, milliseconds default_timeout)
      : arguments_(arguments), timeout_(arguments.timeout.value_or(default_timeout)) {
    gpr_set_log_function([](gpr_log_func_args*) {});  // failures are told in sentences
    const std::string target = arguments.target();
    grpc::ChannelArguments channel;
    channel.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    channel.SetMaxReceiveMessageSize(-1);
    // The daemon may come back at any moment; wait and top ask again soon.
    channel.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    channel.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (!is_socket(target)) {
      credentials = tls();
      if (trouble_) return;
      if (!arguments.tls.name.empty()) channel.SetSslTargetNameOverride(arguments.tls.name);
    } else {
      // Its path is no host name.
      channel.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "oxpoold");
    }
    stub_ = v1::Admin::NewStub(grpc::CreateCustomChannel(target, credentials, channel));
  }

  template <typename Request, typename Response>
  using Method = grpc::Status (v1::Admin::Stub::*)(grpc::ClientContext*, const Request&, Response*);

  template <typename Request, typename Response>
  Failure call(Method<Request, Response> method, const Request& request, Response* response) {
    if (const Failure failure = reach()) return failure;
    grpc::ClientContext context;
    if (timeout_.count() != 0) {
      context.set_deadline(std::chrono::system_clock::now() + timeout_);
    }
    return failure_of((stub_.get()->*method)(&context, request, response));
  }

  Failure watch(const v1::WatchPoolsRequest& request,
                const std::function<bool(const v1::PoolsSnapshot&)>& take) {
    if (const Failure failure = reach()) return failure;
    grpc::ClientContext context;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stopped_) return {};
      watching_ = &context;
    }
    // Only the first snapshot has a deadline, so it is not the call's.
    bool came = false, too_late = false;
    std::thread guard;
    if (timeout_.count() != 0)
      guard = std::thread([&] { cancel_unless(&came, &too_late, &context); });
    std::unique_ptr<grpc::ClientReader<v1::PoolsSnapshot>> stream =
        stub_->WatchPools(&context, request);
    v1::PoolsSnapshot snapshot;
    bool wanted = true;
    while (wanted && stream->Read(&snapshot)) {
      note(&came);
      wanted = take(snapshot);
    }
    note(&came);
    if (!wanted) context.TryCancel();
    const grpc::Status status = stream->Finish();
    if (guard.joinable()) guard.join();
    const std::lock_guard<std::mutex> lock(mutex_);
    watching_ = nullptr;
    if (!wanted || stopped_) return {};
    if (too_late) return failure_of(grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, ""));
    return failure_of(status);
  }

  void stop_watching() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    if (watching_ != nullptr) watching_->TryCancel();
  }

  const Failure& trouble() const { return trouble_; }

 private:
  void note(bool* came) {
    const std::lock_guard<std::mutex> lock(mutex_);
    *came = true;
    came_.notify_all();
  }

  void cancel_unless(const bool* came, bool* too_late, grpc::ClientContext* context) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (came_.wait_for(lock, timeout_, [&] { return *came; })) return;
    *too_late = true;
    context->TryCancel();
  }

  Failure reach() const {
    return trouble_ ? trouble_ : look_at_target(arguments_.target(), timeout_);
  }

  std::shared_ptr<grpc::ChannelCredentials> tls() {
    const TlsFiles& files = arguments_.tls;
    grpc::SslCredentialsOptions options;
    const struct {
      const char* option;
      const std::string& path;
      std::string* contents;
    } wanted[] = {{"--tls-ca", files.ca, &options.pem_root_certs},
                  {"--tls-cert", files.cert, &options.pem_cert_chain},
                  {"--tls-key", files.key, &options.pem_private_key}};
    for (const auto& file : wanted) {
      if (file.path.empty()) {
        trouble_ = {
            "INVALID_ARGUMENT",
            "--admin " + arguments_.admin +
                " is TCP, which takes certificates: give --tls-ca, --tls-cert and --tls-key"};
        return nullptr;
      }
      if (!read_file(file.path, file.contents)) {
        trouble_ = {"INVALID_ARGUMENT", std::string(file.option) + " " + quoted(file.path) +
                                            " can not be read; check the path and its permissions"};
        return nullptr;
      }
    }
    return grpc::SslCredentials(options);
  }

  Failure failure_of(const grpc::Status& status) const {
    if (status.ok()) return {};
    std::string sentence = printable(status.error_message());
    const std::string code = code_name(status.error_code());
    const std::string target = arguments_.target();
    switch (status.error_code()) {
      case grpc::StatusCode::UNAVAILABLE:
        if (sentence.find("oxpoold") != sentence.npos) break;
        sentence =
            is_socket(target)
                ? "oxpoold on " + target + " ended the connection; ask again when it is back"
                : "oxpoold can not be reached on " + target + " (" + sentence +
                      "); check that it runs, the address, and the certificates on both sides";
        break;
      case grpc::StatusCode::DEADLINE_EXCEEDED:
        if (sentence.find("oxpoold") != sentence.npos || sentence.find("pool ") == 0) break;
        sentence = "oxpoold on " + target + " did not answer within " +
                   duration_text(static_cast<uint64_t>(timeout_.count())) +
                   "; give it more with --timeout, or see whether it gets CPU";
        break;
      case grpc::StatusCode::UNIMPLEMENTED:
        sentence = "oxpoold on " + target +
                   " does not know this command; it is older than this oxpoolctl: update it";
        break;
      default:
        break;
    }
    return {code, sentence};
  }

  const Arguments arguments_;
  const milliseconds timeout_;
  Failure trouble_;
  std::unique_ptr<v1::Admin::Stub> stub_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable came_;
  grpc::ClientContext* watching_ = nullptr;
  bool stopped_ = false;
};

Client::Client(const Arguments& arguments, milliseconds default_timeout)
    : impl_(std::make_unique<Impl>(arguments, default_timeout)) {}
Client::~Client() = default;

Failure Client::trouble() const { return impl_->trouble(); }

#define OXPOOL_CALL(method)                                                                  \
  Failure Client::call(const v1::method##Request& request, v1::method##Response* response) { \
    return impl_->call<v1::method##Request, v1::method##Response>(&v1::Admin::Stub::method,  \
                                                                  request, response);        \
  }
OXPOOL_CALL(ListPools)
OXPOOL_CALL(GetPool)
OXPOOL_CALL(EvictPool)
OXPOOL_CALL(ResizePool)
OXPOOL_CALL(PausePool)
OXPOOL_CALL(ResumePool)
OXPOOL_CALL(DrainPool)
OXPOOL_CALL(ListHolders)
OXPOOL_CALL(ListWaiters)
OXPOOL_CALL(ListProcesses)
OXPOOL_CALL(ListMutexes)
OXPOOL_CALL(ResetMutex)
OXPOOL_CALL(GetServerInfo)
#undef OXPOOL_CALL

Failure Client::list_all(const std::string& namespace_name, v1::ListPoolsResponse* response) {
  v1::ListPoolsRequest request;
  request.set_namespace_(namespace_name);
  do {
    v1::ListPoolsResponse page;
    if (Failure failure = call(request, &page)) return failure;
    for (v1::Pool& pool : *page.mutable_pools()) *response->add_pools() = std::move(pool);
    request.set_after_id(page.next_after_id());
  } while (request.after_id() != 0);
  return {};
}

Failure Client::watch(const v1::WatchPoolsRequest& request,
                      const std::function<bool(const v1::PoolsSnapshot&)>& take) {
  return impl_->watch(request, take);
}

void Client::stop_watching() { impl_->stop_watching(); }

}  // namespace oxpool::ctl
