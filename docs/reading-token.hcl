# What a token needs to read the whole service, and no more: docs/whole-service.md.
# Written by scripts/write-reference.ts from the table of gatehouse token-policy --whole.

path "sys/auth" {
  capabilities = ["read"]
}
path "sys/mounts/auth/+" {
  capabilities = ["read"]
}
path "auth/+/config" {
  capabilities = ["read"]
}
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
path "sys/policies/acl/+" {
  capabilities = ["read", "list"]
}
path "identity/+/id/+" {
  capabilities = ["read", "list"]
}
path "identity/mfa/login-enforcement/+" {
  capabilities = ["read", "list"]
}
path "sys/namespaces/+" {
  capabilities = ["list"]
}
path "sys/mounts" {
  capabilities = ["read"]
}
path "identity/oidc/role/+" {
  capabilities = ["read", "list"]
}
path "identity/oidc/key/+" {
  capabilities = ["read"]
}
path "identity/oidc/client/+" {
  capabilities = ["list"]
}
path "pki/roles/+" {
  capabilities = ["read", "list"]
}
path "pki/config/acme" {
  capabilities = ["read"]
}
path "pki/config/est" {
  capabilities = ["read"]
}
path "pki/config/scep" {
  capabilities = ["read"]
}
path "pki/config/cmp" {
  capabilities = ["read"]
}
