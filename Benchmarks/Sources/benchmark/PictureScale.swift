import Foundation

/// Computes the horizontal positions of ratios. The scale is logarithmic, so that the ratios 2 and 1/2 have the same
/// distance from the ratio 1 of hand-written code.
struct PictureScale {
  let left: Double
  let right: Double
  private let lowest: Double
  private let highest: Double

  /// Creates a scale from `left` to `right` that contains all ratios.
  init(for ratios: [Double], left: Double, right: Double) {
    self.left = left
    self.right = right
    lowest = min(-1, floor(log2(ratios.min() ?? 1)))
    highest = max(1, ceil(log2(ratios.max() ?? 1)))
  }

  /// The position of a ratio.
  func position(of ratio: Double) -> Double {
    left + (log2(ratio) - lowest) / (highest - lowest) * (right - left)
  }

  /// Whether a ratio is on the scale.
  func contains(_ ratio: Double) -> Bool {
    (lowest...highest).contains(log2(ratio))
  }

  /// The powers of two on the scale, with their labels.
  var marks: [(ratio: Double, label: String)] {
    stride(from: lowest, through: highest, by: 1).map { exponent in
      let power = Int(exp2(abs(exponent)))
      return (exp2(exponent), exponent == 0 ? Contenders.base.title : exponent < 0 ? "1/\(power)" : "\(power)×")
    }
  }
}
