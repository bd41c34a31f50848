/** The policy `default` as a namespace has it from the start: what every token may do for itself. */
export const defaultPolicy = `# What every token may do for itself.
path "auth/token/lookup-self" {
    capabilities = ["read"]
}
path "auth/token/renew-self" {
    capabilities = ["update"]
}
path "auth/token/revoke-self" {
    capabilities = ["update"]
}
path "sys/capabilities-self" {
    capabilities = ["update"]
}
path "sys/internal/ui/resultant-acl" {
    capabilities = ["read"]
}

# Who signed in may read their own entity.
path "identity/entity/id/{{identity.entity.id}}" {
    capabilities = ["read"]
}
path "identity/entity/name/{{identity.entity.name}}" {
    capabilities = ["read"]
}

# The messages that the pages show once one is signed in.
path "sys/internal/ui/authenticated-messages" {
    capabilities = ["read"]
}
`;
