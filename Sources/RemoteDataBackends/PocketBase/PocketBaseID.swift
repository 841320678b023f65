import RemoteData

/// Ids as PocketBase has them: 15 small letters and digits.
enum PocketBaseID {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// The id of a row of a write: always the same one for the same key.
    ///
    /// 77 bits of two hashes of the key (FNV-1a, with a mixing step at the end); keys are random, so that two with the same id are
    /// not to be expected.
    static func made(of key: String, _ number: Int) -> RowID {
        var halves = [
            hash(key, 0xCBF2_9CE4_8422_2325 ^ UInt64(number)),
            hash(key, 0x9E37_79B9_7F4A_7C15 &+ UInt64(number)),
        ]
        var text = ""
        for position in 0..<15 {
            let half = position % 2
            text.append(letters[Int(halves[half] % 36)])
            halves[half] /= 36
        }
        return .text(text)
    }

    private static func hash(_ key: String, _ seed: UInt64) -> UInt64 {
        var hash = seed
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ hash >> 33
    }
}
