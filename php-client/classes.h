// All classes of the stub, registered.
#pragma once

namespace oxpool::php {

// Whether somebody has registered them already.
bool classes_exist();
void register_classes();

}  // namespace oxpool::php
