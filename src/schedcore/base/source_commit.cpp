// A file of its own, so that a new commit compiles nothing else anew.
#include "base/source_commit.hpp"

namespace schedcore::python {

const char* source_commit() { return SCHEDCORE_COMMIT; }

}  // namespace schedcore::python
