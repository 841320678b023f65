/// Steps through valid UTF-8 one Unicode scalar at a time.
enum UTF8Walk {
    /// Moves behind the scalar at the position.
    static func advance(_ text: borrowing Span<UInt8>, _ position: inout Int) {
        repeat { position += 1 } while position < text.count && text[position] & 0xC0 == 0x80
    }

    /// Reads the scalar at the position, in lower case if wanted, and moves behind it.
    static func scalar(_ text: borrowing Span<UInt8>, _ position: inout Int, _ lowercased: Bool) -> UInt32 {
        let lead = text[position]
        position += 1
        guard lead >= 0x80 else {
            return lowercased && (65...90).contains(lead) ? UInt32(lead) + 32 : UInt32(lead)
        }
        var value = UInt32(lead) & (lead < 0xE0 ? 0x1F : lead < 0xF0 ? 0x0F : 0x07)
        while position < text.count, text[position] & 0xC0 == 0x80 {
            value = value << 6 | UInt32(text[position] & 0x3F)
            position += 1
        }
        return lowercased ? CaseFolding.lowercased(value) : value
    }

    /// Where the last `count` scalars begin; nil when there are fewer after `start`.
    static func index(of text: borrowing Span<UInt8>, _ count: Int, beforeEndAfter start: Int) -> Int? {
        var position = text.count
        for _ in 0..<count {
            guard position > start else { return nil }
            repeat { position -= 1 } while position > start && text[position] & 0xC0 == 0x80
        }
        return position
    }
}

/// Letters without regard to case, as ILIKE sees them.
enum CaseFolding {
    /// The Unicode lowercase mapping of one scalar; the scalar itself where that is several (only U+0130,
    /// `İ`).
    static func lowercased(_ value: UInt32) -> UInt32 {
        if value < 0x80 { return (65...90).contains(value) ? value + 32 : value }
        guard let mapping = Unicode.Scalar(value)?.properties.lowercaseMapping.unicodeScalars,
            mapping.count == 1, let only = mapping.first
        else { return value }
        return only.value
    }
}
