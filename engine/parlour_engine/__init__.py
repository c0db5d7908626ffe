"""The rules of parlour's games: pure functions over small states, standard library only."""
