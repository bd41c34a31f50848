import { pem } from '../../../../../cli/test/review/everyday/sign-ins.ts';
import { pick, type Random } from '../split-worlds/world.ts';
import {
  type Body,
  commonNames,
  newPassword,
  ownKeys,
  passwordOf,
  policyNames,
  reviewer,
  rule,
  teams,
} from './world.ts';

/** A field of a body, as the server's OpenAPI document has it. */
export interface Field {
  type?: string;
  format?: string;
  enum?: unknown[];
}

/** Paths that the rules of random policies are for. */
const paths = `kv/a kv/b kv/c kv/creds kv/* kv/+/x secret/data/* team/* +/kv/* moved/* lab/* auth/* identity/*
  auth/token/create/* auth/token/create identity/oidc/token/* pki/issue/* pki/sign/* sys/policies/acl/*
  auth/approle/role/+/secret-id kv/{{identity.entity.metadata.team}}/* kv/{{identity.entity.name}}/*
  kv/{{identity.groups.names.g.metadata.team}}/* kv/{{identity.groups.names.inner.name}}/*
  kv/{{identity.entity.aliases.<accessor_jwt>.metadata.team}}/*`
  .split(/\s+/)
  .map((path) => path.replace('<accessor_jwt>', '<accessor jwt>'));
const capabilities = [['read'], ['read', 'update'], ['update'], ['deny'], ['create', 'update'], ['list']];

export const accessors = ['userpass', 'approle', 'jwt', 'self', 'cert', 'kubernetes'].map(
  (mount) => `<accessor ${mount}>`,
);
export const entities = ['<entity ann>', '<entity job>', '<entity max>'];
export const groups = ['<group inner>', '<group outer>', '<group g>', '<group guarded>'];
export const aliases = ['ann', 'max', 'rid-web'].map((name) => `<entity-alias ${name}>`);

function randomPolicy(next: Random): string {
  return Array.from({ length: 1 + next(2) }, () =>
    rule(pick(next, ...paths), ...pick(next, ...capabilities)),
  ).join('\n');
}

/** Claims of the identity tokens that a role of the service gives. */
const templates = [
  '{"team": "admin"}',
  '{"team": {{identity.entity.metadata.team}}}',
  '{"groups": {{identity.entity.groups.names}}}',
  '{"team": {{identity.entity.name}}}',
  '',
];

const durations = [0, 5, '1h', 3600];
const teamOf = (next: Random) => ({ team: pick(next, ...teams) });
const some = (next: Random, all: readonly string[]) => {
  const drawn = () => pick(next, ...all);
  return pick(next, [], [drawn()], [drawn()], [drawn(), drawn()], [drawn(), drawn(), drawn()]);
};

/** Policies that lead to more than others. */
const often = ['admin', 'admin', 'admin', 'admin', 'writer', 'maker', 'tokens', 'issuer'];

/** What stands in a field by its name: what bears on sign-ins is named alike in all of a service. */
const byName: [RegExp, (next: Random, path: string) => unknown][] = [
  [/polic(?:y|ies)_glob$/, (next) => pick(next, [], ['*'], ['a*'], ['m*'])],
  [/^policies$|_policies$/, (next) => [...new Set(some(next, [...policyNames, ...often]))]],
  [/cidr/, (next) => pick(next, [], ['10.0.0.0/8'], ['127.0.0.0/8'])],
  [/(?:entity_ids|from_entity_ids)$/, (next) => some(next, entities)],
  [/group_ids$/, (next) => some(next, groups)],
  [/^(?:canonical_id|entity_id|to_entity_id)$/, (next) => pick(next, ...entities, ...groups)],
  [/^mount_accessor$/, (next) => pick(next, ...accessors)],
  [/^auth_method_accessors$/, (next) => some(next, accessors)],
  [/^auth_method_types$/, (next) => some(next, ['userpass', 'approle', 'jwt'])],
  [/^mfa_method_ids$|^method_id$/, () => ['<mfa>']],
  [/^(?:metadata|custom_metadata)$/, (next, path) => metadataAt(next, path)],
  [/^bound_claims$/, (next) => pick<Body>(next, {}, teamOf(next), teamOf(next))],
  [/^claim_mappings$/, (next) => pick(next, {}, { team: 'team' })],
  [/^bound_audiences$/, (next) => pick(next, ['x'], ['app'], ['other'], ['app', 'x'])],
  [/^(?:bound_subject|bound_issuer|issuer)$/, (next) => pick(next, '', 'http://other.example', 'p')],
  [/^groups_claim$/, (next) => pick(next, '', 'groups')],
  [/^user_claim$/, (next) => pick(next, 'sub', 'team')],
  [/^default_role$/, (next) => pick(next, '', 'build', 'any')],
  [/^jwks_url$/, () => ownKeys],
  [/^jwt_validation_pubkeys$/, () => [pem]],
  [/^jwt_supported_algs$/, (next) => pick(next, ['ES256'], ['RS256'], ['ES256', 'RS256'])],
  [/^(?:policy|rules)$/, (next) => randomPolicy(next)],
  [/^template$/, (next) => pick(next, ...templates)],
  [/^client_id$/, (next) => pick(next, 'app', 'other', 'x')],
  [/^allowed_client_ids$/, (next) => pick(next, ['*'], ['app'], ['other'], ['x'], [])],
  [/^key$/, (next) => pick(next, 'k', 'default')],
  [/^algorithm$/, (next) => pick(next, 'ES256', 'EdDSA')],
  [/^assignments$/, (next) => pick(next, [], ['allow_all'])],
  [/^token_type$/, (next) => pick(next, 'service', 'batch', 'default', 'default-service', 'default-batch')],
  [/^listing_visibility$/, (next) => pick(next, 'unauth', 'hidden')],
  [/^type$/, (next, path) => typeAt(next, path)],
  [/^eab_policy$/, (next) => pick(next, 'not-required', 'always-required', 'new-account-required')],
  [/^default_directory_policy$/, (next) => pick(next, 'forbid', 'sign-verbatim', 'role:web', 'role:ops')],
  [/^token_reviewer_jwt$/, (next) => pick(next, reviewer, 'other')],
  [/^kubernetes_host$/, () => '<cluster>'],
  [/^kubernetes_ca_cert$/, () => '<certificate>'],
  [/^(?:certificate|pem_bundle)$/, (next) => pick(next, '<ca>', '<certificate>')],
  [/^allowed_(?:common_names|names|dns_sans|domains|serial_numbers)$/, (next) => namesIn(next)],
  [/^common_name$/, (next) => pick(next, ...commonNames)],
  [/^bound_service_account_names$/, (next) => pick(next, ['web'], ['*'], ['other'])],
  [/^bound_service_account_namespaces$/, (next) => pick(next, ['shop'], ['*'])],
  [/^allowed_entity_aliases$/, (next) => pick(next, [], ['ann'], ['*'])],
  [/^allowed_(?:roles|issuers)$/, (next) => pick(next, ['*'], ['web'], ['ops'])],
  [/^issuer_ref$/, (next) => pick(next, 'default', 'main', 'spare')],
  [/^default$/, (next) => pick(next, 'main', 'spare')],
  [/^versions$/, () => [1]],
  [/^allowed_response_headers$/, (next) => pick(next, [], ['Replay-Nonce'], ['Location'])],
  [/^(?:allowed_users|default_user)$/, (next) => pick(next, 'ops', 'root', '*')],
  [/^password$/, (next) => pick(next, newPassword, passwordOf('bob'))],
  [/^role_id$/, (next) => pick(next, 'rid-web', 'rid-ops', 'rid-fresh')],
  [/^secret_id$/, (next) => pick(next, 'sid-web', 'sid-ops', 'sid-new')],
  [/^from$/, (next) => pick(next, 'kv', 'secret', 'auth/jwt', 'auth/userpass', 'pki')],
  [/^to$/, (next) => pick(next, 'moved', 'lab', 'auth/moved')],
  [/^role_type$/, () => 'jwt'],
  [/^path$/, (next, path) => (path.startsWith('pki') ? '<service>/pki' : pick(next, '', 'kv'))],
  [/^(?:name|alias|display_name|username)$/, (next) => pick(next, 'ann', 'bob', 'p', 'g', 'web', 'fresh')],
  [/^data$/, (next) => valueOfKv(next)],
  [/^cel_program$/, () => ({ expression: '{"policies": ["admin"], "sub": claims.sub}' })],
];

/** A value of a field of a body. */
export function drawnValue(next: Random, name: string, field: Field, path: string): unknown {
  const [, draw] = byName.find(([pattern]) => pattern.test(name)) ?? [];
  if (draw !== undefined) {
    const value = draw(next, path);
    if (field.type !== 'string' || !Array.isArray(value)) return value;
    return value.join(',');
  }
  if (field.enum !== undefined) return pick(next, ...field.enum);
  if (field.format === 'seconds') return pick(next, ...durations);
  switch (field.type) {
    case 'boolean':
      return next(2) === 0;
    case 'integer':
    case 'number':
      return pick(next, 0, 1, 5);
    case 'array':
      return pick(next, [], ['*'], ['web'], ['a']);
    case 'object':
      return pick<Body>(next, {}, teamOf(next));
    default:
      return pick(next, '', 'a', 'web', 'ops', '*');
  }
}

function namesIn(next: Random): string[] {
  return pick(next, [], ['*'], ['example.com'], ...commonNames.map((name) => [name]), commonNames);
}

/** Secret ids have theirs as text. */
function metadataAt(next: Random, path: string): unknown {
  const metadata = pick<Body>(next, {}, teamOf(next), teamOf(next));
  return /secret-id$/.test(path) ? JSON.stringify(metadata) : metadata;
}

function typeAt(next: Random, path: string): string {
  if (path.startsWith('sys/auth/')) return pick(next, 'userpass', 'approle', 'jwt', 'cert');
  if (path.startsWith('sys/mounts/')) return pick(next, 'kv', 'pki');
  return pick(next, 'internal', 'external');
}

/** Values with and without what someone could sign in with. */
export function valueOfKv(next: Random): Body {
  return pick<Body>(
    next,
    { v: 'y' },
    { role_id: 'rid-ops', secret_id: 'sid-ops' },
    { role_id: 'rid-web', secret_id: 'sid-web' },
    { username: 'bob', password: passwordOf('bob') },
    { username: 'ann', password: passwordOf('ann') },
    { token: '<token>' },
  );
}
