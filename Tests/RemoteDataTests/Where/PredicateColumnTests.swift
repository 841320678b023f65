import Foundation
import RemoteData
import Testing

/// Element types of which the column of a property is not easily found.
@Suite struct PredicateColumnTests {
    private func text<Element: Codable>(_ predicate: Predicate<Element>) throws -> String {
        try Where(predicate).description
    }

    /// An enum whose raw values cannot be guessed.
    struct Order: Codable {
        enum State: String, Codable { case waiting, sent }
        struct Customer: Codable {
            var name: String
            enum CodingKeys: String, CodingKey { case name = "customer_name" }
        }
        var number: Int
        var state: State
        var customer: Customer
        var total: Double
        var note: String?
        enum CodingKeys: String, CodingKey {
            case number, state, customer, note
            case total = "grand_total"
        }
    }

    @Test func aTypeThatCannotBeMadeUpGoesByTheNamesOfItsKeys() throws {
        let sent = Order.State.sent
        #expect(try text(#Predicate<Order> { $0.state == sent }) == "state = 'sent'")
        #expect(try text(#Predicate<Order> { $0.note == nil }) == "note IS NULL")
        #expect(try text(#Predicate<Order> { $0.customer.name == "x" }) == "customer.customer_name = 'x'")
        let error = #expect(throws: RemoteDataError.self) { try Where(#Predicate<Order> { $0.total > 1 }) }
        #expect(error?.message.hasPrefix("The property total of Order cannot be matched to a column") == true)
    }

    /// An optional of a type that refuses made-up values.
    struct Account: Codable {
        struct Email: Codable, Equatable {
            var text: String
            init(text: String) { self.text = text }
            init(from decoder: any Decoder) throws {
                text = try decoder.singleValueContainer().decode(String.self)
                guard text.contains("@") else {
                    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no address"))
                }
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        }
        var owner: String
        var email: Email?
        enum CodingKeys: String, CodingKey { case owner = "o", email }
    }

    @Test func anOptionalThatCannotBeMadeUpDoesNotHinderTheOthers() throws {
        let email = Account.Email(text: "a@b")
        #expect(try text(#Predicate<Account> { $0.owner == "x" }) == "o = 'x'")
        #expect(try text(#Predicate<Account> { $0.email == email }) == "email = 'a@b'")
    }

    /// A type that holds itself.
    struct Folder: Codable {
        var name: String
        var children: [Folder]
        var parent: Box?
        final class Box: Codable, Sendable {
            let folder: Folder
            init(folder: Folder) { self.folder = folder }
        }
        enum CodingKeys: String, CodingKey { case name = "n", children, parent }
    }

    @Test func aTypeThatHoldsItselfIsMadeUpToALimit() throws {
        #expect(try text(#Predicate<Folder> { $0.name == "x" }) == "n = 'x'")
        #expect(try text(#Predicate<Folder> { $0.parent?.folder.name == "x" }) == "parent.folder.n = 'x'")
    }

    /// Coding by hand, flattening one object and nesting a value.
    struct Flat: Codable {
        struct Size: Codable { var width: Int, height: Int }
        var size: Size
        var label: String

        enum Keys: String, CodingKey { case width, height, meta, label }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            size = Size(
                width: try container.decode(Int.self, forKey: .width),
                height: try container.decode(Int.self, forKey: .height)
            )
            label = try container.nestedContainer(keyedBy: Keys.self, forKey: .meta).decode(
                String.self,
                forKey: .label
            )
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(size.width, forKey: .width)
            try container.encode(size.height, forKey: .height)
            var meta = container.nestedContainer(keyedBy: Keys.self, forKey: .meta)
            try meta.encode(label, forKey: .label)
        }
    }

    @Test func codingByHandIsFollowed() throws {
        #expect(try text(#Predicate<Flat> { $0.size.height > 3 }) == "height > 3")
        #expect(try text(#Predicate<Flat> { $0.label == "x" }) == "meta.label = 'x'")
    }

    /// Many Booleans, a class, a dictionary, all integer types.
    final class Flags: Codable, Sendable {
        let a: Bool, b: Bool, c: Bool, d: Bool, e: Bool, f: Bool, g: Bool, h: Bool
        let i8: Int8, u8: UInt8, i16: Int16, u16: UInt16, i32: Int32, u32: UInt32, i64: Int64, u: UInt
        let counts: [String: Int], codes: [Int: String], data: Data
    }

    @Test func propertiesOfSmallTypesAreToldApart() throws {
        #expect(try text(#Predicate<Flags> { $0.a && !$0.h }) == "a AND NOT h")
        #expect(try text(#Predicate<Flags> { $0.e || $0.f }) == "e OR f")
        #expect(
            try text(#Predicate<Flags> { $0.u8 > 1 && $0.i8 > 1 && $0.u > 1 })
                == "u8 > 1 AND i8 > 1 AND u > 1"
        )
        let data = Data("x".utf8)
        #expect(try text(#Predicate<Flags> { $0.data == data }) == "data = 'eA=='")
    }
}
