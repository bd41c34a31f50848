"""Reads policies: the part of HCL 1 (or JSON) that they are written in. Shares no code with core/."""

import json
import re

TOKEN = re.compile(
    r'(?P<blank>\s+|#[^\n]*|//[^\n]*|/\*.*?\*/)'
    r'|(?P<string>"(?:\\.|[^"\\\n])*")'
    r'|(?P<number>-?\d+(?:\.\d+)?)'
    r'|(?P<name>[A-Za-z_][\w.-]*)'
    r'|(?P<sign>[{}\[\],=])',
    re.DOTALL,
)


class Unreadable(Exception):
    """A text that is no policy, or one with parts that the prover does not know."""


def tokens(text):
    at, found = 0, []
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise Unreadable(f"at {at}: {text[at:at + 20]!r}")
        at = token.end()
        if token.lastgroup != "blank":
            found.append((token.lastgroup, token.group()))
    return found + [("end", "")]


class Reader:
    def __init__(self, text):
        self.tokens = tokens(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at]

    def take(self, *signs):
        """The next token; one of the signs where any are given."""
        kind, text = self.tokens[self.at]
        if signs and (kind != "sign" or text not in signs):
            raise Unreadable(f"expected {' or '.join(signs)}, got {text!r}")
        self.at += 1
        return kind, text

    def body(self, end):
        """Pairs of keys and value: `path "a" {…}` has two keys."""
        items = []
        while self.peek() != end:
            keys = []
            while self.peek()[0] in ("name", "string"):
                kind, text = self.take()
                keys.append(json.loads(text) if kind == "string" else text)
            if not keys:
                raise Unreadable(f"expected a name, got {self.peek()[1]!r}")
            if self.peek() == ("sign", "="):
                self.take()
                value = self.value()
            else:
                value = self.block()
            items.append((keys, value))
            if self.peek() == ("sign", ","):
                self.take()
        self.at += 1
        return items

    def block(self):
        self.take("{")
        return Block(self.body(("sign", "}")))

    def value(self):
        kind, text = self.peek()
        if kind == "sign" and text == "{":
            return self.block()
        self.take()
        if kind == "string":
            return json.loads(text)
        if kind == "number":
            return float(text) if "." in text else int(text)
        if text in ("true", "false"):
            return text == "true"
        if text != "[":
            raise Unreadable(f"expected a value, got {text!r}")
        values = []
        while self.peek() != ("sign", "]"):
            values.append(self.value())
            if self.peek() != ("sign", "]"):
                self.take(",")
        self.take()
        return values


class Block:
    """What stands between braces."""

    def __init__(self, items):
        self.items = items

    def fields(self):
        """By name; a name that is given twice is refused."""
        found = {}
        for keys, value in self.items:
            if len(keys) != 1 or keys[0] in found:
                raise Unreadable(f"{' '.join(keys)}: given twice, or a block too many")
            found[keys[0]] = value
        return found


def from_json(value):
    if isinstance(value, dict):
        return Block([([name], from_json(one)) for name, one in value.items()])
    if isinstance(value, list):
        return [from_json(one) for one in value]
    return value


def path_blocks(text):
    """Pairs of pattern and Block."""
    if text.lstrip().startswith("{"):
        items = from_json(json.loads(text)).items
    else:
        items = Reader(text).body(("end", ""))
    blocks = []
    for keys, value in items:
        if keys[0] == "name" and len(keys) == 1:
            continue
        if keys[0] != "path":
            raise Unreadable(f"unknown key {keys[0]!r}")
        if len(keys) == 1 and isinstance(value, Block):
            blocks += [(inner[0], one) for inner, one in value.items if len(inner) == 1]
        elif len(keys) == 2 and isinstance(value, Block):
            blocks.append((keys[1], value))
        else:
            raise Unreadable("path: expected one pattern and a block")
    return blocks
