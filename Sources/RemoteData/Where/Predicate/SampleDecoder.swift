import Foundation

/// One made-up element in the making.
final class Sample {
    let number: Int
    let keys: SampleKeys
    /// How many more values may be made up: the end of types that hold themselves.
    private var budget = 5_000

    init(number: Int, keys: SampleKeys) {
        self.number = number
        self.keys = keys
    }

    func spend() throws {
        budget -= 1
        guard budget > 0 else { throw SampleError() }
    }
}

/// The type cannot be made up.
struct SampleError: Error {}

/// Decodes any type from nothing, with values that depend on the coding path and the sample's number.
struct SampleDecoder: Decoder {
    /// Past this depth, optionals are nil and lists empty.
    private static let depthLimit = 5

    let sample: Sample
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ sample: Sample, codingPath: [any CodingKey] = []) {
        self.sample = sample
        self.codingPath = codingPath
    }

    var isDeep: Bool { codingPath.count >= Self.depthLimit }

    func at(_ key: any CodingKey) -> SampleDecoder { SampleDecoder(sample, codingPath: codingPath + [key]) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if codingPath.isEmpty { sample.keys.outermost = { Key(stringValue: $0) != nil } }
        return KeyedDecodingContainer(SampleMembers<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { SampleElements(decoder: self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SampleValue(decoder: self) }
}

// Making values up.
extension SampleDecoder {
    func invent<T: Decodable>(_ type: T.Type) throws -> T {
        try sample.spend()
        guard codingPath.count < 32 else { throw SampleError() }
        if let known = scalar(type) as? T { return known }
        if let cases = type as? any CaseIterable.Type, let pick = pick(cases) as? T { return pick }
        do {
            return try T(from: self)
        } catch {
            guard let raw = type as? any RawRepresentable.Type, let value = fromNumber(raw) as? T else {
                throw error
            }
            return value
        }
    }

    private func scalar(_ type: Any.Type) -> Any? {
        switch type {
        case is Bool.Type: number & 1 == 1
        case is String.Type: "v\(number)"
        case let integer as any FixedWidthInteger.Type: small(integer)
        case let float as any BinaryFloatingPoint.Type: fraction(float)
        case is Date.Type: Date(timeIntervalSince1970: Double(1_000_000_000 + number % 1_000_000_000))
        case is UUID.Type: uuid
        case is URL.Type: URL(string: "https://example.com/\(number)")
        case is Data.Type: Data("\(number)".utf8)
        case is Decimal.Type: Decimal(number % 10_000) / 4
        default: nil
        }
    }

    /// From 1 to 100, which fits every type and most validations.
    private func small<T: FixedWidthInteger>(_ type: T.Type) -> T { T(number % 100 + 1) }

    private func fraction<T: BinaryFloatingPoint>(_ type: T.Type) -> T { T(number % 320 + 1) / 4 }

    private var uuid: UUID? {
        let digits = String(number, radix: 16, uppercase: true)
        return UUID(
            uuidString: "00000000-0000-4000-8000-"
                + String((String(repeating: "0", count: 12) + digits).suffix(12))
        )
    }

    private func pick<T: CaseIterable>(_ type: T.Type) -> Any? {
        let cases = Array(type.allCases)
        return cases.isEmpty ? nil : cases[Int(number % UInt64(cases.count))]
    }

    /// A case of an enum with small numbers as raw values.
    private func fromNumber<T: RawRepresentable>(_ type: T.Type) -> Any? {
        let cases = (0..<64).compactMap { ($0 as? T.RawValue).flatMap { type.init(rawValue: $0) } }
        return cases.isEmpty ? nil : cases[Int(number % UInt64(cases.count))]
    }

    /// The same for the same coding path and sample, and different from others (FNV-1a, then SplitMix64's
    /// finish).
    private var number: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for key in codingPath {
            for byte in key.stringValue.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        hash = hash &+ UInt64(sample.number) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
