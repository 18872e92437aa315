// Binary snapshots of value types: what pickling and copying of a running engine stand on.
//
// A class takes part by a member `template <class Archive> void serialize(Archive& archive) { archive(a_, b_); }`
// that lists its data members once; the same line writes and reads.  Trivially copyable values, vectors, strings and
// optionals of them are handled here.  The format is for the same build on the same kind of machine, not for exchange;
// a reader throws InvalidInstanceError on a truncated or foreign snapshot instead of reading past its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "schedcore/errors.hpp"

namespace schedcore {

template <class T, class Archive>
concept HasSerialize = requires(T& value, Archive& archive) { value.serialize(archive); };

class SnapshotWriter {
 public:
  static constexpr bool is_reading = false;

  template <class... Ts>
  void operator()(const Ts&... values) {
    (write(values), ...);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (HasSerialize<T, SnapshotWriter>) {
      const_cast<T&>(value).serialize(*this);  // serialize only reads when the archive writes
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      T bytes = value;
      clear_padding(bytes);
      append(&bytes, sizeof(T));
    }
  }
  // Equal values are equal bytes, and nothing of what lay in memory before gets out.
  template <class T>
  static void clear_padding([[maybe_unused]] T& value) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&value);
#endif
#endif
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    if constexpr (std::is_arithmetic_v<T>) {
      append(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) write(value);
    }
  }
  void write(const std::string& text) {
    write(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class A, class B>
  void write(const std::pair<A, B>& pair) {
    write(pair.first);
    write(pair.second);
  }
  void append(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

class SnapshotReader {
 public:
  static constexpr bool is_reading = true;

  explicit SnapshotReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... Ts>
  void operator()(Ts&... values) {
    (read(values), ...);
  }
  [[nodiscard]] bool at_end() const { return position_ == bytes_.size(); }

 private:
  template <class T>
  void read(T& value) {
    if constexpr (HasSerialize<T, SnapshotReader>) {
      value.serialize(*this);
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      std::memcpy(&value, take(sizeof(T)), sizeof(T));
    }
  }
  template <class T>
  void read(std::vector<T>& values) {
    std::uint64_t size = 0;
    read(size);
    if constexpr (std::is_trivially_copyable_v<T> && !HasSerialize<T, SnapshotReader>) {
      if (size > (bytes_.size() - position_) / sizeof(T)) truncated();
      values.resize(static_cast<std::size_t>(size));
      if (size > 0) std::memcpy(values.data(), take(values.size() * sizeof(T)), values.size() * sizeof(T));
    } else {
      if (size > bytes_.size() - position_) truncated();  // every element takes at least one byte
      values.clear();
      values.resize(static_cast<std::size_t>(size));
      for (T& value : values) read(value);
    }
  }
  void read(std::string& text) {
    std::uint64_t size = 0;
    read(size);
    if (size > bytes_.size() - position_) truncated();
    text.assign(take(static_cast<std::size_t>(size)), static_cast<std::size_t>(size));
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool present = false;
    read(present);
    value.reset();
    if (present) read(value.emplace());
  }
  template <class A, class B>
  void read(std::pair<A, B>& pair) {
    read(pair.first);
    read(pair.second);
  }
  const char* take(std::size_t size) {
    if (size > bytes_.size() - position_) truncated();
    const char* data = bytes_.data() + position_;
    position_ += size;
    return data;
  }
  [[noreturn]] static void truncated() {
    throw InvalidInstanceError("the snapshot is truncated or was written by another version of schedcore");
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
};

}  // namespace schedcore
