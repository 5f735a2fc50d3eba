/// The error of a block that must fail.
package struct Failure: Error {
  package init() {}
}
