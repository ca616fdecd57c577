// Asks the daemon for its metrics, over one connection.
#pragma once

#include <cstddef>
#include <string>

namespace oxpool::bench {

class Scraper {
 public:
  // Connects to the bench daemon; ends the program when that fails.
  Scraper();
  ~Scraper();
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

  // GET /metrics, read to its end; returns the bytes of the body.
  size_t scrape();

 private:
  void connect();
  std::string buffer_;
  int socket_ = -1;
};

}  // namespace oxpool::bench
