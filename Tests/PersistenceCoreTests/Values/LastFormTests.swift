import Foundation
import Testing

@testable import PersistenceRuntime

@Suite("The forms of what the last rank of overloads stores")
struct LastFormTests {
  private final class Unstorable {}

  private func identity(_ form: (any MemberForm.Type)?) -> ObjectIdentifier? {
    form.map { ObjectIdentifier($0) }
  }

  @Test("are found once for each type, and are those of the types")
  func once() {
    var forms = LastForms()
    for _ in 0..<3 {
      let (number, dates, perhaps) = (
        forms.form(of: Int.self), forms.form(of: [Date].self), forms.form(of: [Date]?.self)
      )
      #expect(identity(number) == identity(MemberForms.lastForm(of: Int.self)))
      #expect(identity(dates) == identity(MemberForms.lastForm(of: [Date].self)))
      #expect(identity(perhaps) == identity(MemberForms.lastForm(of: [Date]?.self)))
    }
    #expect(forms.count == 3)
  }

  @Test("that there are none is found once, too")
  func missing() {
    var forms = LastForms()
    for _ in 0..<3 {
      let form = forms.form(of: Unstorable.self)
      #expect(identity(form) == nil)
    }
    #expect(forms.count == 1)
  }
}
