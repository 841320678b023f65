/// Stretches of a query's order, none of which meets another.
package struct KeyIntervals: Sendable, Hashable {
    /// The stretches in order.
    package private(set) var all: [KeyInterval] = []

    /// No stretches.
    package init() {}

    /// Adds a stretch; those it meets become one with it.
    ///
    /// - Complexity: O(stretches).
    package mutating func insert(_ new: KeyInterval, sort: [SortTerm]) {
        remove(new, sort: sort)
        let place = all.firstIndex { $0.isBehind(new, sort) } ?? all.count
        all.insert(new, at: place)
        if place + 1 < all.count, let joined = all[place].joined(all[place + 1]) {
            all.replaceSubrange(place...(place + 1), with: [joined])
        }
        if place > 0, let joined = all[place - 1].joined(all[place]) {
            all.replaceSubrange((place - 1)...place, with: [joined])
        }
    }

    /// Takes a stretch away from those that are here.
    ///
    /// - Complexity: O(stretches).
    package mutating func remove(_ old: KeyInterval, sort: [SortTerm]) {
        all = all.flatMap { $0.without(old, sort: sort) }
    }

    /// The parts of them that lie in a stretch.
    ///
    /// - Complexity: O(stretches).
    package func parts(in stretch: KeyInterval, sort: [SortTerm]) -> [KeyInterval] {
        let before = stretch.lower.map {
            KeyInterval(upper: .init(key: $0.key, isIncluded: !$0.isIncluded))
        }
        let behind = stretch.upper.map {
            KeyInterval(lower: .init(key: $0.key, isIncluded: !$0.isIncluded))
        }
        return [before, behind].compactMap(\.self)
            .reduce(all) { parts, other in parts.flatMap { $0.without(other, sort: sort) } }
    }

    /// Keeps the parts of them that lie in others, none of which meets another.
    ///
    /// - Complexity: O(stretches × others).
    package mutating func formIntersection(_ others: [KeyInterval], sort: [SortTerm]) {
        let common = others.flatMap { parts(in: $0, sort: sort) }
        all = []
        for part in common { insert(part, sort: sort) }
    }

    /// The stretch that holds what comes directly behind a key; behind the start for nil.
    ///
    /// - Complexity: O(stretches).
    package func stretch(behind key: Key?, sort: [SortTerm]) -> KeyInterval? {
        all.first { $0.holds(behind: key, sort: sort) }
    }

    /// Whether a key lies in one of them.
    ///
    /// - Complexity: O(stretches).
    package func contains(_ key: Key, sort: [SortTerm]) -> Bool { all.contains { $0.contains(key, sort) } }
}

extension KeyInterval {
    /// Whether it holds what comes directly behind a key; behind the start for nil.
    func holds(behind key: Key?, sort: [SortTerm]) -> Bool {
        guard let key else { return lower == nil }
        if let upper, Key.order(upper.key, key, sort: sort) != .descending { return false }
        return lower.map { Key.order($0.key, key, sort: sort) != .descending } ?? true
    }

    /// Whether all of it comes behind another, which it does not meet.
    fileprivate func isBehind(_ other: KeyInterval, _ sort: [SortTerm]) -> Bool {
        guard let lower, let end = other.upper else { return false }
        return Key.order(lower.key, end.key, sort: sort) != .ascending
    }

    /// Both as one, where the next begins where this one ends.
    fileprivate func joined(_ next: KeyInterval) -> KeyInterval? {
        guard let upper, let lower = next.lower, upper.key == lower.key,
            upper.isIncluded || lower.isIncluded
        else { return nil }
        return KeyInterval(lower: self.lower, upper: next.upper)
    }
}

// MARK: - As text

extension KeyIntervals {
    /// The stretches as JSON, to be stored: a list of six elements for each: of either end the key (null for none), whether it
    /// belongs to it, and its place in an order that cannot be reproduced (a list of bytes, null for none).
    package var json: [UInt8] {
        Self.list(all.map { Self.list(Self.end($0.lower) + Self.end($0.upper)) })
    }

    /// Reads what ``json`` wrote; none where it cannot be read.
    package init(json: [UInt8], termCount: Int) {
        guard let stretches = try? JSONObject.elements(of: json[...]) else { return }
        for stretch in stretches {
            guard let parts = try? JSONObject.elements(of: stretch), parts.count == 6 else { continue }
            guard let lower = Self.bound(parts[0], parts[1], parts[2], termCount),
                let upper = Self.bound(parts[3], parts[4], parts[5], termCount)
            else { continue }
            all.append(KeyInterval(lower: lower.bound, upper: upper.bound))
        }
    }

    private static func list(_ parts: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    private static func end(_ bound: KeyInterval.Bound?) -> [[UInt8]] {
        guard let bound else { return ["null", "false", "null"].map { Array($0.utf8) } }
        let place = bound.key.place.map { list($0.bytes.map { Array("\($0)".utf8) }) }
        return [
            bound.key.json, Array((bound.isIncluded ? "true" : "false").utf8), place ?? Array("null".utf8),
        ]
    }

    /// A bound, which may be none; nil where it cannot be read.
    private static func bound(
        _ key: ArraySlice<UInt8>,
        _ isIncluded: ArraySlice<UInt8>,
        _ place: ArraySlice<UInt8>,
        _ termCount: Int
    ) -> (bound: KeyInterval.Bound?, ())? {
        if JSONObject.value(of: key) == .null { return (nil, ()) }
        guard let key = try? Key(json: key, termCount: termCount) else { return nil }
        let isIncluded = JSONObject.value(of: isIncluded) == .bool(true)
        let bytes = (try? JSONObject.elements(of: place))?.map { String(decoding: $0, as: UTF8.self) }
        let known = bytes.flatMap { SortPlace(bytes: $0.compactMap { UInt8($0) }) }
        return (KeyInterval.Bound(key: key.at(known), isIncluded: isIncluded), ())
    }
}
