import RemoteData

/// Ids as PocketBase has them: 15 small letters and digits.
enum PocketBaseID {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// An id that no other row has.
    static func random() -> RowID {
        .text(String((0..<15).map { _ in letters[Int.random(in: letters.indices)] }))
    }

    /// The id of a row of a write: always the same one for the same key.
    static func made(of key: String, _ number: Int) -> RowID {
        let (even, odd) = KeyHash.halves(of: key, number)
        var halves = [even, odd]
        var text = ""
        for position in 0..<15 {
            let half = position % 2
            text.append(letters[Int(halves[half] % 36)])
            halves[half] /= 36
        }
        return .text(text)
    }
}
