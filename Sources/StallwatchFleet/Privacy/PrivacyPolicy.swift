/// What may leave a machine with its rows. It never applies to the store, which stays what it is.
package struct PrivacyPolicy: Sendable, Equatable {
  /// What is allowed beyond the careful default.
  package let allowances: Set<Allowance>

  /// A policy that keeps back all that is in ``Allowance/list`` but for these.
  package init(allowing allowances: Set<Allowance> = []) { self.allowances = allowances }

  /// Whether something is allowed.
  package func allows(_ allowance: Allowance) -> Bool { allowances.contains(allowance) }

  /// The policy as it applies to the rows of one session.
  package func session(_ facts: PrivateFacts) -> SessionPrivacy { SessionPrivacy(self, facts) }
}
