"""One question as formulas: a path of any words, a request, a subset of the groups, and an unknown rest.

The path is a row of words of any kind. Beyond the longest known pattern segments only extend prefixes, so two more than
it has stand for any number.
"""

import z3
from evaluate import WITH_PARAMETERS
from policy import Pattern, encoded, rules_of
from words import Word

PLAIN = ("create", "read", "update", "delete", "patch", "sudo")


def all_of(*terms):
    """A conjunction that knows Python's True and False."""
    terms = [term for term in terms if term is not True]
    if any(term is False for term in terms):
        return False
    return True if not terms else terms[0] if len(terms) == 1 else joined(z3.Z3_mk_and, terms)


def any_of(*terms):
    terms = [term for term in terms if term is not False]
    if any(term is True for term in terms):
        return True
    return False if not terms else terms[0] if len(terms) == 1 else joined(z3.Z3_mk_or, terms)


def joined(make, terms):
    """What z3.And and z3.Or do, without their checks, which take most of the time."""
    context = z3.main_ctx()
    args = (z3.Ast * len(terms))(*[term.as_ast() for term in terms])
    return z3.BoolRef(make(context.ref(), len(terms), args), context)


def no(term):
    return (not term) if isinstance(term, bool) else z3.Not(term)


def either(condition, then, other):
    if isinstance(condition, bool):
        return then if condition else other
    if then is True:
        return any_of(condition, other)
    if then is False:
        return all_of(no(condition), other)
    if other is False:
        return all_of(condition, then)
    if other is True:
        return any_of(no(condition), then)
    return z3.If(condition, then, other)


def text(value):
    return z3.StringVal(encoded(value))


class Path:
    """Segments 0 to count - 1. The first is not empty: servers take leading slashes away."""

    def __init__(self, patterns, is_list, is_name_first=False, spare=2):
        self.most = max([len(pattern.parts) for pattern in patterns], default=1) + spare
        words, beginnings = [[set() for _ in range(self.most)] for _ in range(2)]
        for pattern in patterns:
            for at, (part, is_any) in enumerate(zip(pattern.parts, pattern.mask)):
                is_end = pattern.is_prefix and at == len(pattern.parts) - 1
                if not is_any:
                    (beginnings if is_end else words)[at].add(part)
        self.words = [Word(at, words[at], beginnings[at]) for at in range(self.most)]
        self.count = z3.Int("count")
        self.is_list = is_list
        self.is_name_first = is_name_first
        self.known = [self.count >= (2 if is_list else 1), self.count <= self.most, no(self.words[0].is_empty)]
        self.known += [term for word in self.words for term in word.known]
        # A list is asked of a folder, with its slash.
        if is_list:
            self.known += [z3.Implies(self.count == at + 1, word.is_empty) for at, word in enumerate(self.words)]
        # Servers take such a word for a wildcard, so no exact pattern has the path.
        self.has_odd = any_of(
            *[word.equals(one) for word in self.words for one in word.named if one.startswith("+") or one.endswith("*")]
        )

    def matched(self, pattern, count):
        """Whether the pattern matches the first so many segments."""
        last = len(pattern.parts) - 1
        terms = [count > last if pattern.is_prefix else count == last + 1]
        for at, (part, is_any) in enumerate(zip(pattern.parts, pattern.mask)):
            if is_any:
                continue
            if not (pattern.is_prefix and at == last):
                terms.append(self.words[at].equals(part))
            elif part != "":
                terms.append(self.words[at].begins(part))
        return all_of(*terms)


class Asked:
    """The request: operation, parameters, wrapping."""

    def __init__(self, rules, operations):
        self.operation = {name: z3.Bool(f"is {name}") for name in operations}
        self.known = [z3.PbEq([(one, 1) for one in self.operation.values()], 1)]
        self.is_wrapped = z3.Bool("is wrapped")
        self.wrap = z3.Int("wrap")
        self.known.append(self.wrap >= 0)
        self.takes_parameters = any_of(*[self.operation[name] for name in operations if name in WITH_PARAMETERS])
        names = {name for rule in rules for name in [*rule.allowed, *rule.denied, *rule.required]}
        self.lists = []
        self.said = {}
        self.slots = []
        if self.takes_parameters is False:
            return
        fresh = next(name for name in ("other", *map("other{}".format, range(99))) if name not in names)
        self.slots = [Slot(name, name == fresh) for name in sorted(names) + [fresh]]
        for slot in self.slots:
            # A query has strings, and lists that equal none of a policy.
            is_read = self.operation.get("read", False)
            self.known += [slot.kind >= 0, z3.Implies(is_read, z3.Or(slot.kind == 0, slot.kind == 3))]
        self.is_empty = no(any_of(*[slot.is_given for slot in self.slots]))

    def is_among(self, slot, values):
        return any_of(*[self.equals(slot, one) for one in values])

    def equals(self, slot, one):
        if isinstance(one, bool):
            return slot.kind == (1 if one else 2)
        if isinstance(one, str):
            return all_of(slot.kind == 0, globbed(one, slot.value))
        if isinstance(one, list) and can_be_asked(one):
            if one not in self.lists:
                self.lists.append(one)
            return slot.kind == 4 + self.lists.index(one)
        return False


def can_be_asked(value):
    """Whether a request can have such a value: its numbers equal none of a policy."""
    return isinstance(value, (str, bool)) or (isinstance(value, list) and all(map(can_be_asked, value)))


class Slot:
    """A parameter. Kinds: 0 a string, 1 true, 2 false, 3 nothing that a policy can name, 4 and on lists."""

    def __init__(self, name, is_fresh):
        self.name = name
        self.is_fresh = is_fresh
        self.is_given = z3.Bool(f"given {name}")
        self.kind = z3.Int(f"kind {name}")
        self.value = z3.String(f"value {name}")


def globbed(glob, value):
    starts, ends = glob.startswith("*"), glob.endswith("*")
    if len(glob) < 2 or not (starts or ends):
        return value == text(glob)
    if starts and ends:
        return True if glob == "**" else z3.Contains(value, text(glob[1:-1]))
    return z3.SuffixOf(text(glob[1:]), value) if starts else z3.PrefixOf(text(glob[:-1]), value)


class Block:
    """A known rule, held where `active` is true."""

    def __init__(self, active, rule):
        self.active = active
        self.rule = rule
        self.denies = rule.denies
        self.least, self.most = rule.least, rule.most
        self.has_allowed = bool(rule.allowed)
        self.lacks = False

    def gives(self, asked):
        return any_of(*[term for name, term in asked.operation.items() if name in self.rule.capabilities])

    def names(self, which, name):
        return name in getattr(self.rule, which)

    def takes(self, which, slot, asked):
        """Whether its list holds the slot's value."""
        values = getattr(self.rule, which).get(slot.name)
        return False if values is None else values == [] or asked.is_among(slot, values)

    def needs(self, name):
        return name in self.rule.required

    def others(self):
        return any(name != "*" for name in self.rule.allowed)


def allows(blocks, asked):
    """What the rules of one pattern, united, say of the request."""
    denied = any_of(*[all_of(one.active, one.denies) for one in blocks])
    given = any_of(*[all_of(one.active, one.gives(asked)) for one in blocks])
    limits = all_of(wrapping(blocks, asked), any_of(no(asked.takes_parameters), parameters(blocks, asked)))
    return all_of(no(denied), given, any_of(asked.operation.get("sudo", False), limits))


def wrapping(blocks, asked):
    """The lowest of both limits counts."""
    terms, has_least, is_long = [], [], []
    for one in blocks:
        if not (isinstance(one.most, int) and one.most == 0):
            is_set = all_of(one.active, True if isinstance(one.most, int) else one.most > 0)
            terms.append(any_of(no(is_set), all_of(asked.is_wrapped, asked.wrap <= one.most)))
        if not (isinstance(one.least, int) and one.least == 0):
            is_set = all_of(one.active, True if isinstance(one.least, int) else one.least > 0)
            has_least.append(is_set)
            is_long.append(all_of(is_set, asked.is_wrapped, asked.wrap >= one.least))
    return all_of(*terms, any_of(no(any_of(*has_least)), *is_long))


def parameters(blocks, asked):
    if asked.takes_parameters is False:
        return True

    def some(says):
        return any_of(*[all_of(one.active, says(one)) for one in blocks])

    needed = [no(some(lambda one: one.lacks))]
    needed += [any_of(slot.is_given, no(some(lambda one: one.needs(slot.name)))) for slot in asked.slots]
    denies_all = some(lambda one: one.names("denied", "*"))
    limits = some(lambda one: one.has_allowed)
    has_star = some(lambda one: one.names("allowed", "*"))
    is_star_only = all_of(has_star, no(some(lambda one: one.others())))
    terms = []
    for slot in asked.slots:
        name = slot.name
        denied = some(lambda one: one.takes("denied", slot, asked))
        named = some(lambda one: one.names("allowed", name))
        allowed = some(lambda one: one.takes("allowed", slot, asked))
        is_allowed = any_of(no(limits), is_star_only, either(named, allowed, has_star))
        terms.append(any_of(no(slot.is_given), all_of(no(denied), is_allowed)))
    return all_of(*needed, any_of(asked.is_empty, all_of(no(denies_all), *terms)))


class Sides:
    """The rules of both sides by pattern, each with the holder that it comes by."""

    def __init__(self, question):
        roles = {side: question[side]["role"] for side in ("before", "after")}
        groups = {side: question[side]["groups"] for side in ("before", "after")}
        self.groups = [z3.Bool(f"in group {at}") for at in range(max(map(len, groups.values())))]
        self.blocks = {}
        for side in ("before", "after"):
            held = [(True, roles[side]), *zip(self.groups, groups[side])]
            blocks = [
                Block(active, rule) for active, texts in held for one in texts for rule in rules_of(one)
            ]
            self.blocks[side] = {}
            for block in blocks:
                self.blocks[side].setdefault(block.rule.pattern, []).append(block)
        self.patterns = [Pattern(one) for one in dict.fromkeys([*self.blocks["before"], *self.blocks["after"]])]
        self.rules = [block.rule for side in self.blocks.values() for all in side.values() for block in all]


def order_of(patterns, path):
    """Every pattern with the condition under which it matches, the one that decides first first."""
    exact = [one for one in patterns if one.is_exact]
    wild = sorted((one for one in patterns if not one.is_exact), key=Pattern.precedence, reverse=True)
    whole = [(one, path.matched(one, path.count)) for one in [*exact, *wild]]
    if not path.is_list:
        return [(one, 0, matched) for one, matched in whole]
    name = [(one, path.matched(one, path.count - 1)) for one in [*exact, *wild]]
    # A LIST asks exact patterns with and without the slash, then others: evaluate.py says which first.
    chain = []
    others = [name, whole] if path.is_name_first else [whole, name]
    for stage, matching in enumerate([whole, name, *others]):
        is_exact = stage < 2
        chain += [(one, stage, matched) for one, matched in matching if one.is_exact == is_exact]
    return chain


def decided(blocks, chain, asked, rest):
    """Whether the first pattern that matches, and that a held rule has, allows the request."""
    answer = rest.alone() if rest else False
    for pattern, stage, matched in reversed(chain):
        held = blocks.get(pattern.text, [])
        if rest is None:
            present, above = any_of(*[one.active for one in held]), False
        else:
            is_same, above = rest.is_at(pattern), rest.is_above(pattern, stage)
            held = [*held, rest.block(is_same)]
            present = any_of(*[one.active for one in held])
        # Most patterns say the same on both sides.
        key = (pattern.text, tuple((str(one.active), one.rule) for one in blocks.get(pattern.text, [])))
        if key not in asked.said:
            asked.said[key] = allows(held, asked)
        here = either(above, rest.alone() if rest else False, asked.said[key])
        answer = either(all_of(matched, present), here, answer)
    return answer
