import RemoteDataTesting
import Foundation
import RemoteData
import Testing

@Suite struct WherePredicateTests {
    /// Checks on made-up people that the clause matches exactly when the predicate holds.
    private func check(
        _ predicate: Predicate<Citizen>,
        dates: DateConvention = .epochMilliseconds,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let clause = try Where(predicate, dates: dates)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<Campaign.size(quick: 300) {
            let person = Citizen(&random)
            let row = try person.row(dates)
            let holds = try predicate.evaluate(person)
            #expect(clause.matches(row) == holds, "\(clause): \(row.text)", sourceLocation: sourceLocation)
        }
        #expect(try Where(clause.description) == clause, sourceLocation: sourceLocation)
    }

    @Test func comparesNumbers() throws {
        let five = 5
        try check(#Predicate { $0.age == 5 })
        try check(#Predicate { $0.age != five })
        try check(#Predicate { $0.age < five })
        try check(#Predicate { 3 <= $0.age })
        try check(#Predicate { $0.age > 3 && $0.small >= 0 })
        try check(#Predicate { $0.big == 3 })
        try check(#Predicate { $0.price < 1 })
        try check(#Predicate { !($0.age <= 2) })
    }

    @Test func comparesFloatsByTheirShortestSpelling() throws {
        let rating: Float = 0.1
        try check(#Predicate { $0.rating == rating })
        try check(#Predicate { $0.rating > rating })
        let large: Float = 16_777_216
        try check(#Predicate { $0.rating >= large })
    }

    @Test func comparesDecimals() throws {
        let price = try #require(Decimal(string: "19.99"))
        try check(#Predicate { $0.price == price })
        try check(#Predicate { $0.price >= price })
    }

    @Test func comparesText() throws {
        try check(#Predicate { $0.name == "ab" })
        try check(#Predicate { $0.name > "a" })
        try check(#Predicate { $0.name != "x'y" })
        try check(#Predicate { $0.name.isEmpty })
        try check(#Predicate { !$0.name.isEmpty && $0.name < "b" })
    }

    @Test func comparesColumns() throws {
        try check(#Predicate { $0.name == $0.address.city })
        try check(#Predicate { $0.name != $0.address.city })
        try check(#Predicate { $0.nickname == $0.address.place?.label })
        try check(#Predicate { $0.nickname != $0.address.place?.label })
        try check(#Predicate { $0.limit == $0.address.zip })
        try check(#Predicate { !($0.limit == $0.address.zip) })
    }

    @Test func nilIsAValueLikeAnyOther() throws {
        try check(#Predicate { $0.nickname == nil })
        try check(#Predicate { $0.nickname != nil })
        try check(#Predicate { !($0.nickname == nil) })
        try check(#Predicate { $0.nickname == "ab" })
        try check(#Predicate { $0.nickname != "ab" })
        try check(#Predicate { !($0.nickname == "ab") })
        try check(#Predicate { !($0.nickname != "ab") })
        let missing: String? = nil
        try check(#Predicate { $0.nickname == missing })
        try check(#Predicate { $0.nickname != missing })
        try check(#Predicate { $0.work == nil })
        try check(#Predicate { $0.work != nil || $0.limit != nil })
    }

    @Test func coalescesNil() throws {
        try check(#Predicate { ($0.score ?? 0) > 1 })
        try check(#Predicate { ($0.score ?? 2) > 1 })
        try check(#Predicate { !(($0.score ?? 2) > 1) })
        try check(#Predicate { ($0.nickname ?? $0.name) == "ab" })
        try check(#Predicate { ($0.nickname ?? $0.address.place?.label ?? "ab") != "ab" })
        try check(#Predicate { ($0.nickname ?? "").contains("a") })
        try check(#Predicate { $0.isVerified ?? false })
        try check(#Predicate { !($0.isVerified ?? true) })
        try check(#Predicate { ($0.limit ?? 1) < ($0.address.zip ?? 2) })
    }

    @Test func unwrapsOptionals() throws {
        try check(#Predicate { $0.score.flatMap { $0 > 1 } == true })
        try check(#Predicate { $0.score.flatMap { $0 > 1 } != true })
        try check(#Predicate { ($0.score.flatMap { $0 > 1 }) ?? true })
        try check(#Predicate { $0.nickname?.contains("b") == true })
        try check(#Predicate { $0.nickname?.isEmpty == false })
        try check(#Predicate { $0.nickname?.isEmpty != false })
        try check(#Predicate { $0.work?.city == "ab" })
        try check(#Predicate { $0.work?.city != "ab" })
        try check(#Predicate { $0.work?.place?.label == nil })
        try check(#Predicate { $0.work?.place?.label == "a" })
        try check(#Predicate { if let score = $0.score { score > 1 } else { false } })
        try check(#Predicate { if let work = $0.work { work.zip == 2 } else { $0.isActive } })
        try check(#Predicate { $0.nickname != nil && $0.nickname! == "ab" })
        try check(#Predicate { $0.work == nil || $0.work!.city == "a" })
    }

    @Test func choosesByCondition() throws {
        try check(#Predicate { ($0.isActive ? $0.age : 3) > 2 })
        try check(#Predicate { $0.isActive ? $0.age > 2 : $0.nickname == nil })
        try check(#Predicate { !($0.isActive ? $0.age > 2 : $0.nickname == nil) })
    }

    @Test func combinesConditions() throws {
        try check(#Predicate { $0.isActive })
        try check(#Predicate { !$0.isActive })
        try check(#Predicate { $0.isActive == true })
        try check(#Predicate { $0.isActive != ($0.age > 2) })
        try check(#Predicate { $0.isVerified == true })
        try check(#Predicate { $0.isVerified != true })
        try check(#Predicate { $0.age > 2 && ($0.isActive || $0.nickname == nil) && !($0.score == 1) })
        try check(#Predicate { !($0.age > 2 || $0.nickname == "ab") })
        try check(#Predicate { !($0.age > 2 && $0.nickname == "ab") })
        try check(#Predicate { _ in true })
        try check(#Predicate { _ in false })
        try check(Predicate.true)
    }

    @Test func findsTextInText() throws {
        try check(#Predicate { $0.name.contains("b") })
        try check(#Predicate { $0.name.contains("%") })
        try check(#Predicate { $0.name.contains("_") })
        try check(#Predicate { $0.name.contains("\\") })
        try check(#Predicate { $0.name.contains("") })
        try check(#Predicate { !$0.name.contains("a") })
        try check(#Predicate { $0.name.starts(with: "a") })
        try check(#Predicate { !$0.name.starts(with: "100%") })
        try check(#Predicate { $0.address.city.contains("京") })
        let part = "ab"
        try check(#Predicate { $0.name.contains(part) })
    }

    @Test func findsElementsInListsOfTheRow() throws {
        try check(#Predicate { $0.tags.contains("a") })
        try check(#Predicate { !$0.tags.contains("a") })
        let tag = "x'y"
        try check(#Predicate { $0.tags.contains(tag) && ($0.tags.contains("") || $0.age > 2) })
        #expect(
            try Where(#Predicate<Citizen> { $0.tags.contains(tag) }).description == "tags CONTAINS 'x''y'"
        )
        #expect(
            try Where(#Predicate<Citizen> { !$0.tags.contains("a") }).description == "tags NOT CONTAINS 'a'"
        )
    }

    @Test func findsElementsOfEachKind() throws {
        struct Shelf: Codable {
            var sizes: Set<Int>, days: [Date], flags: [Bool]?, states: [Citizen.Status]
            enum CodingKeys: String, CodingKey { case sizes, days, flags, states = "st" }
        }
        let (day, open) = (Date(timeIntervalSince1970: 5), Citizen.Status.open)
        #expect(try Where(#Predicate<Shelf> { $0.sizes.contains(5) }).description == "sizes CONTAINS 5")
        #expect(try Where(#Predicate<Shelf> { $0.days.contains(day) }).description == "days CONTAINS 5000")
        #expect(try Where(#Predicate<Shelf> { $0.states.contains(open) }).description == "st CONTAINS 'open'")
        let clause = try Where(#Predicate<Shelf> { $0.flags?.contains(true) == true })
        for (flags, isFound) in [("[true]", true), ("[false]", false), ("null", false)] {
            #expect(clause.matches(Row(id: 1, json: ArraySlice("{\"flags\":\(flags)}".utf8))) == isFound)
        }
    }

    @Test func findsValuesInCapturedLists() throws {
        let names = ["ab", "é"]
        try check(#Predicate { names.contains($0.name) })
        try check(#Predicate { !names.contains($0.name) })
        let nicknames: [String?] = ["ab", nil]
        try check(#Predicate { nicknames.contains($0.nickname) })
        try check(#Predicate { !nicknames.contains($0.nickname) })
        let scores: Set<Double?> = [0.5, 1]
        try check(#Predicate { scores.contains($0.score) })
        try check(#Predicate { !scores.contains($0.score) })
        let none: [Int] = []
        try check(#Predicate { none.contains($0.age) })
        try check(#Predicate { !none.contains($0.age) })
        let states: [Citizen.Status] = [.open, .halfOpen]
        try check(#Predicate { states.contains($0.status) })
        try check(#Predicate { names.contains($0.nickname ?? "é") })
    }

    @Test func findsValuesInRanges() throws {
        let range = 1...3
        let upTo = 0..<2
        try check(#Predicate { range.contains($0.age) })
        try check(#Predicate { !range.contains($0.age) })
        try check(#Predicate { upTo.contains($0.age) })
        try check(#Predicate { (1...4).contains($0.age) })
        try check(#Predicate { !(1..<4).contains($0.age) })
        let first = Citizen.dates[1]
        let last = Citizen.dates[2]
        try check(#Predicate { (first..<last).contains($0.born) })
        try check(#Predicate { (0...($0.limit ?? 9)).contains($0.age) })
    }

    @Test(arguments: [DateConvention.epochMilliseconds, .epochSeconds, .iso8601])
    func comparesDatesAsInstants(dates: DateConvention) throws {
        let date = Citizen.dates[2]
        try check(#Predicate { $0.born == date }, dates: dates)
        try check(#Predicate { $0.born < date }, dates: dates)
        try check(#Predicate { $0.born >= date }, dates: dates)
        try check(#Predicate { $0.seen != date }, dates: dates)
        try check(#Predicate { ($0.seen ?? date) > $0.born }, dates: dates)
    }

    @Test func writesDatesByTheConvention() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let predicate = #Predicate<Citizen> { $0.born > date }
        #expect(try Where(predicate).description == "born > 1700000000000")
        #expect(try Where(predicate, dates: .iso8601).description == "born > '2023-11-14T22:13:20.000Z'")
    }

    @Test func comparesValuesThatAreTextOrNumbersInJSON() throws {
        let token = Citizen.tokens[2]
        try check(#Predicate { $0.token == token })
        let site = Citizen.sites[1]
        try check(#Predicate { $0.site == site })
        try check(#Predicate { $0.site != site })
        let halfOpen = Citizen.Status.halfOpen
        try check(#Predicate { $0.status == halfOpen })
        try check(#Predicate { $0.status != halfOpen })
        let high = Citizen.Level.high
        try check(#Predicate { $0.level == high })
        try check(#Predicate { $0.level != high })
        try check(#Predicate { $0.status.rawValue > "d" })
        try check(#Predicate { $0.level?.rawValue == 7 })
    }

    @Test func usesWhateverIsComputedFromCapturedValues() throws {
        let limits = Citizen.Address.Place(latitude: 0.5)
        let person = Citizen.Address(city: "ab", zip: 3)
        try check(#Predicate { ($0.score ?? 1) > limits.latitude })
        try check(#Predicate { $0.name == person.city })
        try check(#Predicate { $0.address.zip == person.zip })
        try check(#Predicate { true || $0.age + 0 == $0.age })
        let numbers = [1, 2, 3]
        try check(#Predicate { $0.age > numbers[1] + 1 })
        try check(#Predicate { $0.age < -numbers[0] })
        let flag = false
        try check(#Predicate { flag && $0.isActive || !flag && $0.age == 2 })
        let infinity = Double.infinity
        try check(#Predicate { ($0.score ?? 0) < infinity })
    }

    @Test func columnsAreCodingKeys() throws {
        func text(_ predicate: Predicate<Citizen>) throws -> String { try Where(predicate).description }
        #expect(try text(#Predicate { $0.name == "x" }) == "full_name = 'x'")
        #expect(try text(#Predicate { $0.id == "x" }) == "objectId = 'x'")
        #expect(try text(#Predicate { $0.isActive }) == "active")
        #expect(try text(#Predicate { $0.isVerified == true }) == "\"verified?\" = TRUE")
        #expect(try text(#Predicate { $0.limit == 1 }) == "work = 1")
        #expect(try text(#Predicate { $0.work?.city == "x" }) == "limit.town = 'x'")
        #expect(
            try text(#Predicate { $0.address.place?.label == "x" }) == "address.\"geo point\".label = 'x'"
        )
        #expect(try text(#Predicate { $0.title == "x" }) == "full_name = 'x'")
        #expect(try text(#Predicate { $0.age != 5 }) == "age <> 5")
        #expect(try text(#Predicate { $0.nickname != "x" }) == "nickname <> 'x' OR nickname IS NULL")
    }
}
