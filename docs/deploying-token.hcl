# What a token needs to deploy an environment with Gatehouse, and no more. See docs/stacks.md.
#
# Choose your own names; these are examples:
#   login/                 the environment's auth methods are below this path (`path: login/staff` for each provider)
#   secrets-*, login-*     the names of the environment's policies start like this
# The name of the policy in this file must not start like that: for example, gatehouse-deployer.

# The token looks itself up, works with a short-lived child token, and revokes that at the end.
path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/create" {
  capabilities = ["update"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}

# Before the first write, it asks what it may do.
path "sys/capabilities-self" {
  capabilities = ["update"]
}

# Auth methods: mounts (the service requires sudo here), tuning, configuration and roles.
path "sys/auth/login/+" {
  capabilities = ["create", "read", "update", "delete", "sudo"]
}
path "sys/mounts/auth/login/+" {
  capabilities = ["read"]
}
path "sys/mounts/auth/login/+/tune" {
  capabilities = ["read", "update"]
}
path "auth/login/+/config" {
  capabilities = ["create", "read", "update"]
}
path "auth/login/+/role/+" {
  capabilities = ["create", "read", "update", "delete"]
}

# External groups and their aliases. Groups are written by id, so no path can tell them apart. Adding members is refused: it would
# be a way into other groups.
path "identity/group" {
  capabilities       = ["create", "update"]
  allowed_parameters = {
    "type"     = ["external"]
    "name"     = []
    "policies" = []
    "metadata" = []
  }
  required_parameters = ["type", "name"]
}
path "identity/group/name" {
  capabilities = ["list"]
}
path "identity/group/name/+" {
  capabilities = ["read"]
}
path "identity/group/id/+" {
  capabilities      = ["read", "update", "delete"]
  denied_parameters = {
    "member_entity_ids" = []
    "member_group_ids"  = []
  }
}
path "identity/group-alias" {
  capabilities = ["create", "update"]
}
path "identity/group-alias/id" {
  capabilities = ["list"]
}
path "identity/group-alias/id/+" {
  capabilities = ["read", "update", "delete"]
}

# Policies, by the prefix of their names.
path "sys/policies/acl/secrets-*" {
  capabilities = ["create", "read", "update", "delete"]
}
path "sys/policies/acl/login-*" {
  capabilities = ["create", "read", "update", "delete"]
}

# For drift: whether somebody changed what nearly every token has.
path "sys/policies/acl/default" {
  capabilities = ["read"]
}

# Custom messages. On a service without them, these rules do nothing.
path "sys/config/ui/custom-messages" {
  capabilities = ["create", "update", "list"]
}
path "sys/config/ui/custom-messages/+" {
  capabilities = ["read", "update", "delete"]
}
