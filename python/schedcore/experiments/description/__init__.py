"""What an experiment is, checked: workloads, policies, sweeps, figures and claims."""
