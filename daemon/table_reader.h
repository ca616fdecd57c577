// Takes values out of one table of a TOML file, and says what is wrong with the others.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/identity_list.h"
#include "daemon/toml.h"

namespace oxpool::daemon {

// Parts with commas between them.
std::string joined(const std::vector<std::string>& parts);

// Each method that takes a key throws Refused, with file, line, key and what is allowed, when the
// file has a value of another kind there; it leaves `value` alone when the file has none. A key
// that was never asked for is refused by finish().
class TableReader {
 public:
  // `name` is empty for the top of the file; `table` is nullptr when the file does not have it.
  // `file` and `table` must outlive the reader.
  TableReader(const std::string& file, std::string name, const toml::table* table)
      : file_(file), name_(std::move(name)), table_(table) {}

  void text(const char* key, std::string* value);
  void boolean(const char* key, bool* value);
  // For any type that is made from a whole number.
  template <typename Value>
  void number(const char* key, int64_t lowest, int64_t highest, Value* value) {
    if (const auto read = number(key, lowest, highest)) *value = Value(*read);
  }
  // The lists `users` and `groups`, of names or numbers.
  void identities(IdentityList* list);
  // nullptr when there is none.
  const toml::table* table(const char* key);

  // nullptr when there is none.
  const toml::node* find(const char* key);

  // Refuses a key that nobody asked for, if there is one.
  void finish() const;

  // For what only the caller can judge.
  [[noreturn]] void refuse(const toml::node& node, const std::string& what) const;

 private:
  std::string full_name(std::string_view key) const;
  std::optional<int64_t> number(const char* key, int64_t lowest, int64_t highest);
  std::vector<uint32_t> ids(const char* key, const std::string& what,
                            std::optional<uint32_t> (*lookup)(const std::string&));
  [[noreturn]] void refuse_at(uint32_t line, const std::string& what) const;
  [[noreturn]] void refuse_kind(const toml::node& node, const char* key,
                                const std::string& wanted) const;
  [[noreturn]] void refuse_unknown_name(const toml::node& node, const char* key,
                                        const std::string& name, const std::string& what) const;

  const std::string& file_;
  const std::string name_;
  const toml::table* table_;
  std::set<std::string> known_;
};

// The sentence of a refusal: where, and what, on one line.
std::string refusal_at(const std::string& file, uint32_t line, const std::string& what);

}  // namespace oxpool::daemon
