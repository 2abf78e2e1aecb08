import StallwatchCore
import StallwatchStore

/// What `ship` says about itself, as a page in Prometheus's text format.
enum ShippingMetrics {
  /// The page. Counters last as long as the ledger.
  static func page(
    _ counters: [String: UInt64], _ spool: SpoolState, _ configuration: ShippingConfiguration,
    stores: (stores: Int, unreadable: Int, sessions: Int), wall: UInt64
  ) -> String {
    var page = Page()
    page.add("batches_sent_total", "counter", "Batches that the destination took.", counters["batches sent"] ?? 0)
    page.add("bytes_sent_total", "counter", "Their bytes, compressed.", counters["bytes sent"] ?? 0)
    page.add("batches_retried_total", "counter", "Deliveries that failed for now.", counters["batches retried"] ?? 0)
    page.add(
      "batches_rejected_total", "counter", "Batches that the destination will never take.",
      counters["batches rejected"] ?? 0)
    page.add("rows_sent_total", "counter", "Rows that were sent, by table.", label: "table", in: counters, "rows ")
    page.add(
      "dropped_total", "counter", "What will never be sent, by what it is.", label: "what", in: counters, "dropped ")
    page.add("spool_batches", "gauge", "Batches that wait.", spool.waiting)
    page.add("spool_bytes", "gauge", "What the spool takes, rejected batches included.", UInt64(spool.bytes))
    page.add("spool_limit_bytes", "gauge", "What it may take.", UInt64(configuration.spoolLimit))
    page.add("spool_rejected_batches", "gauge", "Batches that are set aside.", spool.rejected)
    let age = spool.oldest.map { wall.since($0) / .second } ?? 0
    page.add("oldest_batch_age_seconds", "gauge", "How long the oldest batch waits; 0 where none does.", age)
    page.add("stores", "gauge", "Stores that are followed.", UInt64(stores.stores))
    page.add("unreadable_stores", "gauge", "Stores that cannot be read.", UInt64(stores.unreadable))
    page.add("sessions", "gauge", "Their sessions.", UInt64(stores.sessions))
    page.add("time_seconds", "gauge", "When this page was made, since 1970.", wall / .second)
    return page.text
  }

  private struct Page {
    var text = ""

    mutating func add(_ name: String, _ type: String, _ help: String, _ value: UInt64) {
      begin(name, type, help)
      text += "stallwatch_ship_\(name) \(value)\n"
    }

    mutating func add(
      _ name: String, _ type: String, _ help: String, label: String, in counters: [String: UInt64], _ prefix: String
    ) {
      let found = counters.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
      guard !found.isEmpty else { return }
      begin(name, type, help)
      for (key, value) in found {
        text += "stallwatch_ship_\(name){\(label)=\"\(key.dropFirst(prefix.count))\"} \(value)\n"
      }
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
      text += "# HELP stallwatch_ship_\(name) \(help)\n# TYPE stallwatch_ship_\(name) \(type)\n"
    }
  }
}
