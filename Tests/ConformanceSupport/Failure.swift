/// The error that a test throws to make a block fail.
package struct Failure: Error {
  package init() {}
}
