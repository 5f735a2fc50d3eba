import Foundation
import Testing

@testable import PersistenceCore

@Suite("The forms of what the last rank of overloads stores")
struct LastFormTests {
  private final class Unstorable {}

  @Test("are found once for each type, and are those of the types")
  func once() {
    var forms = LastForms()
    for _ in 0..<3 {
      #expect(forms.form(of: Int.self) == MemberForms.lastForm(of: Int.self))
      #expect(forms.form(of: [Date]?.self) == MemberForms.lastForm(of: [Date]?.self))
      #expect(forms.form(of: [Date].self) == MemberForms.lastForm(of: [Date].self))
    }
    #expect(forms.count == 3)
  }

  @Test("that there are none is found once, too")
  func missing() {
    var forms = LastForms()
    for _ in 0..<3 { #expect(forms.form(of: Unstorable.self) == nil) }
    #expect(forms.count == 1)
  }
}
