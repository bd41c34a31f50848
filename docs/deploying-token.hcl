# gatehouse-prod-deploying: what a token needs for deploying the stack prod, and no more.
# Written by: gatehouse token-policy -s prod

path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/create" {
  capabilities = ["update"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}
path "sys/capabilities-self" {
  capabilities = ["update"]
}
path "sys/auth" {
  capabilities = ["read"]
}
path "sys/auth/staff" {
  capabilities = ["read", "update", "delete", "sudo"]
}
path "sys/mounts/auth/staff" {
  capabilities = ["read"]
}
path "sys/mounts/auth/staff/tune" {
  capabilities = ["read", "update", "sudo"]
}
path "auth/staff/config" {
  capabilities = ["read", "update"]
}
path "auth/staff/role" {
  capabilities = ["list"]
}
path "auth/staff/role/+" {
  capabilities = ["read"]
}
path "auth/staff/cel/role" {
  capabilities = ["list"]
}
path "auth/staff/role/reader" {
  capabilities = ["read", "create", "update", "delete"]
}
path "identity/group" {
  capabilities = ["update"]
  allowed_parameters = {
    "type"     = ["external"]
    "name"     = ["admins"]
    "policies" = []
    "metadata" = []
  }
  required_parameters = ["type", "name"]
}
path "identity/group/name" {
  capabilities = ["list"]
}
path "identity/group/name/admins" {
  capabilities = ["read"]
}
path "identity/group/id" {
  capabilities = ["list"]
}
path "identity/group/id/+" {
  capabilities = ["read", "update", "delete"]
  denied_parameters = {
    "member_entity_ids" = []
    "member_group_ids"  = []
  }
}
path "identity/group-alias" {
  capabilities = ["update"]
}
path "identity/group-alias/id" {
  capabilities = ["list"]
}
path "identity/group-alias/id/+" {
  capabilities = ["read", "update", "delete"]
}
path "sys/policies/acl/secrets-read" {
  capabilities = ["read", "update", "delete"]
}
path "sys/policies/acl/default" {
  capabilities = ["read"]
}
