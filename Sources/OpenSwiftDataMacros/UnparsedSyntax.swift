import SwiftSyntax
import SwiftSyntaxMacros

/// A macro that lays out its expansions itself.
///
/// The compiler parses the text of an expansion. Parsing it here before, and formatting it, changes nothing in what the
/// compiler reads, and took four fifths of the time of a macro.
protocol LaidOutMacro: Macro {}

extension LaidOutMacro {
  static var formatMode: FormatMode { .disabled }
}

extension String {
  /// The text with every line but empty ones indented once more.
  var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  " + $0 }
      .joined(separator: "\n")
  }
}

extension DeclSyntax {
  /// A declaration that consists of one token with the source as its text.
  init(unparsed source: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(source)))
  }
}

extension AccessorDeclSyntax {
  /// An accessor that consists of one token with the source as its text, indented as it stands in braces.
  init(unparsed source: String) {
    self.init(accessorSpecifier: .identifier(source.indented))
  }
}

extension ExtensionDeclSyntax {
  /// An extension that consists of one token with the source as its text.
  init(unparsed source: String) {
    self.init(
      extensionKeyword: .identifier(source),
      extendedType: MissingTypeSyntax(placeholder: .identifier("", presence: .missing)),
      memberBlock: MemberBlockSyntax(
        leftBrace: .leftBraceToken(presence: .missing), members: [], rightBrace: .rightBraceToken(presence: .missing)))
  }
}

extension AttributeSyntax {
  /// An attribute that consists of one token with the source, without the sign before it, as its text.
  init(unparsed source: String) {
    self.init(attributeName: IdentifierTypeSyntax(name: .identifier(source)))
  }
}
