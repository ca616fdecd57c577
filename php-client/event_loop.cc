#include "event_loop.h"

#include "client/wake_stream.h"

#include "php_streams.h"

namespace oxpool::php {

namespace {

// Nothing comes out of it and nothing goes in: it is watched.
ssize_t no_bytes_out(php_stream*, char*, size_t) { return 0; }
ssize_t no_bytes_in(php_stream*, const char*, size_t) { return -1; }
int no_flush(php_stream*) { return 0; }

// The descriptor is the worker's, and outlives the stream.
int close_stream(php_stream* stream, int) {
  Worker* worker = Worker::existing();
  if (worker != nullptr && worker->wake_resource == stream->res) worker->wake_resource = nullptr;
  return 0;
}

// What loops and stream_select() watch.
int cast_stream(php_stream*, int to, void** result) {
  const Worker* worker = Worker::existing();
  if (worker == nullptr || worker->wake_stream == nullptr) return FAILURE;
  if (to != PHP_STREAM_AS_FD && to != PHP_STREAM_AS_FD_FOR_SELECT) return FAILURE;
  if (result != nullptr) {
    *reinterpret_cast<int*>(result) = worker->wake_stream->descriptor();
  }
  return SUCCESS;
}

int set_option(php_stream*, int option, int, void*) {
  return option == PHP_STREAM_OPTION_BLOCKING ? 1 : PHP_STREAM_OPTION_RETURN_NOTIMPL;
}

const php_stream_ops kOperations = {
    no_bytes_in, no_bytes_out, close_stream, no_flush,   "oxpool",
    nullptr,     cast_stream,  nullptr,      set_option,
};

}  // namespace

bool wake_stream(Worker& worker, zval* result) {
  if (worker.wake_stream == nullptr) {
    auto stream = std::make_unique<WakeStream>();
    if (!stream->open()) return false;
    worker.wake_stream = std::move(stream);
    worker.wake_stream->join(worker.lane());
  }
  if (worker.wake_resource == nullptr) {
    php_stream* stream = php_stream_alloc(&kOperations, &worker, nullptr, "r");
    stream->flags |= PHP_STREAM_FLAG_NO_SEEK | PHP_STREAM_FLAG_NO_BUFFER;
    worker.wake_resource = stream->res;
    ZVAL_RES(result, stream->res);
    return true;
  }
  GC_ADDREF(worker.wake_resource);
  ZVAL_RES(result, worker.wake_resource);
  return true;
}

}  // namespace oxpool::php
