"""From battery reading to power plan: settings, plan, policy, presence, and the processor's temperature."""
