import RemoteData

/// Ids as Kinto has them: letters, digits, `_` and `-`, the first of them a letter or a digit.
enum KintoID {
    /// The id of a row of a write, in the form of a UUID: always the same one for the same key.
    static func made(of key: String) -> RowID {
        let (first, second) = KeyHash.halves(of: key, 0)
        let digits = hexadecimal(first) + hexadecimal(second)
        var text = ""
        for (position, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(position) { text.append("-") }
            text.append(digit)
        }
        return .text(text)
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whether a row can have an id.
    static func isValid(_ id: RowID) -> Bool {
        guard case .text(let text) = id, let first = text.utf8.first, isLetterOrDigit(first) else {
            return false
        }
        return text.utf8.allSatisfy {
            isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: false
        }
    }
}
