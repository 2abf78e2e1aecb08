import Testing

@testable import StallwatchSymbols

@Suite struct GroupingNameTests {
  @Test(arguments: [
    ("ImageStore.decode(_:)", "ImageStore.decode(_:)"),
    ("closure #1 in ImageStore.decode(_:)", "closure in ImageStore.decode(_:)"),
    ("closure #12 in closure #2 in static Program.main()", "closure in closure in static Program.main()"),
    ("specialized each<A>(_:_:)", "each<A>(_:_:)"),
    ("merged specialized closure #3 in each<A>(_:_:)", "closure in each<A>(_:_:)"),
    ("implicit closure #1 in load()", "closure in load()"),
    ("helper #2 (_:) in load()", "helper (_:) in load()"),
    ("default argument 0 of load(_:)", "default argument of load(_:)"),
    ("(1) suspend resume partial function for Loader.load()", "Loader.load()"),
    ("(2) await resume partial function for closure #1 in Loader.load()", "closure in Loader.load()"),
    ("Loader.load() with unmangled suffix \".resume.0\"", "Loader.load()"),
    ("@objc Loader.load()", "Loader.load()"),
    ("decode_row.cold", "decode_row"), ("decode_row.part.0", "decode_row"), ("decode_row.llvm.1234", "decode_row"),
    (".cold", ".cold"), ("#", "#"), ("", ""), ("static Number.# infix(_:_:)", "static Number.# infix(_:_:)"),
    (
      "std::vector<int, std::allocator<int> >::push_back(int&&)",
      "std::vector<int, std::allocator<int> >::push_back(int&&)"
    ),
  ])
  func buildsDoNotShowInNames(name: String, grouped: String) {
    #expect(GroupingName.of(name) == grouped)
  }

  @Test("says of a closure outside of any function where it is")
  func topLevelCode() {
    let name = Demangling.readable("$s14readme_exampley10Foundation5TimerCYbcfU0_").name
    #expect(name == "closure #2 in top-level code")
    #expect(GroupingName.of(name) == "closure in top-level code")
  }
}
