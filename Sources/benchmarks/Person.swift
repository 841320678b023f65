import Foundation

/// The row measured: eight columns, some 165 bytes of JSON.
struct Person: Codable, Identifiable, Sendable {
    var objectId: String
    var name: String
    var age: Int
    var email: String
    var score: Double
    var active: Bool
    var created: Int64
    var city: String?

    var id: String { objectId }
}

extension Person {
    /// The person of a number; ids sort like the numbers.
    init(_ number: Int) {
        let digits = String(number)
        let padded = String(repeating: "0", count: 9 - digits.count) + digits
        objectId = "person-\(padded)"
        name = "Person \(digits)"
        age = 18 + number % 70
        email = "person\(digits)@example.org"
        score = Double(number % 1_000) / 8
        active = number % 3 == 0
        created = 1_700_000_000_000 + Int64(number) * 1_000
        city = number % 5 == 0 ? nil : "City \(number % 500)"
    }
}
