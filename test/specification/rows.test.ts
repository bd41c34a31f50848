import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

/**
 * Rows of docs/inside/specification.md that tests elsewhere hold: by file, the row and a test's name. The other rows
 * name their own test here.
 */
const rows: Record<string, [row: string, name: string][]> = {
  'packages/core/test/run-task/payload.test.ts': [
    [
      'A1, "These fields are in every payload"',
      'has the fields of docs/inside/specification.md A1 and no others',
    ],
    ['A1, what may be null', 'may have null for %s'],
    ['A1 payload_version, stage; Versioning 1', 'with %s = %p is refused by that name'],
    ['A1 capabilities, in both spellings', 'with %s: outcomes are taken: %p'],
    ['A1 plan_json_api_url', 'at pre_plan needs no address of a plan'],
  ],
  'packages/core/test/run-task/result.test.ts': [
    ['A2 type and status', 'with %s is 422 and says where'],
    ['A2 outcomes, at the top or inside data; A3; A4 level', 'has its outcomes %s'],
  ],
  'packages/run-tasks/test/platform/protocol-routes.both.test.ts': [
    ['States: running, passed, failed', 'with %s is answered with 200 and nothing'],
    ['States, Errors: another status is 422', 'with %s is refused, and changes nothing'],
    ['States, Limits, Errors: ten minutes', 'is errored ten minutes after its request, and not before'],
    ['A-2, Errors, Authentication 2: 401', 'is refused with 401, and changes nothing,'],
  ],
  'packages/core/test/run-task/signature.test.ts': [
    ['A-1, Authentication 1: HMAC-SHA512', 'is HMAC-SHA512 in lower-case hex'],
    ['A-1, Authentication 1: empty without a key', 'is empty without a key'],
    ['A-1: a wrong signature', 'is refused where there is %s and a key is configured'],
  ],
  'packages/core/test/graph/resources/field.test.ts': [
    ['B1 config, B2 role: wire names', 'to the wire and back'],
    ['B2 policies, ttl, in both spellings', 'fieldNamed reads %s as %s'],
  ],
  'packages/core/test/graph/kinds/kinds.test.ts': [
    ['B1 oidc_client_id, oidc_discovery_url, of each kind', 'configured from the least'],
    ['B1 oidc_discovery_ca_pem', 'trusts a CA, and takes the algorithms that are given'],
    ['B-2, settings of each kind', 'configured from the least'],
    ['B-2, role of each kind', 'has a role of the least'],
    ['B-2, groups claim of each kind', 'asks for the groups claim where groups are declared'],
    ['B-2 hosted identity platform; Errors: RS256', "jwtSupportedAlgs: ['RS256']"],
    ['B-4 role', "boundSubject: 'system:serviceaccount:shop:web'"],
  ],
  'test/providers/providers.test.ts': [
    ['B1 oidc_client_secret; Authentication 5', 'its client secret a secret'],
    ['B4 name, mount_accessor, canonical_id', 'are an external group and an alias each'],
  ],
  'packages/core/test/environment/environment.test.ts': [
    ['B1 oidc_discovery_url, without the suffix', 'authority: give the URL without'],
    ['Limits, Errors: 100 messages, before anything is sent', 'a namespace holds at most 100 messages'],
  ],
  'packages/core/test/environment/declared.test.ts': [
    ['B1 default_role', 'names description, default role and tuning'],
    ['B2 what a role says itself', 'lets what a role says go before what its kind says'],
  ],
  'packages/core/test/graph/resources/auth-method.test.ts': [
    ['B1 jwt_validation_pubkeys, chained', 'splits keys that are chained'],
  ],
  'packages/core/test/graph/resources/role.test.ts': [
    ['B2 allowed_redirect_uris', 'splits redirect URIs that are joined'],
  ],
  'packages/core/test/graph/resources/claim-mappings.test.ts': [['B2 claim_mappings', 'are read from %s']],
  'packages/core/test/graph/resources/provider-config.test.ts': [
    ['B3, all fields on the wire', 'writes everything as text'],
    ['B3, defaults', 'leaves out what is the default'],
    ['B3, what is refused', 'is refused for its %s'],
  ],
  'packages/core/test/graph/resources/custom-message.test.ts': [
    ['C1, all fields', 'reads every field, times to the nanosecond'],
    ['C1, defaults of authenticated, type, end_time', 'fills in type banner and authenticated true'],
    ['C1, what is required, and of which type', 'an unknown field'],
  ],
  'packages/secrets-service/test/messages/messages.test.ts': [
    ['C1 active; Custom message activity', 'is active or not: %s'],
    ['C List: filters', 'filtered by %j'],
    ['C List: wrong filters', 'refuses the filter %j'],
    ['C Create: what is required', 'a message is refused, and nothing is stored,'],
    ['C Update: body as for create', 'replaces everything: what is left out goes back to its default'],
    ['Limits, Errors: 100 messages, at the service', 'as the 101st of its namespace'],
    ['Authentication 3: anonymous clients', 'is active messages alone, before and after sign-in apart'],
  ],
  'test/components/custom-message.test.ts': [
    ['C1 message, link, as sent', 'registers the official resource and nothing else'],
  ],
  'packages/core/test/environment/redirect-uris.test.ts': [
    ['B-2, redirect URIs', 'are the command line’s and the pages’'],
  ],
  'test/providers/cloud-directory.test.ts': [
    ['B-2 cloud directory: application, type Web, secret', 'registers the application'],
    ['B-2 cloud directory: client id and secret', 'feeds its id and its secret into the mount'],
    ['B-2 cloud directory: read-all permission', 'may read the directory in the name of'],
  ],
  'packages/core/test/graph/kinds/cloud-directory.test.ts': [
    ['B-2 cloud directory: groups in the token', 'gives the token groups of type SecurityGroup'],
    ['B-2 cloud directory: <authority>/<tenant_id>/v2.0', 'takes another authority'],
    ['B-2 cloud directory, Limits: more than 200 groups', 'when people may be in more than 200 groups'],
  ],
  'packages/core/test/graph/kinds/access-management-suite.test.ts': [
    ['B-2 access-management suite', 'oauth2 base path'],
  ],
  'packages/core/test/graph/kinds/enterprise-identity-provider.test.ts': [
    ['B-2 enterprise identity provider: issuer', 'discovers at the authorization server that is named'],
  ],
  'test/providers/workspace-suite.test.ts': [
    ['B-3.3, B-3.4: provider_config', 'says it in the words of the neutral dialect'],
    ['B-3.3: the key file', 'names the key file on the service’s host'],
  ],
  'packages/core/test/graph/kinds/workspace-suite.test.ts': [
    ['B-3.5: user_claim is sub or email', 'lets people be named by %s'],
    ['B-3.5: user_claim is nothing else', 'set sub or email, not hd'],
    [
      'B-3.6, Limits: groups_claim, no recursion',
      'looks groups up, and nothing else, when a directory is given',
    ],
  ],
  'test/providers/container-orchestrator.test.ts': [
    ['B-4 method 1, step 1', 'opens the discovery documents'],
  ],
  'packages/service-client/test/discovery.test.ts': [['B-4 method 1, step 2', 'issuer']],
  'packages/core/test/graph/kinds/container-orchestrator.test.ts': [
    ['B-4 method 1, step 3', 'method 1: discovers at the in-cluster address with a CA'],
    ['B-4 method 2, step 3', 'method 2: gives the public keys, and nothing to discover with'],
    ['B-4 method 2: several clusters', 'have an auth method each, with its own keys and issuer'],
    ['B-4 custom audience', 'binds a custom audience instead of the issuer'],
  ],
  'packages/core/test/graph/public-keys.test.ts': [
    ['B-4 method 2, steps 1 and 2', 'turns a key of %s into the PEM'],
  ],
  'test/providers/projected-token.test.ts': [
    ['B-4, Limits: 600 seconds', 'takes another name and as little as 600 seconds'],
    ['B-4: less than 600 seconds', 'refuses %i seconds'],
  ],
  'packages/core/test/graph/values/wire.test.ts': [['Authentication 3: names of headers', 'X-Secrets-Token']],
  'packages/service-client/test/service-client.test.ts': [['Versioning 2: /v1/', "'/v1/"]],
  'packages/secrets-service/test/conformance/scenarios/jwt-login.ts': [
    ['B2 role_type', "login('with a role of type oidc'"],
    ['B2 user_claim', "login('a user claim by its pointer'"],
    ['B2 claim_mappings, on a service', "login('claims that are mapped'"],
    ['B2 bound_audiences', "login('for an audience that begins alike'"],
    ['B2 bound_subject', "login('another subject'"],
    ['B2 policies, ttl, on a service', "make('whole', { ttl: '2h', policies: 'l-a'"],
    ['B1 default_role, on a service', "anonymous('a login without a role'"],
  ],
  'packages/secrets-service/test/conformance/scenarios/oidc-login.ts': [
    ['B2 allowed_redirect_uris, on a service', "url('a redirect URI of another'"],
    ['B2 oidc_scopes', "oidc_scopes: ['email', 'groups']"],
  ],
  'packages/secrets-service/test/conformance/scenarios/membership.ts': [
    ['B2 groups_claim, B4, on a service', "login('with the group'"],
  ],
  'packages/secrets-service/test/conformance/scenarios/groups.ts': [
    ['B4 mount_accessor of no mount', "groupAlias('on a mount that is none'"],
    ['B4 canonical_id of no group', "groupAlias('for a group that is none'"],
  ],
  'packages/secrets-service/test/conformance/scenarios/role.ts': [
    ['B2 claim_mappings, given repeatedly', "thenRead('a mapping as texts'"],
  ],
  'packages/secrets-service/test/conformance/scenarios/method-config.ts': [
    [
      'B1 oidc_client_id, oidc_discovery_url: read back; the secret never',
      "get('reads it without the secret'",
    ],
    ['B1 oidc_client_secret is needed with the id', "withKeys('a client without its secret'"],
    ['B1 oidc_discovery_url with the suffix, on a service', "post('the whole address of the document'"],
    ['B1 provider_config, on a service', "withKeys('the cloud directory'"],
  ],
  'packages/secrets-service/test/auth/ca-pem.openbao.test.ts': [
    ['B1 oidc_discovery_ca_pem, on a service', 'is taken as by OpenBao'],
  ],
};

describe.each(Object.entries(rows))('%s', (file, held) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

  test.each(held)('%s: %s', (_, name) => {
    expect(text).toContain(name);
  });
});
