# Marks schedcore as a package for `cimport schedcore.kernels`.
