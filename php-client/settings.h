// The extension's ini settings.
#pragma once

#include "client/process.h"
#include "client/status.h"
#include "engine.h"

namespace oxpool::php {

void register_settings(int module_number);
void unregister_settings(int module_number);

// Where and how to connect, as the settings say. Fails with a sentence when one has a value that it
// can not have.
Error process_options(ProcessOptions* options);

// oxpool.wake_signal (client/sleep.h). Fails as above; *number is Sleep::kOff then.
Error wake_signal(int* number);

// oxpool.runtime_dir, else OXPOOL_RUNTIME_DIR, else the default.
const char* runtime_directory();

// oxpool.namespace; "" = the default of this uid.
const char* namespace_setting();

}  // namespace oxpool::php
