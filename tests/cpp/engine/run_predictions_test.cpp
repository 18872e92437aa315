#include "schedcore/engine/run_predictions.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace schedcore {
namespace {

TEST(RunPredictions, AreTheMeanOfTheLastTwoRunsOfTheUserAndAtMostTheEstimate) {
  const std::vector<std::int64_t> user{0, 0, 1, 0, -1, 0};
  const std::vector<Time> estimate{50, 50, 50, 50, 50, 12};
  RunPredictions predictions(user, estimate);
  EXPECT_EQ(predictions.predict(0), 50);
  predictions.note(0, 40);
  predictions.note(4, 1);  // of nobody
  EXPECT_EQ(predictions.predict(1), 50);
  predictions.note(1, 20);
  EXPECT_EQ(predictions.predict(2), 50);
  EXPECT_EQ(predictions.predict(3), 30);
  EXPECT_EQ(predictions.predict(4), 50);
  predictions.note(3, 10);
  EXPECT_EQ(predictions.predict(0), 15);
  EXPECT_EQ(predictions.predict(5), 12);
  EXPECT_FALSE(predictions.may_last_longer(5));
}

TEST(RunPredictions, GrowBeyondTheTimeThatHasPassed) {
  const std::vector<std::int64_t> user{0, 0};
  const std::vector<Time> estimate{10, 1e6};
  RunPredictions predictions(user, estimate);
  predictions.note(0, 10);
  predictions.note(0, 10);
  EXPECT_EQ(predictions.predict(1), 10);
  EXPECT_EQ(predictions.correct(1, 10), 70);
  EXPECT_EQ(predictions.correct(1, 70), 370);
  EXPECT_EQ(predictions.correct(1, 5000), 6670);  // 370 + 900 + 1800 + 3600
  Time last = 0;
  while (predictions.may_last_longer(1)) last = predictions.correct(1, predictions.predicted(1));
  EXPECT_EQ(last, 1e6);
}

}  // namespace
}  // namespace schedcore
