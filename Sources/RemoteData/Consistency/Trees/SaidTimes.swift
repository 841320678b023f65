/// When something was said of models last, of those of which that is not long ago.
struct SaidTimes {
    private var recent: [Int32: UInt64] = [:]
    private var older: [Int32: UInt64] = [:]

    /// How many are known before those of longest ago are forgotten.
    private static var limit: Int { 4_096 }

    /// Takes note of the models with some numbers.
    mutating func note(_ numbers: ContiguousArray<Int32>, at time: UInt64) {
        if recent.count + numbers.count > Self.limit, !recent.isEmpty { (older, recent) = (recent, [:]) }
        for number in numbers { recent[number] = time }
    }

    /// A number is given up.
    mutating func forget(_ number: Int32) {
        if !recent.isEmpty { recent[number] = nil }
        if !older.isEmpty { older[number] = nil }
    }

    /// When something was said of the model with a number; nil for long ago, or never.
    func time(of number: Int32) -> UInt64? { recent[number] ?? older[number] }
}
