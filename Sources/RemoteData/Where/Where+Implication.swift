extension Where {
    /// Whether every row for which this clause is true is one for which another is.
    ///
    /// Rows may hold anything, null and values of mixed types included, and compare as ``Value/order(_:_:)`` says. A yes is
    /// always right. A no may mean that it was not seen; it is seen whenever each condition compares one column with
    /// literals (`=`, `<`, `BETWEEN`, `IN`, `IS NULL`, `LIKE 'prefix%'` and their negations), however these are joined.
    /// `age > 20` implies `age > 10`; `name LIKE 'Anna%'` implies `name LIKE 'An%'`; `a IN (1, 2)` implies
    /// `a = 2 OR a < 2`.
    ///
    /// Never asks a table. A table that compares text in another way than ``Capabilities/binaryOrder`` says may see
    /// it differently.
    /// - Complexity: Exponential in the number of `OR`s at worst, given up as a no after 10,000 steps.
    public func implies(_ other: Where) -> Bool {
        guard !hasNoNumber, !other.hasNoNumber else { return false }
        return Refutation.refutes([Claim(self, is: true), Claim(other, is: true).negated])
    }

    /// Whether there is a literal that is not a number, which has no place in the order.
    private var hasNoNumber: Bool {
        switch self {
        case .comparison(let left, _, let right): left.isNoNumber || right.isNoNumber
        case .like(let operand, _), .regex(let operand, _), .isNull(let operand), .truth(let operand),
            .isAmong(let operand, _):
            operand.isNoNumber
        case .contains(let operand, let elements):
            operand.isNoNumber || elements.values.contains { Operand.literal($0).isNoNumber }
        case .isIn(let operand, let list): operand.isNoNumber || list.contains(where: \.isNoNumber)
        case .between(let operand, let low, let high):
            operand.isNoNumber || low.isNoNumber || high.isNoNumber
        case .distance: false
        case .and(let parts), .or(let parts): parts.contains(where: \.hasNoNumber)
        case .not(let part): part.hasNoNumber
        }
    }
}

extension Where.Operand {
    fileprivate var isNoNumber: Bool {
        if case .literal(.double(let value)) = self { value.isNaN } else { false }
    }
}
