public import RemoteData

/// A row of a scenario whose columns are whatever the file says.
public struct ScenarioRow: Codable, Identifiable, Sendable, Hashable {
    /// The id; without one the table chooses it.
    public var id: ScenarioID
    /// All other columns.
    public var columns: [String: ScenarioValue]

    /// The column of the id.
    public static var idColumn: String { "objectId" }

    /// Reads a row.
    public init(from decoder: any Decoder) throws {
        guard case .object(var members) = try ScenarioValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                ScenarioRow.self,
                .init(codingPath: decoder.codingPath, debugDescription: "A row is an object.")
            )
        }
        id = ScenarioID(rawValue: members.removeValue(forKey: Self.idColumn)?.id ?? .text(""))
        columns = members
    }

    /// Writes it.
    public func encode(to encoder: any Encoder) throws {
        try ScenarioValue.object(columns.merging([Self.idColumn: ScenarioValue(id.rawValue)]) { $1 })
            .encode(to: encoder)
    }
}

/// The id of a row of a scenario: text or an integer.
public struct ScenarioID: RawRepresentable, Codable, Hashable, Sendable {
    /// The id as the table has it; empty text for none.
    public let rawValue: RowID

    /// Takes an id.
    public init(rawValue: RowID) { self.rawValue = rawValue }

    /// Reads text or an integer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            rawValue = .text(text)
        } else {
            rawValue = .integer(try container.decode(Int64.self))
        }
    }

    /// Writes it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch rawValue {
        case .text(let text): try container.encode(text)
        case .integer(let integer): try container.encode(integer)
        }
    }
}
