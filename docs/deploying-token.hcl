# What a token needs that deploys an environment with Gatehouse, and no more. docs/deploying-token.md explains it.
#
# Two names are yours to choose, and this file holds an example of each:
#   login/      the environment's auth methods lie below this path (`path: login/staff` at each provider)
#   secrets-*   the environment's policies have names that begin like this; so do those of login-*
# The policy that you write this file to must match neither: name it, for example, gatehouse-deployer.

# The token looks itself up, works with a short-lived child of itself, and revokes that at the end.
path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/create" {
  capabilities = ["update"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}

# Auth methods: the mounts (the service asks for sudo here), their tuning, configuration and roles.
path "sys/auth/login/+" {
  capabilities = ["create", "read", "update", "delete", "sudo"]
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

# External groups and their aliases. Groups are written by id, so that no path can tell one from another; what can be
# refused is to put members into a group, which would be a way into the groups of others.
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

# Policies, by the beginning of their names.
path "sys/policies/acl/secrets-*" {
  capabilities = ["create", "read", "update", "delete"]
}
path "sys/policies/acl/login-*" {
  capabilities = ["create", "read", "update", "delete"]
}

# Custom messages. A service without them has no such path; the rule does no harm there.
path "sys/config/ui/custom-messages" {
  capabilities = ["create", "update", "list"]
}
path "sys/config/ui/custom-messages/+" {
  capabilities = ["read", "update", "delete"]
}
