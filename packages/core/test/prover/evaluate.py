"""What a server answers one request, after OpenBao's vault/acl.go: no solver, one path at a time."""

from dataclasses import dataclass, field

from policy import Pattern, Rule

WITH_PARAMETERS = ("create", "read", "update", "patch")


@dataclass
class Request:
    """A LIST has its slash. The wrapping's time is in nanoseconds, None where none is asked for."""

    path: str
    operation: str
    parameters: dict = field(default_factory=dict)
    wrap: int | None = None


def merged(rules):
    """The rules of one pattern as one. Limits are united whether or not their rule has the capability."""
    if any(rule.denies for rule in rules):
        return Rule(rules[0].pattern, frozenset(["deny"]))
    return Rule(
        rules[0].pattern,
        frozenset().union(*(rule.capabilities for rule in rules)),
        merged_parameters([rule.allowed for rule in rules]),
        merged_parameters([rule.denied for rule in rules]),
        tuple(dict.fromkeys(name for rule in rules for name in rule.required)),
        min((rule.least for rule in rules if rule.least > 0), default=0),
        min((rule.most for rule in rules if rule.most > 0), default=0),
    )


def merged_parameters(maps):
    found = {}
    for one in maps:
        for name, values in one.items():
            is_any = values == [] or found.get(name) == []
            found[name] = [] if is_any else [*values, *found.get(name, [])]
    return found


def deciding(rules, request, is_name_first=False):
    """
    The one rule that decides; None where no pattern matches. Of patterns with wildcards, OpenBao 2.7 asks those for a
    LIST with its slash first; Vault and earlier versions ask without it first.
    """
    by_pattern = {}
    for rule in rules:
        by_pattern.setdefault(rule.pattern, []).append(rule)
    path = request.path
    is_list = request.operation == "list"
    name = path[:-1] if path.endswith("/") else path
    for exact in [path, name] if is_list else [path]:
        if exact in by_pattern and Pattern(exact).is_exact:
            return merged(by_pattern[exact])
    wild = [one for one in map(Pattern, by_pattern) if not one.is_exact]
    for asked in ([name, path] if is_name_first else [path, name]) if is_list else [path]:
        matching = [one for one in wild if one.matches(asked)]
        if matching:
            return merged(by_pattern[max(matching, key=Pattern.precedence).text])
    return None


def is_among(value, values):
    return values == [] or any(equals(one, value) for one in values)


def equals(one, value):
    """A number of a policy equals nothing: requests carry numbers as another type."""
    if isinstance(one, str) and isinstance(value, str):
        return globbed(one, value)
    if isinstance(one, bool) or isinstance(value, bool):
        return one is value
    if isinstance(one, list) and isinstance(value, list):
        return len(one) == len(value) and all(same(a, b) for a, b in zip(one, value))
    return False


def same(one, value):
    """Inside of lists there are no globs."""
    return one == value if isinstance(one, str) and isinstance(value, str) else equals(one, value)


def globbed(glob, value):
    if len(glob) < 2 or not (glob.startswith("*") or glob.endswith("*")):
        return glob == value
    if glob.startswith("*") and glob.endswith("*"):
        return glob[1:-1] in value
    return value.endswith(glob[1:]) if glob.startswith("*") else value.startswith(glob[:-1])


def allows(rules, request, is_name_first=False):
    rule = deciding(rules, request, is_name_first)
    # `sudo` is asked by itself, and limits do not count for it.
    if rule is None or request.operation not in rule.capabilities:
        return False
    if request.operation == "sudo":
        return True
    if (rule.least or rule.most) and request.wrap is None:
        return False
    if (rule.most and request.wrap > rule.most) or (rule.least and request.wrap < rule.least):
        return False
    if rule.least and rule.most and rule.most < rule.least:
        return False
    if request.operation not in WITH_PARAMETERS:
        return True
    given = request.parameters
    if any(name not in given for name in rule.required):
        return False
    if not given:
        return True
    if "*" in rule.denied:
        return False
    if any(name.lower() in rule.denied and is_among(value, rule.denied[name.lower()]) for name, value in given.items()):
        return False
    if not rule.allowed or rule.allowed.keys() == {"*"}:
        return True
    return all(
        is_among(value, rule.allowed[name.lower()]) if name.lower() in rule.allowed else "*" in rule.allowed
        for name, value in given.items()
    )
