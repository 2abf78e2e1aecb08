import StallwatchReport

/// Rows and columns without a layout. Each renderer lays them out in its own way.
package struct Table {
  /// A column of a table.
  package struct Column {
    /// The side on which its cells align.
    package enum Alignment { case left, right }

    /// The heading above it.
    package var title: String
    /// The figure of which it and its neighbours show parts, such as quantiles. The first of them has it in its title; where
    /// that one is left out, the next one gets it.
    package var group: String?
    package var alignment: Alignment = .right
    /// Whether its cells are names, which may be cut to save room; figures never are.
    package var isName = false
    /// When it is left out where room is short: 1 is left out first. Nil: never.
    package var leaves: Int?
    /// The width down to which a name is cut before columns are left out for it.
    package var leastWidth = narrowestName
    /// … and where none is left that may leave: enough for most names of loops.
    static let narrowestName = 8

    /// A column of figures.
    package static func figure(_ title: String) -> Column { Column(title: title) }
    /// A column of short words from a fixed set.
    package static func word(_ title: String) -> Column { Column(title: title, alignment: .left) }
    /// A column of names from the recorded program.
    package static func name(_ title: String) -> Column { Column(title: title, alignment: .left, isName: true) }
    /// The same for names that often begin alike, such as `com.apple.root…`, and say nothing when cut short.
    package static func longName(_ title: String) -> Column {
      Column(title: title, alignment: .left, isName: true, leastWidth: 28)
    }

    /// The same column, as one of those of a figure.
    package func of(_ group: String) -> Column {
      var column = self
      column.group = group
      return column
    }

    /// The same column, left out in this turn where room is short.
    package func leaving(_ turn: Int) -> Column {
      var column = self
      column.leaves = turn
      return column
    }
  }

  /// A cell: raw text, which the renderer makes harmless, and its tone.
  package struct Cell: ExpressibleByStringInterpolation {
    package var text: String
    /// Its tone where the output has colour.
    package var tone = Tone.plain

    package init(_ text: String, tone: Tone = .plain) {
      self.text = text
      self.tone = tone
    }

    package init(stringLiteral text: String) { self.text = text }
  }

  /// The emphasis of a text where the output has colour. A meaning never depends on tone alone.
  package enum Tone { case plain, faint, heading, notice, alarm }

  package var columns: [Column]
  /// The rows, each with one cell per column.
  package var rows: [[Cell]] = []
  /// A sentence to each row, without its full stop, for which no column has room: it stands below the row, or last in it.
  /// None, or one for every row.
  package var sentences: [String] = []
  /// What the sentences are.
  package var sentenceTitle = ""

  /// Sets every property as given.
  package init(columns: [Column], rows: [[Cell]] = [], sentences: [String] = [], sentenceTitle: String = "") {
    (self.columns, self.rows, self.sentences, self.sentenceTitle) = (columns, rows, sentences, sentenceTitle)
  }

  /// The table without these columns and their cells.
  package func without(_ places: Range<Int>) -> Table {
    var table = self
    table.columns.removeSubrange(places)
    for row in table.rows.indices { table.rows[row].removeSubrange(places) }
    return table
  }
}

/// One part of a report: title, sentences, a table and notes.
package struct ReportSection {
  package var title: String
  /// Sentences above the table.
  package var paragraphs: [String] = []
  /// The figures; nil where the section has no table.
  package var table: Table?
  /// Sentences below the table.
  package var notes: [String] = []

  /// Sets every property as given.
  package init(title: String, paragraphs: [String] = [], table: Table? = nil, notes: [String] = []) {
    (self.title, self.paragraphs, self.table, self.notes) = (title, paragraphs, table, notes)
  }
}
