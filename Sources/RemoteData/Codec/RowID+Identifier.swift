import Foundation

extension RowID {
    /// The id that a value of `Identifiable.ID` stands for: text, an integer of any width, a UUID, one of these in an
    /// optional or as the raw value of a type; nil for nothing and for other types.
    init?(identifier: Any) {
        switch identifier {
        case let id as RowID: self = id
        case let text as String: self = .text(text)
        case let uuid as UUID: self = RowID(uuid)
        case let integer as any FixedWidthInteger:
            guard let value = Int64(exactly: integer) else { return nil }
            self = .integer(value)
        case let raw as any RawRepresentable: self.init(identifier: raw.rawValue)
        default:
            let mirror = Mirror(reflecting: identifier)
            guard mirror.displayStyle == .optional, let wrapped = mirror.children.first?.value else {
                return nil
            }
            self.init(identifier: wrapped)
        }
    }

    /// The id that a value of `Identifiable.ID` stands for, for checks of collections.
    package init?(anyIdentifier identifier: Any) { self.init(identifier: identifier) }

    /// The id as a table may spell it: a UUID in upper case, as it came, and in lower case.
    var spellings: [RowID] {
        guard case .text(let text) = self, text.utf8.count == 36, let uuid = UUID(uuidString: text) else {
            return [self]
        }
        let others = [RowID(uuid), .text(uuid.uuidString.lowercased())]
        return [self] + others.filter { $0 != self }
    }

    /// Whether both name the same row; UUIDs in either case of letters.
    func isSame(as other: RowID) -> Bool {
        if self == other { return true }
        guard case .text(let left) = self, case .text(let right) = other, left.utf8.count == 36,
            let left = UUID(uuidString: left), let right = UUID(uuidString: right)
        else { return false }
        return left == right
    }
}
