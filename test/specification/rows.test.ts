import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const kinds = 'packages/core/test/graph/kinds/kinds.test.ts';
const cloudDirectory = 'packages/core/test/graph/kinds/cloud-directory.test.ts';
const orchestrator = 'packages/core/test/graph/kinds/container-orchestrator.test.ts';
const suite = 'packages/core/test/graph/kinds/workspace-suite.test.ts';
const message = 'packages/core/test/graph/resources/custom-message.test.ts';
const messages = 'packages/secrets-service/test/messages/messages.test.ts';
const payload = 'packages/core/test/run-task/payload.test.ts';
const result = 'packages/core/test/run-task/result.test.ts';
const signature = 'packages/core/test/run-task/signature.test.ts';
const callback = 'packages/run-tasks/test/platform/protocol-routes.both.test.ts';
const onService = 'test/specification/b2-role-on-a-service.both.test.ts';

/** Rows of interface.md that tests elsewhere hold: row, file below test/, name of the test. The other rows name their own test here. */
const rows: [row: string, file: string, name: string][] = [
  ['A1, "These fields are in every payload"', payload, 'has the fields of interface.md A1 and no others'],
  ['A1, what may be null', payload, 'may have null for %s'],
  ['A1 payload_version, stage; Versioning 1', payload, 'with %s = %p is refused by that name'],
  ['A1 capabilities, in both spellings', payload, 'with %s: outcomes are taken: %p'],
  ['A1 plan_json_api_url', payload, 'at pre_plan needs no address of a plan'],
  ['A2 type and status', result, 'with %s is 422 and says where'],
  ['A2 outcomes, at the top or inside data; A3; A4 level', result, 'has its outcomes %s'],
  ['States: running, passed, failed', callback, 'with %s is answered with 200 and nothing'],
  ['States, Errors: another status is 422', callback, 'with %s is refused, and changes nothing'],
  [
    'States, Limits, Errors: ten minutes',
    callback,
    'is errored ten minutes after its request, and not before',
  ],
  ['A-1, Authentication 1: HMAC-SHA512', signature, 'is HMAC-SHA512 in lower-case hex'],
  ['A-1, Authentication 1: empty without a key', signature, 'is empty without a key'],
  ['A-1: a wrong signature', signature, 'is refused where there is %s and a key is configured'],
  ['A-2, Errors, Authentication 2: 401', callback, 'is refused with 401, and changes nothing,'],
  [
    'B1 config, B2 role: wire names',
    'packages/core/test/graph/resources/field.test.ts',
    'to the wire and back',
  ],
  ['B1 oidc_client_id, oidc_discovery_url, of each kind', kinds, 'configured from the least'],
  [
    'B1 oidc_client_secret; Authentication 5',
    'test/providers/providers.test.ts',
    'its client secret a secret',
  ],
  [
    'B1 oidc_discovery_url, without the suffix',
    'packages/core/test/environment/environment.test.ts',
    'authority: give the URL without',
  ],
  [
    'B1 default_role',
    'packages/core/test/environment/declared.test.ts',
    'names description, default role and tuning',
  ],
  ['B1 oidc_discovery_ca_pem', kinds, 'trusts a CA, and takes the algorithms that are given'],
  [
    'B1 jwt_validation_pubkeys, chained',
    'packages/core/test/graph/resources/auth-method.test.ts',
    'splits keys that are chained',
  ],
  ['B2 role_type', onService, 'B2 role_type'],
  [
    'B2 allowed_redirect_uris',
    'packages/core/test/graph/resources/role.test.ts',
    'splits redirect URIs that are joined',
  ],
  ['B2 claim_mappings', 'packages/core/test/graph/resources/claim-mappings.test.ts', 'are read from %s'],
  [
    'B2 policies, ttl, in both spellings',
    'packages/core/test/graph/resources/field.test.ts',
    'fieldNamed reads %s as %s',
  ],
  [
    'B2 what a role says itself',
    'packages/core/test/environment/declared.test.ts',
    'lets what a role says go before what its kind says',
  ],
  [
    'B3, all fields on the wire',
    'packages/core/test/graph/resources/provider-config.test.ts',
    'writes everything as text',
  ],
  [
    'B3, defaults',
    'packages/core/test/graph/resources/provider-config.test.ts',
    'leaves out what is the default',
  ],
  [
    'B4 name, mount_accessor, canonical_id',
    'test/providers/providers.test.ts',
    'are an external group and an alias each',
  ],
  ['C1, all fields', message, 'reads every field, times to the nanosecond'],
  ['C1, defaults of authenticated, type, end_time', message, 'fills in type banner and authenticated true'],
  ['C1, what is required, and of which type', message, 'an unknown field'],
  ['C1 active; Custom message activity', messages, 'is active or not: %s'],
  [
    'C1 message, link, as sent',
    'test/components/custom-message.test.ts',
    'registers the official resource and nothing else',
  ],
  ['B-2, settings of each kind', kinds, 'configured from the least'],
  ['B-2, role of each kind', kinds, 'has a role of the least'],
  ['B-2, groups claim of each kind', kinds, 'asks for the groups claim where groups are declared'],
  [
    'B-2, redirect URIs',
    'packages/core/test/environment/redirect-uris.test.ts',
    'are the command line’s and the pages’',
  ],
  [
    'B-2 cloud directory: application, type Web, secret',
    'test/providers/cloud-directory.test.ts',
    'registers the application',
  ],
  [
    'B-2 cloud directory: client id and secret',
    'test/providers/cloud-directory.test.ts',
    'feeds its id and its secret into the mount',
  ],
  [
    'B-2 cloud directory: groups in the token',
    cloudDirectory,
    'gives the token groups of type SecurityGroup',
  ],
  ['B-2 cloud directory: <authority>/<tenant_id>/v2.0', cloudDirectory, 'takes another authority'],
  [
    'B-2 cloud directory, Limits: more than 200 groups',
    cloudDirectory,
    'when people may be in more than 200 groups',
  ],
  [
    'B-2 cloud directory: read-all permission',
    'test/providers/cloud-directory.test.ts',
    'may read the directory in the name of',
  ],
  ['B-2 hosted identity platform; Errors: RS256', kinds, "jwtSupportedAlgs: ['RS256']"],
  [
    'B-2 access-management suite',
    'packages/core/test/graph/kinds/access-management-suite.test.ts',
    'oauth2 base path',
  ],
  [
    'B-2 enterprise identity provider: issuer',
    'packages/core/test/graph/kinds/enterprise-identity-provider.test.ts',
    'discovers at the authorization server that is named',
  ],
  [
    'B-3.3, B-3.4: provider_config',
    'test/providers/workspace-suite.test.ts',
    'says it in the words of the neutral dialect',
  ],
  [
    'B-3.3: the key file',
    'test/providers/workspace-suite.test.ts',
    'names the key file on the service’s host',
  ],
  ['B-3.5: user_claim is sub or email', suite, 'lets people be named by %s'],
  ['B-3.5: user_claim is nothing else', suite, 'set sub or email, not hd'],
  [
    'B-3.6, Limits: groups_claim, no recursion',
    suite,
    'looks groups up, and nothing else, when a directory is given',
  ],
  ['B-4 method 1, step 1', 'test/providers/container-orchestrator.test.ts', 'opens the discovery documents'],
  ['B-4 method 1, step 2', 'packages/service-client/test/discovery.test.ts', 'issuer'],
  ['B-4 method 1, step 3', orchestrator, 'method 1: discovers at the in-cluster address with a CA'],
  [
    'B-4 method 2, steps 1 and 2',
    'packages/core/test/graph/public-keys.test.ts',
    'turns a key of %s into the PEM',
  ],
  ['B-4 method 2, step 3', orchestrator, 'method 2: gives the public keys, and nothing to discover with'],
  ['B-4 method 2: several clusters', orchestrator, 'have an auth method each, with its own keys and issuer'],
  ['B-4 role', kinds, "boundSubject: 'system:serviceaccount:shop:web'"],
  ['B-4 custom audience', orchestrator, 'binds a custom audience instead of the issuer'],
  [
    'B-4, Limits: 600 seconds',
    'test/providers/projected-token.test.ts',
    'takes another name and as little as 600 seconds',
  ],
  ['B-4: less than 600 seconds', 'test/providers/projected-token.test.ts', 'refuses %i seconds'],
  ['C List: filters', messages, 'filtered by %j'],
  ['C List: wrong filters', messages, 'refuses the filter %j'],
  ['C Create: what is required', messages, 'a message is refused, and nothing is stored,'],
  [
    'C Update: body as for create',
    messages,
    'replaces everything: what is left out goes back to its default',
  ],
  ['Limits, Errors: 100 messages, at the service', messages, 'as the 101st of its namespace'],
  [
    'Limits, Errors: 100 messages, before anything is sent',
    'packages/core/test/environment/environment.test.ts',
    'a namespace holds at most 100 messages',
  ],
  ['Authentication 3: names of headers', 'packages/core/test/graph/values/wire.test.ts', 'X-Secrets-Token'],
  [
    'Authentication 3: anonymous clients',
    messages,
    'is active messages alone, before and after sign-in apart',
  ],
  ['Versioning 2: /v1/', 'packages/service-client/test/service-client.test.ts', "'/v1/"],
];

test.each(rows)('%s: %s', (_, file, name) => {
  expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toContain(name);
});
