"""Rules of policies, as OpenBao's vault/policy.go reads them."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from hcl import Block, Unreadable, path_blocks

CAPABILITIES = ("create", "read", "update", "delete", "list", "patch", "sudo", "scan")
OLD_WORDS = {
    "deny": ["deny"],
    "read": ["read", "list"],
    "write": ["create", "read", "update", "delete", "list"],
    "sudo": ["create", "read", "update", "delete", "list", "sudo"],
}
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}


class Pattern:
    """`+` is one whole segment, a `*` at the very end makes a prefix."""

    def __init__(self, text):
        self.text = text
        # The first `+` of a word counts as a wildcard where any segment begins with one.
        self.has_plus = text == "+" or text.startswith("+/") or "/+" in text
        self.is_prefix = text.endswith("*")
        self.is_exact = not self.has_plus and not self.is_prefix
        self.stem = text[:-1] if self.is_prefix else text
        self.parts = self.stem.split("/")
        self.mask = [self.has_plus and part == "+" for part in self.parts]
        self.first = encoded(text).index("+") if self.has_plus else len(encoded(self.stem))

    def precedence(self):
        """Of two patterns with wildcards, the greater decides."""
        stem = encoded(self.stem)
        return (self.first, not self.is_prefix, -sum(self.mask), len(stem), stem)

    def matches(self, path):
        if not self.has_plus:
            return path.startswith(self.stem) if self.is_prefix else path == self.stem
        given = path.split("/")
        if len(given) < len(self.parts) or (not self.is_prefix and len(given) != len(self.parts)):
            return False
        last = len(self.parts) - 1
        return all(
            is_any or part == word or (self.is_prefix and at == last and word.startswith(part))
            for at, (part, is_any, word) in enumerate(zip(self.parts, self.mask, given))
        )


def encoded(text):
    """One character per byte: servers measure and order bytes."""
    return text.encode().decode("latin-1")


@dataclass(frozen=True)
class Rule:
    """One block of a policy. Times are nanoseconds, 0 for none."""

    pattern: str
    capabilities: frozenset
    allowed: dict = field(default_factory=dict, hash=False)
    denied: dict = field(default_factory=dict, hash=False)
    required: tuple = ()
    least: int = 0
    most: int = 0

    @property
    def denies(self):
        return "deny" in self.capabilities


def duration(value):
    """Nanoseconds of `90`, `"90"`, `"1h30m"`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value * UNITS["s"]
    text = str(value)
    if text in ("", "0"):
        return 0
    if re.fullmatch(r"\d+", text):
        return int(text) * UNITS["s"]
    parts = re.findall(r"(\d+)(ns|us|ms|s|m|h|d)", text)
    if "".join(number + unit for number, unit in parts) != text:
        raise Unreadable(f"not a duration: {text!r}")
    return sum(int(number) * UNITS[unit] for number, unit in parts)


def parameters(value):
    if value is None:
        return {}
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, Block):
        raise Unreadable("expected names with lists of values")
    found = {}
    for name, values in value.fields().items():
        if not isinstance(values, list):
            raise Unreadable(f"expected a list of values for {name}")
        found[name.lower()] = values
    return found


KNOWN = {
    *("comment", "policy", "capabilities", "allowed_parameters", "denied_parameters"),
    *("required_parameters", "min_wrapping_ttl", "max_wrapping_ttl"),
}


@lru_cache(maxsize=4096)
def rules_of(text):
    """The rules of a policy, in the order of its text."""
    return tuple(rule_of(pattern, block.fields()) for pattern, block in path_blocks(text))


def rule_of(pattern, fields):
    unknown = set(fields) - KNOWN
    if unknown or "{{" in pattern:
        raise Unreadable(f"path {pattern!r}: out of scope: {', '.join(sorted(unknown)) or 'templates'}")
    pattern = pattern[1:] if pattern.startswith("/") else pattern
    if "+*" in pattern:
        raise Unreadable(f"path {pattern!r}: +* is refused")
    capabilities = [*fields.get("capabilities", []), *OLD_WORDS.get(fields.get("policy", ""), [])]
    if "deny" in capabilities:
        # What else the block says is not read.
        return Rule(pattern, frozenset(["deny"]))
    if not set(capabilities) <= set(CAPABILITIES):
        raise Unreadable(f"path {pattern!r}: unknown capability")
    least, most = duration(fields.get("min_wrapping_ttl", 0)), duration(fields.get("max_wrapping_ttl", 0))
    if least and most and most < least:
        raise Unreadable("max_wrapping_ttl cannot be less than min_wrapping_ttl")
    # Servers lower these names when they check a request, and not those of the request.
    required = tuple(dict.fromkeys(name.lower() for name in fields.get("required_parameters", [])))
    return Rule(
        pattern,
        frozenset(capabilities),
        parameters(fields.get("allowed_parameters")),
        parameters(fields.get("denied_parameters")),
        required,
        least,
        most,
    )
