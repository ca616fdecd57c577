// What oxpoolctl does for each verb. Each returns the exit code.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "daemon/ctl/arguments.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/tables.h"

namespace oxpool::ctl {

int look(const Arguments& arguments);    // list, stats, holders, waiters, processes, mutexes
int change(const Arguments& arguments);  // evict, resize, pause, resume, drain, mutex reset
int run_watch(const Arguments& arguments);
int run_top(const Arguments& arguments);
int run_wait(const Arguments& arguments);
int run_doctor(const Arguments& arguments);

inline constexpr milliseconds kTimeout{5000};
inline constexpr milliseconds kTimeoutOfWaits{30'000};

// The sentence on standard error, with --json the object on standard output too. Returns kRefused.
int fail(const Arguments& arguments, const Failure& failure);
// Digits that no id can have.
Failure no_such_id(const std::string& text, const std::string& noun = "pool");
void print(const Lines& lines);
void print(const boost::json::value& value);

}  // namespace oxpool::ctl
