import RemoteData

/// What a row had before a change that is otherwise behind it, so that a log need not hold rows whole.
///
/// As text, a JSON array of the row's former members: `[3,2]` stands for two members from the fourth on of
/// the row behind the change, `{"n":1}` is a member that it has not, or not like that. A row that this says
/// nothing shorter of is itself.
enum RowDelta {
    /// What a row had before a change.
    ///
    /// - Complexity: O(bytes of both rows).
    static func text(from after: ArraySlice<UInt8>, to before: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let members = try? JSONObject.members(of: before),
            let later = try? JSONObject.members(of: after)
        else { return before }
        var places: [String: Int] = [:]
        for (place, member) in later.enumerated() { places[member.name] = place }
        var parts: [[UInt8]] = []
        var run = 0..<0
        func endRun() { if !run.isEmpty { parts.append(Array("[\(run.lowerBound),\(run.count)]".utf8)) } }
        for member in members {
            guard let place = places[member.name], later[place].isSame(as: member) else {
                endRun()
                run = 0..<0
                parts.append(Array(JSONObject.object(of: [member])))
                continue
            }
            if place == run.upperBound, !run.isEmpty {
                run = run.lowerBound..<(place + 1)
            } else {
                endRun()
                run = place..<(place + 1)
            }
        }
        endRun()
        let text = [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        return text.count < before.count && row(text[...], after: after) == before ? text[...] : before
    }

    /// The row before a change.
    ///
    /// - Parameters:
    ///   - text: What ``text(from:to:)`` made.
    ///   - after: The row behind the change.
    /// - Returns: The row; nil where this is not of the two.
    /// - Complexity: O(bytes of both rows).
    static func row(_ text: ArraySlice<UInt8>, after: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.first == UInt8(ascii: "[") else { return text }
        guard let parts = try? JSONObject.elements(of: text), let later = try? JSONObject.members(of: after)
        else { return nil }
        var members: [JSONObject.Member] = []
        for part in parts {
            if let own = try? JSONObject.members(of: part) {
                members += own
            } else if let run = run(part), run.upperBound <= later.count {
                members += later[run]
            } else {
                return nil
            }
        }
        return JSONObject.object(of: members)
    }

    private static func run(_ part: ArraySlice<UInt8>) -> Range<Int>? {
        guard let numbers = try? JSONObject.elements(of: part).map(JSONObject.value(of:)), numbers.count == 2,
            case .integer(let start) = numbers[0], case .integer(let count) = numbers[1]
        else { return nil }
        let places = 0...Int64(Int32.max)
        guard places.contains(start), places.contains(count) else { return nil }
        return Int(start)..<Int(start + count)
    }
}

extension JSONObject.Member {
    /// Whether both say the same, byte by byte.
    fileprivate func isSame(as other: JSONObject.Member) -> Bool {
        json == other.json && name.utf8.elementsEqual(other.name.utf8)
    }
}
