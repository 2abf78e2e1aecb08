import StallwatchCore

extension Configuration {
  /// What the session says that it is: what is configured, and the environment's for the rest. The program knows best
  /// what it is; so these variables complete a configuration, where others overrule it, and they also count for an
  /// embedded monitor in a program that `record` runs. Throws ``MonitorError``.
  func labels() throws(MonitorError) -> SessionLabels {
    let own = SessionLabels(
      service: service, release: release, environment: environment, instance: instance, tags: tags)
    if let fault = own.fault { throw .badSetting(name: fault.setting, value: fault.value, expected: fault.expected) }
    let labels = own.completed(by: try Self.labelsInEnvironment())
    guard let fault = labels.fault else { return labels }
    throw .badEnvironment(variable: MonitorVariable.tags.rawValue, value: fault.value, expected: fault.expected)
  }

  private static func labelsInEnvironment() throws(MonitorError) -> SessionLabels {
    var labels = SessionLabels()
    for name in SessionLabels.Name.allCases {
      let variable = MonitorVariable(name)
      guard let text = variable.value else { continue }
      guard SessionLabels.isFit(text) else {
        throw .badEnvironment(variable: variable.rawValue, value: text, expected: SessionLabels.expectedText)
      }
      labels[name] = text
    }
    guard let text = MonitorVariable.tags.value else { return labels }
    guard let tags = SessionLabels.tags(inList: text) else {
      throw .badEnvironment(
        variable: MonitorVariable.tags.rawValue, value: text, expected: SessionLabels.expectedTags)
    }
    labels.tags = tags
    return labels
  }
}
