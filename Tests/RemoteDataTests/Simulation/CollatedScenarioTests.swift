import RemoteDataTesting
import Testing

/// What `simulate` runs, over tables that sort text in an order of their own.
struct CollatedScenarioTests {
    @Test(arguments: ["nocase", "backwards"]) func everyRunIsAsItHasToBe(collation: String) async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 150)) { number in
            var scenario = Simulator().scenario(seed: UInt64(number + 1))
            scenario.table.collation = collation
            let result = ScenarioRunner().run(scenario)
            return result.isRight ? nil : result.failures
        }
        for (number, failures) in faults { Issue.record("Seed \(number + 1): \(failures)") }
    }
}
