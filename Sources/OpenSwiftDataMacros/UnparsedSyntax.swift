import SwiftSyntax
import SwiftSyntaxMacros

/// A macro that formats its expansions itself.
///
/// The compiler parses the text of an expansion. Parsing and formatting the text here as well does not change the
/// result, and took four fifths of a macro's time (decision 54).
protocol LaidOutMacro: Macro {}

extension LaidOutMacro {
  static var formatMode: FormatMode { .disabled }
}

extension String {
  /// The text with every non-empty line indented by one level.
  var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  " + $0 }
      .joined(separator: "\n")
  }
}

extension DeclSyntax {
  /// A declaration of one token whose text is the source.
  init(unparsed source: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(source)))
  }
}

extension AccessorDeclSyntax {
  /// An accessor of one token whose text is the source, indented for its braces.
  init(unparsed source: String) {
    self.init(accessorSpecifier: .identifier(source.indented))
  }
}

extension ExtensionDeclSyntax {
  /// An extension of one token whose text is the source.
  init(unparsed source: String) {
    self.init(
      extensionKeyword: .identifier(source),
      extendedType: MissingTypeSyntax(placeholder: .identifier("", presence: .missing)),
      memberBlock: MemberBlockSyntax(
        leftBrace: .leftBraceToken(presence: .missing), members: [], rightBrace: .rightBraceToken(presence: .missing)))
  }
}

extension AttributeSyntax {
  /// An attribute of one token whose text is the source without `@`.
  init(unparsed source: String) {
    self.init(attributeName: IdentifierTypeSyntax(name: .identifier(source)))
  }
}
