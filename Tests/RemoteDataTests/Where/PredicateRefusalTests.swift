import Foundation
import RemoteData
import Testing

@Suite struct PredicateRefusalTests {
    private func message<Element: Codable>(_ predicate: Predicate<Element>) throws -> String {
        let error = #expect(throws: RemoteDataError.self) { try Where(predicate) }
        #expect(error?.code == .invalidClause)
        return try #require(error).message
    }

    @Test func arithmeticOnColumnsIsNamed() throws {
        let message = try message(#Predicate<Citizen> { $0.age + 1 > 5 })
        #expect(message.hasPrefix("Arithmetic in a predicate cannot become a where clause"))
    }

    @Test func listsInsideRowsAreSearchedForCapturedValuesOnly() throws {
        #expect(
            try message(#Predicate<Citizen> { $0.tags.contains($0.name) }).contains(
                "contains with a value of the row"
            )
        )
        struct Holder: Codable { var codes: [Int?], map: [String: Int], data: Data }
        let none: Int? = nil
        let holder = try message(#Predicate<Holder> { $0.codes.contains(none) })
        #expect(holder.contains("contains with nil on a list inside a row"))
        #expect(
            try message(#Predicate<Holder> { $0.data.contains(5) }).contains("contains on Data inside a row")
        )
        let inner = try message(#Predicate<Citizen> { $0.tags.contains { $0 == "a" } })
        #expect(inner.hasPrefix("SequenceContainsWhere in a predicate cannot"))
    }

    @Test func textOfTheRowIsNoPattern() throws {
        let message = try message(#Predicate<Citizen> { $0.name.contains($0.address.city) })
        #expect(message.contains("contains with text of the row"))
    }

    @Test func whatIsNotEncodedByItselfIsNamed() throws {
        #expect(
            try message(#Predicate<Citizen> { $0.initial == "a" })
                .hasPrefix("A computed property of Citizen cannot be matched to a column")
        )
        #expect(
            try message(#Predicate<Citizen> { $0.tags.isEmpty }).contains("cannot be matched to a column")
        )
        #expect(
            try message(#Predicate<Citizen> { $0.name.count > 3 })
                .hasPrefix("A computed property of String cannot be matched to a column")
        )
    }

    @Test func objectsAreComparedMemberByMember() throws {
        let address: Citizen.Address? = Citizen.Address(city: "a")
        let message = try message(#Predicate<Citizen> { $0.work == address })
        #expect(message.contains("compare its members one by one"))
    }

    @Test func integersThatDoNotFitAreRefused() throws {
        let big = UInt64.max
        #expect(try message(#Predicate<Citizen> { $0.big == big }).contains("does not fit 64 bits"))
    }

    @Test func notANumberIsRefused() throws {
        let number = Double.nan
        #expect(try message(#Predicate<Citizen> { $0.score == number }).contains("cannot be written as JSON"))
    }

    @Test func datesBeyondTheConventionAreRefused() throws {
        let date = Date(timeIntervalSince1970: 1e18)
        #expect(try message(#Predicate<Citizen> { $0.born < date }).contains("cannot be written as JSON"))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func noDateIsATrap(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try message(#Predicate<Citizen> { $0.born == date }).contains("cannot be written as JSON"))
    }

    @Test func theOrderOfOtherTypesIsNotGuessed() throws {
        struct Task: Codable {
            enum Size: String, Codable, CaseIterable, Comparable {
                case small, medium, large
                static func < (left: Size, right: Size) -> Bool { left.rawValue.count < right.rawValue.count }
            }
            var size: Size
        }
        let large = Task.Size.large
        #expect(try message(#Predicate<Task> { $0.size < large }).contains("The order of Size values"))
    }

    @Test func aCapturedValueThatCannotBeComputedIsRefused() throws {
        let missing: String? = nil
        let message = try message(#Predicate<Citizen> { $0.name == missing! })
        #expect(message.contains("cannot be computed from the captured values"))
    }

    @Test func messagesShowNoCapturedValues() throws {
        let address: Citizen.Address? = Citizen.Address(city: "secret")
        #expect(try !message(#Predicate<Citizen> { $0.work == address }).contains("secret"))
    }
}
