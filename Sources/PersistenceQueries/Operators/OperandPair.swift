/// Encodes the operands of a node as a list of two, as Foundation encodes its nodes.
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
