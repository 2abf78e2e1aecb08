/// The place of a flame graph, which the page's script draws.
enum FlameHTML {
  /// Tools, the graph of what is called `title`, and a line that reads it.
  static func html(of title: String) -> String {
    "<div class=\"scripted-only\"><div class=\"bar flame-tools\" role=\"toolbar\" aria-label=\"Flame graph\"></div>\n"
      + "<div class=\"flame\" role=\"group\" aria-label=\"Flame graph of \(HTMLText.name(title)); arrows move, Enter zooms, c "
      + "copies the stack, Escape shows all\"></div>\n<p class=\"reading\" role=\"status\"></p>\n"
      + "<p class=\"note\">Width is time. Callers stand above what they call, from the run loop's callee down. Grey: code of "
      + "the system. Hatched: no stack was read. What is narrower than a pixel shows when its caller is zoomed.</p></div>\n"
  }
}
