import StallwatchCore
import StallwatchReport

/// The columns of a table that measures declare, with the cells of each subject.
struct MeasureColumns<Subject, Stored> {
  private let places: [(measure: Measure<Subject, Stored>, quantile: Quantile, column: Table.Column)]

  /// The columns of `measures`. A distribution's first column has its title, those beside it only their quantile's.
  init(_ measures: [Measure<Subject, Stored>]) {
    places = measures.columns().flatMap { measure, column in
      let quantiles = measure.isDistribution ? column.quantiles : [.maximum]
      return quantiles.enumerated().map { place, quantile in
        let title =
          measure.isDistribution ? (place == 0 ? "\(column.title) \(quantile.key)" : quantile.key) : column.title
        var shown = Table.Column.figure(title)
        shown.group = measure.isDistribution ? column.title : nil
        shown.leaves = column.leaves.indices.contains(place) ? column.leaves[place] : nil
        return (measure, quantile, shown)
      }
    }
  }

  /// The columns as a table has them.
  var columns: [Table.Column] { places.map(\.column) }

  /// The cells of `subject`, with `unknown` for an unknown figure.
  func cells(
    _ subject: Subject, unknown: String = Figure.unknown,
    tone: (String, MeasureValue) -> Table.Tone = { _, _ in .plain }
  ) -> [Table.Cell] {
    places.map { cell($0.measure, $0.quantile, subject, unknown, tone) }
  }

  /// The cells of a part of the subject, from those of its own `measures` that have the key of a column.
  func cells<Part, Other>(
    _ part: Part, from measures: [Measure<Part, Other>], tone: (String, MeasureValue) -> Table.Tone
  ) -> [Table.Cell] {
    places.map { place in
      guard let measure = measures.first(where: { $0.key == place.measure.key }) else { return "" }
      return cell(measure, place.quantile, part, Figure.unknown, tone)
    }
  }

  private func cell<One, Other>(
    _ measure: Measure<One, Other>, _ quantile: Quantile, _ subject: One, _ unknown: String,
    _ tone: (String, MeasureValue) -> Table.Tone
  ) -> Table.Cell {
    guard let value = measure.value(of: subject, at: quantile) else { return Table.Cell(unknown) }
    let name = measure.isDistribution ? "\(measure.key).\(quantile.key)" : measure.key
    return Table.Cell(Figure.text(value, measure.unit), tone: tone(name, value))
  }
}
