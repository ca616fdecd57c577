#include "daemon/listen_address.h"

#include <gtest/gtest.h>

namespace oxpool::daemon {
namespace {

TEST(ListenAddress, ReadsBothFamiliesAndWritesThemBack) {
  for (const std::string text : {"127.0.0.1:9464", "0.0.0.0:0", "[::1]:65535", "[::]:1"}) {
    const auto address = parse_listen_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
}

TEST(ListenAddress, RefusesEverythingElse) {
  for (const std::string text : {"", ":", "nowhere", "localhost:1", "127.0.0.1", "127.0.0.1:",
                                 "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1: 1", "127.0.0.1:1x",
                                 "::1:80", "[::1]", "[127.0.0.1]:1", "1.2.3:4", ":9464", "[]:1"}) {
    EXPECT_FALSE(parse_listen_address(text)) << text;
  }
}

}  // namespace
}  // namespace oxpool::daemon
