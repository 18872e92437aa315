// The name under which the documentation has always offered this header.
#pragma once

#include "schedcore/engine/online_scheduler.hpp"  // IWYU pragma: export
