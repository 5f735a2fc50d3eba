import Foundation
import Testing

@testable import PersistenceRuntime

@Suite("Stored forms of types that only the last overload accepts")
struct LastFormTests {
  private final class Unstorable {}

  private func identity(_ form: (any MemberForm.Type)?) -> ObjectIdentifier? {
    form.map { ObjectIdentifier($0) }
  }

  @Test("the form is looked up once for each type")
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

  @Test("a type without a form is looked up only once")
  func missing() {
    var forms = LastForms()
    for _ in 0..<3 {
      let form = forms.form(of: Unstorable.self)
      #expect(identity(form) == nil)
    }
    #expect(forms.count == 1)
  }
}
