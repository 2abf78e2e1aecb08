#if os(Linux)
  import Foundation
  import Runtime
  import StallwatchCore
  import Testing

  @testable import StallwatchProbe

  /// One at a time: one of them walks the loader's list without its lock, another unloads a library.
  @Suite("The image map", .serialized)
  struct ImageMapTests {
    private let map: StallwatchProbe.ImageMap = {
      let map = StallwatchProbe.ImageMap(of: .own)
      map.read()
      return map
    }()

    @Test("knows the images that the loader has loaded, at their places")
    func images() throws {
      // In glibc the handle of the program is the head of the loader's list: address, name, dynamic section, next.
      var entry = try #require(dlopen(nil, RTLD_LAZY).map { UnsafeRawPointer($0) })
      var compared = 0
      while let next = entry.load(fromByteOffset: 24, as: UnsafeRawPointer?.self) {
        entry = next
        let name = String(cString: entry.load(fromByteOffset: 8, as: UnsafePointer<CChar>.self))
        guard let path = realpath(name, nil) else { continue }
        defer { free(path) }
        let base = entry.load(as: UInt64.self)
        let record = try #require(map.records.first { $0.base == base }, "\(name)")
        #expect(record.path == String(cString: path))
        #expect(record.start < record.end)
        compared += 1
      }
      #expect(compared > 10)
    }

    @Test("knows the build-ids that the toolchain's own reader finds")
    func buildIDs() {
      var compared = 0
      // That reader also takes files for images that are mapped to be read, as debuggers do: those are not at our places.
      for image in Runtime.ImageMap.capture() {
        guard let build = image.uniqueID, let base = UInt64(image.baseAddress),
          let record = map.records.first(where: { $0.base == base })
        else { continue }
        #expect(record.buildID == build.map { String(format: "%02x", $0) }.joined())
        compared += 1
      }
      #expect(compared > 5)
    }

    @Test("finds the image of a function, and none for data and for nothing")
    func lookup() {
      let function: @convention(c) (UnsafePointer<CChar>?) -> Int = { $0.map { strlen($0) } ?? 0 }
      let address = UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)))
      let image = map.image(at: address)
      #expect(image?.path == (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")))
      #expect(map.image(at: 0) == nil)
      #expect(map.image(at: .max) == nil)
      #expect(map.isCurrent(for: [address, 0]))
    }

    @Test("knows that the program and what this library needs stay mapped, and of others that they may not")
    func lasting() throws {
      let library = try #require(dlopen("libBrokenLocale.so.1", RTLD_NOW))
      defer { dlclose(library) }
      let other = try #require(dlsym(library, "__ctype_get_mb_cur_max"))
      map.read()
      let found = Set(LastingCode.addresses.compactMap { map.image(at: $0)?.path })
      for name in ["libFoundation.so", "libswiftCore.so", "libc.so.6"] {
        #expect(found.contains { $0.hasSuffix("/\(name)") }, "\(found)")
      }
      #expect(found.contains(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")))
      #expect(!found.contains(try #require(map.image(at: UInt64(UInt(bitPattern: other)))).path))
    }

    @Test("sees that a library was unloaded since it was read, and finds one that was loaded since")
    func loading() throws {
      // A part of the C library that nothing needs.
      let library = try #require(dlopen("libBrokenLocale.so.1", RTLD_NOW))
      let symbol = try #require(dlsym(library, "__ctype_get_mb_cur_max"))
      let address = UInt64(UInt(bitPattern: symbol))
      #expect(map.image(at: address) == nil)
      map.read()
      #expect(map.image(at: address)?.path.hasSuffix("/libBrokenLocale.so.1") == true)
      #expect(map.isCurrent(for: [address]))
      #expect(dlclose(library) == 0)
      #expect(!map.isCurrent(for: [address]))
    }

    @Test("finds one mapping as it finds all: every one of a library, and none below the first page")
    func oneMapping() throws {
      let library = MemoryMapping.all().filter { $0.path.contains("libswiftCore") }
      #expect(library.count > 1)
      for mapping in library {
        #expect(MemoryMapping.bounds(around: mapping.start) == mapping.start..<mapping.end)
        #expect(MemoryMapping.bounds(around: mapping.end - 1) == mapping.start..<mapping.end)
      }
      #expect(MemoryMapping.bounds(around: 16) == nil)
    }

    @Test("reads a mapping with a name that holds spaces, and one of a file that was replaced")
    func lines() throws {
      func mapping(_ line: String) -> MemoryMapping? {
        Array(line.utf8).withUnsafeBufferPointer { MemoryMapping(line: $0[...]) }
      }
      let named = try #require(
        mapping(
          "7f0000001000-7f0000002000 r-xp 00003000 fd:01 1234                       /opt/my app/lib one.so (deleted)"))
      #expect(named.start == 0x7f00_0000_1000)
      #expect(named.end == 0x7f00_0000_2000)
      #expect(named.offset == 0x3000)
      #expect(named.isExecutable)
      #expect(named.path == "/opt/my app/lib one.so")
      let own = try #require(mapping("7ffc1000-7ffc2000 rw-p 00000000 00:00 0 "))
      #expect(own.path == "")
      #expect(!own.isExecutable)
      #expect(mapping("nonsense") == nil)
      #expect(mapping("") == nil)
    }
  }
#endif
