/// Turns the key of a write into the ids of its rows: always the same ones for the same key.
enum KeyHash {
    /// Two hashes of a key and of a row's number in its write (FNV-1a, with a mixing step at the end).
    ///
    /// Keys are random, so that two with the same hashes are not to be expected.
    static func halves(of key: String, _ number: Int) -> (UInt64, UInt64) {
        let number = UInt64(truncatingIfNeeded: number)
        return (hash(key, 0xCBF2_9CE4_8422_2325 ^ number), hash(key, 0x9E37_79B9_7F4A_7C15 &+ number))
    }

    private static func hash(_ key: String, _ seed: UInt64) -> UInt64 {
        var hash = seed
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ hash >> 33
    }
}
