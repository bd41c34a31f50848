"""Decides questions about policies with Z3: JSON lines in, JSON lines out. See README.md."""

import json
import re
import sys
import time

import z3
from evaluate import Request, allows
from policy import rules_of
from rest import Rest
from symbolic import PLAIN, Asked, Path, Sides, decided, order_of

TIMEOUT_MS = 10_000
# A value that no policy of a question has.
OTHER = ["a", "list", "that", "no", "policy", "names"]
SIDES = {"gains": ("before", "after"), "losses": ("after", "before")}


def answer(question, timeout_ms=TIMEOUT_MS):
    started = time.process_time()
    found = {"id": question["id"]}
    sides = Sides(question)
    verdicts = dict.fromkeys(SIDES, "none")
    for operations in [PLAIN, ("list",)]:
        path = Path(sides.patterns, operations == ("list",), question.get("nameFirst", False))
        asked = Asked(sides.rules, operations)
        chain = order_of(sides.patterns, path)
        rest = Rest(path, asked, sides.patterns, chain) if question.get("rest") else None
        allowed = {side: decided(sides.blocks[side], chain, asked, rest) for side in ("before", "after")}
        for which, (less, more) in SIDES.items():
            if verdicts[which] == "some":
                continue
            # The solver of strings alone: the default one takes thirty times as long.
            solver = z3.SimpleSolver()
            solver.set("timeout", timeout_ms)
            solver.add(*path.known, *asked.known, *(rest.known if rest else []), allowed[more], z3.Not(allowed[less]))
            result = solver.check()
            if result == z3.unknown:
                verdicts[which] = "timeout"
            if result == z3.sat:
                witness = shown(solver.model(), path, asked, sides, rest)
                verdicts[which] = "some" if holds(question, witness, less, more) else "some?"
                found.setdefault("witness", {})[which] = witness
    return {**found, **verdicts, "ms": round(1000 * (time.process_time() - started))}


def bytes_of(model, string):
    """A string of the model, one character per byte."""
    escaped = model.eval(string, model_completion=True).as_string()
    return re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: chr(int(found.group(1), 16)), escaped)


def decoded(text):
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


def shown(model, path, asked, sides, rest):
    def is_true(term):
        return term if isinstance(term, bool) else z3.is_true(model.eval(term, model_completion=True))

    def number(term):
        return model.eval(term, model_completion=True).as_long()

    words = [word.shown(model) for word in path.words[: number(path.count)]]
    operation = next(name for name, term in asked.operation.items() if is_true(term))
    parameters = {}
    for slot in asked.slots:
        if is_true(slot.is_given):
            kind = number(slot.kind)
            known = [lambda: decoded(bytes_of(model, slot.value)), lambda: True, lambda: False]
            known += [lambda: OTHER, *[lambda one=one: one for one in asked.lists]]
            parameters[slot.name] = known[kind]() if kind < len(known) else OTHER
    witness = {
        "path": decoded("/".join(words)),
        "operation": operation,
        "parameters": parameters,
        "wrap": number(asked.wrap) if is_true(asked.is_wrapped) else None,
        "groups": [at for at, group in enumerate(sides.groups) if is_true(group)],
    }
    if operation in ("delete", "list", "sudo"):
        witness["parameters"] = {}
    if rest:
        request = {"operation": operation, "values": parameters, "slots": [slot.name for slot in asked.slots]}
        witness["rest"] = rest.shown(model, words, request)
    return witness


def held(question, side, witness):
    groups = question[side]["groups"]
    of_groups = [text for at in witness["groups"] if at < len(groups) for text in groups[at]]
    texts = [*question[side]["role"], *of_groups, *witness.get("rest", [])]
    return [rule for text in texts for rule in rules_of(text)]


def holds(question, witness, less, more):
    """The witness asked without the solver."""
    request = Request(witness["path"], witness["operation"], witness["parameters"], witness["wrap"])
    is_name_first = question.get("nameFirst", False)
    answers = [allows(held(question, side, witness), request, is_name_first) for side in (more, less)]
    return answers == [True, False]


def main():
    if "--self-test" in sys.argv:
        from self_test import run

        count = sys.argv[sys.argv.index("--self-test") + 1 :]
        sys.exit(run(*map(int, count)))
    for line in sys.stdin:
        if line.strip():
            question = json.loads(line)
            try:
                found = answer(question)
            except Exception as error:
                found = {"id": question.get("id"), "error": f"{type(error).__name__}: {error}"}
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
