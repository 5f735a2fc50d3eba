import PersistenceRuntime
import PersistenceSupport

/// The types that a version may have to declare: structs, whose fields the schema contains, and other types, of which
/// the schema contains only the names.
struct VersionTypes {
  private struct Struct {
    let name: String
    let fields: [AttributeForm]

    /// The fields in one line, to distinguish structs of the same name.
    var summary: String { "\(name) (\(fields.map(\.field).joined(separator: ", ")))" }
  }

  /// The names of the models. A struct with the name of a model cannot be declared in the same enum.
  private let models: Set<String>
  private var structs: [String: Set<[AttributeForm]>] = [:]
  /// The types of which the schema contains only the names. Each value is the text for the generated comment.
  private var named: [String: String] = [:]

  init(of entities: [EntityForm]) {
    models = Set(entities.map(\.name))
    for entity in entities { for attribute in entity.attributes { add(attribute) } }
  }

  private mutating func add(_ attribute: AttributeForm) {
    if let fields = attribute.members {
      structs[attribute.type.name, default: []].insert(fields)
      for field in fields { add(field) }
    } else if attribute.type.rawName != nil {
      named[attribute.type.name] = attribute.type.summary
    } else {
      for word in SourceName.words(in: attribute.type.name) where named[word] == nil { named[word] = word }
    }
  }

  /// The structs that can be declared next to the models, sorted by name.
  private var declared: [Struct] {
    structs.sorted { $0.key < $1.key }.compactMap { name, all in
      guard all.count == 1, let fields = all.first, SourceName.isPlain(name), !models.contains(name),
        !Self.isOfLibraries(name)
      else { return nil }
      return Struct(name: name, fields: fields)
    }
  }

  private static let collections: Set<String> = ["Array", "Dictionary", "Optional", "Set"]

  private static func isOfLibraries(_ name: String) -> Bool {
    collections.contains(name) || KnownTypes.type(named: name) != nil
  }

  /// The comments and declarations in the generated code, each indented by two spaces.
  var parts: [String] {
    [namedComment, omittedComment].compactMap { $0 } + declarations
  }

  private var namedComment: String? {
    let known = Set(declared.map(\.name))
    let unknown = named.filter { !known.contains($0.key) && structs[$0.key] == nil && !Self.isOfLibraries($0.key) }
    guard !unknown.isEmpty else { return nil }
    return "  // The schema has only the names of \(unknown.values.sorted().joined(separator: ", ")).\n"
      + "  // What has changed of them since has to be declared here as it was."
  }

  private var omittedComment: String? {
    let known = Set(declared.map(\.name))
    let omitted = structs.filter { !known.contains($0.key) }.flatMap { name, all in
      all.map { Struct(name: name, fields: $0).summary }
    }
    guard !omitted.isEmpty else { return nil }
    return
      "  // Structs that other types share their names with, or that are generic, and that are not declared here:\n"
      + omitted.sorted().map { "  // - \($0)" }.joined(separator: "\n")
  }

  private var declarations: [String] {
    declared.enumerated().map { index, type in
      let fields = type.fields.map { "    var \($0.field)" }.joined(separator: "\n")
      let comment = index == 0 ? "  // Structs by their stored fields: nothing else of them is in a schema.\n" : ""
      return "\(comment)  struct \(SourceName.identifier(type.name)): Codable {\n\(fields)\n  }"
    }
  }
}

extension AttributeForm {
  /// The type in source notation.
  var sourceType: String { SourceName.type(type.name) + (isOptional ? "?" : "") }

  /// The name and the type.
  fileprivate var field: String { "\(SourceName.identifier(name)): \(sourceType)" }
}
