/// How nodes of two operands are encoded: as a list of both, which is how Foundation encodes its own.
struct OperandPair<First, Second> {
  let first: First
  let second: Second
}

extension OperandPair: Encodable where First: Encodable, Second: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(first)
    try container.encode(second)
  }
}

extension OperandPair: Decodable where First: Decodable, Second: Decodable {
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    self.init(first: try container.decode(First.self), second: try container.decode(Second.self))
  }
}
