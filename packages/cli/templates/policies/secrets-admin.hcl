# Reads, writes and deletes secrets.
path "secret/*" {
  capabilities = ["create", "read", "update", "patch", "delete", "list"]
}
