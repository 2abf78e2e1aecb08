#if canImport(Darwin)
  import Darwin
  import MachO
  import StallwatchCore

  /// The images of this process, from the list that dyld keeps for debuggers; takes none of dyld's locks. Written after
  /// the documentation; never run.
  final class AppleImageMap {
    private var records: [ImageRecord] = []

    /// The image that holds an address; reads the list again if none does.
    func image(at address: UInt64) -> ImageRecord? {
      if let known = known(address) { return known }
      read()
      return known(address)
    }

    private func known(_ address: UInt64) -> ImageRecord? {
      records.first { address >= $0.start && address < $0.end }
    }

    /// The build-id of the program itself, which dyld lists first.
    static func programBuildID() -> String? {
      let map = AppleImageMap()
      map.read()
      return map.records.first?.buildID
    }

    private func read() {
      var info = task_dyld_info_data_t()
      var count = mach_msg_type_number_t(MemoryLayout.size(ofValue: info) / MemoryLayout<natural_t>.size)
      let result = withUnsafeMutablePointer(to: &info) {
        $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
          task_info(mach_task_self_, task_flavor_t(TASK_DYLD_INFO), $0, &count)
        }
      }
      guard result == KERN_SUCCESS,
        let all = UnsafePointer<dyld_all_image_infos>(bitPattern: UInt(info.all_image_info_addr)),
        let list = all.pointee.infoArray
      else { return }
      records = (0..<Int(all.pointee.infoArrayCount)).compactMap { Self.record(list[$0]) }
    }

    private static func record(_ image: dyld_image_info) -> ImageRecord? {
      guard let header = image.imageLoadAddress, let path = image.imageFilePath, header.pointee.magic == MH_MAGIC_64
      else {
        return nil
      }
      let start = UInt64(UInt(bitPattern: header))
      var record = ImageRecord(path: String(cString: path), buildID: nil, base: start, start: start, end: start)
      var command = UnsafeRawPointer(header) + MemoryLayout<mach_header_64>.size
      for _ in 0..<header.pointee.ncmds {
        let kind = command.load(as: load_command.self)
        if kind.cmd == UInt32(LC_SEGMENT_64) {
          let segment = command.load(as: segment_command_64.self)
          let isText = withUnsafeBytes(of: segment.segname) { $0.starts(with: Array("__TEXT\0".utf8)) }
          if isText {
            record.base = start &- segment.vmaddr
            record.end = start &+ segment.vmsize
          }
        } else if kind.cmd == UInt32(LC_UUID) {
          let uuid = command.load(as: uuid_command.self).uuid
          record.buildID = withUnsafeBytes(of: uuid) { bytes in
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
          }
        }
        command += Int(kind.cmdsize)
      }
      return record
    }
  }
#endif
