#include "schedcore/preemptive/proportional_fairness.hpp"

#include <algorithm>
#include <cmath>

namespace schedcore {
namespace {

constexpr double kUsedUp = 0x1p-42;
constexpr double kRounding = 0x1p-53;  // of each addition
// Second derivatives are 0 in directions in which no price matters: this part of their sum makes steps there long, not
// infinite, and the line search makes them short again.
constexpr double kRidge = 0x1p-46;
constexpr int kMostSteps = 200;
constexpr int kMostHalvings = 1200;  // of a double, down to the smallest

// Solves the symmetric positive definite system in place, by L D L^T: `right` becomes the solution.
void solve_symmetric(std::vector<double>& matrix, std::vector<double>& right) {
  const std::size_t n = right.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = matrix[i * n + j] / matrix[j * n + j];
      for (std::size_t c = j + 1; c <= i; ++c) matrix[i * n + c] -= factor * matrix[c * n + j];
      right[i] -= factor * right[j];
    }
  }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t i = j + 1; i < n; ++i) right[j] -= matrix[i * n + j] * right[i];
    right[j] /= matrix[j * n + j];
  }
}

}  // namespace

void ProportionalFairness::assign(const FairColumns& columns, std::vector<double>& rate) {
  price_.assign(columns.n_resources, 0.0);
  most_price_ = 0.0;
  for (const double weight : columns.weight) most_price_ += 2.0 * weight;
  tolerance_ = kUsedUp + kRounding * static_cast<double>(columns.n_rows());
  face_.clear();
  take(columns, price_, rate);
  // A face is left for one with a smaller dual value, so none comes twice; in practice a few do.
  for (int faces = 0; faces < kMostSteps; ++faces) {
    const std::size_t short_of = most_overfull();
    if (short_of == columns.n_resources) return;
    face_.insert(std::ranges::lower_bound(face_, short_of), short_of);
    const std::vector<double> before = price_;
    solve_face(columns, rate);
    if (price_ == before) return;  // as good as rounding lets it be
  }
}

// What the rows take at these prices, and how much of each resource that is.
void ProportionalFairness::take(const FairColumns& columns, std::span<const double> price, std::vector<double>& rate) {
  const std::size_t n = columns.n_rows();
  rate.resize(n);
  used_.assign(columns.n_resources, 0.0);
  for (std::size_t row = 0; row < n; ++row) {
    const auto use = columns.use_of(row);
    double cost = 0.0;
    for (std::size_t r = 0; r < use.size(); ++r) cost += price[r] * use[r];
    const double weight = columns.weight[row];
    rate[row] = weight >= cost * columns.most[row] ? columns.most[row] : weight / cost;
    for (std::size_t r = 0; r < use.size(); ++r) used_[r] += use[r] * rate[row];
  }
}

// The first of the most overfull resources outside of the face, or their number.
std::size_t ProportionalFairness::most_overfull() const {
  std::size_t found = used_.size();
  for (std::size_t r = 0; r < used_.size(); ++r) {
    if (used_[r] > 1.0 + tolerance_ && !std::ranges::binary_search(face_, r) &&
        (found == used_.size() || used_[r] > used_[found]))
      found = r;
  }
  return found;
}

// The price at which an overfull resource is just used up if it is the only one with a price.
double ProportionalFairness::water_price(const FairColumns& columns, std::size_t resource) {
  const std::size_t n = columns.n_rows();
  bid_.resize(n);
  order_.clear();
  for (std::uint32_t row = 0; row < n; ++row) {
    const double use = columns.use_of(row)[resource];
    if (use == 0.0) continue;
    bid_[row] = columns.weight[row] / (use * columns.most[row]);  // the highest price at which it has its largest rate
    order_.push_back(row);
  }
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return bid_[a] != bid_[b] ? bid_[a] > bid_[b] : a < b;
  });
  weights_.assign(order_.size() + 1, 0.0);
  for (std::size_t i = order_.size(); i-- > 0;) weights_[i] = weights_[i + 1] + columns.weight[order_[i]];
  double taken = 0.0;
  double price = 0.0;
  for (std::size_t i = 0; i < order_.size() && taken < 1.0; ++i) {
    // If the rows before have their largest rates; as this one has at a price up to its bid, they do.
    price = weights_[i] / (1.0 - taken);
    const std::uint32_t row = order_[i];
    if (price > bid_[row]) return price;
    taken += columns.use_of(row)[resource] * columns.most[row];
  }
  return price;
}

void ProportionalFairness::solve_face(const FairColumns& columns, std::vector<double>& rate) {
  for (int steps = 0; steps < kMostSteps && face_.size() > 1; ++steps) {
    double off = 0.0;
    for (const std::size_t r : face_) off = std::max(off, std::abs(1.0 - used_[r]));
    if (off <= tolerance_) return;
    find_direction(columns, rate);
    if (!move(columns, rate)) return;
  }
  if (face_.size() != 1) return;
  std::ranges::fill(price_, 0.0);
  price_[face_[0]] = water_price(columns, face_[0]);
  take(columns, price_, rate);
}

// Newton's direction for the prices of the face.
void ProportionalFairness::find_direction(const FairColumns& columns, std::span<const double> rate) {
  const std::size_t n = face_.size();
  matrix_.assign(n * n, 0.0);
  for (std::size_t row = 0; row < columns.n_rows(); ++row) {
    const auto use = columns.use_of(row);
    double cost = 0.0;
    for (const std::size_t r : face_) cost += price_[r] * use[r];
    if (columns.weight[row] > cost * columns.most[row]) continue;  // at its largest rate, at other prices nearby as well
    const double bend = rate[row] * rate[row] / columns.weight[row];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) matrix_[i * n + j] += use[face_[i]] * use[face_[j]] * bend;
  }
  double trace = 0.0;
  for (std::size_t i = 0; i < n; ++i) trace += matrix_[i * n + i];
  const double ridge = kRidge * trace;
  direction_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double over = used_[face_[i]] - 1.0;
    double& bend = matrix_[i * n + i];
    if (bend > 0.0) {
      bend += std::min(ridge, bend);  // weights may be so far apart that the sum says nothing of this price
    } else {
      // No row that uses it can be moved, so any price may be right: the step is as long as prices ever are.
      bend = over != 0.0 ? std::abs(over) / most_price_ : 1.0;
    }
    direction_[i] = over;
  }
  solve_symmetric(matrix_, direction_);
  if (std::ranges::all_of(direction_, [](double part) { return std::isfinite(part); })) return;
  for (std::size_t i = 0; i < n; ++i) direction_[i] = (used_[face_[i]] - 1.0) * most_price_;  // steepest descent
}

// Goes along the direction until the dual has come down by a good part of what it can, or a price is 0, which leaves the
// face.  False if that is nowhere.
bool ProportionalFairness::move(const FairColumns& columns, std::vector<double>& rate) {
  double longest = 1.0;
  std::size_t falls = face_.size();
  for (std::size_t i = 0; i < face_.size(); ++i) {
    if (direction_[i] < 0.0 && price_[face_[i]] < -direction_[i] * longest) {
      longest = price_[face_[i]] / -direction_[i];
      falls = i;
    }
  }
  const auto slope_at = [&](double length) {
    next_price_ = price_;
    for (std::size_t i = 0; i < face_.size(); ++i)
      next_price_[face_[i]] = std::max(price_[face_[i]] + length * direction_[i], 0.0);
    if (falls < face_.size() && length == longest) next_price_[face_[falls]] = 0.0;
    take(columns, next_price_, rate);
    double slope = 0.0;
    for (std::size_t i = 0; i < face_.size(); ++i) slope += (1.0 - used_[face_[i]]) * direction_[i];
    return slope;
  };
  double slope = 0.0;
  for (std::size_t i = 0; i < face_.size(); ++i) slope += (1.0 - used_[face_[i]]) * direction_[i];
  const double half = 0.5 * slope;
  double length = longest;
  if (slope_at(length) > 0.0) {
    double low = 0.0, high = length;
    for (int halvings = 0; halvings < kMostHalvings; ++halvings) {
      length = 0.5 * (low + high);
      const double there = slope_at(length);
      if (there > 0.0) {
        high = length;
      } else if (there < half) {
        low = length;
      } else {
        break;
      }
    }
  }
  const bool is_somewhere = next_price_ != price_;
  price_.swap(next_price_);
  if (falls < face_.size() && length == longest) {
    face_.erase(face_.begin() + static_cast<std::ptrdiff_t>(falls));
    return true;
  }
  return is_somewhere;
}

}  // namespace schedcore
