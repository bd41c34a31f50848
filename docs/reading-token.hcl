# What a token needs to read the whole service, and no more. See docs/whole-service.md.
#
# No secret is read: secret ids, passwords and private keys are not below these paths, or no service returns them.

# Auth methods.
path "sys/auth" {
  capabilities = ["read"]
}
# As the official plugin reads a mount when it refreshes.
path "sys/mounts/auth/+" {
  capabilities = ["read"]
}
path "auth/+/config" {
  capabilities = ["read"]
}

# Roles, users, groups and teams of every method; one with a path of several parts needs rules of its own. A list is asked
# of the folder, where + stands for nothing.
path "auth/+/role/+" {
  capabilities = ["read", "list"]
}
path "auth/+/roles/+" {
  capabilities = ["read", "list"]
}
path "auth/+/users/+" {
  capabilities = ["read", "list"]
}
path "auth/+/groups/+" {
  capabilities = ["read", "list"]
}
path "auth/+/certs/+" {
  capabilities = ["read", "list"]
}
path "auth/+/map/+/+" {
  capabilities = ["read", "list"]
}
path "auth/+/cel/role/+" {
  capabilities = ["list"]
}

# Policies, entities and groups.
path "sys/policies/acl/+" {
  capabilities = ["read", "list"]
}
path "identity/+/id/+" {
  capabilities = ["read", "list"]
}
