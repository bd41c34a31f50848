package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/vault/api"
)

type fields = map[string]interface{}

// The resources of the stack, each with the calls by which the official one is made, read, changed and deleted
// (hashicorp/terraform-provider-vault vault/resource_*.go, internal/provider/meta.go).
var resources = []struct {
	name  string
	calls func(*session, given)
}{
	{"provider", provider},
	{"policy", policy},
	{"auth method", authMethod},
	{"role", role},
	{"generic endpoint", endpoint},
	{"group", group},
	{"group alias", groupAlias},
	{"namespace", namespace},
	{"custom message", message},
}

func provider(s *session, in given) {
	s.secret("looks up its token", s.client.Auth().Token().LookupSelf)
	child := s.secret("makes a child token", func() (*api.Secret, error) {
		clone, err := s.client.Clone()
		check(err)
		renewable := false
		return clone.Auth().Token().Create(&api.TokenCreateRequest{
			DisplayName: "terraform", TTL: "1200s", ExplicitMaxTTL: "1200s", Renewable: &renewable,
		})
	})
	if child != nil && child.Auth != nil {
		s.client.SetToken(child.Auth.ClientToken)
	}
	s.secret("looks up the child token", s.client.Auth().Token().LookupSelf)
	s.do("reads the version", func() (interface{}, error) {
		clone, err := s.client.Clone()
		check(err)
		clone.ClearNamespace()
		return clone.Sys().SealStatus()
	})
	s.client.SetToken(in.Token + "x")
	s.secret("with a token that is none", s.client.Auth().Token().LookupSelf)
	s.client.SetToken(in.Token)
}

func policy(s *session, _ given) {
	read := func(what string) {
		s.do(what, func() (interface{}, error) { return s.client.Sys().GetPolicy("v-policy") })
	}
	put := func(what, rules string) {
		s.plain(what, func() error { return s.client.Sys().PutPolicy("v-policy", rules) })
	}
	remove := func(what string) {
		s.plain(what, func() error { return s.client.Sys().DeletePolicy("v-policy") })
	}
	read("is not there")
	put("is made", `path "secret/data/*" { capabilities = ["read"] }`)
	read("is read")
	put("is changed", "# none\n")
	put("is refused", `path "x" { capabilities = ["none"] }`)
	read("is read again")
	remove("is deleted")
	remove("is deleted again")
}

// Reads of an auth method, when it is made, refreshed or imported.
func readMethod(s *session, what, path string) {
	s.do(what+": the mount", func() (interface{}, error) { return s.client.Sys().GetAuth(path) })
	s.read(what+": the configuration", "/auth/"+path+"/config")
	s.do(what+": the tune", func() (interface{}, error) { return s.client.Sys().MountConfig("auth/" + path) })
}

func enable(s *session, what, path, kind, description string) {
	s.plain(what, func() error {
		return s.client.Sys().EnableAuthWithOptions(path, &api.EnableAuthOptions{Type: kind, Description: description})
	})
}

func tune(s *session, what, path string, config api.MountConfigInput) {
	s.plain(what, func() error { return s.client.Sys().TuneMount("auth/"+path, config) })
}

func authMethod(s *session, in given) {
	// The provider sends lists that are not configured as lists of one empty text.
	none := []string{""}
	tuned := func(config api.MountConfigInput) api.MountConfigInput {
		config.AuditNonHMACRequestKeys, config.AuditNonHMACResponseKeys = none, none
		config.PassthroughRequestHeaders, config.AllowedResponseHeaders = none, none
		return config
	}
	readMethod(s, "is not there", "v-none")
	enable(s, "is enabled", "v-oidc", "oidc", "people")
	enable(s, "is enabled again", "v-oidc", "oidc", "people")
	enable(s, "of a type that is none", "v-none", "none", "")
	s.write("is configured", "/auth/v-oidc/config", fields{
		"default_role": "reader", "namespace_in_state": true, "oidc_client_id": "client",
		"oidc_client_secret": "secret", "oidc_discovery_url": in.Issuer,
	})
	tune(s, "is tuned", "v-oidc", tuned(api.MountConfigInput{ListingVisibility: "unauth"}))
	readMethod(s, "is read", "v-oidc")
	tune(s, "has its tune changed", "v-oidc", tuned(api.MountConfigInput{
		DefaultLeaseTTL: "1h", MaxLeaseTTL: "9h", ListingVisibility: "hidden", TokenType: "default-batch",
	}))
	tune(s, "has lists tuned", "v-oidc", api.MountConfigInput{
		AuditNonHMACRequestKeys: []string{"a", "b"}, PassthroughRequestHeaders: []string{"X-One"},
	})
	tune(s, "has a tune refused", "v-oidc", api.MountConfigInput{DefaultLeaseTTL: "99h", MaxLeaseTTL: "1h"})
	// Once it is there, the whole configuration is written.
	whole := fields{
		"bound_issuer": "", "default_role": "reader", "jwks_ca_pem": "", "jwks_pairs": []interface{}{}, "jwks_url": "",
		"jwt_supported_algs": []string{"RS256"}, "jwt_validation_pubkeys": []string{}, "namespace_in_state": true,
		"oidc_client_id": "client", "oidc_client_secret": "other", "oidc_discovery_ca_pem": "",
		"oidc_discovery_url": in.Issuer, "oidc_response_mode": "form_post", "oidc_response_types": []string{"id_token"},
		"provider_config": fields{"provider": "azure"},
	}
	s.write("is configured again", "/auth/v-oidc/config", whole)
	readMethod(s, "is read again", "v-oidc")
	s.write("is refused without a source of keys", "/auth/v-oidc/config", fields{"default_role": "reader"})
	s.plain("is moved", func() error { return s.client.Sys().Remount("auth/v-oidc", "auth/v-moved") })
	s.plain("is moved from where none is", func() error { return s.client.Sys().Remount("auth/v-oidc", "auth/v-other") })
	readMethod(s, "is read where it is now", "v-moved")
	readMethod(s, "is read where it was", "v-oidc")
	enable(s, "of type jwt", "v-jwt", "jwt", "")
	s.write("is configured with keys", "/auth/v-jwt/config", fields{
		"bound_issuer": "https://cluster.example.com", "jwt_validation_pubkeys": []string{publicKey},
	})
	readMethod(s, "is read with keys", "v-jwt")
	s.plain("is disabled", func() error { return s.client.Sys().DisableAuth("v-moved") })
	s.plain("is disabled again", func() error { return s.client.Sys().DisableAuth("v-moved") })
	readMethod(s, "is gone", "v-moved")
}

func role(s *session, _ given) {
	path := "auth/v-jwt/role/v-role"
	leeways := func(data fields) fields {
		for name, value := range (fields{
			"clock_skew_leeway": 0, "expiration_leeway": 0, "not_before_leeway": 0, "role_type": "jwt",
			"user_claim": "sub", "user_claim_json_pointer": false, "verbose_oidc_logging": false,
		}) {
			data[name] = value
		}
		return data
	}
	s.read("is not there", path)
	s.write("is made", path, leeways(fields{
		"bound_audiences": []string{"one"}, "bound_claims": fields{}, "token_policies": []string{"b", "a"},
		"token_ttl": 3600, "token_type": "default",
	}))
	s.read("is read", path)
	s.write("has every field", path, leeways(fields{
		"bound_audiences": []string{"one", "two"}, "bound_claims": fields{"team": []string{"a", "b"}, "hd": []string{"x"}},
		"bound_claims_type": "glob", "bound_subject": "subject", "claim_mappings": fields{"/a/b": "c"}, "max_age": 60,
		"groups_claim": "groups", "token_policies": []string{"a"}, "token_bound_cidrs": []string{"10.0.0.0/8", "127.0.0.1"},
		"token_explicit_max_ttl": 36000, "token_max_ttl": 28800, "token_no_default_policy": true, "token_num_uses": 5,
		"token_period": 60, "token_ttl": 7200, "token_type": "service",
		"allowed_redirect_uris": []string{"http://localhost:8250/oidc/callback"}, "oidc_scopes": []string{"profile"},
	}))
	s.read("is read with every field", path)
	s.write("is cleared", path, leeways(fields{
		"bound_audiences": []string{}, "bound_claims": fields{}, "bound_claims_type": "string", "bound_subject": "x",
		"groups_claim": "", "token_policies": []string{}, "token_bound_cidrs": []string{}, "token_explicit_max_ttl": 0,
		"token_max_ttl": 0, "token_no_default_policy": false, "token_num_uses": 0, "token_period": 0, "token_ttl": 0,
		"token_type": "default",
	}))
	s.read("keeps what no field clears", path)
	s.write("is refused without bounds", "auth/v-jwt/role/v-open", leeways(fields{"bound_claims": fields{}}))
	s.write("is refused for its type", path, leeways(fields{"role_type": "none"}))
	s.write("is refused without its method", "auth/v-none/role/v-role", leeways(fields{}))
	s.read("is read without its method", "auth/v-none/role/v-role")
	s.remove("is deleted", path)
	s.remove("is deleted again", path)
	s.remove("is deleted without its method", "auth/v-none/role/v-role")
}

func endpoint(s *session, _ given) {
	path := "auth/v-jwt/role/v-typed"
	typed := fields{
		"role_type": "jwt", "user_claim": "sub", "bound_audiences": []string{"one"},
		"bound_claims": fields{"beta": true, "n": 3, "team": []string{"a"}}, "token_policies": []string{"a"},
	}
	s.write("is written", path, typed)
	s.read("is read", path)
	s.write("is written again", path, fields{"bound_claims": fields{"beta": false}, "user_claim": "sub"})
	s.read("is read again", path)
	s.remove("is deleted", path)
	s.read("is gone", path)
}

func group(s *session, _ given) {
	made := s.write("is made", "/identity/group", fields{"name": "v-group", "policies": []string{"b", "a"}, "type": "external"})
	path := "/identity/group/id/" + text(made, "id")
	s.read("is read", path)
	s.write("is made with a name that is taken", "/identity/group", fields{"name": "v-group", "policies": []string{"a"}, "type": "external"})
	s.read("is read by its name", "/identity/group/name/v-group")
	s.write("is changed", path, fields{
		"external_policies": false, "metadata": fields{"team": "core"}, "name": "v-renamed", "policies": []string{"c"},
	})
	s.read("is read again", path)
	s.write("is emptied", path, fields{"external_policies": false, "metadata": fields{}, "name": "v-renamed", "policies": []string{}})
	s.read("is read when it is empty", path)
	inner := s.write("is made with members", "/identity/group", fields{
		"member_entity_ids": []string{}, "member_group_ids": []string{text(made, "id")}, "name": "v-internal",
		"policies": []string{"a"}, "type": "internal",
	})
	innerPath := "/identity/group/id/" + text(inner, "id")
	s.read("is read with members", innerPath)
	s.write("loses its members", innerPath, fields{
		"external_policies": false, "member_entity_ids": []string{}, "member_group_ids": []string{}, "metadata": fields{},
		"name": "v-internal", "policies": []string{"a"},
	})
	s.read("is read without members", innerPath)
	s.write("is made without a name", "/identity/group", fields{"policies": []string{}, "type": "internal", "member_group_ids": []string{}})
	s.remove("is deleted", innerPath)
	s.remove("is deleted again", innerPath)
	s.read("is gone", innerPath)
}

func groupAlias(s *session, _ given) {
	owner := s.write("has a group", "/identity/group", fields{"name": "v-owner", "type": "external", "policies": []string{}})
	second := s.write("has another group", "/identity/group", fields{"name": "v-second", "type": "external", "policies": []string{}})
	mount, _ := s.do("has a method", func() (interface{}, error) { return s.client.Sys().GetAuth("v-jwt") }).(*api.AuthMount)
	accessor := ""
	if mount != nil {
		accessor = mount.Accessor
	}
	alias := func(name string, of *api.Secret) fields {
		return fields{"canonical_id": text(of, "id"), "mount_accessor": accessor, "name": name}
	}
	made := s.write("is made", "/identity/group-alias", alias("admins", owner))
	path := "/identity/group-alias/id/" + text(made, "id")
	s.read("is read", path)
	s.write("is renamed", path, alias("owners", owner))
	s.read("is read again", path)
	s.write("goes to another group", path, alias("owners", second))
	s.read("is read with another group", path)
	s.write("is refused where it is taken", "/identity/group-alias", alias("owners", owner))
	s.write("is refused without a method", "/identity/group-alias", fields{"canonical_id": text(owner, "id"), "mount_accessor": "none", "name": "x"})
	s.read("is read with its group", "/identity/group/id/"+text(second, "id"))
	s.remove("is deleted", path)
	s.remove("is deleted again", path)
	s.read("is gone", path)
}

func namespace(s *session, in given) {
	path := "/sys/namespaces/v-team"
	s.read("is not there", path)
	s.write("is made", path, nil)
	s.read("is read", path)
	s.write("is made with metadata", "/sys/namespaces/v-noted", fields{"custom_metadata": fields{"a": "b"}})
	s.read("is read with metadata", "/sys/namespaces/v-noted")
	s.secret("has its metadata changed", func() (*api.Secret, error) {
		return s.client.Logical().JSONMergePatch(context.Background(), "/sys/namespaces/v-noted", fields{"custom_metadata": fields{"c": "d"}})
	})
	root := s.client
	clone, err := root.Clone()
	check(err)
	clone.SetNamespace("v-team")
	s.client = clone
	s.write("has one within", "/sys/namespaces/v-inner", nil)
	s.plain("has a policy", func() error { return s.client.Sys().PutPolicy("v-policy", "# none\n") })
	s.do("has its policy read", func() (interface{}, error) { return s.client.Sys().GetPolicy("v-policy") })
	enable(s, "has a method", "v-jwt", "jwt", "")
	s.write("has its method configured", "/auth/v-jwt/config", fields{"oidc_discovery_url": in.Issuer, "namespace_in_state": true})
	readMethod(s, "has its method read", "v-jwt")
	made := s.write("has a group", "/identity/group", fields{"name": "v-group", "type": "external", "policies": []string{"a"}})
	s.read("has its group read", "/identity/group/id/"+text(made, "id"))
	s.client = root
	s.remove("is not deleted with one within", path)
	s.client = clone
	s.remove("has the one within deleted", "/sys/namespaces/v-inner")
	s.gone("has none within any more", "/sys/namespaces/v-inner")
	s.client = root
	for _, each := range []string{"v-team", "v-noted"} {
		s.remove(fmt.Sprintf("%s is deleted", each), "/sys/namespaces/"+each)
		s.gone(fmt.Sprintf("%s is gone", each), "/sys/namespaces/"+each)
	}
}

func message(s *session, _ given) {
	request := api.UICustomMessageRequest{
		Title: "Maintenance", Message: "Q2xvc2Vk", Authenticated: false, Type: "banner",
		StartTime: "2026-12-01T00:00:00Z", EndTime: "2026-12-02T00:00:00Z", Options: fields{},
	}
	made := s.secret("is made", func() (*api.Secret, error) { return s.client.Sys().CreateUICustomMessage(request) })
	id := text(made, "id")
	read := func(what string) {
		s.secret(what, func() (*api.Secret, error) { return s.client.Sys().ReadUICustomMessage(id) })
	}
	read("is read")
	request.Title, request.EndTime, request.Type = "For ever", "", "modal"
	s.plain("is changed", func() error {
		return s.client.Sys().UpdateUICustomMessage(id, *request.WithLink("More", "https://example.com"))
	})
	read("is read again")
	request.Type = "none"
	s.plain("is refused for its type", func() error { return s.client.Sys().UpdateUICustomMessage(id, request) })
	// Without a context, the client deletes a policy of this name.
	s.plain("is deleted", func() error { return s.client.Sys().DeleteUICustomMessageWithContext(context.Background(), id) })
	read("is gone")
}

const publicKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8xOUetsCa8EfOlDEBAfREhJqspDo
yEh6Szz2in47Tv5n52m9dLYyPCbqZkOB5nTSqtscpkQD/HpykCggvx09iQ==
-----END PUBLIC KEY-----
`
