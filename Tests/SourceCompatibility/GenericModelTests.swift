import SwiftData
import Testing

@Model private final class Postcard {
  var text: String
  var stamps: Int
  init(text: String, stamps: Int) {
    self.text = text
    self.stamps = stamps
  }
}

@Model private actor Telegram {
  var text: String = ""
  init() {}
}

/// What public code does with models whose class it does not know, in Swift 6.
@Suite("Generic code over models")
struct GenericModelTests {
  /// The requirement takes values of the caller's, which stay its own.
  private func copy<T: PersistentModel>(_ model: T) -> (T, any BackingData<T>) {
    let data = model.persistentBackingData
    return (T(backingData: data), data)
  }

  @Test("A model is made of the backing data of another, which stays in use")
  func copies() {
    let postcard = Postcard(text: "Hello", stamps: 2)
    let (other, data) = copy(postcard)
    other.text = "Bye"
    #expect(postcard.text == "Hello" && other.text == "Bye" && other.stamps == 2)
    #expect(data.getValue(forKey: \.stamps) == 2)
  }

  @Test("A model that is an actor too")
  func actors() async {
    let telegram = Telegram()
    let (other, _) = copy(telegram)
    #expect(await other.text == "")
  }
}
