/// Looks for a row for which some claims are all so, and tells when there can be none.
///
/// An analytic tableau (Smullyan, First-Order Logic, 1968): claims are taken apart, each choice opens branches, and a branch
/// closes when what it says of a column, or of two, is impossible. When all close there is no such row. What is not
/// understood never closes a branch, and nor does a search that takes too many steps.
struct Refutation {
    /// How many claims are taken up at most.
    private static let stepLimit = 10_000
    /// How many choices are made on the way to the end of a branch at most.
    private static let depthLimit = 200

    private var steps = 0

    /// Whether no row can be so that all of some claims are; false too when that is not seen.
    static func refutes(_ claims: [Claim]) -> Bool {
        var search = Refutation()
        return search.closes(claims, [], Branch(), depth: 0)
    }

    /// Whether every branch closes that has these claims in front of it.
    private mutating func closes(
        _ claims: [Claim],
        _ choices: [[Claim]],
        _ branch: Branch,
        depth: Int
    ) -> Bool {
        var (claims, choices, branch) = (claims, choices, branch)
        while let claim = claims.popLast() {
            steps += 1
            guard steps < Self.stepLimit else { return false }
            switch claim {
            case .all(let parts): claims += parts
            case .any(let parts) where parts.count == 1: claims += parts
            case .any(let parts): choices.append(parts)
            case .column, .pair, .like, .opaque: branch.add(claim)
            }
            if branch.isClosed { return true }
        }
        // The choice with the fewest ways first: an empty one closes the branch.
        guard let next = choices.indices.min(by: { choices[$0].count < choices[$1].count }),
            depth < Self.depthLimit
        else { return false }
        let parts = choices.remove(at: next)
        for part in parts {
            guard closes([part], choices, branch, depth: depth + 1) else { return false }
        }
        return true
    }
}

extension Refutation {
    /// What is claimed of a row.
    private struct Branch {
        private var columns: [ColumnPath: ValueSet] = [:]
        private var pairs: [ColumnPair: ColumnPair.Outcomes] = [:]
        private var likes: [ColumnPath: [(pattern: Where.LikePattern, isSo: Bool)]] = [:]
        private var conditions: [Where: Bool] = [:]
        /// Whether no row can be like this.
        private(set) var isClosed = false

        mutating func add(_ claim: Claim) {
            switch claim {
            case .column(let column, let set): narrow(column, set)
            case .pair(let pair, let outcomes):
                pairs[pair] = (pairs[pair] ?? .all).intersection(outcomes)
                look(at: pair)
            case .like(let column, let pattern, let isSo):
                likes[column, default: []].append((pattern, isSo))
                let tokens = LikeTokens(pattern)
                if isSo { narrow(column, tokens.ignoresCase ? .text : ValueSet(prefix: tokens.prefix)) }
                narrow(column, columns[column] ?? .anything)
            case .opaque(let clause, let isSo):
                if conditions.updateValue(isSo, forKey: clause) == !isSo { isClosed = true }
            case .all, .any: break
            }
        }

        private mutating func narrow(_ column: ColumnPath, _ set: ValueSet) {
            let known = columns[column].map { $0.intersection(set) } ?? set
            let narrowed = known.filtered(by: likes[column] ?? [])
            columns[column] = narrowed
            if narrowed.isEmpty { isClosed = true }
            closeByPatterns(column)
            for pair in pairs.keys where pair.left == column || pair.right == column { look(at: pair) }
        }

        private mutating func look(at pair: ColumnPair) {
            guard var outcomes = pairs[pair], !isClosed else { return }
            let (left, right) = (columns[pair.left], columns[pair.right])
            if let left, let right {
                if !left.hasNull, !right.hasNull { outcomes.remove(.null) }
                if left.isBefore(right) { outcomes.subtract([.same, .descending]) }
                if right.isBefore(left) { outcomes.subtract([.same, .ascending]) }
                if let only = left.points, let other = right.points, only.count == 1, other.count == 1,
                    Value.order(only[0], other[0]) == .same
                {
                    outcomes.subtract([.ascending, .descending])
                }
            }
            if left?.isNull ?? false || right?.isNull ?? false { outcomes.formIntersection(.null) }
            pairs[pair] = outcomes
            if outcomes.isEmpty { isClosed = true }
            guard !outcomes.contains(.null) else { return }
            for column in [pair.left, pair.right] where columns[column]?.hasNull ?? true {
                narrow(column, .something)
            }
        }

        /// What a pattern fits that is claimed, another fits that is denied.
        private mutating func closeByPatterns(_ column: ColumnPath) {
            guard let likes = likes[column], !isClosed else { return }
            let denied = likes.filter { !$0.isSo }.map { LikeTokens($0.pattern) }
            guard !denied.isEmpty else { return }
            var claimed = likes.filter(\.isSo).map { LikeTokens($0.pattern) }
            if let prefix = columns[column]?.textPrefix { claimed.append(LikeTokens(prefix: prefix)) }
            if denied.contains(where: { pattern in claimed.contains { pattern.covers($0) } }) {
                isClosed = true
            }
        }
    }
}

extension ValueSet {
    /// Whether nothing but null is in it.
    fileprivate var isNull: Bool { hasNull && intersection(.something).isEmpty }

    /// Without the single values that patterns speak against; stretches are left as they are.
    fileprivate func filtered(by likes: [(pattern: Where.LikePattern, isSo: Bool)]) -> ValueSet {
        guard !likes.isEmpty, let points else { return self }
        let kept = points.filter { point in
            likes.allSatisfy { like in
                let matches = Where.isLike(point, LikeMatcher(like.pattern)) == .true
                return matches == like.isSo || (matches && point.mayBeContainer)
            }
        }
        guard kept.count < points.count else { return self }
        return intersection(ValueSet(anyOf: points).complement).union(ValueSet(anyOf: kept))
    }
}

extension Value {
    /// Whether this text may be what a container compares as.
    fileprivate var mayBeContainer: Bool {
        guard case .text(let text) = self else { return true }
        return !text.isEmpty && text.mayBeginContainer
    }
}
