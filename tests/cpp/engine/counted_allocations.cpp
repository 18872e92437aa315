#include "engine/counted_allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace schedcore::testing {

std::atomic<std::uint64_t> allocated_bytes{0};
std::atomic<std::uint64_t> held_bytes{0};
std::atomic<std::uint64_t> allocations_until_failure{0};

}  // namespace schedcore::testing

namespace {

constexpr std::size_t kHeader = alignof(std::max_align_t);  // before every allocation: its size

}  // namespace

void* operator new(std::size_t size) {
  using namespace schedcore::testing;
  allocated_bytes += size;
  if (allocations_until_failure > 0 && --allocations_until_failure == 0) throw std::bad_alloc();
  void* memory = std::malloc(size + kHeader);
  if (memory == nullptr) throw std::bad_alloc();
  held_bytes += size;
  std::memcpy(memory, &size, sizeof size);
  return static_cast<char*>(memory) + kHeader;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  using namespace schedcore::testing;
  void* begin = static_cast<char*>(memory) - kHeader;
  std::size_t size = 0;
  std::memcpy(&size, begin, sizeof size);
  held_bytes -= size;
  std::free(begin);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }
