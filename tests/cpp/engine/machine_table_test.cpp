#include "schedcore/engine/machine_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace schedcore {
namespace {

using LabelSet = std::vector<std::string>;

// Machines with one resource, and what they are described by.
struct Described {
  std::vector<std::int64_t> weight;
  std::vector<LabelSet> labels;

  [[nodiscard]] MachineDescriptions view() {
    capacity.assign(weight.size(), 1);
    label_set.resize(weight.size());
    for (std::size_t machine = 0; machine < weight.size(); ++machine) label_set[machine] = static_cast<std::int64_t>(machine);
    return {{capacity, weight.size(), 1}, weight, label_set, labels};
  }

  std::vector<Amount> capacity = {};
  std::vector<std::int64_t> label_set = {};
};

std::vector<std::int64_t> numbers(const MachineTable& table) {
  std::vector<std::int64_t> all;
  for (std::size_t machine = 0; machine < table.size(); ++machine) {
    if (!table.is_seat_free(machine)) all.push_back(table.number_of(machine));
  }
  return all;
}

// The caller's numbers of the machines of a constraint; free seats among them do not count.
std::vector<std::int64_t> where(const MachineTable& table, const char* constraint) {
  const Eligibility allowed = table.where(constraint).eligibility;
  std::vector<std::int64_t> all;
  for (std::size_t machine = 0; machine < table.size(); ++machine) {
    if (!table.is_seat_free(machine) && allowed.allows(machine)) all.push_back(table.number_of(machine));
  }
  std::ranges::sort(all);
  return all;
}

TEST(MachineTable, OrdersByWeightThenByNumber) {
  Described described{{5, 1, 5, -2}, {{}, {}, {}, {}}};
  const MachineTable table(described.view());
  EXPECT_FALSE(table.is_as_called());
  EXPECT_EQ(numbers(table), (std::vector<std::int64_t>{3, 1, 0, 2}));
  EXPECT_EQ(table.machine_of(2), 3U);
  EXPECT_EQ(table.machine_of(4), std::nullopt);
  EXPECT_EQ(table.in_order(std::vector<Amount>{10, 11, 12, 13}, 1), (std::vector<Amount>{13, 11, 10, 12}));
}

TEST(MachineTable, EvaluatesConstraintsInPostfix) {
  Described described{{0, 0, 0}, {{"a", "b"}, {"b"}, {}}};
  const MachineTable table(described.view());
  EXPECT_TRUE(table.is_as_called());
  EXPECT_EQ(where(table, "a"), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(where(table, "a ! b &"), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(where(table, "a b ! |"), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(where(table, "unknown"), (std::vector<std::int64_t>{}));
  EXPECT_EQ(where(table, ""), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(table.where("").text, nullptr);
  for (const char* malformed : {"!", "a b", "a &", "| a b"}) EXPECT_FALSE(MachineTable::is_wellformed(malformed)) << malformed;
  for (const char* fine : {"", "a", "a !", "a b | c &"}) EXPECT_TRUE(MachineTable::is_wellformed(fine)) << fine;
}

TEST(MachineTable, SeatsTellLabelsApartThatConstraintsHaveNamed) {
  Described first{{0}, {{}}};
  Described joining{{0}, {{"gpu"}}};
  MachineTable table = MachineTable(first.view()).grown(joining.view(), {false}).table;
  EXPECT_EQ(table.seat(joining.view()), (std::vector<std::uint32_t>{1}));
  Described other{{0}, {{"gpu", "rack1"}}};
  EXPECT_EQ(table.seat(other.view()), (std::vector<std::uint32_t>{2}));  // nobody has asked for racks yet
  EXPECT_EQ(where(table, "rack1"), (std::vector<std::int64_t>{2}));
  Described third{{0}, {{"gpu", "rack1"}}};
  EXPECT_EQ(table.seat(third.view()), std::nullopt);  // the seats that are free count as without
  EXPECT_EQ(table.next_number(), 3);
  Described plain{{0}, {{"gpu", "rack2"}}};
  EXPECT_EQ(table.seat(plain.view()), (std::vector<std::uint32_t>{3}));
}

TEST(MachineTable, IsWhatATableOfAllMachinesIs) {
  std::mt19937_64 random(7);
  const auto draw = [&](std::uint64_t n) { return static_cast<std::size_t>(random() % n); };
  const std::vector<LabelSet> kinds{{}, {"a"}, {"b"}, {"a", "b"}};
  for (int round = 0; round < 50; ++round) {
    Described all;
    const auto described = [&](std::size_t n) {
      Described some;
      for (; n > 0; --n) {
        some.weight.push_back(static_cast<std::int64_t>(draw(3)));
        some.labels.push_back(kinds[draw(kinds.size())]);
        all.weight.push_back(some.weight.back());
        all.labels.push_back(some.labels.back());
      }
      return some;
    };
    Described first = described(1 + draw(4));
    MachineTable table(first.view());
    std::vector<bool> is_removed(all.weight.size(), false);
    for (int step = 0; step < 20; ++step) {
      if (draw(2) == 0) static_cast<void>(table.where("a b ! |"));
      if (draw(3) == 0) is_removed[draw(is_removed.size())] = true;
      Described joining = described(draw(4));
      is_removed.resize(all.weight.size(), false);
      auto seats = table.seat(joining.view());
      if (!seats) {
        std::vector<bool> is_gone;
        for (std::size_t machine = 0; machine < table.size(); ++machine) {
          is_gone.push_back(!table.is_seat_free(machine) && is_removed[static_cast<std::size_t>(table.number_of(machine))]);
        }
        MachineTable::Grown grown = table.grown(joining.view(), is_gone);
        for (std::size_t machine = 0; machine < table.size(); ++machine) {
          const std::uint32_t after = grown.number_of[machine];
          if (after == SnapshotWriter::kGone) continue;
          EXPECT_EQ(grown.table.number_of(after), table.number_of(machine));
        }
        table = std::move(grown.table);
        seats = table.seat(joining.view());
      }
      ASSERT_TRUE(seats.has_value());
      ASSERT_EQ(seats->size(), joining.weight.size());
      for (std::size_t i = 0; i < seats->size(); ++i) {
        EXPECT_EQ(table.machine_of(static_cast<std::int64_t>(all.weight.size() - seats->size() + i)), seats->at(i));
      }
      // Of those that are there still, in the order of a table of all.
      const auto still = [&](std::vector<std::int64_t> some) {
        std::erase_if(some, [&](std::int64_t number) { return is_removed[static_cast<std::size_t>(number)]; });
        return some;
      };
      const MachineTable whole(all.view());
      EXPECT_EQ(still(numbers(table)), still(numbers(whole)));
      for (const char* constraint : {"a", "a b &", "b !", ""}) {
        EXPECT_EQ(still(where(table, constraint)), still(where(whole, constraint)));
      }
      SnapshotWriter writer;
      table.write(writer);
      SnapshotReader reader(writer.bytes());
      MachineTable again(first.view());
      again.read(reader);
      EXPECT_EQ(numbers(again), numbers(table));
      EXPECT_EQ(where(again, "a b |"), where(table, "a b |"));
    }
  }
}

}  // namespace
}  // namespace schedcore
