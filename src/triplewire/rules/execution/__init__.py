"""Rule execution (sections 2.2 and 2.3): a schedule of updates, the rules that they trigger, and what is undone."""
