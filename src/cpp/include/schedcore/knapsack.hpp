// The name under which the documentation has always offered this header.
#pragma once

#include "schedcore/packing/knapsack.hpp"  // IWYU pragma: export
