// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The tests of the macros are a package of their own. SwiftPM builds a test product that contains a macro for the build
// machine; in the main package it would therefore build the library and its dependencies twice.
let package = Package(
  name: "Macros",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0")],
  targets: [
    .macro(
      name: "OpenSwiftDataMacros",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
      ],
      // A symbolic link to the sources of the library.
      path: "OpenSwiftDataMacros"
    ),
    .testTarget(
      name: "OpenSwiftDataMacrosTests",
      dependencies: [
        "OpenSwiftDataMacros",
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ],
      exclude: ["Snapshots"]
    ),
  ],
  swiftLanguageModes: [.v6]
)
