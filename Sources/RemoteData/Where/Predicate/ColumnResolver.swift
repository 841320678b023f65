import Foundation
import Synchronization

/// Finds the column under which an element type encodes a property.
struct ColumnResolver {
    private let type: any Codable.Type
    private let dates: DateConvention

    init(_ type: any Codable.Type, dates: DateConvention) {
        self.type = type
        self.dates = dates
    }

    /// The column of a place in the element.
    func term(_ place: PredicatePlace) throws(RemoteDataError) -> PredicateTerm {
        PredicateTerm(.column(try column(place.keyPaths), mayBeNull: place.mayBeNull))
    }

    /// A value as the table would hold it; nil when it cannot be encoded.
    func encoded(_ value: Any) -> Value? {
        guard let value = value as? any Encodable else { return nil }
        return (try? encoder.encode(value)).flatMap { Value(json: Array($0)[...]) }
    }

    private var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = dates.encoding
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    private func column(_ keyPaths: [any AnyKeyPath & Sendable]) throws(RemoteDataError) -> ColumnPath {
        let key = Cache.Key(type: ObjectIdentifier(type), dates: dates, keyPaths: keyPaths)
        if let known = Cache.shared[key] { return known }
        let found = try search(keyPaths)
        Cache.shared[key] = found
        return found
    }
}

// Looking for the column.
extension ColumnResolver {
    private func search(_ keyPaths: [any AnyKeyPath & Sendable]) throws(RemoteDataError) -> ColumnPath {
        let samples = Samples(of: type, encodedBy: encoder)
        if let names = try names(keyPaths, in: samples) { return ColumnPath(names: names) }
        // The element cannot be made up, so each step is looked up in its own type.
        var names: [String] = []
        for keyPath in keyPaths {
            guard let owner = Swift.type(of: keyPath).rootType as? any Codable.Type else {
                throw unmatched(keyPath)
            }
            let samples = Samples(of: owner, encodedBy: encoder)
            if let found = try self.names([keyPath], in: samples) {
                names += found
            } else {
                guard let name = keyPath.propertyName, samples.hasKey(name) else { throw unmatched(keyPath) }
                names.append(name)
            }
        }
        return ColumnPath(names: names)
    }

    /// The names that lead to the property's value in every sample; nil when the samples cannot tell.
    private func names(
        _ keyPaths: [any AnyKeyPath & Sendable],
        in samples: Samples
    ) throws(RemoteDataError) -> [String]? {
        let values = samples.elements.map { element in
            let property = keyPaths.reduce(element as Any?) { value, keyPath in
                value?[keyPath: keyPath as AnyKeyPath]
            }
            return property.map { encoded($0) ?? .null } ?? .null
        }
        guard values.contains(where: { $0 != .null }), let last = keyPaths.last else { return nil }
        var found = samples.paths.filter { path in zip(samples.rows, values).allSatisfy { $0[path] == $1 } }
        if found.count > 1 {
            let named = found.filter { $0.names.last == last.propertyName }
            if !named.isEmpty { found = named }
        }
        // A type that is written as a single value, and a property that is that value.
        if found.isEmpty, samples.values == values { return [] }
        guard found.count == 1 else { throw unmatched(last) }
        return found[0].names
    }

    private func unmatched(_ keyPath: any AnyKeyPath & Sendable) -> RemoteDataError {
        let owner = Swift.type(of: keyPath).rootType
        // What is printed of a computed one is an address.
        let property = keyPath.propertyName.map { "The property \($0)" } ?? "A computed property"
        return RemoteDataError(
            .invalidClause,
            "\(property) of \(owner) cannot be matched to a column; it "
                + "must be encoded by itself, under one coding key. Write the clause as text instead."
        )
    }
}

extension AnyKeyPath {
    /// The name of the last stored property; nil for a computed one, which has none at run time.
    fileprivate var propertyName: String? {
        let name = debugDescription.split(separator: ".").last.map {
            String($0).filter { $0 != "?" && $0 != "!" }
        }
        guard let name, name.unicodeScalars.allSatisfy({ $0 == "_" || $0.properties.isXIDContinue }) else {
            return nil
        }
        return name
    }
}

extension ColumnResolver {
    /// The columns found so far, for all element types.
    private final class Cache: Sendable {
        struct Key: Hashable, Sendable {
            let type: ObjectIdentifier
            let dates: DateConvention
            let keyPaths: [any AnyKeyPath & Sendable]

            static func == (left: Key, right: Key) -> Bool {
                left.type == right.type && left.dates == right.dates
                    && left.keyPaths.map { $0 as AnyKeyPath } == right.keyPaths.map { $0 as AnyKeyPath }
            }

            func hash(into hasher: inout Hasher) {
                hasher.combine(type)
                hasher.combine(dates)
                for keyPath in keyPaths { hasher.combine(keyPath as AnyKeyPath) }
            }
        }

        static let shared = Cache()
        /// More key paths than this are not in one program, unless they are made at run time.
        private static let limit = 10_000

        private let columns = Mutex<[Key: ColumnPath]>([:])

        subscript(key: Key) -> ColumnPath? {
            get { columns.withLock { $0[key] } }
            set {
                columns.withLock { columns in
                    if columns.count >= Self.limit { columns = [:] }
                    columns[key] = newValue
                }
            }
        }
    }
}
