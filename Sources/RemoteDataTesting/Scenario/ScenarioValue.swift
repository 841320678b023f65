/// A JSON value of a scenario file.
public enum ScenarioValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// A 64-bit integer.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text.
    case text(String)
    /// A list.
    case array([ScenarioValue])
    /// Members by name.
    case object([String: ScenarioValue])
}

extension ScenarioValue: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads any JSON.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            var members: [String: ScenarioValue] = [:]
            for name in container.allKeys {
                members[name.stringValue] = try container.decode(ScenarioValue.self, forKey: name)
            }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [ScenarioValue] = []
            while !container.isAtEnd { elements.append(try container.decode(ScenarioValue.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let flag = try? container.decode(Bool.self) {
                self = .bool(flag)
            } else if let integer = try? container.decode(Int64.self) {
                self = .integer(integer)
            } else {
                self = .double(try container.decode(Double.self))
            }
        }
    }

    /// Writes it.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, value) in members { try container.encode(value, forKey: Name(stringValue: name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let flag): try container.encode(flag)
            case .integer(let integer): try container.encode(integer)
            case .double(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            default: try container.encodeNil()
            }
        }
    }
}

extension ScenarioValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByDictionaryLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Nothing.
    public init(nilLiteral: ()) { self = .null }
    /// Members by name; the last of a name counts.
    public init(dictionaryLiteral elements: (String, ScenarioValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
