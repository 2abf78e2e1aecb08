/// Rows and columns without a layout; the text and the Markdown renderer each give it theirs.
struct Table {
  /// A column.
  struct Column {
    /// Where its cells stand.
    enum Alignment { case left, right }

    /// What stands above it.
    var title: String
    /// Where its cells stand.
    var alignment: Alignment = .right
    /// Whether its cells are names that may be cut for want of room; figures never are.
    var isName = false

    /// A column of figures.
    static func figure(_ title: String) -> Column { Column(title: title) }
    /// A column of short words from a fixed set.
    static func word(_ title: String) -> Column { Column(title: title, alignment: .left) }
    /// A column of names from the recorded program.
    static func name(_ title: String) -> Column { Column(title: title, alignment: .left, isName: true) }
  }

  /// A cell: raw text, which the renderer makes harmless, and how it should strike the eye.
  struct Cell: ExpressibleByStringInterpolation {
    /// What it says.
    var text: String
    /// How it should strike the eye where there is colour.
    var tone = Tone.plain

    /// A cell.
    init(_ text: String, tone: Tone = .plain) {
      self.text = text
      self.tone = tone
    }

    init(stringLiteral text: String) { self.text = text }
  }

  /// How something should strike the eye where there is colour. Never the only carrier of a meaning.
  enum Tone { case plain, faint, heading, notice, alarm }

  /// Its columns.
  var columns: [Column]
  /// Its rows, each with a cell for every column.
  var rows: [[Cell]] = []
}

/// One part of a report: a title, sentences, a table, remarks under it.
struct ReportSection {
  /// What it is about.
  var title: String
  /// Sentences above the table.
  var paragraphs: [String] = []
  /// Its figures.
  var table: Table?
  /// Sentences below the table.
  var notes: [String] = []
}
