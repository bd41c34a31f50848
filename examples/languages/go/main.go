package main

import (
	"git.example.com/platform/gatehouse/sdk/go/gatehouse"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		service := gatehouse.ServiceArgs{Address: pulumi.String("https://secrets.example.com:8200")}

		secretsRead, err := gatehouse.NewPolicy(ctx, "secrets-read", &gatehouse.PolicyArgs{
			Name: pulumi.String("secrets-read"),
			Text: pulumi.String(`path "secret/data/*" { capabilities = ["read"] }`),
		})
		if err != nil {
			return err
		}
		secretsAdmin, err := gatehouse.NewPolicy(ctx, "secrets-admin", &gatehouse.PolicyArgs{
			Name: pulumi.String("secrets-admin"),
			Text: pulumi.String(`path "secret/*" { capabilities = ["create", "read", "update", "delete", "list"] }`),
		})
		if err != nil {
			return err
		}

		staff, err := gatehouse.NewOpenSourceIdentityServer(ctx, "staff", &gatehouse.OpenSourceIdentityServerArgs{
			Service:      service,
			Authority:    pulumi.String("https://id.example.com"),
			Realm:        pulumi.String("staff"),
			ClientId:     pulumi.String("gatehouse"),
			ClientSecret: config.RequireSecret(ctx, "clientSecret"),
			DefaultRole:  pulumi.String("reader"),
			Roles: []gatehouse.ProviderRoleArgs{{
				Name:        "reader",
				Policies:    pulumi.StringArray{secretsRead.Name},
				Ttl:         pulumi.String("1h"),
				BoundClaims: pulumi.Map{"email_verified": pulumi.Bool(true)},
			}},
			Groups: []gatehouse.GroupArgs{{
				Name:     "admins",
				Alias:    pulumi.String("/secrets/admins"),
				Policies: pulumi.StringArray{secretsAdmin.Name},
			}},
		})
		if err != nil {
			return err
		}

		_, err = gatehouse.NewGithubActions(ctx, "deploys", &gatehouse.GithubActionsArgs{
			Service:  service,
			Audience: pulumi.String("https://secrets.example.com:8200"),
			Tune:     &gatehouse.TuneArgs{DefaultLeaseTtl: pulumi.String("15m")},
			Roles: []gatehouse.GithubActionsRoleArgs{{
				Name:         "deploy",
				RepositoryId: pulumi.StringArray{pulumi.String("123456789")},
				Ref:          pulumi.StringArray{pulumi.String("refs/heads/main")},
				Policies:     pulumi.StringArray{secretsRead.Name},
			}},
		})
		if err != nil {
			return err
		}

		ctx.Export("staffPath", staff.Path)
		return nil
	})
}
