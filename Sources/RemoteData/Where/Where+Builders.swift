// Clauses in words of Swift. All are made at once, and none asks a table.
extension Where {
    /// The rows that have a value in a column: `column IS NOT NULL`; O(1).
    public static func exists(_ column: ColumnPath) -> Where { .not(.isNull(.column(column))) }

    /// The rows whose text in a column starts with other text, byte by byte; a table may find them by an index.
    ///
    /// - Complexity: O(length of the text).
    public static func hasPrefix(_ column: ColumnPath, _ prefix: String) -> Where {
        .like(.column(column), LikePattern(literally: prefix, anyPrefix: false))
    }

    /// The rows whose text in a column ends with other text, byte by byte.
    ///
    /// - Complexity: O(length of the text).
    public static func hasSuffix(_ column: ColumnPath, _ suffix: String) -> Where {
        .like(.column(column), LikePattern(literally: suffix, anyPrefix: true, anySuffix: false))
    }

    /// The rows whose text in a column holds other text, byte by byte.
    ///
    /// - Complexity: O(length of the text).
    public static func containsText(_ column: ColumnPath, _ text: String) -> Where {
        .like(.column(column), LikePattern(literally: text, anyPrefix: true))
    }

    /// The rows whose array in a column has one of some elements at least, compared as ``Elements`` says; O(1).
    ///
    /// The elements are text, numbers or truth values; nothing is the same as null.
    public static func contains(_ column: ColumnPath, any values: [Value]) -> Where {
        .contains(.column(column), .any(values))
    }

    /// The rows whose array in a column has every one of some elements, compared as ``Elements`` says; O(1).
    ///
    /// The elements are text, numbers or truth values; nothing is the same as null.
    public static func contains(_ column: ColumnPath, all values: [Value]) -> Where {
        .contains(.column(column), .all(values))
    }

    /// The rows whose value in a column is a value of another table: `column IN (SELECT …)`; O(1).
    public static func isAmong(_ column: ColumnPath, _ query: SubQuery) -> Where {
        .isAmong(.column(column), query)
    }

    /// The rows in whose text in a column a regular expression is found.
    ///
    /// - Returns: `column MATCHES 'pattern'`, the pattern as ``RegexPattern`` reads it.
    /// - Throws: ``RemoteDataError`` with code `invalidClause` that says what is wrong with the pattern, and at
    ///   which scalar.
    /// - Complexity: O(length of the pattern + its states).
    public static func matches(_ column: ColumnPath, _ pattern: String) throws(RemoteDataError) -> Where {
        .regex(.column(column), try RegexPattern(pattern))
    }

    /// The rows whose point, in two columns of degrees, is no farther from a point than a distance; O(1).
    ///
    /// - Parameters:
    ///   - latitude: The column of degrees north of the equator.
    ///   - longitude: The column of degrees east of Greenwich.
    ///   - point: From where.
    ///   - metres: How far at most, on a sphere: see ``GeoPoint/distance(to:)``.
    /// - Returns: `DISTANCE(latitude, longitude, …) <= metres`.
    public static func near(
        latitude: ColumnPath,
        longitude: ColumnPath,
        of point: GeoPoint,
        within metres: Double
    ) -> Where {
        .distance(
            Distance(latitude: latitude, longitude: longitude, to: point, .lessOrEqual, metres: metres)
        )
    }

    /// The rows whose point, in two columns of degrees, lies in a box, its edges included; O(1).
    ///
    /// A box whose west is greater than its east crosses the date line.
    ///
    /// - Parameters:
    ///   - latitude: The column of degrees north of the equator.
    ///   - longitude: The column of degrees east of Greenwich.
    ///   - south: The least latitude.
    ///   - west: Where the box begins on the way east.
    ///   - north: The greatest latitude.
    ///   - east: Where the box ends on the way east.
    /// - Returns: A `BETWEEN` for each column, or two for the longitudes.
    public static func inside(
        latitude: ColumnPath,
        longitude: ColumnPath,
        south: Double,
        west: Double,
        north: Double,
        east: Double
    ) -> Where {
        let width =
            west > east
            ? Where.or([.between(longitude, west, 180), .between(longitude, -180, east)])
            : Where.between(longitude, west, east)
        return .and([.between(latitude, south, north), width])
    }
}
