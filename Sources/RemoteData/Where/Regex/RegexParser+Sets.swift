// Escapes, and scalars in brackets.
extension RegexParser {
    /// A scalar, or a class of them.
    private enum Item {
        case scalar(Unicode.Scalar)
        case ranges([ClosedRange<UInt32>])
    }

    /// Reads what a backslash begins, outside of brackets.
    mutating func escape() throws(RegexSyntaxError) -> RegexNode {
        let assertion: RegexAssertion? =
            switch peek(1) {
            case "b": .wordBoundary
            case "B": .noWordBoundary
            case "A": .textStart
            case "z": .textEnd
            default: nil
            }
        if let assertion {
            position += 2
            return RegexNode(.assertion(assertion))
        }
        switch try escaped() {
        case .scalar(let scalar): return literal(scalar)
        case .ranges(let ranges): return RegexNode(.set(RegexSet(ranges)))
        }
    }

    /// Reads `[…]`.
    mutating func set() throws(RegexSyntaxError) -> RegexNode {
        let start = position
        position += 1
        let isNegated = takes("^")
        var (classes, scalars): ([ClosedRange<UInt32>], [ClosedRange<UInt32>]) = ([], [])
        var isFirst = true
        while isFirst || peek() != "]" {
            isFirst = false
            let itemStart = position
            switch try item(of: start) {
            case .ranges(let ranges): classes += ranges
            case .scalar(let low):
                guard peek() == "-", let next = peek(1), next != "]" else {
                    scalars.append(low.value...low.value)
                    continue
                }
                position += 1
                guard case .scalar(let high) = try item(of: start), low <= high else {
                    throw error("a range goes from one scalar to the same or a later one", at: itemStart)
                }
                scalars.append(low.value...high.value)
            }
        }
        position += 1
        let set = RegexSet(classes, scalars, isNegated: isNegated, ignoresCase: flags.ignoresCase)
        return RegexNode(.set(set))
    }

    /// Reads one part of the set that starts at an offset.
    private mutating func item(of start: Int) throws(RegexSyntaxError) -> Item {
        guard let scalar = peek() else { throw error("the [ that starts here has no closing ]", at: start) }
        if scalar == "\\" { return try escaped() }
        if scalar == "[", peek(1) == ":" {
            let open = position
            position += 2
            _ = take { Self.isLetter($0) || $0 == "^" }
            guard !takes(":]") else { throw error("classes such as [:alpha:] are not supported", at: open) }
            position = open
        }
        position += 1
        return .scalar(scalar)
    }

    /// Reads what a backslash begins, in brackets or not.
    private mutating func escaped() throws(RegexSyntaxError) -> Item {
        let start = position
        position += 1
        guard let scalar = peek() else { throw error("nothing follows the backslash at the end", at: start) }
        position += 1
        switch scalar {
        case "d": return .ranges(RegexSet.digits)
        case "D": return .ranges(RegexSet.complement(RegexSet.digits))
        case "w": return .ranges(RegexSet.word)
        case "W": return .ranges(RegexSet.complement(RegexSet.word))
        case "s": return .ranges(RegexSet.space)
        case "S": return .ranges(RegexSet.complement(RegexSet.space))
        case "n": return .scalar("\n")
        case "t": return .scalar("\t")
        case "r": return .scalar("\r")
        case "f": return .scalar("\u{C}")
        case "v": return .scalar("\u{B}")
        case "a": return .scalar("\u{7}")
        case "x": return .scalar(try numbered(2, start))
        case "u": return .scalar(try numbered(4, start))
        case "1"..."9", "k", "g": throw error("back references are not supported", at: start)
        case "p", "P": throw error("Unicode properties are not supported", at: start)
        case "0": throw error("octal numbers are not supported, write \\x00", at: start)
        default:
            guard scalar.isASCII, scalar.value >= 0x20, !Self.isLetter(scalar) else {
                throw error("there is no such escape", at: start)
            }
            return .scalar(scalar)
        }
    }

    /// Reads a hexadecimal number of some digits, or of any in braces.
    private mutating func numbered(_ count: Int, _ start: Int) throws(RegexSyntaxError) -> Unicode.Scalar {
        let isInBraces = takes("{")
        var digits = ""
        while let scalar = peek(), scalar.properties.isASCIIHexDigit, isInBraces || digits.utf8.count < count
        {
            digits.unicodeScalars.append(scalar)
            position += 1
        }
        guard isInBraces ? takes("}") : digits.utf8.count == count,
            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        else {
            throw error("a scalar is \\x and two digits, \\u and four, or either and any in { }", at: start)
        }
        return scalar
    }
}
