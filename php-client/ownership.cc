#include "ownership.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace oxpool::php {

namespace {

// A resource that leads to more than this is part of something larger: not its own.
constexpr size_t kMaxNodes = 20'000;

struct Node {
  zend_refcounted* thing;
  uint32_t inner_references = 0;  // from other nodes
  bool outside = false;           // something that is no node leads to it
  std::vector<uint32_t> children;
};

// What an object leads to, as the cycle collector sees it.
class Graph {
 public:
  explicit Graph(zend_object* root) {
    add(reinterpret_cast<zend_refcounted*>(root));
    for (uint32_t i = 0; i < nodes_.size() && complete(); ++i) expand(i);
  }

  bool complete() const { return nodes_.size() <= kMaxNodes; }

  // Finds what is reached from outside. `root_references` are the root's references that count as
  // its own; with `keep_root` the root is never outside.
  void mark_outside(uint32_t root_references, bool keep_root) {
    std::vector<uint32_t> open;
    const auto mark = [&](uint32_t index) {
      if (nodes_[index].outside || (keep_root && index == 0)) return;
      nodes_[index].outside = true;
      open.push_back(index);
    };
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const uint32_t own = nodes_[i].inner_references + (i == 0 ? root_references : 0);
      if (GC_REFCOUNT(nodes_[i].thing) > own) mark(i);
    }
    while (!open.empty()) {
      const uint32_t index = open.back();
      open.pop_back();
      for (const uint32_t child : nodes_[index].children) mark(child);
    }
  }

  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  uint32_t add(zend_refcounted* thing) {
    const auto [found, fresh] = index_.try_emplace(thing, static_cast<uint32_t>(nodes_.size()));
    if (fresh) nodes_.push_back(Node{thing, 0, false, {}});
    return found->second;
  }

  void expand(uint32_t index) {
    zend_refcounted* thing = nodes_[index].thing;
    switch (GC_TYPE(thing)) {
      case IS_OBJECT: {
        auto* object = reinterpret_cast<zend_object*>(thing);
        if (OBJ_FLAGS(object) & IS_OBJ_FREE_CALLED) return;
        zval* table = nullptr;
        int count = 0;
        HashTable* properties = object->handlers->get_gc(object, &table, &count);
        for (int i = 0; i < count; ++i) lead(index, &table[i]);
        if (properties != nullptr) lead_to_elements(index, properties);
        return;
      }
      case IS_ARRAY:
        lead_to_elements(index, reinterpret_cast<HashTable*>(thing));
        return;
      case IS_REFERENCE:
        lead(index, &reinterpret_cast<zend_reference*>(thing)->val);
        return;
      default:
        return;
    }
  }

  void lead_to_elements(uint32_t from, HashTable* elements) {
    zval* element;
    ZEND_HASH_FOREACH_VAL(elements, element) { lead(from, element); }
    ZEND_HASH_FOREACH_END();
  }

  void lead(uint32_t from, zval* to) {
    if (Z_TYPE_P(to) == IS_INDIRECT) to = Z_INDIRECT_P(to);
    if (!Z_REFCOUNTED_P(to)) return;
    if (Z_TYPE_P(to) != IS_OBJECT && Z_TYPE_P(to) != IS_ARRAY && Z_TYPE_P(to) != IS_REFERENCE) {
      return;
    }
    const uint32_t child = add(Z_COUNTED_P(to));
    ++nodes_[child].inner_references;
    nodes_[from].children.push_back(child);
  }

  std::vector<Node> nodes_;
  std::unordered_map<zend_refcounted*, uint32_t> index_;
};

constexpr uint32_t kPoolsReference = 1;

void mark_destroyed(zend_object* object) {
  GC_ADD_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED | IS_OBJ_FREE_CALLED);
}

}  // namespace

bool held_elsewhere(zend_object* resource) {
  if (GC_REFCOUNT(resource) <= kPoolsReference) return false;
  Graph graph(resource);
  if (!graph.complete()) return true;
  graph.mark_outside(kPoolsReference, false);
  return graph.nodes().front().outside;
}

void never_destroy(zend_object* resource) {
  Graph graph(resource);
  if (graph.complete()) {
    graph.mark_outside(kPoolsReference, true);
    for (const Node& node : graph.nodes()) {
      if (node.outside || GC_TYPE(node.thing) != IS_OBJECT) continue;
      mark_destroyed(reinterpret_cast<zend_object*>(node.thing));
    }
  } else {
    mark_destroyed(resource);
  }
}

}  // namespace oxpool::php
