"""Asks the prover's answers back: cases with known answers, and random requests, one by one and without the solver."""

import itertools
import json
import random

from evaluate import Request, allows
from policy import Unreadable, rules_of
from rest import block
from symbolic import PLAIN

# Patterns before, after; whether the rest is unknown; gains; losses. All of them give `read`, or deny after `!`.
CASES = [
    (["a/*"], ["a/*", "!a/b"], False, "none", "some"),
    (["a/*", "!a/b"], ["a/*", "!a/b", "a/b*"], False, "none", "none"),
    (["!a/b*"], ["!a/b*", "a/b/+"], False, "some", "none"),
    (["a/+"], ["a/*"], False, "some", "none"),
    (["a/*"], ["a/*", "a/b"], False, "none", "none"),
    # What gives read alone hides what the rest gives below it.
    (["a/*"], [], True, "some", "some"),
    ([], ["!a/b"], True, "none", "some"),
    # A pattern of the rest fits between `a/bb` and `a/b*`; between `a/b` and `a/b*` for a LIST alone.
    (["a/bb", "!a/b*"], ["!a/b*"], True, "some", "some"),
    (["a/b", "!a/b*"], ["!a/b*"], True, "some", "some"),
    (["a/+/b", "!a/+/+"], ["!a/+/+"], True, "none", "some"),
]


def run(count=60, seed=1):
    # Here, as prover.py imports this module.
    from prover import answer

    failures = []
    for at, (before, after, rest, gains, losses) in enumerate(CASES):
        sides = [{"role": ["\n".join(map(as_rule, side))], "groups": []} for side in (before, after)]
        found = answer({"id": at, "before": sides[0], "after": sides[1], "rest": rest})
        if (found["gains"], found["losses"]) != (gains, losses):
            failures.append((before, after, found))
    totals = {"none": 0, "some": 0, "some, found by trying": 0}
    for number in range(seed, seed + count):
        draw = Draw(number)
        asked = draw.question(number)
        found = answer(asked)
        for which, less, more in [("gains", "before", "after"), ("losses", "after", "before")]:
            witness = draw.tried(asked, less, more)
            if found[which] not in ("none", "some") or (found[which] == "none" and witness):
                failures.append((asked, which, found[which], witness))
            totals[found[which]] = totals.get(found[which], 0) + 1
            if found[which] == "some" and witness:
                totals["some, found by trying"] += 1
    print(json.dumps({"cases": len(CASES), "questions": count, **totals, "failures": len(failures)}))
    for failure in failures[:5]:
        print(json.dumps(failure, default=repr))
    return 1 if failures else 0


def as_rule(pattern):
    return block(pattern.lstrip("!"), ["deny"] if pattern.startswith("!") else ["read"])


class Draw(random.Random):
    """Small random questions, and requests that may be witnesses of them."""

    def pattern(self):
        path = "/".join(self.choice(["a", "ab", "b", "+"]) for _ in range(self.randint(1, 3)))
        return path + self.choice(["", "", "/", "/*"] + ([] if path.endswith("+") else ["*"]))

    def limits(self):
        lists = "{{ {} = [{}] }}"
        values = ["", '"a"', '"a*"', '"*b", true']
        times = self.choice([(5, 9), (0, 5), (9, 0)])
        return self.choice(
            [
                f"allowed_parameters = {lists.format(self.choice(['x', 'y', 'X']), self.choice(values))}",
                f"denied_parameters = {lists.format(self.choice(['x', 'y']), self.choice(values))}",
                'allowed_parameters = { "*" = [] }',
                'denied_parameters = { "*" = [] }',
                'required_parameters = ["x"]',
                "\n".join(f'{name}_wrapping_ttl = "{time}s"' for name, time in zip(("min", "max"), times) if time),
            ]
        )

    def rule(self, pattern):
        given = self.choice([["read"], ["update", "read"], ["list"], ["delete", "list"], ["deny"], []])
        return block(pattern, given, *[self.limits() for _ in range(self.choice([0, 0, 1]))])

    def policy(self):
        return "\n".join(self.rule(self.choice(self.patterns)) for _ in range(self.randint(1, 2)))

    def held(self):
        return [[self.policy() for _ in range(self.randint(1, 2))] for _ in range(1 + self.groups)]

    def question(self, number):
        self.patterns = [self.pattern() for _ in range(self.randint(2, 4))]
        self.groups = self.randint(0, 2)
        before = self.held()
        after = [list(texts) for texts in before]
        self.choice(after).append(self.policy())
        if self.random() < 0.5:
            self.choice([texts for texts in after if texts]).pop(0)
        if self.random() < 0.5:
            before, after = after, before
        sides = [{"role": all[0], "groups": all[1:]} for all in (before, after)]
        more = {"rest": self.random() < 0.6, "nameFirst": self.random() < 0.3}
        return {"id": number, "before": sides[0], "after": sides[1], **more}

    def path(self):
        """Words that patterns have, words that begin so, others, and none."""
        most = max(pattern.count("/") for pattern in self.patterns) + 2
        words = ["a", "ab", "b", "abc", "ac", "bbbbb", "c", "$c", ""]
        path = "/".join(self.choice(words) for _ in range(self.randint(1, most)))
        return path.lstrip("/") or "a"

    def pattern_of(self, path):
        """Any pattern that matches the path; with luck one of the known ones."""
        if self.random() < 0.4:
            return self.choice(self.patterns)
        parts = ["+" if self.random() < 0.3 else word for word in path.split("/")]
        text = "/".join(parts)
        if self.random() < 0.3:
            return text
        stem = text[: self.randint(0, len(text))]
        return (stem[:-1] if stem.endswith("+") else stem) + "*"

    def request(self):
        operation = self.choice([*PLAIN, "list", "update", "read", "delete"])
        path = self.path()
        if operation == "list" and not path.endswith("/"):
            path += "/"
        values = ["", "a", "ab", "b", "zb", 7] + ([] if operation == "read" else [True])
        names = [name for name in ("x", "y", "z") if self.random() < 0.3]
        wrap = self.choice([None, None, 0, 3, 5, 7, 9, 11])
        seconds = None if wrap is None else wrap * 10**9
        return Request(path, operation, {name: self.choice(values) for name in names}, seconds)

    def tried(self, question, less, more, times=6000):
        """A request, groups and a rest that show the difference; None where none was met."""
        known = {}
        for _ in range(times):
            request = self.request()
            groups = tuple(at for at in range(self.groups) if self.random() < 0.5)
            rest = ()
            if question["rest"] and self.random() < 0.9:
                try:
                    rest = rules_of(self.rest(request))
                except Unreadable:
                    continue
            answers = []
            for side in (more, less):
                if (side, groups) not in known:
                    holders = [question[side]["role"], *[question[side]["groups"][at] for at in groups]]
                    texts = itertools.chain(*holders)
                    known[side, groups] = [rule for text in texts for rule in rules_of(text)]
                answers.append(allows([*known[side, groups], *rest], request, question["nameFirst"]))
            if answers == [True, False]:
                return [vars(request), groups, [repr(rule) for rule in rest]]
        return None

    def rest(self, request):
        pattern = self.pattern_of(request.path)
        if request.operation == "list" and self.random() < 0.5:
            pattern = self.pattern_of(request.path[:-1])
        given = self.choice([[request.operation], [request.operation], ["deny"], []])
        return block(pattern, given, *[self.limits() for _ in range(self.choice([0, 0, 1]))])
