import Testing
@Test func x() { #expect(macros.count == 8) }
