// The name under which the documentation has always offered this header.
#pragma once

#include "schedcore/index/fit.hpp"  // IWYU pragma: export
