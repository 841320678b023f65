package import Foundation

extension RowID {
    /// A new id that nobody else makes: a random UUID (RFC 9562, version 4) as text.
    public static func random() -> RowID { RowID(UUID.random()) }
}

extension UUID {
    /// A random UUID from the system's random numbers; `UUID()` opens a file for each on Linux, which takes ten times as long.
    package static func random() -> UUID {
        var generator = SystemRandomNumberGenerator()
        var (high, low) = (generator.next(), generator.next())
        high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
            UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
        }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            )
        )
    }
}
