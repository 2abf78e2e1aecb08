#if os(Linux)
  import CSQLite
  import CStallwatch
  import Foundation
  import StallwatchCore
  import Synchronization
  import Testing

  @testable import StallwatchStore

  /// What happens to a store's files and descriptors while it is written harms neither the program nor the store.
  @Suite("The files of a store that is written", .serialized)
  struct FileSystemTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("store.db") }

    /// Where this process's descriptors lead.
    private var targets: [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    }

    @Test("have no descriptor in the program")
    func descriptors() throws {
      let recorder = try StoreRecorder(path: path, session: Sample.session())
      recorder.take(Sample.loop())
      #expect(recorder.flush(timeout: 30 * .second))
      #expect(targets.filter { $0.hasPrefix(path) } == [])
      recorder.close(endedNs: Sample.start)
    }

    @Test("have no number that a file of the program is likely to have: a listener at malloc may write on our thread")
    func foreignNumbers() throws {
      let written = Mutex<[Int32]?>(nil)
      let path = path
      #expect(
        DetachedThread.start(named: "store") {
          // In a shared table the numbers are those of this process's own files.
          guard stallwatch_owns_descriptors() else { return written.withLock { $0 = [-1] } }
          var live = try? StoreWriter(path: path, session: Sample.session(), configuration: .init())
          try? live?.write([Sample.loop(), Sample.mode(), Sample.began(1, at: .second)])
          let reached = (0..<256 as Range<Int32>).filter { write($0, "lost", 4) >= 0 }
          live = nil
          written.withLock { $0 = reached }
        })
      #expect(eventually { written.withLock { $0 != nil } })
      #expect(written.withLock { $0 } == [])
      #expect(try StoreReader(path: path).sessions().count == 1)
    }

    @Test("go with the last connection, and take nothing along that another one wrote after it looked")
    func lastConnection() throws {
      var early: StoreWriter? = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
      var late: StoreWriter? = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
      try early?.write([Sample.loop(name: "early")])
      try late?.write([Sample.loop(name: "late")])
      late = nil
      early = nil
      let loops = try StoreReader(path: path).sessions().flatMap { try StoreReader(path: path).loops(session: $0.id) }
      #expect(Set(loops.map(\.record.name)) == ["early", "late"])
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test("get back to their usual size when nobody reads any longer")
    func longLog() throws {
      let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
      func write(times: Int) throws {
        for _ in 0..<times { try writer.connection.run("INSERT INTO fill VALUES (zeroblob(200000))") }
      }
      let reader = try WritableStore.open(path, creating: false, busyTimeout: 0)
      try reader.run("BEGIN; SELECT count(*) FROM loops")
      try writer.connection.run("CREATE TABLE fill (value)")
      try write(times: 40)
      let size = { try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0 }
      #expect(try size() > WritableStore.usualLogSize)
      try reader.run("COMMIT")
      try write(times: 40)
      #expect(try size() <= WritableStore.usualLogSize)
    }

    @Test("hold all frames of a transaction, also those written more than once, before the index names them")
    func frames() throws {
      let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
      // SQLite's own file system sees the files alone.
      let reader = try WritableStore.open(path, creating: false, busyTimeout: 0)
      try writer.connection.run("CREATE TABLE fill (id INTEGER PRIMARY KEY, round, bytes)")
      for id in 1...60 { try writer.connection.run("INSERT INTO fill VALUES (\(id), 0, zeroblob(3000))") }
      // Changed pages are written early, and once more when they change again.
      try writer.connection.keepPages(clean: 5, changed: 5)
      for round in 1...20 as ClosedRange<Int64> {
        try writer.connection.write { () throws(SQLiteFailure) in
          for part in 1...3 as ClosedRange<Int64> {
            try writer.connection.run("UPDATE fill SET round = \(round), bytes = randomblob(3000 + \(part))")
          }
        }
        #expect(try reader.firstInteger("SELECT sum(round) FROM fill WHERE length(bytes) = 3003") == 60 * round)
        #expect(try reader.firstText("PRAGMA quick_check(1)") == "ok")
      }
    }

    @Test("are written with all frames of a transaction at once")
    func frameSteps() {
      var frames = LogFrames()
      func step(_ count: Int, at place: Int64, storeSize: UInt8 = 0) -> LogFrames.Step {
        var bytes = [UInt8](repeating: 0, count: count)
        if count == 24 { bytes[7] = storeSize }
        return bytes.withUnsafeBytes { frames.take($0, at: place) }
      }
      let steps = [
        step(32, at: 0), step(24, at: 32), step(4_096, at: 56), step(24, at: 4_152, storeSize: 9),
        step(4_096, at: 4_176),
      ]
      #expect(steps == [.writeApart, .wait, .wait, .wait, .writeAll], "the log's own head, and two frames")
      let old = step(24, at: 32)
      #expect(old == .writeApart, "nothing follows a head that is written anew")
    }

    @Test("take no memory between transactions but the header of the log's index, and lose nothing by that")
    func givenBackIndex() throws {
      let region = LogIndexRegion(offset: 0, size: 32_768)
      region.current.storeBytes(of: 1, toByteOffset: 0, as: UInt32.self)
      region.current.storeBytes(of: 2, toByteOffset: 20_000, as: UInt32.self)
      region.giveBack()
      #expect(region.current.load(fromByteOffset: 0, as: UInt32.self) == 1)
      #expect(region.current.load(fromByteOffset: 20_000, as: UInt32.self) == 0)

      let writers = try (0..<2).map { _ in
        try StoreWriter(path: path, session: Sample.session(), configuration: .init())
      }
      let reader = try WritableStore.open(path, creating: false, busyTimeout: 0)
      try writers[0].connection.run("CREATE TABLE fill (value)")
      // Both write pages that the log has already, so that a frame that is not found would show an older page.
      let check = "SELECT quick_check <> 'ok' FROM pragma_quick_check(1)"
      for round in 1...20 as ClosedRange<Int64> {
        for writer in writers {
          try writer.connection.run("INSERT INTO fill VALUES (zeroblob(5000))")
          writer.releaseMemory()
          reader.releaseMemory()
          #expect(try writer.connection.firstInteger(check) == 0)
        }
        for connection in writers.map(\.connection) + [reader] {
          #expect(try connection.firstInteger("SELECT count(*) FROM fill") == 2 * round)
        }
      }
    }

    @Test("are not kept open for the program: a pipe that it closes is closed")
    func pipes() throws {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      let recorder = try StoreRecorder(path: path, session: Sample.session())
      close(ends[1])
      var byte: UInt8 = 0
      #expect(read(ends[0], &byte, 1) == 0, "the end of the pipe's text")
      close(ends[0])
      recorder.close(endedNs: Sample.start)
    }

    @Test("may lose the log's index: nothing is lost, and nobody dies", arguments: [0, 3, 100, 1_000, 20_000])
    func truncatedIndex(length: Int) throws {
      let recorder = try StoreRecorder(path: path, session: Sample.session())
      recorder.take(Sample.loop())
      recorder.take(Sample.mode())
      for number in 1...200 as ClosedRange<UInt64> {
        recorder.take(Sample.began(number, at: number * .second))
        recorder.take(Sample.ended(number, duration: 60 * .millisecond))
        if number % 10 == 0 {
          #expect(recorder.flush(timeout: 30 * .second))
          #expect(truncate(path + "-shm", off_t(length)) == 0)
        } else if number % 7 == 0 {
          // At any moment of a transaction.
          #expect(truncate(path + "-shm", off_t(length)) == 0)
        }
      }
      #expect(recorder.flush(timeout: 30 * .second))
      recorder.close(endedNs: Sample.start + 300 * .second)
      #expect(recorder.trouble == nil)
      try expectWhole(stalls: 200)
    }

    @Test("may lose the log's index at any moment, again and again")
    func truncatedIndexAtAnyMoment() throws {
      let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
      recorder.take(Sample.loop())
      recorder.take(Sample.mode())
      let index = path + "-shm"
      let isOver = Atomic<Bool>(false)
      try withExtendedLifetime(isOver) {
        let over = DispatchGroup()
        DispatchQueue.global().async(group: over) {
          var length: off_t = 1
          while !isOver.load(ordering: .relaxed) {
            truncate(index, length)
            length = (length * 31 + 7) % 32_768
          }
        }
        for number in 1...100 as ClosedRange<UInt64> {
          recorder.take(Sample.began(number, at: number * .second))
          recorder.take(Sample.ended(number, duration: 60 * .millisecond))
          _ = recorder.flush(timeout: 1 * .millisecond)
        }
        isOver.store(true, ordering: .relaxed)
        over.wait()
        #expect(recorder.flush(timeout: 60 * .second))
        recorder.close(endedNs: Sample.start + 300 * .second)
        #expect(recorder.trouble == nil)
        try expectWhole(stalls: 100)
      }
    }

    @Test("may lose a part of the log's index: it is not taken for the whole", arguments: [0, 4_096, 16_384, 32_256])
    func indexWithHole(start: Int) throws {
      let first = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
      func write(_ numbers: ClosedRange<UInt64>, to recorder: StoreRecorder) {
        for number in numbers {
          recorder.take(Sample.began(number, at: number * .second))
          recorder.take(Sample.ended(number, duration: 60 * .millisecond))
        }
        #expect(recorder.flush(timeout: 60 * .second))
      }
      /// As where somebody makes the file shorter, and who writes longer again: the header stays, the rest is zero.
      func cut() throws {
        let index = try FileHandle(forUpdating: URL(fileURLWithPath: path + "-shm"))
        try index.seek(toOffset: UInt64(max(start, 136)))
        try index.write(contentsOf: Data(count: 32_768 - max(start, 136)))
        try index.close()
      }
      first.take(Sample.loop())
      first.take(Sample.mode())
      write(1...20, to: first)
      try cut()
      let second = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
      second.take(Sample.loop())
      second.take(Sample.mode())
      write(1...20, to: second)
      try cut()
      write(21...40, to: first)
      first.close(endedNs: Sample.start + 300 * .second)
      second.close(endedNs: Sample.start + 300 * .second)
      let reader = try StoreReader(path: path)
      let totals = try reader.stallTotals()
      #expect(totals.map(\.count) == [40, 20], "\(totals)")
      #expect(try ReadAccess(path: path).connection.firstText("PRAGMA integrity_check") == "ok")
    }

    @Test("may lose the log's index while other processes write")
    func truncatedIndexOfSeveral() throws {
      let processes = try (0..<3).map { _ in try #require(Tool.start(try StoreWriterProgram.path, [path, "60"])) }
      while processes.contains(where: \.isRunning) {
        truncate(path + "-shm", 0)
        usleep(20_000)
      }
      #expect(processes.map(\.terminationStatus) == [0, 0, 0])
      let reader = try StoreReader(path: path)
      let sessions = try reader.sessions()
      #expect(sessions.map(\.ended) == [.clean, .clean, .clean])
      let totals = try reader.stallTotals()
      #expect(totals.map(\.count) == [60, 60, 60], "\(totals)")
      #expect(try ReadAccess(path: path).connection.firstText("PRAGMA integrity_check") == "ok")
    }

    @Test("may lose the log's index while it is opened")
    func truncatedIndexAtOpening() throws {
      try Data("store".utf8).write(to: URL(fileURLWithPath: path))
      let index = path + "-shm"
      // Which opening goes on; 0 when all are over. Each is disturbed so often that it may lose the index again and again, and
      // so seldom that it must succeed, however slowly this machine runs it.
      let opening = Atomic<Int>(1)
      let mostCuts = 50
      withExtendedLifetime(opening) {
        let over = DispatchGroup()
        DispatchQueue.global().async(group: over) {
          var (disturbed, cuts) = (1, 0)
          while disturbed != 0 {
            if cuts < mostCuts { truncate(index, 100) }
            usleep(100)
            let current = opening.load(ordering: .relaxed)
            (disturbed, cuts) = (current, current == disturbed ? cuts + 1 : 0)
          }
        }
        for number in 1...2_000 {
          opening.store(number, ordering: .relaxed)
          var status = SQLITE_OK
          guard let store = OpenFile(path: path, flags: O_RDWR),
            let opened = LogIndex(beside: store, at: path, status: &status)
          else {
            Issue.record("the index cannot be opened: \(status)")
            continue
          }
          #expect(opened.region(0, size: 32_768, extending: true, status: &status) != nil)
          #expect(status == SQLITE_OK)
        }
        opening.store(0, ordering: .relaxed)
        over.wait()
      }
    }

    @Test("are shared with connections of SQLite's own, in this process and in others")
    func mixed() throws {
      let recorder = try StoreRecorder(path: path, session: Sample.session())
      recorder.take(Sample.loop())
      recorder.take(Sample.mode())
      #expect(recorder.flush(timeout: 30 * .second))
      let own = try Connection(name: path, flags: SQLITE_OPEN_READWRITE)
      sqlite3_busy_timeout(own.handle, 30_000)
      for number in 1...100 as ClosedRange<UInt64> {
        recorder.take(Sample.began(number, at: number * .second))
        recorder.take(Sample.ended(number, duration: 60 * .millisecond))
        try own.run("UPDATE sessions SET command = '[\"\(number)\"]'")
        if number % 20 == 0 {
          #expect(recorder.flush(timeout: 30 * .second))
          #expect(try own.firstInteger("SELECT count(*) FROM stalls") == Int64(number))
          #expect(
            Tool.run("sqlite3", [path, "SELECT count(*), min(command) FROM stalls, sessions"])?.output
              == "\(number)|[\"\(number)\"]\n")
        }
      }
      recorder.close(endedNs: Sample.start + 300 * .second)
      #expect(try own.firstInteger("SELECT count(*) FROM stalls") == 100)
      #expect(try own.firstText("SELECT command FROM sessions") == "[\"100\"]")
      #expect(try own.firstText("PRAGMA integrity_check") == "ok")
    }

    // MARK: Where the program's table of descriptors is ours too

    @Test("leave a descriptor alone that has become another file's")
    func replacedDescriptor() throws {
      try Data("store".utf8).write(to: URL(fileURLWithPath: path))
      try Data("own data".utf8).write(to: URL(fileURLWithPath: folder.file("own")))
      let other = open(folder.file("own"), O_RDWR)
      var file = OpenFile(path: path, flags: O_RDWR)
      let descriptor = try #require(file?.descriptor)
      #expect(file?.isIntact == true)
      #expect(dup2(other, descriptor) == descriptor)
      #expect(file?.write("SQLite", 6, at: 0) == false)
      var buffer = [UInt8](repeating: 0, count: 8)
      #expect(file?.read(into: &buffer, 8, at: 0) == nil)
      #expect(file.map { FileLock(file: $0).set(.exclusive, at: 0, count: 1) } == SQLITE_IOERR)
      file = nil
      #expect(fcntl(descriptor, F_GETFD) >= 0, "the program's descriptor is still open")
      #expect(try String(contentsOfFile: folder.file("own"), encoding: .utf8) == "own data")
      close(descriptor)
      close(other)
    }

    private func expectWhole(stalls: Int) throws {
      let reader = try StoreReader(path: path)
      #expect(try reader.sessions().map(\.ended) == [.clean])
      #expect(try reader.stallTotals().map(\.count) == [stalls])
      #expect(try reader.health(session: 1).losses.isEmpty)
      #expect(try ReadAccess(path: path).connection.firstText("PRAGMA integrity_check") == "ok")
      #expect(Array(folder.contents.keys) == ["store.db"])
    }
  }
#endif
