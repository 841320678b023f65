extension Where {
    /// A clause made ready to be evaluated on many rows.
    ///
    /// A row is read in one pass that stops once every column is found; only the columns' values are decoded.
    public struct Matcher: Sendable {
        private let columns: PathTree
        private let root: Node

        /// Prepares a clause; O(size of the clause).
        public init(_ clause: Where) {
            var columns = PathTree()
            root = Node(clause, &columns)
            self.columns = columns
        }

        /// What the clause is for a row.
        ///
        /// - Complexity: O(bytes of the row), for text that is tried by a regular expression times the states of that.
        public func truth(of row: Row) -> Truth {
            let budget = WorkBudget.current
            guard budget?.take(row.json.count) ?? true else { return .unknown }
            return root.truth(Values(json: row.json, ranges: columns.find(in: row.json), budget: budget))
        }

        /// Whether the clause is true for a row; not when it is false or unknown.
        ///
        /// - Complexity: O(bytes of the row).
        public func matches(_ row: Row) -> Bool { truth(of: row) == .true }
    }
}

extension Where.Matcher {
    /// Where a row holds the values of the columns.
    private struct Values {
        let json: ArraySlice<UInt8>
        let ranges: [Range<Int>?]
        let budget: WorkBudget?

        subscript(operand: Operand) -> Value {
            switch operand {
            case .literal(let value): value
            case .column(let index): range(index).map { JSONObject.scalar(json.span, $0) } ?? .null
            }
        }

        /// Where the value of a column is; nil also when there is no work left to be done.
        private func range(_ index: Int) -> Range<Int>? {
            let range = ranges[index]
            // To look at it takes some steps too.
            return budget?.take(8 + (range?.count ?? 0)) ?? true ? range : nil
        }

        /// Whether an array has elements; a literal is none.
        func truth(_ operand: Operand, _ elements: ElementMatcher) -> Truth {
            switch operand {
            case .literal(let value): value == .null ? .unknown : .false
            case .column(let index):
                range(index).map { elements.truth(in: json.span, at: $0.lowerBound) } ?? .unknown
            }
        }
    }

    /// An operand whose column is a place in the path tree.
    private enum Operand: Sendable {
        case column(Int)
        case literal(Value)

        init(_ operand: Where.Operand, _ columns: inout PathTree) {
            switch operand {
            case .column(let path): self = .column(columns.insert(path))
            case .literal(let value): self = .literal(value)
            }
        }
    }

    /// A clause whose columns are places in the path tree.
    private indirect enum Node: Sendable {
        case comparison(Operand, Where.Comparison, Operand)
        case like(Operand, LikeMatcher)
        case isIn(Operand, [Operand])
        case isOneOf(Operand, SortedValues)
        /// What a row by itself does not tell.
        case unknown
        case between(Operand, Operand, Operand)
        case contains(Operand, ElementMatcher)
        case regex(Operand, Where.RegexPattern)
        case distance(Operand, Operand, Where.Distance)
        case isNull(Operand)
        case truth(Operand)
        case and([Node])
        case or([Node])
        case not(Node)

        init(_ clause: Where, _ columns: inout PathTree) {
            switch clause {
            case .comparison(let left, let comparison, let right):
                self = .comparison(Operand(left, &columns), comparison, Operand(right, &columns))
            case .like(let operand, let pattern):
                self = .like(Operand(operand, &columns), LikeMatcher(pattern))
            case .isIn(let operand, let list):
                if let values = SortedValues(list) {
                    self = .isOneOf(Operand(operand, &columns), values)
                    break
                }
                self = .isIn(Operand(operand, &columns), list.map { Operand($0, &columns) })
            case .isAmong: self = .unknown
            case .between(let operand, let low, let high):
                self = .between(Operand(operand, &columns), Operand(low, &columns), Operand(high, &columns))
            case .contains(let operand, let elements):
                self = .contains(Operand(operand, &columns), ElementMatcher(elements))
            case .regex(let operand, let pattern): self = .regex(Operand(operand, &columns), pattern)
            case .distance(let distance):
                let latitude = Operand(.column(distance.latitude), &columns)
                self = .distance(latitude, Operand(.column(distance.longitude), &columns), distance)
            case .isNull(let operand): self = .isNull(Operand(operand, &columns))
            case .truth(let operand): self = .truth(Operand(operand, &columns))
            case .and(let parts): self = .and(parts.map { Node($0, &columns) })
            case .or(let parts): self = .or(parts.map { Node($0, &columns) })
            case .not(let part): self = .not(Node(part, &columns))
            }
        }

        func truth(_ values: Values) -> Truth {
            switch self {
            case .comparison(let left, let comparison, let right):
                Where.compare(values[left], comparison, values[right])
            case .like(let operand, let pattern): Where.isLike(values[operand], pattern)
            case .isIn(let operand, let list): Where.isIn(values[operand], list.lazy.map { values[$0] })
            case .isOneOf(let operand, let list): list.truth(of: values[operand])
            case .unknown: .unknown
            case .between(let operand, let low, let high):
                Where.isBetween(values[operand], values[low], values[high])
            case .contains(let operand, let elements): values.truth(operand, elements)
            case .regex(let operand, let pattern): Where.isFound(pattern, in: values[operand])
            case .distance(let latitude, let longitude, let distance):
                distance.truth(values[latitude], values[longitude])
            case .isNull(let operand): Truth(values[operand] == .null)
            case .truth(let operand): Where.isTrue(values[operand])
            case .and(let parts): parts.reduce(.true) { truth, part in truth.and(part.truth(values)) }
            case .or(let parts): parts.reduce(.false) { truth, part in truth.or(part.truth(values)) }
            case .not(let part): part.truth(values).negated
            }
        }
    }
}
