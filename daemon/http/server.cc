#include "daemon/http/server.h"

#include <algorithm>
#include <boost/asio/ip/v6_only.hpp>
#include <chrono>

#include "daemon/http/connection.h"
#include "daemon/refused.h"

namespace oxpool::daemon::http {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {
constexpr auto kPauseAfterFailedAccept = std::chrono::milliseconds(100);
}

Server::Server(boost::asio::io_context& io, const Router& router, uint32_t max_connections)
    : max_connections_(max_connections),
      acceptor_(io),
      pause_(io),
      traffic_(std::make_shared<Traffic>(Traffic{.router = &router})) {}

Server::~Server() {
  traffic_->router = nullptr;
  try {
    stop();
  } catch (...) {  // out of memory at the end: what is open is closed with its owner
  }
}

void Server::listen(const ListenAddress& address) {
  try {
    const tcp::endpoint endpoint(boost::asio::ip::make_address(address.host), address.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    if (endpoint.address().is_v6()) acceptor_.set_option(boost::asio::ip::v6_only(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
  } catch (const boost::system::system_error& error) {
    throw Refused("HTTP address " + address.text() + " can not be listened on: " +
                  error.code().message() + "; choose another with --http ADDR:PORT, or --http off");
  }
  accept();
}

uint16_t Server::port() const { return acceptor_.local_endpoint().port(); }

void Server::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error) return accept_later();
    begin(std::move(socket));
    accept();
  });
}

// Out of descriptors, most likely.
void Server::accept_later() {
  pause_.expires_after(kPauseAfterFailedAccept);
  pause_.async_wait([this](const error_code& error) {
    if (!error && acceptor_.is_open()) accept();
  });
}

void Server::begin(tcp::socket socket) {
  connections_.remove_if([](const auto& connection) { return connection.expired(); });
  while (!connections_.empty() && connections_.size() >= max_connections_) make_room();
  auto connection = std::make_shared<Connection>(std::move(socket), traffic_);
  connections_.push_back(connection);
  connection->start();
}

void Server::make_room() {
  const auto is_idle = [](const auto& weak) {
    const auto connection = weak.lock();
    return connection == nullptr || !connection->busy();
  };
  auto victim = std::find_if(connections_.begin(), connections_.end(), is_idle);
  if (victim == connections_.end()) victim = connections_.begin();
  if (const auto connection = victim->lock()) connection->close();
  connections_.erase(victim);
}

void Server::stop() {
  error_code ignored;
  pause_.cancel();
  acceptor_.close(ignored);
  for (const auto& weak : connections_) {
    if (const auto connection = weak.lock()) connection->finish();
  }
}

size_t Server::connections() const {
  return static_cast<size_t>(std::count_if(connections_.begin(), connections_.end(),
                                           [](const auto& weak) { return !weak.expired(); }));
}

}  // namespace oxpool::daemon::http
