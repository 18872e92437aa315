// The git commit that the build was configured from, as source_commit.cmake found it.
#pragma once

namespace schedcore::python {

[[nodiscard]] const char* source_commit();

}  // namespace schedcore::python
