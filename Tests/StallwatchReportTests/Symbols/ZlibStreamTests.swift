import Foundation
import Testing

@testable import StallwatchSymbols

/// Compressed sections unpack to what was packed, or to nothing.
struct ZlibStreamTests {
  /// The squares of 0 to 199 as zlib packs them, with codes of their own.
  private static let squares = """
    eNolk9kBBCEIQ1uxBDkE6b+xeXF+dljlCEncy1auWVbLz4paOatyXVu29zLnm8ktGUMKOX743lnhST7V5GXyvbmOzzpdq8grvs3/\
    5vxyP+RNqS+FtulgRitTT3OaW2hKatzR3BKAEpIGkd0UBhD6FgoTYt+zPHYuz20go8JLUevs6nbIC1UE/QUa5EG/SDqHZkQzLS5z\
    Y0CQGywpVBngywRpFpizta3WOJt9jmnh0MbcrKOdTysazmpzS5XBJhV1qK2mS1369T4ih4pm5urD3G4Q9IDlivrr4LspLQrM94J+\
    tAcZRKCETbacu59WImv7i3OL4CIDmkk2U52Zh+IUj1ai1K7Y9V/pEOd+RL+3lPB5ojx9Is8TSKrFSMC0et5QLSgV3yvpqOM3IMIe\
    J3au4nrnFcqpl1+i0vr16VTPfv17NOu+uYiu+OGZLWzzcM4zxwg/O7OLb+3lu2UQ+x0SsoiJB1cxdhE//tvExZuH6Tzy+aiVn682\
    Q31SzOMY9T/SA++r9kglR13OS9o5wMl/inofvZCWzs4WMqLU582oduQJnwMPEAwnmLNlUXEVexSbXAV6csLlNWwro7ocGGF6eSFf\
    RtAaK2suEo1ieThOyM7nObukL5Z/fr+yfr9X0KUHcd/b4IEq1otB3v2ewrYPEWvGJQ==
    """

  private static let packed: [(packed: [UInt8], text: String)] = [
    ([120, 1, 1, 6, 0, 249, 255, 115, 116, 111, 114, 101, 100, 9, 60, 2, 146], "stored"),
    (
      [120, 1, 43, 46, 73, 204, 201, 81, 40, 70, 34, 203, 19, 75, 146, 51, 0, 106, 218, 8, 216],
      "stall stall stall watch"
    ),
    (
      Array(Data(base64Encoded: squares) ?? Data()),
      (0..<200).map { "\($0 * $0)" }.joined(separator: " ")
    ),
  ]

  @Test func blocksOfEveryKindUnpack() throws {
    for (packed, text) in Self.packed {
      let bytes = try #require(ZlibStream.unpacked([7, 7] + packed, from: 2, size: text.utf8.count))
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }

  @Test func anotherSizeThanWasToldIsDamage() {
    for (packed, text) in Self.packed {
      for size in [0, 1, text.utf8.count - 1, text.utf8.count + 1, .max] {
        #expect(ZlibStream.unpacked(packed, from: 0, size: size) == nil)
      }
    }
  }

  @Test func whatIsCutOrChangedUnpacksToNothingElse() {
    for (packed, text) in Self.packed {
      for length in 0..<packed.count {
        #expect(ZlibStream.unpacked(Array(packed.prefix(length)), from: 0, size: text.utf8.count) == nil)
      }
      for place in packed.indices {
        for bit in 0..<8 {
          var changed = packed
          changed[place] ^= 1 << UInt8(bit)
          let bytes = ZlibStream.unpacked(changed, from: 0, size: text.utf8.count)
          // Bits between two parts mean nothing.
          #expect(bytes == nil || bytes == Array(text.utf8), "byte \(place), bit \(bit)")
        }
      }
    }
    #expect(ZlibStream.unpacked([], from: 0, size: 0) == nil)
    #expect(ZlibStream.unpacked([1, 2, 3], from: 9, size: 3) == nil)
  }
}
