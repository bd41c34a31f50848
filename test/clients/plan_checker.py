"""Reads a plan as Terraform's JSON, as conftest's and checkov's rules do, and prints what it objects to."""
import json
import sys

FORMAT = {"format_version", "planned_values", "resource_changes", "configuration"}
ACTIONS = (["no-op"], ["create"], ["update"], ["delete"], ["create", "delete"], ["delete", "create"], ["forget"])


def marked(mark):
    return mark is True or (isinstance(mark, (dict, list)) and any(map(marked, mark.values() if isinstance(mark, dict) else mark)))


def problems(plan):
    if missing := FORMAT - plan.keys():
        yield f"not a plan: {sorted(missing)}"
    planned = {one["address"]: one for one in plan["planned_values"]["root_module"]["resources"]}
    configured = {one["address"] for one in plan["configuration"]["root_module"]["resources"]}
    for one in plan["resource_changes"]:
        address, change = one["address"], one["change"]
        if one["mode"] != "managed" or address != f'{one["type"]}.{one["name"]}' or not one["provider_name"]:
            yield f"{address}: not an address of its type and name"
        if change["actions"] not in ACTIONS:
            yield f"{address}: {change['actions']}"
        if "create" in change["actions"] and change["after"] is None:
            yield f"{address}: is created as nothing"
        if (change["after"] is not None) != (address in planned) or (address in planned) != (address in configured):
            yield f"{address}: planned values and changes differ"
        for side in ("before", "after"):
            for field, mark in (change[f"{side}_sensitive"] or {}).items():
                if mark is True and change[side][field] is not None:
                    yield f"{address}: {side} shows {field}"


def denied(plan):
    """deny[msg] { r := input.resource_changes[_]; ... }"""
    for one in plan["resource_changes"]:
        after = one["change"]["after"] or {}
        if one["type"] == "vault_jwt_auth_backend_role":
            bounds = [after.get(name) for name in ("bound_claims", "bound_subject", "groups_claim")]
            if not any(bounds) and not marked(one["change"]["after_sensitive"]):
                yield f'{after.get("role_name")} lets everyone in'
        if one["type"] == "vault_policy" and '"sudo"' in (after.get("policy") or ""):
            yield f'{after["name"]} gives sudo'


plan = json.load(sys.stdin)
json.dump({
    "problems": list(problems(plan)),
    "denied": sorted(denied(plan)),
    "types": sorted({one["type"] for one in plan["resource_changes"]}),
}, sys.stdout)
