/// The modes of a scripted loop; the raw value is the mode's place in the loop's table.
enum TraceMode: Int, CaseIterable {
  case `default`, tracking, modal, helper
}
