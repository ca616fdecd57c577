#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <chrono>

#include "daemon/http/json.h"
#include "daemon/http/router.h"
#include "daemon/http/server.h"
#include "daemon/refused.h"
#include "daemon/unique_fd.h"

namespace oxpool::daemon::http {
namespace {

using boost::asio::ip::tcp;

// The server and its clients in one thread: a client that waits lets the server run.
class HttpTest : public testing::Test {
 protected:
  HttpTest() : server(std::make_unique<Server>(io, router, max_connections)) {
    router.add_ignoring_parameters("/healthz", [] { return Response{.body = "alive\n"}; });
    router.add("/echo", {"text"}, [](const Parameters& given) {
      return Response{.body = given.text("text").value_or("nothing")};
    });
    router.add("/large", {},
               [](const Parameters&) { return Response{.body = std::string(8 << 20, 'x')}; });
    router.add("/huge", {},
               [](const Parameters&) { return Response{.body = std::string(30 << 20, 'x')}; });
    router.add("/number", {"n"}, [](const Parameters& given) {
      return Response{.body = std::to_string(given.required_number("n", 1, 9))};
    });
    router.add_unlisted("/picture", [] { return Response{.headers = {{"X-Colour", "blue"}}}; });
    router.add("/broken", {},
               [](const Parameters&) -> Response { throw std::runtime_error("no luck"); });
    server->listen({"127.0.0.1", 0});
  }

  void run(int milliseconds) {
    io.restart();
    io.run_for(std::chrono::milliseconds(milliseconds));
  }

  tcp::socket connect() {
    tcp::socket socket(clients);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), server->port()});
    socket.non_blocking(true);
    run(1);
    return socket;
  }

  void send_text(tcp::socket& socket, const std::string& text) {
    ASSERT_EQ(send(socket.native_handle(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  // Reads until the server hangs up or `done` says that this is all; 8 s at most.
  template <typename Done>
  std::string read(tcp::socket& socket, Done done) {
    std::string text;
    closed = false;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(8);
    while (!closed && !done(text) && std::chrono::steady_clock::now() < give_up) {
      run(1);
      char part[4096];
      const ssize_t got = recv(socket.native_handle(), part, sizeof part, MSG_DONTWAIT);
      if (got > 0) text.append(part, static_cast<size_t>(got));
      closed = got == 0 || (got < 0 && errno != EAGAIN);
    }
    return text;
  }
  std::string read_all(tcp::socket& socket) {
    return read(socket, [](const std::string&) { return false; });
  }

  std::string ask(const std::string& request) {
    auto socket = connect();
    send_text(socket, request);
    return read_all(socket);
  }
  std::string get(const std::string& target, const std::string& method = "GET") {
    return ask(method + " " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }

  boost::asio::io_context io;
  boost::asio::io_context clients;
  uint32_t max_connections = 4;
  Router router;
  std::unique_ptr<Server> server;
  bool closed = false;  // by the server, in the last read
};

#define EXPECT_HAS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << (part) << " is not in:\n" << (text)

TEST_F(HttpTest, AnswersAreNotKept) {
  const std::string answer = get("/healthz");
  EXPECT_HAS(answer, "HTTP/1.1 200");
  EXPECT_HAS(answer, "Cache-Control: no-store");
  EXPECT_HAS(answer, "\r\n\r\nalive\n");
}

TEST_F(HttpTest, HeadIsGetWithoutABody) {
  const std::string answer = get("/healthz", "HEAD");
  EXPECT_HAS(answer, "HTTP/1.1 200");
  EXPECT_HAS(answer, "Content-Length: 6\r\n");
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n")), "\r\n\r\n");
}

TEST_F(HttpTest, TheQueryIsNoPartOfThePath) {
  EXPECT_HAS(get("/healthz?verbose=1&verbose=%zz"), "HTTP/1.1 200");
  EXPECT_HAS(get("/echo?text=b?c"), "\r\n\r\nb?c");
}

TEST_F(HttpTest, ParametersAreRefusedInASentence) {
  const std::string answer = get("/number?n=12");
  EXPECT_HAS(answer, "HTTP/1.1 400");
  EXPECT_HAS(answer, R"({"error":"parameter n is \"12\"; it takes a number from 1 to 9"})");
}

TEST_F(HttpTest, AHandlerThatFailsIs500) {
  const std::string answer = get("/broken");
  EXPECT_HAS(answer, "HTTP/1.1 500");
  EXPECT_HAS(answer, "no luck");
}

TEST_F(HttpTest, TheWholeAddressMayBeTheTarget) {
  EXPECT_HAS(get("http://host:1/echo?text=x"), "\r\n\r\nx");
  EXPECT_HAS(get("http://host"), "HTTP/1.1 404");
}

TEST_F(HttpTest, UnknownPathsAre404InJson) {
  const std::string answer = get("/nowhere");
  EXPECT_HAS(answer, "HTTP/1.1 404");
  EXPECT_HAS(answer, "Content-Type: application/json");
  EXPECT_HAS(answer, "{\"error\":\"");
  EXPECT_HAS(answer, "/healthz");
  EXPECT_EQ(answer.find("/picture"), std::string::npos) << answer;
}

TEST_F(HttpTest, AHandlersOwnHeadersAreSent) {
  EXPECT_HAS(get("/picture?v=1"), "\r\nX-Colour: blue\r\n");
  EXPECT_HAS(get("/picture", "HEAD"), "\r\nX-Colour: blue\r\n");
}

TEST_F(HttpTest, ErrorsEscapeWhatTheyQuote) {
  EXPECT_EQ(error_response(404, "a \"b\"\n").body, "{\"error\":\"a \\\"b\\\"\\n\"}\n");
}

TEST_F(HttpTest, OtherMethodsAre405) {
  const std::string answer = get("/healthz", "POST");
  EXPECT_HAS(answer, "HTTP/1.1 405");
  EXPECT_HAS(answer, "Allow: GET, HEAD");
  EXPECT_HAS(answer, "{\"error\":\"");
}

TEST_F(HttpTest, WhatIsNoRequestIs400) {
  const std::string answer = ask("hello there\r\n\r\n");
  EXPECT_HAS(answer, "HTTP/1.1 400");
  EXPECT_HAS(answer, "{\"error\":\"");
  EXPECT_HAS(get("nopath"), "HTTP/1.1 400");
}

TEST_F(HttpTest, HeadersAndBodiesAreBounded) {
  EXPECT_HAS(ask("GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"),
             "HTTP/1.1 431");
  EXPECT_HAS(get("/" + std::string(3000, 'x')), "HTTP/1.1 414");
  EXPECT_HAS(get("/" + std::string(9000, 'x')), "HTTP/1.1 414");
}

TEST_F(HttpTest, BodiesAreRefused) {
  for (const std::string header :
       {"Content-Length: 1\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"}) {
    const std::string answer = ask("GET /healthz HTTP/1.1\r\nHost: x\r\n" + header);
    EXPECT_HAS(answer, "HTTP/1.1 413");
    EXPECT_HAS(answer, "{\"error\":\"");
    EXPECT_TRUE(closed) << "or the body would be read as a request";
  }
}

TEST_F(HttpTest, AnAnswerThatNobodyReadsDoesNotFillTheMemory) {
  std::vector<tcp::socket> asking;
  for (int i = 0; i < 3; ++i) {
    asking.push_back(connect());
    send_text(asking.back(), "GET /huge HTTP/1.1\r\nHost: x\r\n\r\n");
    run(50);
  }
  EXPECT_HAS(read(asking.back(), [](const std::string& text) { return text.ends_with("}\n"); }),
             "HTTP/1.1 503");
  EXPECT_HAS(get("/healthz"), "HTTP/1.1 200");
}

TEST_F(HttpTest, AConnectionServesSeveralRequests) {
  auto socket = connect();
  for (int i = 0; i < 3; ++i) {
    send_text(socket, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_HAS(read(socket, [](const std::string& text) { return text.ends_with("alive\n"); }),
               "HTTP/1.1 200");
    EXPECT_FALSE(closed);
  }
}

TEST_F(HttpTest, PipelinedRequestsAreAnsweredInOrder) {
  const std::string answer =
      ask("GET /echo?text=one HTTP/1.1\r\nHost: x\r\n\r\n"
          "GET /echo?text=two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_LT(answer.find("one"), answer.find("two"));
  EXPECT_HAS(answer, "two");
}

TEST_F(HttpTest, TheOldestConnectionMakesRoomForANewOne) {
  auto oldest = connect();
  std::vector<tcp::socket> silent;
  for (uint32_t i = 1; i < max_connections; ++i) silent.push_back(connect());
  EXPECT_HAS(get("/healthz"), "HTTP/1.1 200");
  char byte;
  EXPECT_EQ(recv(oldest.native_handle(), &byte, 1, MSG_DONTWAIT), 0) << "it is closed already";
  EXPECT_EQ(recv(silent.front().native_handle(), &byte, 1, MSG_DONTWAIT), -1) << "it is open";
}

TEST_F(HttpTest, AConnectionThatIsBeingAnsweredMakesNoRoom) {
  auto busy = connect();
  send_text(busy, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  run(20);
  std::vector<tcp::socket> silent;
  for (uint32_t i = 0; i < max_connections; ++i) silent.push_back(connect());
  const std::string answer =
      read(busy, [](const std::string& text) { return text.size() > size_t{8} << 20; });
  EXPECT_FALSE(closed);
  EXPECT_GT(answer.size(), size_t{8} << 20);
}

TEST_F(HttpTest, ASlowRequestIsCutOff) {
  auto socket = connect();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  closed = false;
  while (!closed && std::chrono::steady_clock::now() < give_up) {
    closed = send(socket.native_handle(), "G", 1, MSG_NOSIGNAL) < 0;
    run(200);
  }
  EXPECT_TRUE(closed) << "although something came all the time";
}

TEST_F(HttpTest, ASilentConnectionIsClosed) {
  auto socket = connect();
  EXPECT_EQ(read_all(socket), "");
  EXPECT_TRUE(closed);
}

TEST_F(HttpTest, StoppingFinishesTheAnswerThatIsOnItsWay) {
  auto busy = connect();
  auto silent = connect();
  send_text(busy, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  run(20);  // more than the socket's buffers hold, so it is still being sent
  server->stop();
  EXPECT_EQ(read_all(silent), "");
  EXPECT_TRUE(closed);
  EXPECT_EQ(server->connections(), 1u);
  const std::string answer = read_all(busy);
  EXPECT_TRUE(closed) << "though the client asked to keep it";
  EXPECT_GT(answer.size(), size_t{8} << 20);
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(HttpTest, AnAddressInUseIsRefused) {
  Server second(io, router, max_connections);
  try {
    second.listen({"127.0.0.1", server->port()});
    FAIL() << "was taken";
  } catch (const Refused& refused) {
    const std::string sentence = refused.what();
    EXPECT_HAS(sentence, "127.0.0.1:" + std::to_string(server->port()));
    EXPECT_HAS(sentence, "in use");
    EXPECT_HAS(sentence, "--http");
  }
}

TEST_F(HttpTest, TheServerMayGoBeforeItsLoop) {
  auto socket = connect();
  server.reset();
  run(10);
}

}  // namespace
}  // namespace oxpool::daemon::http
