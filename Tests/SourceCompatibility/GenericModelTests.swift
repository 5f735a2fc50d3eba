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

/// Public generic functions on models whose class they do not know, compiled in Swift 6 mode.
@Suite("Generic code over models")
struct GenericModelTests {
  /// Creates a model from another model's backing data, and returns this backing data for further use.
  private func copy<T: PersistentModel>(_ model: T) -> (T, any BackingData<T>) {
    let data = model.persistentBackingData
    return (T(backingData: data), data)
  }

  @Test("A model can be created from another model's backing data, which stays usable")
  func copies() {
    let postcard = Postcard(text: "Hello", stamps: 2)
    let (other, data) = copy(postcard)
    other.text = "Bye"
    #expect(postcard.text == "Hello" && other.text == "Bye" && other.stamps == 2)
    #expect(data.getValue(forKey: \.stamps) == 2)
  }

  @Test("A model may also be an actor")
  func actors() async {
    let telegram = Telegram()
    let (other, _) = copy(telegram)
    #expect(await other.text == "")
  }
}
