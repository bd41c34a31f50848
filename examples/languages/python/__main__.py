import pulumi
import gatehouse_gatehouse as gatehouse

service = gatehouse.ServiceArgs(address="https://secrets.example.com:8200")

secrets_read = gatehouse.Policy(
    "secrets-read",
    name="secrets-read",
    text='path "secret/data/*" { capabilities = ["read"] }',
)
secrets_admin = gatehouse.Policy(
    "secrets-admin",
    name="secrets-admin",
    text='path "secret/*" { capabilities = ["create", "read", "update", "delete", "list"] }',
)

staff = gatehouse.OpenSourceIdentityServer(
    "staff",
    service=service,
    authority="https://id.example.com",
    realm="staff",
    client_id="gatehouse",
    client_secret=pulumi.Config().require_secret("clientSecret"),
    default_role="reader",
    roles=[
        gatehouse.ProviderRoleArgs(
            name="reader",
            policies=[secrets_read.name],
            ttl="1h",
            bound_claims={"email_verified": True},
        )
    ],
    groups=[
        gatehouse.GroupArgs(
            name="admins",
            alias="/secrets/admins",
            policies=[secrets_admin.name],
        )
    ],
)

gatehouse.GithubActions(
    "deploys",
    service=service,
    audience="https://secrets.example.com:8200",
    tune=gatehouse.TuneArgs(default_lease_ttl="15m"),
    roles=[
        gatehouse.GithubActionsRoleArgs(
            name="deploy",
            repository_id=["123456789"],
            ref=["refs/heads/main"],
            policies=[secrets_read.name],
        )
    ],
)

pulumi.export("staffPath", staff.path)
