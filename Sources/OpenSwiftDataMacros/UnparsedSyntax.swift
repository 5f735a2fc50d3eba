import SwiftSyntax
import SwiftSyntaxMacros

/// A macro that returns its expansions as unparsed text, with indentation and line breaks.
///
/// The compiler parses the text of an expansion in any case. Earlier, the macros parsed and formatted the text too.
/// This took four fifths of their time, with the same result (decision 54).
protocol LaidOutMacro: Macro {}

extension LaidOutMacro {
  static var formatMode: FormatMode { .disabled }
}

extension String {
  /// The text with two spaces in front of every non-empty line.
  var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  " + $0 }
      .joined(separator: "\n")
  }
}

extension DeclSyntax {
  /// A syntax node that contains the unparsed source of a declaration as a single token.
  init(unparsed source: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(source)))
  }
}

extension AccessorDeclSyntax {
  /// A syntax node that contains the unparsed source of an accessor as a single token, indented by one level.
  init(unparsed source: String) {
    self.init(accessorSpecifier: .identifier(source.indented))
  }
}

extension ExtensionDeclSyntax {
  /// A syntax node that contains the unparsed source of an extension as a single token.
  init(unparsed source: String) {
    self.init(
      extensionKeyword: .identifier(source),
      extendedType: MissingTypeSyntax(placeholder: .identifier("", presence: .missing)),
      memberBlock: MemberBlockSyntax(
        leftBrace: .leftBraceToken(presence: .missing), members: [], rightBrace: .rightBraceToken(presence: .missing)))
  }
}

extension AttributeSyntax {
  /// A syntax node that contains the unparsed source of an attribute, without `@`, as a single token.
  init(unparsed source: String) {
    self.init(attributeName: IdentifierTypeSyntax(name: .identifier(source)))
  }
}
