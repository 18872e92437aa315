#include "schedcore/base/errors.hpp"

namespace schedcore {

// Out of line, so that every library and extension shares one vtable and one type_info per class.
Error::~Error() = default;
InvalidInstanceError::~InvalidInstanceError() = default;
InfeasibleError::~InfeasibleError() = default;
PolicyError::~PolicyError() = default;
UnsupportedError::~UnsupportedError() = default;

}  // namespace schedcore
