# Reads how people and workloads sign in; changes go through `pulumi up`.
path "sys/auth" {
  capabilities = ["read"]
}
path "auth/+/config" {
  capabilities = ["read"]
}
path "auth/+/role/*" {
  capabilities = ["read", "list"]
}
path "identity/group/*" {
  capabilities = ["read", "list"]
}
path "sys/config/ui/custom-messages/*" {
  capabilities = ["read", "list"]
}
