/// A set of values that a column may have: any stretches of ``Value/order(_:_:)``, and null or not.
///
/// Values that compare as the same are in it together. Boundaries are cuts in front of a value or behind one, at each of
/// which membership changes, so every set has one form and its complement is the same cuts.
struct ValueSet: Sendable {
    /// A place between values.
    struct Cut: Sendable {
        let value: Value
        /// Whether it lies behind the value rather than in front of it.
        let isBehind: Bool

        static func order(_ left: Cut, _ right: Cut) -> Order {
            switch Value.order(left.value, right.value) {
            case .same: Order(left.isBehind ? 1 : 0, right.isBehind ? 1 : 0)
            case let order: order
            }
        }
    }

    /// Whether null is in the set.
    private(set) var hasNull: Bool
    /// Whether the values in front of every cut are.
    private var startsInside: Bool
    /// Ascending.
    private var cuts: [Cut]

    static var null: ValueSet { ValueSet(hasNull: true, startsInside: false, cuts: []) }
    static var anything: ValueSet { ValueSet(hasNull: true, startsInside: true, cuts: []) }
    /// Everything but null.
    static var something: ValueSet { ValueSet(hasNull: false, startsInside: true, cuts: []) }
    /// Text, and containers, which compare as text.
    static var text: ValueSet {
        ValueSet(hasNull: false, startsInside: false, cuts: [Cut(value: "", isBehind: false)])
    }
    /// Numbers but zero.
    static var trueNumbers: ValueSet { text.complement.intersection(ValueSet(.notEqual, 0)) }

    private init(hasNull: Bool, startsInside: Bool, cuts: [Cut]) {
        self.hasNull = hasNull
        self.startsInside = startsInside
        self.cuts = cuts
    }

    /// What compares so with a value; nothing with null.
    init(_ comparison: Where.Comparison, _ value: Value) {
        guard value != .null else {
            self.init(hasNull: false, startsInside: false, cuts: [])
            return
        }
        let front = Cut(value: value, isBehind: false)
        let back = Cut(value: value, isBehind: true)
        switch comparison {
        case .equal: self.init(hasNull: false, startsInside: false, cuts: [front, back])
        case .notEqual: self.init(hasNull: false, startsInside: true, cuts: [front, back])
        case .less: self.init(hasNull: false, startsInside: true, cuts: [front])
        case .lessOrEqual: self.init(hasNull: false, startsInside: true, cuts: [back])
        case .greater: self.init(hasNull: false, startsInside: false, cuts: [back])
        case .greaterOrEqual: self.init(hasNull: false, startsInside: false, cuts: [front])
        }
    }

    /// What is the same as any of some values; null is the same as nothing.
    ///
    /// - Complexity: O(n log n).
    init(anyOf values: [Value]) {
        var cuts: [Cut] = []
        for value in values.sorted(by: { Value.order($0, $1) == .ascending }) where value != .null {
            if let last = cuts.last, Value.order(last.value, value) == .same { continue }
            cuts += [Cut(value: value, isBehind: false), Cut(value: value, isBehind: true)]
        }
        self.init(hasNull: false, startsInside: false, cuts: cuts)
    }

    /// Text that begins with a prefix, and containers whose JSON does.
    init(prefix: String) {
        var end = Array(prefix.unicodeScalars)
        // The next text in byte order that does not begin so: the last scalar that can grow does.
        while let last = end.popLast() {
            guard let next = last.next else { continue }
            var text = String.UnicodeScalarView(end)
            text.append(next)
            let cut = Cut(value: .text(String(text)), isBehind: false)
            self.init(
                hasNull: false,
                startsInside: false,
                cuts: [Cut(value: .text(prefix), isBehind: false), cut]
            )
            return
        }
        self.init(.greaterOrEqual, .text(prefix))
    }
}

extension ValueSet {
    var isEmpty: Bool { !hasNull && !startsInside && cuts.isEmpty }

    /// Everything else.
    var complement: ValueSet { ValueSet(hasNull: !hasNull, startsInside: !startsInside, cuts: cuts) }

    /// What is in both.
    ///
    /// - Complexity: O(cuts of both).
    func intersection(_ other: ValueSet) -> ValueSet {
        var result: [Cut] = []
        var (left, right) = (cuts[...], other.cuts[...])
        var (isInLeft, isInRight) = (startsInside, other.startsInside)
        var isInside = isInLeft && isInRight
        while let cut = Self.first(left.first, right.first) {
            if let first = left.first, Cut.order(first, cut) == .same {
                isInLeft.toggle()
                left = left.dropFirst()
            }
            if let first = right.first, Cut.order(first, cut) == .same {
                isInRight.toggle()
                right = right.dropFirst()
            }
            if isInside != (isInLeft && isInRight) {
                isInside.toggle()
                result.append(cut)
            }
        }
        return ValueSet(
            hasNull: hasNull && other.hasNull,
            startsInside: startsInside && other.startsInside,
            cuts: result
        )
    }

    /// What is in either.
    func union(_ other: ValueSet) -> ValueSet { complement.intersection(other.complement).complement }

    private static func first(_ left: Cut?, _ right: Cut?) -> Cut? {
        guard let left, let right else { return left ?? right }
        return Cut.order(left, right) == .descending ? right : left
    }

    /// Whether every value, null aside, comes before every one of another set.
    func isBefore(_ other: ValueSet) -> Bool {
        let endsInside = startsInside != !cuts.count.isMultiple(of: 2)
        guard !endsInside, !other.startsInside, let last = cuts.last, let first = other.cuts.first else {
            return false
        }
        return Cut.order(last, first) != .descending
    }

    /// The longest prefix of all that is in the set, where that is nothing but text.
    ///
    /// - Complexity: O(length of the first text × cuts), with no more than 100 scalars looked at.
    var textPrefix: String? {
        guard !hasNull, !startsInside, case .text(let first)? = cuts.first?.value else { return nil }
        var prefix = String.UnicodeScalarView(first.unicodeScalars.prefix(100))
        while !prefix.isEmpty {
            let text = String(prefix)
            guard !text.mayBeginContainer else { return nil }
            if intersection(ValueSet(prefix: text).complement).isEmpty { return text }
            prefix.removeLast()
        }
        return nil
    }

    /// The values, null aside, where they are single ones; nil for whole stretches.
    var points: [Value]? {
        guard !startsInside, cuts.count.isMultiple(of: 2) else { return nil }
        var points: [Value] = []
        for index in stride(from: 0, to: cuts.count, by: 2) {
            guard Value.order(cuts[index].value, cuts[index + 1].value) == .same else { return nil }
            points.append(cuts[index].value)
        }
        return points
    }
}

extension String {
    /// Whether this may be how the JSON of a container begins, which compares as text and is none.
    var mayBeginContainer: Bool { isEmpty || utf8.first == 0x5B || utf8.first == 0x7B }
}

extension Unicode.Scalar {
    /// The scalar behind this one; nil for the last.
    fileprivate var next: Unicode.Scalar? { Unicode.Scalar(value == 0xD7FF ? 0xE000 : value + 1) }
}
