#include "daemon/http/service.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <string>

#include "shm/clock.h"

namespace oxpool::daemon::http {
namespace {

using boost::asio::ip::tcp;

class HttpServiceTest : public testing::Test {
 protected:
  HttpServiceTest() : service(router, 4) {
    router.add("/thread", {},
               [](const Parameters&) { return Response{.body = std::to_string(gettid())}; });
    router.add("/large", {},
               [](const Parameters&) { return Response{.body = std::string(16 << 20, 'x')}; });
    service.listen({"127.0.0.1", 0});
  }

  tcp::socket ask(const std::string& path) {
    tcp::socket socket(io);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), service.port()});
    const std::string request = "GET " + path + " HTTP/1.0\r\n\r\n";
    boost::asio::write(socket, boost::asio::buffer(request));
    return socket;
  }
  static std::string rest_of(tcp::socket& socket) {
    std::string text;
    boost::system::error_code end;
    boost::asio::read(socket, boost::asio::dynamic_buffer(text), end);
    return text;
  }
  // Stops the service; whether it said in time that it has.
  bool stop(int64_t patience_ns) {
    std::promise<void> stopped;
    service.stop(shm::monotonic_ns() + patience_ns, [&] { stopped.set_value(); });
    return stopped.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }

  boost::asio::io_context io;
  Router router;
  Service service;
};

TEST_F(HttpServiceTest, AnswersOnAThreadOfItsOwn) {
  service.start();
  auto socket = ask("/thread");
  const std::string answer = rest_of(socket);
  const std::string thread = answer.substr(answer.find("\r\n\r\n") + 4);
  EXPECT_NE(std::to_string(gettid()), thread);
  EXPECT_NE("", thread);
}

TEST_F(HttpServiceTest, StopsAtOnceWhenNothingIsSent) {
  service.start();
  EXPECT_TRUE(stop(100 * shm::kNanosPerSecond));
}

TEST_F(HttpServiceTest, StopsOnceTheAnswerIsOut) {
  service.start();
  auto socket = ask("/large");
  char first;
  boost::asio::read(socket, boost::asio::buffer(&first, 1));
  std::promise<void> stopped;
  auto future = stopped.get_future();
  service.stop(shm::monotonic_ns() + 100 * shm::kNanosPerSecond, [&] { stopped.set_value(); });
  EXPECT_EQ(std::future_status::timeout, future.wait_for(std::chrono::milliseconds(100)));
  EXPECT_GT(rest_of(socket).size(), size_t{16} << 20);
  EXPECT_EQ(std::future_status::ready, future.wait_for(std::chrono::seconds(20)));
}

TEST_F(HttpServiceTest, StopsAtItsDeadlineWhenNobodyReads) {
  service.start();
  auto socket = ask("/large");
  char first;
  boost::asio::read(socket, boost::asio::buffer(&first, 1));
  EXPECT_TRUE(stop(50 * shm::kNanosPerMilli));
}

TEST_F(HttpServiceTest, StopsAlsoWhenItNeverRan) { EXPECT_TRUE(stop(0)); }

}  // namespace
}  // namespace oxpool::daemon::http
