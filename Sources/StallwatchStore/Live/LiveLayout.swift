/// Which piece of figures lies in which block of a live region, and which blocks have changed since they were written.
struct LiveLayout {
  private struct Piece {
    var key: LiveKey
    var bytes: [UInt8]

    /// Takes no more memory than the bytes need. An array made of another one, or of a slice of it, shares its memory: a
    /// writer's, which has room for the largest piece.
    init(_ key: LiveKey, copying bytes: [UInt8]) {
      self.key = key
      self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
    }

    /// Takes other bytes, in the same memory where they fit: figures grow by few bytes at a time.
    mutating func replaceBytes(by others: [UInt8]) {
      bytes.removeAll(keepingCapacity: true)
      bytes.makeRoom(for: others.count)
      bytes.append(contentsOf: others)
    }
  }

  private struct Block {
    var pieces: [Piece] = []
    var size = 0
    var hasChanged = false
    /// When it lost a piece to another block since it was written, as a count of such moves.
    var lostAt: Int?

    func contains(_ more: Int, atMost limit: Int) -> Bool { size + more <= limit && lostAt == nil }

    mutating func append(_ piece: Piece) {
      pieces.makeRoom(for: pieces.count + 1)
      pieces.append(piece)
      size += piece.bytes.count
    }

    /// Removes and returns a piece. Pieces are small at first, so that a block has many more of them than later.
    @discardableResult
    mutating func remove(at index: Int) -> Piece {
      let piece = pieces.remove(at: index)
      pieces.giveBackRoom()
      size -= piece.bytes.count
      return piece
    }
  }

  private var blocks: [Block] = []
  private var places: [LiveKey: Int] = [:]
  /// The block that new pieces go to.
  private var filling = 0
  private var moves = 0
  /// New pieces leave a sixteenth of a block to those that grow, so that few move.
  private static let fillLimit = LiveBlock.room * 15 / 16
  /// A block that lost so much takes new pieces again.
  private static let reuseLimit = LiveBlock.room * 27 / 32
  /// Blocks that on average have less are too many. Others can take what one of them has: they take more than this.
  private static let packLimit = LiveBlock.room * 7 / 8

  /// How many blocks are in use.
  var count: Int { blocks.count { !$0.pieces.isEmpty } }
  /// How many bytes the pieces have room for in memory.
  var capacity: Int { blocks.reduce(0) { $0 + $1.pieces.reduce(0) { $0 + $1.bytes.capacity } } }
  /// How many pieces the blocks have room for in memory, and how many they have.
  var pieceCounts: (capacity: Int, inUse: Int) {
    blocks.reduce(into: (0, 0)) { $0 = ($0.0 + $1.pieces.capacity, $0.1 + $1.pieces.count) }
  }

  /// Puts a copy of `bytes` in place of what stands under its key. Returns false, and changes nothing, if there is no
  /// room.
  mutating func put(_ key: LiveKey, _ bytes: [UInt8]) -> Bool {
    guard let place = places[key], let index = blocks[place].pieces.firstIndex(where: { $0.key == key }) else {
      return add(Piece(key, copying: bytes))
    }
    let count = blocks[place].pieces[index].bytes.count
    if blocks[place].pieces[index].bytes == bytes { return true }
    if blocks[place].size + bytes.count - count <= LiveBlock.room {
      blocks[place].pieces[index].replaceBytes(by: bytes)
      blocks[place].size += bytes.count - count
      blocks[place].hasChanged = true
      return true
    }
    return move(key, to: bytes, from: place, index)
  }

  private mutating func move(_ key: LiveKey, to bytes: [UInt8], from place: Int, _ index: Int) -> Bool {
    let old = blocks[place].remove(at: index)
    let lostAt = blocks[place].lostAt
    moves += 1
    blocks[place].lostAt = lostAt ?? moves
    if add(Piece(key, copying: bytes)) {
      blocks[place].hasChanged = true
      return true
    }
    blocks[place].append(old)
    blocks[place].lostAt = lostAt
    return false
  }

  private mutating func add(_ piece: Piece) -> Bool {
    guard let place = place(for: piece.bytes.count) else { return false }
    blocks[place].append(piece)
    blocks[place].hasChanged = true
    places[piece.key] = place
    return true
  }

  private mutating func place(for size: Int) -> Int? {
    if filling < blocks.count, blocks[filling].contains(size, atMost: Self.fillLimit) { return filling }
    if let half = blocks.firstIndex(where: { $0.contains(size, atMost: Self.reuseLimit) }) {
      filling = half
    } else if blocks.count < LiveHeader.blockCount, size <= LiveBlock.room {
      filling = blocks.count
      blocks.append(Block())
    } else {
      return blocks.firstIndex { $0.contains(size, atMost: LiveBlock.room) }
    }
    return filling
  }

  /// Empties the emptiest block into others if they are so empty together that they need it no longer: every block is
  /// written to the disk again and again.
  mutating func pack() {
    let used = blocks.indices.filter { !blocks[$0].pieces.isEmpty }
    let size = used.reduce(0) { $0 + blocks[$1].size }
    guard used.count > 1, size <= (used.count - 1) * Self.packLimit,
      let emptiest = used.min(by: { blocks[$0].size < blocks[$1].size })
    else { return }
    var takers = used.filter { $0 != emptiest }[...]
    while let piece = blocks[emptiest].pieces.last {
      let size = piece.bytes.count
      // Pieces are about as large as each other, so that a block that is too full for this one stays so.
      while let taker = takers.first, !blocks[taker].contains(size, atMost: Self.fillLimit) { takers.removeFirst() }
      guard let taker = takers.first else { break }
      blocks[taker].append(piece)
      blocks[taker].hasChanged = true
      places[piece.key] = taker
      blocks[emptiest].remove(at: blocks[emptiest].pieces.count - 1)
      noteLoss(of: emptiest)
    }
    if filling == emptiest { filling = takers.first ?? 0 }
  }

  /// Notes that a block has lost a piece to another one.
  private mutating func noteLoss(of block: Int) {
    moves += 1
    blocks[block].lostAt = blocks[block].lostAt ?? moves
    blocks[block].hasChanged = true
  }

  /// Removes what belongs to these.
  mutating func remove(_ owners: Set<LiveKey.Owner>) {
    guard !owners.isEmpty else { return }
    for place in blocks.indices {
      let gone = blocks[place].pieces.filter { owners.contains($0.key.owner) }
      guard !gone.isEmpty else { continue }
      blocks[place].pieces.removeAll { owners.contains($0.key.owner) }
      blocks[place].pieces.giveBackRoom()
      blocks[place].size -= gone.reduce(0) { $0 + $1.bytes.count }
      blocks[place].hasChanged = true
      for piece in gone { places[piece.key] = nil }
    }
  }

  /// Removes these pieces, where they are.
  mutating func remove(_ keys: [LiveKey]) {
    for key in keys {
      guard let place = places.removeValue(forKey: key),
        let index = blocks[place].pieces.firstIndex(where: { $0.key == key })
      else { continue }
      blocks[place].remove(at: index)
      blocks[place].hasChanged = true
    }
  }

  /// Removes everything, and has that written.
  mutating func empty() {
    for place in blocks.indices { blocks[place] = Block(hasChanged: true) }
    places = [:]
    filling = 0
  }

  /// Has everything written once more.
  mutating func touchAll() { for place in blocks.indices { blocks[place].hasChanged = true } }

  /// The blocks that have changed, in the order in which they are to be written: one that lost a piece comes after the
  /// one that took it, so that a death between the two loses nothing.
  var changed: [Int] {
    blocks.indices.filter { blocks[$0].hasChanged }
      .sorted { (blocks[$1].lostAt ?? .max, $0) < (blocks[$0].lostAt ?? .max, $1) }
  }

  /// Appends a block's pieces, one after the other.
  func append(block: Int, to writer: inout LiveWriter) {
    for piece in blocks[block].pieces { writer.append(piece.bytes) }
  }

  /// Notes that a block was written.
  mutating func wasWritten(_ block: Int) { (blocks[block].hasChanged, blocks[block].lostAt) = (false, nil) }
}
