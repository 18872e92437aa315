"""What files of C++ declare, use and include, read off their text.

Names begin at the left margin, since namespaces are not indented. A type that is only declared forward counts as
declared, though a compiler may need all of it.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

__all__ = ["declared_names", "missing_includes", "unnamed_parts"]

_DECLARATIONS = [
    re.compile(pattern)
    for pattern in (
        r"(?:\[\[\w+\]\] )?(?:(?:inline|static|constexpr) )*[\w:<>,&*\[\] ]+?[ &*](\w+)\(",  # functions
        r"(?:inline |static )*constexpr [\w:<> ]+? (\w+)(?:\[\d*\])?\s*[={]",
        r"(?:struct|class|enum class|enum|using|concept) (\w+)",
    )
]
_COMMENTS_AND_TEXTS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
_INCLUDE = re.compile(r'^#include (?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
_STANDARD_NAME = re.compile(r"\bstd::((?:ranges::|numbers::|chrono::|views::)?\w+)")
# Types by their name alone. A function by a call that is no member's: members are often named like functions of others.
_TYPE_OR_CALL = re.compile(r"(?<![.\w])(?<!->)([A-Z]\w*|k[A-Z]\w*|\w+(?=\())")

# `throw Error(` is no function that returns a `throw`.
_STATEMENT = re.compile(r"(?:return|throw|else|case|delete|new)\b")
_LOCAL_FUNCTION = re.compile(r"(?<=\bauto )\w+(?= = \[)|(?<=& )\w+(?=[,)])")
_NAME_OF_A_TEST = re.compile(r"\bTEST(?:_[FP])?\(\w+, \w+\)")

# Names of the standard library by header. Several headers: any of them declares the name.
_OF_HEADERS = {
    "algorithm": "min max sort stable_sort unique copy copy_n copy_if copy_backward find find_if equal fill fill_n"
    " any_of all_of lower_bound upper_bound binary_search is_sorted max_element min_element minmax_element transform"
    " pop_heap push_heap make_heap clamp partition_point partition stable_partition count count_if shuffle reverse"
    " inplace_merge adjacent_find nth_element for_each replace rotate unique_copy lexicographical_compare_three_way"
    " ranges::sort ranges::equal ranges::any_of ranges::all_of ranges::find ranges::stable_sort ranges::lower_bound"
    " ranges::binary_search ranges::is_sorted ranges::fill ranges::copy ranges::pop_heap ranges::push_heap"
    " ranges::max_element ranges::find_if ranges::make_heap ranges::none_of ranges::count_if ranges::transform"
    " ranges::max ranges::count ranges::upper_bound ranges::adjacent_find ranges::shuffle ranges::nth_element"
    " ranges::min_element ranges::equal_range ranges::unique ranges::stable_partition"
    " ranges::set_symmetric_difference ranges::set_difference ranges::reverse ranges::partition_point"
    " ranges::next_permutation ranges::mismatch ranges::min ranges::merge ranges::includes ranges::subrange",
    "array": "array",
    "atomic": "atomic memory_order_relaxed",
    "bit": "countr_zero bit_width bit_ceil bit_cast countl_zero popcount has_single_bit countr_one bit_floor",
    "cassert": "assert",
    "cctype": "isalnum",
    "charconv": "to_chars",
    "chrono": "chrono::steady_clock chrono::nanoseconds",
    "cmath": "abs ldexp nextafter isfinite isinf isnan floor ceil trunc round sqrt frexp exp exp2 expm1 ilogb pow log"
    " log2 log10 scalbn fma isnormal cos",
    "compare": "weak_ordering strong_ordering weak_order",
    "concepts": "integral",
    "cstddef": "max_align_t",
    "cstdint": "int64_t uint32_t uint64_t uint8_t int32_t",
    "cstdlib": "abs malloc free",
    "cstring": "memcpy",
    "deque": "deque",
    "exception": "exception current_exception rethrow_exception exception_ptr",
    "functional": "function greater less less_equal greater_equal not_equal_to ranges::greater ranges::greater_equal",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "make_unique unique_ptr shared_ptr make_shared weak_ptr",
    "new": "bad_alloc",
    "numbers": "numbers::ln2 numbers::pi",
    "numeric": "iota accumulate partial_sum gcd reduce inner_product",
    "optional": "optional nullopt",
    "queue": "priority_queue",
    "random": "mt19937_64 mt19937 uniform_int_distribution uniform_real_distribution",
    "ranges": "views::take ranges::subrange",
    "set": "set multiset",
    "span": "span",
    "stdexcept": "logic_error runtime_error",
    "string": "string to_string string_view",
    "string_view": "string_view",
    "thread": "thread",
    "tuple": "tuple tie make_tuple get",
    "type_traits": "is_same_v is_floating_point_v is_arithmetic_v integral_constant",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "pair get exchange cmp_equal",
    "variant": "variant get visit",
    "vector": "vector erase_if erase",
}  # fmt: skip
# What all headers of containers declare as well.
_OF_CONTAINERS = (
    "size_t ptrdiff_t initializer_list begin end next prev advance distance ssize back_inserter make_reverse_iterator"
    " move swap"
)
_CONTAINERS = (
    "array",
    "deque",
    "map",
    "queue",
    "set",
    "span",
    "string",
    "unordered_map",
    "unordered_set",
    "vector",
)
_HEADERS_OF: dict[str, set[str]] = {
    name: {"cstddef", "initializer_list", "iterator", "utility", *_CONTAINERS}
    for name in _OF_CONTAINERS.split()
}
for _header, _names in _OF_HEADERS.items():
    for _name in _names.split():
        _HEADERS_OF.setdefault(_name, set()).add(_header)


def declared_names(source: str) -> set[str]:
    """What begins at the left margin, where namespaces are not indented."""
    lines = [line for line in source.splitlines() if line[:1].isalpha() or line.startswith("[")]
    return {found[1] for line in lines for pattern in _DECLARATIONS if (found := pattern.match(line))}


def _declared_anywhere(source: str) -> set[str]:
    """Also in classes and functions; a local function is a lambda with a name, or handed over."""
    flat = "\n".join(
        stripped for line in source.splitlines() if not _STATEMENT.match(stripped := line.strip())
    )
    return declared_names(flat) | set(_LOCAL_FUNCTION.findall(flat))


def unnamed_parts(source: str) -> str:
    """What stands in unnamed namespaces."""
    return "".join(re.findall(r"^namespace \{\n(.*?)^\}  // namespace\n", source, re.DOTALL | re.MULTILINE))


def _includes(name: str, files: Mapping[str, str]) -> set[str]:
    """Names of files; a private header stands beside the source that includes it."""
    beside = PurePosixPath(name).parent
    found = {(each[1] or each[2]) for each in _INCLUDE.finditer(files.get(name, ""))}
    return {local if (local := str(beside / each)) in files else each for each in found}


def _uses(source: str) -> tuple[set[str], set[str]]:
    """Names of our own that may be declared elsewhere, and those of the standard library."""
    code = _NAME_OF_A_TEST.sub("", _COMMENTS_AND_TEXTS.sub("", _INCLUDE.sub("", source)))
    standard = set(_STANDARD_NAME.findall(code)) | set(re.findall(r"(?<![.\w])assert(?=\()", code))
    return set(_TYPE_OR_CALL.findall(_STANDARD_NAME.sub("", code))), standard


def missing_includes(files: Mapping[str, str], asked: Iterable[str]) -> dict[str, list[str]]:
    """Return, for each file that is asked for, the names that it uses and that nothing it includes declares.

    Parameters
    ----------
    files : dict
        The text of each file, by the name under which it is included.
    asked : iterable of str
        Of those.
    """
    declared = {name: declared_names(text) for name, text in files.items() if name.endswith(".hpp")}
    where: dict[str, set[str]] = {}
    for header, names in declared.items():
        for name in names:
            where.setdefault(name, set()).add(header)
    anywhere = {name: _declared_anywhere(text) for name, text in files.items()}
    found = {}
    for file in asked:
        reached, left = set[str](), [file]
        while left:
            current = left.pop()
            if current not in reached:
                reached.add(current)
                left += _includes(current, files)
        own, standard = _uses(files[file])
        missing = [
            f"{name} of {' or '.join(f'<{each}>' for each in sorted(headers)) or 'no header that is known here'}"
            for name in standard
            if not (headers := _HEADERS_OF.get(name, set[str]())) & reached
        ]
        missing += [
            name
            for name in own & where.keys()
            if not where[name] & reached
            # A member or a local name that is called like what others declare.
            and not any(name in anywhere.get(each, ()) for each in reached)
        ]
        if missing:
            found[file] = sorted(missing)
    return found
