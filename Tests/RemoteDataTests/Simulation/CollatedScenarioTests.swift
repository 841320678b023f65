import RemoteDataTesting
import Testing

/// What `simulate` runs, over tables that sort text in an order of their own.
struct CollatedScenarioTests {
    @Test(arguments: ["nocase", "backwards"], 0..<5)
    func everyRunIsAsItHasToBe(collation: String, part: Int) {
        let size = Campaign.size(quick: 30)
        let (simulator, runner) = (Simulator(), ScenarioRunner())
        for number in 0..<size {
            let seed = UInt64(part * size + number + 1)
            var scenario = simulator.scenario(seed: seed)
            scenario.table.collation = collation
            let result = runner.run(scenario)
            if !result.isRight {
                Issue.record("Seed \(seed): \(result.failures)")
                return
            }
        }
    }
}
