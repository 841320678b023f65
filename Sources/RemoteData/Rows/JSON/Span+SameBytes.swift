extension Span<UInt8> {
    /// Whether both are the same bytes.
    func hasSameBytes(as other: borrowing Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while count &- index >= 8 {
            if JSONScanner.word(self, index) != JSONScanner.word(other, index) { return false }
            index &+= 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index &+= 1
        }
        return true
    }
}
