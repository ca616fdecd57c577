#include "daemon/table_reader.h"

#include <algorithm>

#include "daemon/log.h"
#include "daemon/refused.h"

namespace oxpool::daemon {

namespace {

std::string kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

// A user or group as it may be written; empty when it is neither name nor number.
std::string name_or_number(const toml::node& node) {
  if (node.is_string()) return **node.as_string();
  if (node.is_integer()) return std::to_string(**node.as_integer());
  return {};
}

}  // namespace

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += ", ";
    text += part;
  }
  return text;
}

std::string refusal_at(const std::string& file, uint32_t line, const std::string& what) {
  std::string sentence = file + ":" + std::to_string(line) + ": " + what;
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  return sentence;
}

void TableReader::text(const char* key, std::string* value) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_string()) refuse_kind(*node, key, "a string");
  *value = **node->as_string();
}

void TableReader::boolean(const char* key, bool* value) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_boolean()) refuse_kind(*node, key, "true or false");
  *value = **node->as_boolean();
}

std::optional<int64_t> TableReader::number(const char* key, int64_t lowest, int64_t highest) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::string wanted =
      "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest);
  if (!node->is_integer()) refuse_kind(*node, key, wanted);
  const int64_t read = **node->as_integer();
  if (read < lowest || read > highest) {
    refuse(*node, full_name(key) + " is " + std::to_string(read) + "; it takes " + wanted);
  }
  return read;
}

void TableReader::identities(IdentityList* list) {
  list->users = ids("users", "user", user_id);
  list->groups = ids("groups", "group", group_id);
}

// uid_t and gid_t are both plain unsigned numbers here.
std::vector<uint32_t> TableReader::ids(const char* key, const std::string& what,
                                       std::optional<uint32_t> (*lookup)(const std::string&)) {
  std::vector<uint32_t> result;
  const toml::node* node = find(key);
  if (node == nullptr) return result;
  const std::string wanted = "a list of " + what + " names or numbers";
  if (!node->is_array()) refuse_kind(*node, key, wanted);
  for (const toml::node& element : *node->as_array()) {
    const std::string name = name_or_number(element);
    if (name.empty()) {
      refuse(element, full_name(key) + " has " + kind_of(element) + " in it; it takes " + wanted);
    }
    const auto id = lookup(name);
    if (!id) {
      refuse_unknown_name(element, key, name, what);
    }
    result.push_back(*id);
  }
  return result;
}

void TableReader::refuse_unknown_name(const toml::node& node, const char* key,
                                      const std::string& name, const std::string& what) const {
  refuse(node, full_name(key) + " names " + quote(name) + ", and there is no such " + what +
                   " on this system; it takes a list of " + what + " names or numbers");
}

const toml::table* TableReader::table(const char* key) {
  const toml::node* node = find(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) refuse_kind(*node, key, "a table: [" + full_name(key) + "]");
  return node->as_table();
}

const toml::node* TableReader::find(const char* key) {
  known_.insert(key);
  return table_ != nullptr ? table_->get(key) : nullptr;
}

void TableReader::finish() const {
  if (table_ == nullptr) return;
  for (const auto& [key, node] : *table_) {
    if (known_.count(std::string(key.str())) != 0) continue;
    const std::string where = name_.empty() ? "the top of the file" : "[" + name_ + "]";
    std::string what = full_name(key.str());
    what += " is an unknown key; " + where + " takes " + joined({known_.begin(), known_.end()});
    refuse_at(key.source().begin.line, what);
  }
}

std::string TableReader::full_name(std::string_view key) const {
  return (name_.empty() ? "" : name_ + ".") + std::string(key);
}

void TableReader::refuse(const toml::node& node, const std::string& what) const {
  refuse_at(node.source().begin.line, what);
}

void TableReader::refuse_at(uint32_t line, const std::string& what) const {
  throw Refused(refusal_at(file_, line, what));
}

void TableReader::refuse_kind(const toml::node& node, const char* key,
                              const std::string& wanted) const {
  refuse(node, full_name(key) + " is " + kind_of(node) + "; it takes " + wanted);
}

}  // namespace oxpool::daemon
