import Foundation

/// Reads JSON text (RFC 8259) and keeps the order of members, which Foundation's reader does not.
struct JSONReader {
    /// What is wrong with a text, and where.
    struct Problem: Error, Equatable {
        let message: String
        /// The byte, counted from zero.
        let position: Int
    }

    private static let depthLimit = 200
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Every value of a text in which values follow one another, such as JSON Lines.
    static func values(in bytes: some Sequence<UInt8>) throws(Problem) -> [JSONValue] {
        var reader = JSONReader(bytes)
        var values: [JSONValue] = []
        reader.skipSpace()
        while reader.position < reader.bytes.count {
            values.append(try reader.value())
            reader.skipSpace()
        }
        return values
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private func problem(_ message: String) -> Problem { Problem(message: message, position: position) }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(Problem) -> JSONValue {
        skipSpace()
        guard let byte = next else { throw problem("a value is missing") }
        switch byte {
        case UInt8(ascii: "{"): return try nested { reader throws(Problem) in .object(try reader.members()) }
        case UInt8(ascii: "["): return try nested { reader throws(Problem) in .array(try reader.elements()) }
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: return try word()
        }
    }

    private mutating func nested(
        _ body: (inout JSONReader) throws(Problem) -> JSONValue
    ) throws(Problem) -> JSONValue {
        guard depth < Self.depthLimit else { throw problem("this is nested too deeply") }
        depth += 1
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func members() throws(Problem) -> [JSONMember] {
        var members: [JSONMember] = []
        var places: [String: Int] = [:]
        skipSpace()
        if take("}") { return [] }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw problem("a member's name in quotes is missing") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw problem("a colon is missing") }
            let member = JSONMember(name: name, value: try value())
            if let place = places[name] {
                members[place] = member
            } else {
                places[name] = members.count
                members.append(member)
            }
            skipSpace()
        } while take(",")
        guard take("}") else { throw problem("a comma or } is missing") }
        return members
    }

    private mutating func elements() throws(Problem) -> [JSONValue] {
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return [] }
        repeat {
            elements.append(try value())
            skipSpace()
        } while take(",")
        guard take("]") else { throw problem("a comma or ] is missing") }
        return elements
    }

    private mutating func word() throws(Problem) -> JSONValue {
        let words: [(String, JSONValue)] = [("true", .bool(true)), ("false", .bool(false)), ("null", .null)]
        for (word, value) in words where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return value
        }
        throw problem("this is no JSON value")
    }
}

// MARK: - Numbers and strings

extension JSONReader {
    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func number() throws(Problem) -> JSONValue {
        let start = position
        var isWhole = true
        _ = take("-")
        let first = position
        let count = digits()
        guard count > 0, count == 1 || bytes[first] != UInt8(ascii: "0") else {
            position = start
            throw problem("this is no number")
        }
        if take(".") {
            isWhole = false
            guard digits() > 0 else { throw problem("digits are missing") }
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw problem("digits are missing") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { throw problem("this number is too large") }
        guard isWhole else { return .double(double) }
        guard JSONValue.needsDecimal(double), let decimal = Decimal(string: text) else {
            throw problem("this whole number has more than 38 digits, which would not all be kept")
        }
        return .decimal(decimal)
    }

    private mutating func string() throws(Problem) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw problem("this text is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20:
                position -= 1
                throw problem("a control character has to be escaped")
            default: text.append(byte)
            }
        }
        throw problem("the closing quote is missing")
    }

    private mutating func escape(into text: inout [UInt8]) throws(Problem) {
        guard let byte = next else { throw problem("the closing quote is missing") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += try scalar().utf8
        default: throw problem("this is no escape")
        }
    }

    /// What `\u` names; two of them for a character outside the basic plane.
    private mutating func scalar() throws(Problem) -> Character {
        let unit = try unit()
        var units = [unit]
        if UTF16.isLeadSurrogate(unit), take("\\"), take("u") { units.append(try self.unit()) }
        guard let text = String(validating: units, as: UTF16.self), let character = text.first else {
            throw problem("this is half a character")
        }
        return character
    }

    private mutating func unit() throws(Problem) -> UInt16 {
        let end = min(position + 4, bytes.count)
        let text = String(decoding: bytes[position..<end], as: UTF8.self)
        guard text.utf8.count == 4, text.allSatisfy(\.isHexDigit), let unit = UInt16(text, radix: 16) else {
            throw problem("four hexadecimal digits are missing")
        }
        position = end
        return unit
    }
}
