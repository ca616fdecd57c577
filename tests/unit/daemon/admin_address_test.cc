#include "daemon/admin_address.h"

#include <gtest/gtest.h>

namespace oxpool::daemon {
namespace {

TEST(AdminAddress, TakesASocketAnAddressOrOff) {
  EXPECT_EQ(parse_admin_address("unix:/run/x.sock")->socket, "/run/x.sock");
  EXPECT_FALSE(parse_admin_address("unix:/run/x.sock")->tcp);
  EXPECT_EQ(parse_admin_address("127.0.0.1:9465")->tcp->port, 9465);
  EXPECT_EQ(parse_admin_address("[::1]:9465")->tcp->host, "::1");
  EXPECT_FALSE(parse_admin_address("127.0.0.1:9465")->socket);
  EXPECT_TRUE(parse_admin_address("off")->off());
  EXPECT_FALSE(AdminAddress().off()) << "the default is a socket";
}

TEST(AdminAddress, RefusesTheRest) {
  for (const char* wrong : {"", "unix:", "unix:relative", "/run/x.sock", "localhost:9465",
                            "127.0.0.1", "127.0.0.1:70000", "tcp://127.0.0.1:1"}) {
    EXPECT_FALSE(parse_admin_address(wrong)) << wrong;
  }
  EXPECT_TRUE(parse_admin_address("unix:/" + std::string(106, 'x')));
  EXPECT_FALSE(parse_admin_address("unix:/" + std::string(107, 'x'))) << "too long for a socket";
}

}  // namespace
}  // namespace oxpool::daemon
