"""Reads a Python program on standard input, as JSON, and prints what it gives to names of the module gatehouse: each call's
name, and for each keyword what its value is (str, int, list, gatehouse.GroupArgs, …)."""

import ast
import json
import sys


def made(value):
    if isinstance(value, ast.Constant):
        return type(value.value).__name__
    if isinstance(value, ast.List):
        return "[" + (made(value.elts[0]) if value.elts else "?") + "]"
    if isinstance(value, ast.Dict):
        return "dict"
    if isinstance(value, ast.Call) and ast.unparse(value.func).startswith("gatehouse."):
        return ast.unparse(value.func)
    return "?"


calls = [
    {
        "type": ast.unparse(node.func).removeprefix("gatehouse."),
        "fields": {one.arg: made(one.value) for one in node.keywords},
    }
    for node in ast.walk(ast.parse(json.load(sys.stdin)))
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("gatehouse.")
]
print(json.dumps(calls))
