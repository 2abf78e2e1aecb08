import StallwatchCore

extension Int {
  var ns: Nanoseconds { Nanoseconds(self) }
  var us: Nanoseconds { Nanoseconds(self) * .microsecond }
  var ms: Nanoseconds { Nanoseconds(self) * .millisecond }
  var s: Nanoseconds { Nanoseconds(self) * .second }
}
