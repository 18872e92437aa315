// The core's exceptions, one for each class that Python users catch.  Checks stand at the boundary; inside the core
// these are thrown only for what a boundary cannot see (an event that contradicts the state, a table that would
// exceed its memory limit).  Messages name the job, the value and the bound.
#pragma once

#include <stdexcept>
#include <string>

namespace schedcore {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
  ~Error() override;
};
struct InvalidInstanceError : Error {
  using Error::Error;
  ~InvalidInstanceError() override;
};
struct InfeasibleError : Error {
  using Error::Error;
  ~InfeasibleError() override;
};
struct PolicyError : Error {
  using Error::Error;
  ~PolicyError() override;
};
struct UnsupportedError : Error {
  using Error::Error;
  ~UnsupportedError() override;
};

}  // namespace schedcore
