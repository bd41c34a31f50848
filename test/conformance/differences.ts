import type { Step } from './step.ts';

/**
 * Something that the embedded service answers otherwise, and is to. docs/conformance.md has a row for each, and
 * conformance.test.ts holds that it is still so. `*` in a text stands for anything.
 */
export interface Difference {
  what: string;
  reason: string;
  /** Requests it is seen in, as `GET sys/auth/*`, … */
  requests?: string[];
  /** … or steps, as `scenario / what it does`. */
  steps?: string[];
  /** Where in the answers: `status`, `data.version`. */
  places: string[];
  /** Words of a text, the service's and OpenBao's, that are all the difference there is. */
  words?: [ours: string, real: string];
}

const text = ['errors.0'];
/** All of an answer: one server refuses what the other takes. */
const all = ['*'];

export const differences: Difference[] = [
  {
    what: 'Version, build and cluster name',
    reason:
      'Each has its own. The version ends in `+ent`, which tells clients that there are custom messages.',
    requests: ['GET sys/health', 'GET sys/seal-status'],
    places: [
      ...['version', 'enterprise', 'performance_standby', 'cluster_name', 'build_date', 'commit_date'],
      'storage_type',
    ],
  },
  {
    what: 'Versions of plugins',
    reason: 'There are no plugins.',
    requests: ['GET sys/auth*', 'GET n-one/sys/auth*', 'GET sys/mounts*', 'GET sys/internal/ui/mounts*'],
    places: ['*plugin_version', '*running_sha256', '*deprecation_status'],
  },
  {
    what: 'Check-and-set and template options of policies',
    reason: 'Only OpenBao has them.',
    requests: ['GET sys/policies/acl/*', 'GET sys/policy/*'],
    places: ['*cas_required', '*allow_*_in_identity_templates'],
  },
  {
    what: 'Text of the policy `default`',
    reason: 'It allows the paths that exist here.',
    steps: ['* / a path with a slash behind', 'policies / reading default'],
    places: ['data.policy', 'data.modified'],
  },
  {
    what: 'Role fields `callback_mode`, `oauth2_metadata` and the like',
    reason: 'Only OpenBao has them. Any `callback_mode` except `client` is refused.',
    requests: ['GET auth/*/role/*'],
    places: [
      ...['data.callback_mode', 'data.oauth2_metadata', 'data.oidc_disable_confirmation'],
      ...['data.token_policies_template_claims', 'data.token_strictly_bind_ip'],
    ],
  },
  {
    what: 'Config fields `jwks_pairs` and `override_allowed_server_names`',
    reason: 'The first is Vault’s and is supported; the second is OpenBao’s and is not.',
    requests: ['GET auth/*/config'],
    places: ['data.jwks_pairs', 'data.override_allowed_server_names'],
  },
  {
    what: 'The error for a body that is not a JSON object',
    reason: 'Another parser words it, and it never repeats the body.',
    steps: [
      '* / a body that is no JSON',
      '* / a body with something after it',
      '* / a body that is a list',
      '* / a body that is a text',
    ],
    places: text,
  },
  {
    what: 'A path with two slashes',
    reason: 'It is read as one slash, not redirected, so clients that follow no redirects work too.',
    steps: ['* / a path with two slashes'],
    places: all,
  },
  {
    what: 'Moving an auth method',
    reason: 'It is done before the response, so the response does not say to wait.',
    steps: ['moving auth methods / to a new path', '* / moving the method', '* / moving it back'],
    places: ['warnings*'],
  },
  {
    what: 'Why a workspace suite account is refused',
    reason: 'Credentials come only from the config, and the error does not repeat the account.',
    steps: ['* / the workspace suite without its account', '* / with an account that is no file'],
    places: text,
  },
  {
    what: 'Why an issuer or a JWKS cannot be read',
    reason: 'The error does not repeat the other server’s response.',
    steps: [
      '* / an issuer that has no document',
      '* / an issuer that does not answer',
      '* / an address that is none',
      '* / a document that is not there',
    ],
    places: text,
  },
  {
    what: 'A JWKS without keys',
    reason: 'It is refused when configured, not at every later login.',
    steps: ['* / a document without keys', 'configuring auth methods by an issuer / reads what stood before'],
    places: ['status', 'errors.0', 'data.jwks_url'],
  },
  {
    what: '`/32` after an address in `token_bound_cidrs`',
    reason: 'The value is returned as written, so there is no drift.',
    steps: ['roles / all token fields, read'],
    places: ['data.token_bound_cidrs.0'],
  },
  {
    what: 'An invalid range in `token_bound_cidrs` after a valid one',
    reason: 'OpenBao takes it for the path of a socket, which no one means.',
    steps: ['* / an address among others that is none', '* / none of them is there'],
    places: all,
  },
  {
    what: 'A list instead of a map, an object in a list',
    reason: 'The error names the field, not its first element.',
    steps: ['* / claims that are a list', '* / with policies that are an object'],
    places: text,
  },
  {
    what: 'The error for a token that is not a JWS',
    reason: 'Another parser words it, and reads all parts before it looks at keys.',
    steps: [
      ...['* / a token that is a number', '* / a token that is none', '* / a token of two parts'],
      ...['* / a token of four parts', '* / a token without its signature', '* / a token that is not signed'],
      '* / a token whose payload is no JSON',
    ],
    places: text,
  },
  {
    what: 'The name before `login failed`',
    reason: 'It is OpenBao’s own.',
    requests: ['GET auth/o/oidc/callback*'],
    places: text,
    words: ['Login failed.', 'OpenBao login failed.'],
  },
  {
    what: 'Why a code could not be exchanged',
    reason: 'Another library words it.',
    steps: [
      ...['* / a code that the provider does not know', '* / an id token for another nonce'],
      ...['* / an id token for another client', '* / an id token of another issuer'],
      '* / an id token that has expired',
    ],
    places: text,
  },
  {
    what: 'An unknown error of the provider',
    reason: 'The client need not know where the log is.',
    steps: ['* / an error that is none'],
    places: text,
  },
  {
    what: '`response_mode=form_post` in the sign-in URL',
    reason: 'OpenBao omits it unless id tokens are requested; the provider then responds by query.',
    steps: ['logins at a provider that posts its answer / begins'],
    places: ['data.auth_url'],
  },
  {
    what: 'An unexpected `form_post` response',
    reason: 'Both return 405; here the body looks like every other error.',
    steps: ['logins at a provider / posting to the callback without form_post'],
    places: all,
  },
  {
    what: 'A `form_post` response with an invalid state',
    reason: 'It is refused as JSON, not as a page.',
    steps: ['logins at a provider that posts its answer / a state that is none'],
    places: ['errors.0', ''],
  },
  {
    what: 'Custom token ids',
    reason: 'They are stored as SHA-256 like all others, so there is no warning.',
    steps: ['creating tokens / with an id', '* / an id with a blank'],
    places: ['warnings*'],
  },
  {
    what: '`bound_cidrs` of a token being created',
    reason: 'They are enforced; OpenBao ignores them.',
    steps: ['* / for an address', '* / used from another address', '* / addresses that are none'],
    places: all,
  },
  {
    what: 'Name and path of the root token',
    reason: 'It is created at startup, not by a request.',
    steps: ['* / nothing: oneself', '* / oneself', '* / oneself by POST'],
    places: ['data.display_name', 'data.path'],
  },
  {
    what: 'Order of a policy list at its older path',
    reason: 'It is alphabetical; OpenBao puts folders last.',
    requests: ['LIST sys/policy', 'GET sys/policy'],
    places: ['policies.*', 'data.policies.*'],
  },
  {
    what: 'A multi-line string (`<<E`) in a policy',
    reason: 'Policies for sign-in do not need one.',
    steps: ['* / a heredoc'],
    places: ['status', 'errors.0'],
  },
  {
    what: 'A policy with a block without a path, or with broken JSON',
    reason: 'OpenBao accepts it, and it allows nothing; here it is refused.',
    steps: ['* / a block without its path', '* / JSON that is none'],
    places: ['status', 'errors.0'],
  },
  {
    what: 'The error for an invalid policy text',
    reason: 'Another parser words it.',
    steps: [
      ...['* / capabilities as one text', '* / a brace that is missing', '* / a quote that is missing'],
      '* / no HCL',
    ],
    places: text,
  },
  {
    what: 'Status of a request that names a missing token, role or member, or no one',
    reason: 'OpenBao returns 500; here it is 400, because the request is wrong.',
    steps: [
      ...['capabilities / of nobody', 'groups / members that are none', 'groups / itself'],
      ...['groups / a member group that is none', '* / with an empty user claim'],
      ...['the life of logins / renewing without the role', 'the life of logins / the same by its accessor'],
    ],
    places: ['status'],
  },
  {
    what: 'Emptied lists and maps',
    reason: 'They are returned as if they had never been set; OpenBao distinguishes the two.',
    steps: [
      ...['entities / reads that', 'groups / reads that', 'groups / nobody is in it'],
      'membership follows each login / the group has none',
    ],
    places: ['data.metadata', 'data.policies', 'data.member_entity_ids'],
  },
  {
    what: '`modify_index` of a group whose members sign in',
    reason: 'It counts writes to the group; a login writes only to its member.',
    steps: ['membership follows each login / the group has *'],
    places: ['data.modify_index'],
  },
];

/** Those of a difference's globs that what stands in this place of a step's answers is of; none where it is another. */
export function globsOf(
  { requests = [], steps = [], places, words }: Difference,
  at: { scenario: string; step: Step; place: string },
  [ours, real]: [unknown, unknown],
): string[] {
  const { scenario, step, place } = at;
  if (words !== undefined && ours !== String(real).replace(words[1], words[0])) return [];
  const here = [
    ...requests.filter((glob) => matches(glob, `${step.method} ${step.path}`)),
    ...steps.filter((glob) => matches(glob, `${scenario} / ${step.does}`)),
  ];
  const there = places.filter((glob) => matches(glob, place));
  return here.length > 0 && there.length > 0 ? [...here, ...there] : [];
}

function matches(glob: string, text: string): boolean {
  const source = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, 's').test(text);
}
