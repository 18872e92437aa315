// The vector-fit forms on blocks of n candidates, uniform demands of which few fit (R = 4) or none (R = 20).
// Eight free vectors rotate; masks are compared with one comparison at a time.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "schedcore/index/fit.hpp"

namespace schedcore {
namespace {

struct Block {
  explicit Block(const benchmark::State& state)
      : n(static_cast<std::size_t>(state.range(0))), n_resources(static_cast<std::size_t>(state.range(1))) {
    std::mt19937_64 random(1);
    rows.resize(n * n_resources);
    columns.resize(n * n_resources);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < n_resources; ++l) {
        columns[l * n + j] = rows[j * n_resources + l] = static_cast<Amount>(random() % 1000);
      }
    }
    for (auto& available : rooms) {
      for (std::size_t l = 0; l < n_resources; ++l) available.push_back(static_cast<Amount>(random() % 500));
    }
  }

  std::size_t n, n_resources;
  std::vector<Amount> rows, columns;
  std::vector<Amount> rooms[8];
};

template <class Kernel>
void run(benchmark::State& state, const std::vector<Amount> Block::* layout, const Kernel& kernel) {
  const Block block(state);
  const Amount* demand = (block.*layout).data();
  std::vector<std::uint8_t> mask(block.n);
  for (const auto& available : block.rooms) {
    kernel(demand, block.n, block.n_resources, available.data(), mask.data());
    for (std::size_t j = 0; j < block.n; ++j) {
      if (bool{mask[j] != 0} != fits(block.rows.data() + j * block.n_resources, available.data(), block.n_resources)) {
        state.SkipWithError("differs from one comparison at a time");
      }
    }
  }
  std::size_t i = 0;
  for (auto _ : state) {
    kernel(demand, block.n, block.n_resources, block.rooms[i++ % 8].data(), mask.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(block.n) * static_cast<std::int64_t>(state.iterations()));
}

void one_at_a_time(benchmark::State& state) {
  run(state, &Block::rows,
      [](const Amount* rows, std::size_t n, std::size_t n_resources, const Amount* available, std::uint8_t* mask) {
        for (std::size_t j = 0; j < n; ++j) mask[j] = fits(rows + j * n_resources, available, n_resources);
      });
}
void many_rows(benchmark::State& state) { run(state, &Block::rows, fits_many_rows); }
void many_columns(benchmark::State& state) { run(state, &Block::columns, fits_many_columns); }

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"n", "R"});
  for (const std::int64_t n : {8, 200, 1400}) bench->Args({n, 4})->Args({n, 20});
}

BENCHMARK(one_at_a_time)->Apply(sizes);
BENCHMARK(many_rows)->Apply(sizes);
BENCHMARK(many_columns)->Apply(sizes);

}  // namespace
}  // namespace schedcore
