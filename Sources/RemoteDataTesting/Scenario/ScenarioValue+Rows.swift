import RemoteData

extension ScenarioValue {
    /// The value as JSON, the members of objects in the order of their names.
    package var json: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let integer): bytes += String(integer).utf8
        case .double(let number): bytes += RemoteData.Value.double(number).json
        case .text(let text): bytes += RemoteData.Value.text(text).json
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes += RemoteData.Value.text(member.key).json
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Reads JSON; nil when it is none.
    package init?(json: ArraySlice<UInt8>) {
        switch RemoteData.Value(json: json) {
        case .null?: self = .null
        case .bool(let flag)?: self = .bool(flag)
        case .integer(let integer)?: self = .integer(integer)
        case .double(let number)?: self = .double(number)
        case .text(let text)?: self = .text(text)
        default:
            if let elements = try? JSONObject.elements(of: json) {
                self = .array(elements.compactMap { ScenarioValue(json: $0) })
            } else if let members = try? JSONObject.members(of: json) {
                self = .object(
                    Dictionary(members.map { ($0.name, ScenarioValue(json: $0.json) ?? .null) }) { $1 }
                )
            } else {
                return nil
            }
        }
    }

    /// The id that it is.
    var id: RowID? {
        switch self {
        case .text(let text): .text(text)
        case .integer(let integer): .integer(integer)
        default: nil
        }
    }

    /// An id.
    init(_ id: RowID) {
        switch id {
        case .text(let text): self = .text(text)
        case .integer(let integer): self = .integer(integer)
        }
    }

    /// The value of a member.
    subscript(member: String) -> ScenarioValue? {
        if case .object(let members) = self { members[member] } else { nil }
    }

    /// The object with the members of another one in place of its own.
    package func merging(_ other: ScenarioValue) -> ScenarioValue {
        guard case .object(let members) = self, case .object(let others) = other else { return other }
        return .object(members.merging(others) { $1 })
    }

    /// Whether a value is as this one says: an object says something about the members it names only.
    func describes(_ value: ScenarioValue) -> Bool {
        switch (self, value) {
        case (.object(let members), .object(let others)):
            members.allSatisfy { name, member in
                others[name].map { member.describes($0) } ?? (member == .null)
            }
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.describes($1) }
        default: self == value
        }
    }
}
