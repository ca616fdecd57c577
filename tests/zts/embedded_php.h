// Thread-safe PHP inside this program: started once, and used by as many threads as come.
#pragma once

#include <functional>
#include <string>

#include "main/php.h"

namespace oxpool::test {

// How a thread takes leave of PHP after its request.
enum class Leaving {
  kFreesItself,  // by ts_free_thread(), as a server that ends threads should
  kJustEnds,     // PHP is not told that the thread is gone
};

// Between construction and destruction PHP is up. One per program.
class EmbeddedPhp {
 public:
  // Loads the extension; `functions` are there for PHP code beside its own (null-terminated).
  EmbeddedPhp(const std::string& extension, const std::string& runtime_directory,
              const zend_function_entry* functions);
  ~EmbeddedPhp();
};

// Runs code as a request of the calling thread, which PHP has not seen before, and lets the thread
// leave. Returns what the code echoed, errors included.
std::string run_request(const std::string& code, Leaving leaving);

// The same on a thread of its own that has ended when this returns.
std::string run_in_thread(const std::string& code, Leaving leaving = Leaving::kFreesItself);

}  // namespace oxpool::test
