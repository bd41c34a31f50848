"""One segment of a path: any word at all, by what the known patterns can tell of it."""

import z3
from policy import encoded

LOW = "$!&'()"
HIGH = "zyxwvutsrqponmlkjihgfedcba9876543210-_"


class Word:
    """
    It is one of the words that patterns have there, or begins as some of them do and goes on otherwise. Those are all
    words there are: of two that are alike here, no pattern says anything different.
    """

    def __init__(self, at, words, beginnings):
        self.named = {word: z3.Bool(f"word {at} is {word}") for word in sorted({*words, ""})}
        self.begun = {start: z3.Bool(f"word {at} begins {start}") for start in sorted({*beginnings, ""})}
        self.size = z3.Int(f"word {at} size")
        # Of words that no pattern begins: whether the first letter is one before `+`.
        self.is_early = z3.Bool(f"word {at} is early")
        self.known = [z3.PbEq([(one, 1) for one in [*self.named.values(), *self.begun.values()]], 1)]
        self.known += [z3.Implies(one, self.size == len(encoded(word))) for word, one in self.named.items()]
        self.known += [z3.Implies(one, self.size > len(encoded(start))) for start, one in self.begun.items()]
        self.is_empty = self.named[""]

    def equals(self, word):
        return self.named[word]

    def begins(self, start):
        """A word that goes on otherwise than a longer beginning does still begins as the shorter one."""
        alike = [one for known, one in [*self.named.items(), *self.begun.items()] if known.startswith(start)]
        return z3.Or(*alike)

    def comes_later(self):
        """Whether a pattern with this word is lexically greater than one with a `+` in its place."""
        known = [one for word, one in [*self.named.items(), *self.begun.items()] if word > "+"]
        return z3.Or(self.is_empty, z3.And(self.begun[""], z3.Not(self.is_early)), *known)

    def shown(self, model):
        """One such word, with one character per byte."""

        def is_true(term):
            return z3.is_true(model.eval(term, model_completion=True))

        for word, one in self.named.items():
            if is_true(one):
                return encoded(word)
        start = next(known for known, one in self.begun.items() if is_true(one))
        size = model.eval(self.size, model_completion=True).as_long() - len(encoded(start))
        letters = LOW if start == "" and is_true(self.is_early) else HIGH
        longer = [known for known in [*self.named, *self.begun] if known.startswith(start) and known != start]
        taken = {known[len(start)] for known in longer}
        # The first letter parts it from all that patterns have there.
        first = next((letter for letter in letters + HIGH + LOW if letter not in taken), "~")
        return encoded(start) + first + "x" * (size - 1)
