// The C library, under one name on every system. The attribute passes its names on to whoever imports this module.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#else
  @_exported import Darwin
#endif
