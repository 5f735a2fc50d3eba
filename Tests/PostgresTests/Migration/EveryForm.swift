#if PostgreSQL
  import Foundation
  import Testing

  /// A Codable value, whose column contains JSON.
  struct Frame: Codable, Equatable {
    var width = 1.5
    var text = "\\ 'x' é"
  }

  /// A model with an attribute of every column type. Each default value is hard to store exactly.
  protocol EveryForm {
    var flag: Bool { get }
    var least: Int { get }
    var word: UInt64 { get }
    var small: UInt64 { get }
    var real: Double { get }
    var endless: Double { get }
    var strange: Double { get }
    var short: Float { get }
    var exact: Decimal { get }
    var noNumber: Decimal { get }
    var link: URL { get }
    var mark: UUID { get }
    var bytes: Data { get }
    var date: Date { get }
    var frame: Frame { get }
    var picture: Data { get }
  }

  extension EveryForm {
    /// Expects that each attribute has the default value of its model.
    func expectDefaults(_ location: SourceLocation = #_sourceLocation) {
      #expect(flag && least == .min && word == .max && small == 5, sourceLocation: location)
      #expect(real == 0 && real.sign == .minus && endless == -.infinity && strange.isNaN, sourceLocation: location)
      #expect(short == 0.1 && exact == Decimal(string: "-12.340000000000000000001"), sourceLocation: location)
      #expect(noNumber.isNaN && link.absoluteString == "https://example.org/'a'", sourceLocation: location)
      #expect(mark.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF", sourceLocation: location)
      #expect(bytes == Data([0, 39, 92, 255]) && picture == Data([1, 2]), sourceLocation: location)
      #expect(date == Date(timeIntervalSinceReferenceDate: 1.25) && frame == Frame(), sourceLocation: location)
    }
  }
#endif
