#if os(Linux)
  import CStallwatch
  import StallwatchCore

  /// The executable memory of a process and its images, read from /proc/PID/maps and from the mapped images. Never
  /// takes the loader's lock: a program stuck in dlopen is one that the monitor has to explain.
  final class ImageMap {
    private let process: ProcessFolder
    /// All executable memory, ordered by address.
    @exclusivity(unchecked) private(set) var code: ContiguousArray<stallwatch_code_range> = []
    /// The index in `images` of each range's image; -1 for memory without one.
    @exclusivity(unchecked) private var imageOfCode: ContiguousArray<Int> = []
    @exclusivity(unchecked) private var images: [MappedImage] = []
    /// The image of Swift's runtime for asynchronous functions, where it is a library, and the address of its headers.
    @exclusivity(unchecked) private(set) var asyncRuntime: (record: ImageRecord, header: UInt64)?
    private static let asyncRuntimeName = "/libswift_Concurrency.so"
    /// How often the map was read.
    private(set) var readings = 0

    init(of process: ProcessFolder) { self.process = process }

    /// The images, ordered by address.
    var records: [ImageRecord] { images.map(\.record) }

    /// Reads the map anew, in 0.1 to 0.5 ms.
    func read() {
      readings += 1
      // Every image's headers are read: the way to memory is opened once for all of them.
      stallwatch_begin_reading()
      defer { stallwatch_end_reading() }
      code.removeAll(keepingCapacity: true)
      imageOfCode.removeAll(keepingCapacity: true)
      images.removeAll(keepingCapacity: true)
      asyncRuntime = nil
      var first: MemoryMapping?
      var current: (path: String, header: UInt64, tables: UInt64, image: Int)?
      for mapping in MemoryMapping.all(of: process) {
        if mapping.offset == 0 { first = mapping }
        guard mapping.isExecutable, mapping.path != "[vsyscall]" else { continue }
        if let first, !mapping.path.isEmpty, first.path == mapping.path, current?.header != first.start {
          current = nil
          // Only now is it known to be code: reading any mapped file could wait for a disk.
          if let headers = ElfImageHeaders(at: first.start) {
            images.append(MappedImage(mapping, header: first.start, headers))
            current = (mapping.path, first.start, headers.unwindTables, images.count - 1)
          }
        }
        let owner = current?.path == mapping.path && !mapping.path.isEmpty ? current : nil
        if let owner {
          images[owner.image].record.end = mapping.end
          if mapping.path.hasSuffix(Self.asyncRuntimeName) { asyncRuntime = (images[owner.image].record, owner.header) }
        }
        code.append(stallwatch_code_range(start: mapping.start, end: mapping.end, tables: owner?.tables ?? 0))
        imageOfCode.append(owner?.image ?? -1)
      }
    }

    /// Calls `body` with the map of all code. `noted`: the code whose calls walks note.
    func withCode<Result>(noting noted: Range<UInt64>, _ body: (stallwatch_code_map) -> Result) -> Result {
      code.withUnsafeBufferPointer {
        body(
          stallwatch_code_map(
            ranges: $0.baseAddress, count: $0.count, noted_start: noted.lowerBound, noted_end: noted.upperBound))
      }
    }

    /// The image that held an address when the map was last read.
    func image(at address: UInt64) -> ImageRecord? { place(of: address).map { images[$0].record } }

    /// The address of something that the image with this file name offers to others; nil where there is none.
    func address(of name: String, in file: String) -> UInt64? {
      images.lazy.filter { $0.record.path.hasSuffix("/" + file) }.compactMap { $0.address(of: name) }.first
    }

    /// Whether the images of these addresses are still those in the map. Addresses outside all images do not count.
    func isCurrent(for addresses: some Sequence<UInt64>) -> Bool {
      // A stack leads through few images, and often through one several times in a row.
      var seen: [Int] = []
      for address in addresses {
        guard let place = place(of: address), place != seen.last, !seen.contains(place) else { continue }
        if !images[place].isStillThere { return false }
        seen.append(place)
      }
      return true
    }

    /// Whether two addresses lie in one image.
    func areInOneImage(_ address: UInt64, _ other: UInt64) -> Bool {
      guard let place = place(of: address) else { return false }
      return place == self.place(of: other)
    }

    private func place(of address: UInt64) -> Int? {
      let place = code.partitioningIndex { address < $0.end }
      guard place < code.count, address >= code[place].start, imageOfCode[place] >= 0 else { return nil }
      return imageOfCode[place]
    }
  }
#endif
