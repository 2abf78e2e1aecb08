import StallwatchCore
import Testing

@Suite("The processor's counter as a clock") struct CounterClockTests {
  /// 2.6 GHz.
  private let countsPerMillisecond: UInt64 = 2_600_000

  private func pair(_ milliseconds: UInt64, late: UInt64 = 0) -> CounterPair {
    CounterPair(counter: 7_000 + milliseconds * countsPerMillisecond, ns: 90_000 + milliseconds * 1_000_000 + late)
  }

  @Test("Two rates that agree are needed before the counter is used")
  func agreement() {
    var calibration = CounterCalibration()
    #expect(calibration.add(pair(0)) == nil)
    #expect(calibration.add(pair(250)) == nil)
    #expect(calibration.add(pair(500)) != nil)
  }

  @Test("Converted times are those of the clock, also a second after the pair")
  func conversion() throws {
    let memory = Memory()
    let conversion = CounterConversion(memory: memory.address)
    #expect(conversion.nanoseconds(at: 7_000) == nil)
    var calibration = CounterCalibration()
    for place in 0..<3 as Range<UInt64> { conversion.set(calibration.add(pair(place * 250))) }
    for milliseconds in [500, 501, 750, 1_000, 1_400] as [UInt64] {
      let converted = try #require(conversion.nanoseconds(at: pair(milliseconds).counter))
      let error = Int64(bitPattern: converted) - Int64(bitPattern: pair(milliseconds).ns)
      #expect(abs(error) <= 1)
    }
  }

  @Test("A line is used for a second at most, and never for what lies before it")
  func limits() {
    let memory = Memory()
    let conversion = CounterConversion(memory: memory.address)
    var calibration = CounterCalibration()
    for place in 0..<3 as Range<UInt64> { conversion.set(calibration.add(pair(place * 250))) }
    #expect(conversion.nanoseconds(at: pair(1_501).counter) == nil)
    #expect(conversion.nanoseconds(at: pair(499).counter) == nil)
    #expect(conversion.nanoseconds(at: 0) == nil)
    conversion.set(nil)
    #expect(conversion.nanoseconds(at: pair(600).counter) == nil)
  }

  @Test("A counter whose rate changes is not used until two rates agree again")
  func changedRate() {
    var calibration = CounterCalibration()
    for place in 0..<3 as Range<UInt64> { _ = calibration.add(pair(place * 250)) }
    // The clock is set right by 100 millionths from here on.
    #expect(calibration.add(pair(750, late: 25_000)) == nil)
    #expect(calibration.add(pair(1_000, late: 50_000)) != nil)
  }

  @Test("A counter that jumps back, stands still or leaps is not used")
  func jumps() {
    for broken in [
      CounterPair(counter: 0, ns: pair(750).ns), CounterPair(counter: pair(500).counter, ns: pair(750).ns),
      CounterPair(counter: pair(500_000).counter, ns: pair(750).ns),
    ] {
      var calibration = CounterCalibration()
      for place in 0..<3 as Range<UInt64> { _ = calibration.add(pair(place * 250)) }
      #expect(calibration.add(broken) == nil)
      #expect(
        calibration.add(CounterPair(counter: broken.counter + 250 * countsPerMillisecond, ns: pair(1_000).ns)) == nil)
      #expect(
        calibration.add(CounterPair(counter: broken.counter + 500 * countsPerMillisecond, ns: pair(1_250).ns)) != nil)
    }
  }

  @Test("A close pair does not make a rate count that nothing has confirmed")
  func closePairOfNewRate() {
    var calibration = CounterCalibration()
    #expect(calibration.add(pair(0)) == nil)
    #expect(calibration.add(pair(250)) == nil)
    #expect(calibration.add(pair(251)) == nil)
    #expect(calibration.add(pair(500)) != nil)
    #expect(calibration.add(pair(750, late: 25_000)) == nil)
    #expect(calibration.add(pair(751, late: 25_000)) == nil)
  }

  @Test("Pairs close together draw the line anew but give no rate")
  func closePairs() throws {
    var calibration = CounterCalibration()
    for place in 0..<3 as Range<UInt64> { _ = calibration.add(pair(place * 250)) }
    // 50 ns off within 1 ms would be a rate 50 millionths off.
    #expect(calibration.add(pair(501, late: 50)) != nil)
    #expect(calibration.add(pair(750)) != nil)
  }
}

/// Zeroed memory for as long as a test takes.
private final class Memory {
  let address = UnsafeMutableRawPointer.allocate(byteCount: CounterConversion.byteCount, alignment: 8)
  init() { address.initializeMemory(as: UInt8.self, repeating: 0, count: CounterConversion.byteCount) }
  deinit { address.deallocate() }
}
