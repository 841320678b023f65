extension Where {
    /// How far the point in two columns may be from a fixed one.
    ///
    /// Unknown when either column is null. False, whatever the comparison, when one holds no number, or the degrees are not on
    /// Earth; truth values count as numbers, as everywhere.
    public struct Distance: Hashable, Sendable {
        /// The column of degrees north of the equator.
        public let latitude: ColumnPath
        /// The column of degrees east of Greenwich.
        public let longitude: ColumnPath
        /// The fixed point.
        public let point: GeoPoint
        /// Less than, greater than, or the same as well.
        public let comparison: Comparison
        /// What the distance is compared with.
        public let metres: Double

        /// A condition; the comparison is neither `equal` nor `notEqual`, which no clause can say.
        init(
            latitude: ColumnPath,
            longitude: ColumnPath,
            to point: GeoPoint,
            _ comparison: Comparison,
            metres: Double
        ) {
            (self.latitude, self.longitude, self.point) = (latitude, longitude, point)
            self.comparison = comparison
            // Nothing compares with what is not a number, which a clause cannot hold.
            self.metres = metres.isNaN ? (comparison.holds(.ascending) ? -.infinity : .infinity) : metres
        }

        /// What the condition is for the values of the two columns.
        package func truth(_ latitude: Value, _ longitude: Value) -> Truth {
            if latitude == .null || longitude == .null { return .unknown }
            guard let latitude = latitude.asNumber, let longitude = longitude.asNumber,
                let place = GeoPoint(checking: latitude, longitude)
            else { return .false }
            return Truth(comparison.holds(Order(place.distance(to: point), metres)))
        }

        /// What is true of every row for which the condition is: between which degrees the columns lie.
        ///
        /// Nil when that is not known, as for what is farther than a distance; O(1).
        ///
        /// Servers that know no distances can be asked for it.
        public var box: Where? {
            guard !comparison.holds(.descending), let reach = point.reach(of: metres) else { return nil }
            let north = Where.between(latitude, reach.latitudes.lowerBound, reach.latitudes.upperBound)
            guard let longitudes = reach.longitudes else { return north }
            return .and([north, Where.between(longitude, longitudes.lowerBound, longitudes.upperBound)])
        }
    }

    static func between(_ column: ColumnPath, _ low: Double, _ high: Double) -> Where {
        .between(.column(column), low: .literal(.double(low)), high: .literal(.double(high)))
    }
}

extension Value {
    /// The number that a value counts as.
    var asNumber: Double? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .double(let value): value
        case .null, .text, .json: nil
        }
    }
}

extension Where.Distance: CustomStringConvertible {
    /// The condition as a where clause spells it, such as `DISTANCE(latitude, longitude, 51.5, -0.12) <= 1000`.
    public var description: String {
        let numbers = [point.latitude, point.longitude, metres].map(Self.spelled)
        return
            "DISTANCE(\(latitude), \(longitude), \(numbers[0]), \(numbers[1])) \(comparison.rawValue) \(numbers[2])"
    }

    private static func spelled(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(Where.Operand.literal(.double(value)))"
    }
}
