/// What may leave a machine with its rows. The store itself is never changed.
package struct PrivacyPolicy: Sendable, Equatable {
  /// What is allowed in addition to the careful default.
  package let allowances: Set<Allowance>

  /// A policy that keeps back everything in ``Allowance/list`` except for these.
  package init(allowing allowances: Set<Allowance> = []) { self.allowances = allowances }

  /// Whether something is allowed.
  package func allows(_ allowance: Allowance) -> Bool { allowances.contains(allowance) }

  /// The policy for the rows of one session.
  package func session(_ facts: PrivateFacts) -> SessionPrivacy { SessionPrivacy(self, facts) }
}
