import StallwatchReport

/// Rows and columns without a layout. Each renderer lays them out in its own way.
struct Table {
  /// A column of a table.
  struct Column {
    /// The side on which its cells align.
    enum Alignment { case left, right }

    /// The heading above it.
    var title: String
    /// The figure of which it and its neighbours show parts, such as quantiles. The first of them has it in its title; where
    /// that one is left out, the next one gets it.
    var group: String?
    var alignment: Alignment = .right
    /// Whether its cells are names, which may be cut to save room; figures never are.
    var isName = false
    /// When it is left out where room is short: 1 is left out first. Nil: never.
    var leaves: Int?
    /// The width down to which a name is cut before columns are left out for it.
    var leastWidth = narrowestName
    /// … and where none is left that may leave: enough for most names of loops.
    static let narrowestName = 8

    /// A column of figures.
    static func figure(_ title: String) -> Column { Column(title: title) }
    /// A column of short words from a fixed set.
    static func word(_ title: String) -> Column { Column(title: title, alignment: .left) }
    /// A column of names from the recorded program.
    static func name(_ title: String) -> Column { Column(title: title, alignment: .left, isName: true) }
    /// The same for names that often begin alike, such as `com.apple.root…`, and say nothing when cut short.
    static func longName(_ title: String) -> Column {
      Column(title: title, alignment: .left, isName: true, leastWidth: 28)
    }

    /// The same column, as one of those of a figure.
    func of(_ group: String) -> Column {
      var column = self
      column.group = group
      return column
    }

    /// The same column, left out in this turn where room is short.
    func leaving(_ turn: Int) -> Column {
      var column = self
      column.leaves = turn
      return column
    }
  }

  /// A cell: raw text, which the renderer makes harmless, and its tone.
  struct Cell: ExpressibleByStringInterpolation {
    var text: String
    /// Its tone where the output has colour.
    var tone = Tone.plain

    init(_ text: String, tone: Tone = .plain) {
      self.text = text
      self.tone = tone
    }

    init(stringLiteral text: String) { self.text = text }
  }

  /// The emphasis of a text where the output has colour. A meaning never depends on tone alone.
  enum Tone { case plain, faint, heading, notice, alarm }

  var columns: [Column]
  /// The rows, each with one cell per column.
  var rows: [[Cell]] = []
  /// A sentence to each row, without its full stop, for which no column has room: it stands below the row, or last in it.
  /// None, or one for every row.
  var sentences: [String] = []
  /// What the sentences are.
  var sentenceTitle = ""

  /// The table without these columns and their cells.
  func without(_ places: Range<Int>) -> Table {
    var table = self
    table.columns.removeSubrange(places)
    for row in table.rows.indices { table.rows[row].removeSubrange(places) }
    return table
  }
}

/// One part of a report: title, sentences, a table and notes.
struct ReportSection {
  var title: String
  /// Sentences above the table.
  var paragraphs: [String] = []
  /// The figures; nil where the section has no table.
  var table: Table?
  /// Sentences below the table.
  var notes: [String] = []
}
