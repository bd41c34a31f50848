"""What a token may hold that no one knows: any set of rules, the same before and after.

Of such a set only the first rule on the way to a decision counts. Its pattern is one of the known ones, or another one
that matches the path: all of those are described here, with their place in the order of precedence.
"""

import json

import z3
from policy import encoded
from symbolic import all_of, allows, any_of, no


class Unknown:
    """A rule of which only what it says of the one request counts."""

    def __init__(self, asked):
        self.asked = asked
        self.denies = z3.Bool("rest denies")
        self.is_given = z3.Bool("rest gives")
        self.least, self.most = z3.Int("rest least"), z3.Int("rest most")
        self.has_allowed = z3.Bool("rest limits")
        self.has_others = z3.Bool("rest allows others")
        # It requires a parameter that the request does not have.
        self.lacks = z3.Bool("rest requires more")
        self.named = {}
        self.open = {}
        self.held = {}
        self.known = [self.least >= 0, self.most >= 0, z3.Implies(self.has_others, self.has_allowed)]
        for which in ("allowed", "denied"):
            for name in ["*", *[slot.name for slot in asked.slots]]:
                self.named[which, name] = z3.Bool(f"rest {which} {name}")
            for slot in asked.slots:
                at = (which, slot.name)
                # An empty list, or one that has the value.
                self.open[at], self.held[at] = z3.Bool(f"rest {at} open"), z3.Bool(f"rest {at} held")
                self.known.append(z3.Implies(self.held[at], slot.kind != 3))
        self.known.append(z3.Implies(self.has_allowed, z3.Or(self.has_others, self.named["allowed", "*"])))
        for (which, name), named in self.named.items():
            if which == "allowed":
                self.known.append(z3.Implies(named, self.has_allowed if name == "*" else self.has_others))

    def at(self, active):
        return Held(self, active)


class Held:
    """The unknown rule where `active` is true. Has what symbolic.Block has."""

    def __init__(self, unknown, active):
        self.unknown = unknown
        self.active = active
        self.denies, self.lacks = unknown.denies, unknown.lacks
        self.least, self.most = unknown.least, unknown.most
        self.has_allowed = unknown.has_allowed

    def gives(self, _):
        return self.unknown.is_given

    def names(self, which, name):
        return self.unknown.named[which, name]

    def takes(self, which, slot, _):
        at = (which, slot.name)
        return all_of(self.unknown.named[at], any_of(self.unknown.open[at], self.unknown.held[at]))

    def needs(self, _):
        return False

    def others(self):
        return self.unknown.has_others


class Rest:
    def __init__(self, path, asked, patterns, chain):
        self.path = path
        self.asked = asked
        self.rule = Unknown(asked)
        self.same = {one.text: z3.Bool(f"rest at {one.text}") for one in patterns}
        self.is_other = z3.Bool("rest elsewhere")
        self.by_itself = all_of(self.is_other, allows([self.rule.at(True)], asked))
        self.known = [*self.rule.known, z3.AtMost(self.is_other, *self.same.values(), 1)]
        self.place(chain)

    def block(self, active):
        return self.rule.at(active)

    def alone(self):
        return self.by_itself

    def is_at(self, pattern):
        return self.same[pattern.text]

    def place(self, chain):
        """Describes every other pattern that matches the path."""
        path, words = self.path, self.path.words
        lengths = [word.size for word in words]
        self.is_exact, self.is_prefix = z3.Bool("rest is exact"), z3.Bool("rest is prefix")
        self.mask = [z3.Bool(f"rest plus {at}") for at in range(path.most)]
        # A prefix ends within a segment, after so many of its letters.
        self.cut, self.letters = z3.Int("rest cut"), z3.Int("rest letters")
        self.first, self.length = z3.Int("rest first"), z3.Int("rest length")
        # In a LIST: 0 exactly with its slash, 1 exactly without; 2 and 3 as symbolic.order_of has it. Others: 0 and 3.
        self.stage = z3.Int("rest stage")
        self.pluses = z3.Sum([z3.If(bit, 1, 0) for bit in self.mask])
        if path.is_list:
            by_name = self.stage == (2 if path.is_name_first else 3)
            self.count = z3.If(any_of(self.stage == 1, by_name), path.count - 1, path.count)
            stages = [self.is_exact == (self.stage < 2), self.stage >= 0, self.stage < 4]
            # What matches both comes at the earlier stage: a prefix, unless it ends behind the last slash.
            is_late = z3.And(self.stage == 3, self.is_prefix)
            stages.append(z3.Implies(is_late, self.cut == path.count - 1 if path.is_name_first else False))
        else:
            self.count = path.count
            stages = [self.stage == z3.If(self.is_exact, 0, 3)]
        offset, stem = z3.IntVal(0), z3.IntVal(0)
        known = [*stages, self.cut >= 0, self.cut < self.count, self.letters >= 0]
        known.append(z3.Implies(self.is_exact, no(self.is_prefix)))
        known.append(any_of(self.is_exact, self.is_prefix, *self.mask))
        earlier = []
        for at, (bit, length) in enumerate(zip(self.mask, lengths)):
            known.append(z3.Implies(bit, all_of(no(self.is_exact), at < z3.If(self.is_prefix, self.cut, self.count))))
            known.append(z3.Implies(all_of(bit, *[no(one) for one in earlier]), self.first == offset))
            is_cut = z3.And(self.is_prefix, self.cut == at)
            known.append(z3.Implies(is_cut, z3.And(self.letters <= length, self.length == stem + self.letters)))
            stem = stem + z3.If(bit, 1, length) + 1
            is_end = z3.And(no(self.is_prefix), self.count == at + 1)
            known.append(z3.Implies(is_end, self.length == stem - 1))
            offset = offset + length + 1
            earlier.append(bit)
        known.append(z3.Implies(no(any_of(*self.mask)), self.first == self.length))
        for pattern, stage, matched in chain:
            known.append(z3.Implies(matched, self.differs(pattern, stage)))
        known.append(any_of(no(path.has_odd), no(self.is_exact)))
        self.known.append(z3.Implies(self.is_other, z3.And(*known)))

    def at_stage(self, pattern, stage):
        return self.stage == (stage if self.path.is_list else 0 if pattern.is_exact else 3)

    def differs(self, pattern, stage):
        if pattern.is_exact:
            return no(self.at_stage(pattern, stage))
        masks = [bit == self.has_plus(pattern, at) for at, bit in enumerate(self.mask)]
        same = [self.is_prefix == pattern.is_prefix, self.length == len(encoded(pattern.stem)), *masks]
        return no(all_of(self.at_stage(pattern, stage), *same))

    @staticmethod
    def has_plus(pattern, at):
        return at < len(pattern.mask) and pattern.mask[at]

    def is_above(self, pattern, stage):
        """Whether the other pattern decides before a known one that matches, too."""
        if not self.path.is_list:
            stage = 0 if pattern.is_exact else 3
        greater = False if pattern.is_exact else self.is_greater(pattern)
        return all_of(self.is_other, any_of(self.stage < stage, all_of(self.stage == stage, greater)))

    def is_greater(self, pattern):
        first, is_whole, pluses, length, _ = pattern.precedence()
        lexically, equal = [], []
        for at, (bit, word) in enumerate(zip(self.mask, self.path.words)):
            comes_later = word.comes_later()
            if self.has_plus(pattern, at):
                lexically.append(all_of(*equal, no(bit), comes_later))
                equal.append(bit)
            else:
                lexically.append(all_of(*equal, bit, no(comes_later)))
                equal.append(no(bit))
        order = any_of(*lexically)
        order = any_of(self.length > length, all_of(self.length == length, order))
        order = any_of(self.pluses < -pluses, all_of(self.pluses == -pluses, order))
        order = all_of(no(self.is_prefix), order) if is_whole else any_of(no(self.is_prefix), order)
        return any_of(self.first > first, all_of(self.first == first, order))

    def shown(self, model, words, asked):
        """The rest of a witness, as texts of policies; `words` as bytes, `asked` what the slots hold."""

        def is_true(term):
            return z3.is_true(model.eval(term, model_completion=True))

        def number(term):
            return model.eval(term, model_completion=True).as_long()

        pattern = next((name for name, term in self.same.items() if is_true(term)), None)
        if is_true(self.is_other):
            cut = number(self.cut) if is_true(self.is_prefix) else number(self.count)
            parts = ["+" if is_true(bit) else word for bit, word in zip(self.mask, words[:cut])]
            if is_true(self.is_prefix):
                parts.append(words[cut][: number(self.letters)] + "*")
            pattern = "/".join(parts).encode("latin-1").decode()
        if pattern is None:
            return []
        if is_true(self.rule.denies):
            return [block(pattern, ["deny"])]
        gives = [asked["operation"]] if is_true(self.rule.is_given) else []
        limits = []
        spare = next(name for name in ("more", *map("more{}".format, range(99))) if name not in asked["slots"])
        for which in ("allowed", "denied"):
            named = [name for (one, name), term in self.rule.named.items() if one == which and is_true(term)]
            lists = {name: self.values(which, name, is_true, asked) for name in named}
            if which == "allowed" and is_true(self.rule.has_others) and not lists.keys() - {"*"}:
                lists[spare] = []
            if lists:
                pairs = [f"{json.dumps(name)} = {json.dumps(values)}" for name, values in lists.items()]
                limits.append(f"{which}_parameters = {{ {', '.join(pairs)} }}")
        if is_true(self.rule.lacks):
            limits.append(f"required_parameters = {json.dumps([spare])}")
        texts = [block(pattern, gives, *limits)]
        # In one block the least may not be more than the most; in two it may.
        for name, time in (("min", number(self.rule.least)), ("max", number(self.rule.most))):
            if time > 0:
                texts.append(block(pattern, [], f'{name}_wrapping_ttl = "{time}ns"'))
        return texts

    def values(self, which, name, is_true, asked):
        at = (which, name)
        if at not in self.rule.open or is_true(self.rule.open[at]):
            return []
        if is_true(self.rule.held[at]) and name in asked["values"]:
            return [asked["values"][name]]
        return ["a value that no request has"]


def block(pattern, capabilities, *limits):
    lines = [f"capabilities = {json.dumps(capabilities)}", *limits]
    return f"path {json.dumps(pattern)} {{\n" + "".join(f"  {line}\n" for line in lines) + "}"
