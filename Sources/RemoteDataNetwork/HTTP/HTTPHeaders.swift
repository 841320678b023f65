/// Header fields in order, found by name in any case (RFC 9110, section 5).
///
/// Made for the handful of fields a request has: every look-up is O(n).
package struct HTTPHeaders: Sendable, Hashable {
    /// One header field.
    package struct Field: Sendable, Hashable {
        /// The name as it was given.
        package let name: String
        /// The value without surrounding white space.
        package var value: String
        /// Whether the value is a secret, which stays with the server it was meant for.
        package var isSensitive: Bool

        /// Creates a field.
        package init(name: String, value: String, isSensitive: Bool = false) {
            self.name = name
            self.value = value
            self.isSensitive = isSensitive
        }
    }

    /// All fields in order.
    package private(set) var fields: [Field]

    /// Creates headers from fields in order.
    package init(_ fields: [Field] = []) { self.fields = fields }

    /// The first value of a name; setting it replaces every value of the name, nil removes them.
    package subscript(name: String) -> String? {
        get { fields.first { $0.name.isSameName(as: name) }?.value }
        set {
            guard let newValue else { return remove(name) }
            set(name, newValue)
        }
    }

    /// Every value of a name in order.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.isSameName(as: name) }.map(\.value)
    }

    /// Adds a field behind all others, also when the name is there already.
    package mutating func add(_ name: String, _ value: String, isSensitive: Bool = false) {
        fields.append(Field(name: name, value: value, isSensitive: isSensitive))
    }

    /// Puts one field in place of every field of the name.
    package mutating func set(_ name: String, _ value: String, isSensitive: Bool = false) {
        let field = Field(name: name, value: value, isSensitive: isSensitive)
        guard let index = fields.firstIndex(where: { $0.name.isSameName(as: name) }) else {
            return fields.append(field)
        }
        fields[index] = field
        var tail = fields[(index + 1)...]
        tail.removeAll { $0.name.isSameName(as: name) }
        fields.replaceSubrange((index + 1)..., with: tail)
    }

    /// Removes every field of a name.
    package mutating func remove(_ name: String) {
        fields.removeAll { $0.name.isSameName(as: name) }
    }

    /// Keeps only the fields that satisfy a condition.
    mutating func keep(where condition: (Field) -> Bool) { fields.removeAll { !condition($0) } }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from names and values in order; none of them is sensitive.
    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension HTTPHeaders.Field {
    /// Whether the field can be sent: a token as name, no line break or NUL in the value (RFC 9110, section
    /// 5.5).
    var isWellFormed: Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenByte)
            && value.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    }
}

extension String {
    /// Compares two header names: ASCII letters are alike in either case.
    func isSameName(as other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}

extension UInt8 {
    /// The byte with an ASCII capital made small.
    var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// Whether the byte may be in a token (RFC 9110, section 5.6.2).
    fileprivate var isTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
