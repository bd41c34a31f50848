import type { Step } from './step.ts';

/**
 * Something that the embedded service answers differently, on purpose: docs/inside/embedded-service.md gives the reason for each.
 * conformance.both.test.ts checks that each is still there. `*` in a text stands for anything.
 */
export interface Difference {
  what: string;
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

const listed: Record<string, Omit<Difference, 'what'>> = {
  'Version, build and cluster name': {
    requests: ['GET sys/health', 'GET sys/seal-status'],
    places: [
      'version',
      'enterprise',
      'performance_standby',
      'cluster_name',
      'build_date',
      'commit_date',
      'storage_type',
    ],
  },
  'Versions of plugins': {
    requests: [
      'GET sys/auth*',
      'GET n-one/sys/auth*',
      'GET sys/mounts*',
      'GET n-one/sys/mounts*',
      'GET sys/internal/ui/mounts*',
    ],
    places: ['*plugin_version', '*running_sha256', '*deprecation_status'],
  },
  'Check-and-set and template options of policies': {
    requests: ['GET sys/policies/acl/*', 'GET sys/policy/*'],
    places: ['*cas_required', '*allow_*_in_identity_templates'],
  },
  'Text of the policy `default`': {
    steps: ['* / a path with a slash behind', 'policies / reading default'],
    places: ['data.policy', 'data.modified'],
  },
  'Role fields `callback_mode`, `oauth2_metadata` and the like': {
    requests: ['GET auth/*/role/*'],
    places: [
      'data.callback_mode',
      'data.oauth2_metadata',
      'data.oidc_disable_confirmation',
      'data.token_policies_template_claims',
      'data.token_strictly_bind_ip',
    ],
  },
  'Config fields `jwks_pairs` and `override_allowed_server_names`': {
    requests: ['GET auth/*/config'],
    places: ['data.jwks_pairs', 'data.override_allowed_server_names'],
  },
  'The error for a body that is not a JSON object': {
    steps: [
      '* / a body that is no JSON',
      '* / a body with something after it',
      '* / a body that is a list',
      '* / a body that is a text',
    ],
    places: text,
  },
  'A path with two slashes': { steps: ['* / a path with two slashes'], places: all },
  'A negative time in the tuning of a mount': { steps: ['* / a time of -1'], places: all },
  'Moving an auth method': { requests: ['POST sys/remount'], places: ['warnings*'] },
  'Why a workspace suite account is refused': {
    steps: ['* / the workspace suite without its account', '* / with an account that is no file'],
    places: text,
  },
  'Why an issuer or a JWKS cannot be read': {
    steps: [
      '* / an issuer that has no document',
      '* / an issuer that does not answer',
      '* / an address that is none',
      '* / a document that is not there',
    ],
    places: text,
  },
  'A JWKS without keys': {
    steps: ['* / a document without keys', 'configuring auth methods by an issuer / reads what stood before'],
    places: ['status', 'errors.0', 'data.jwks_url'],
  },
  '`/32` after an address in `token_bound_cidrs`': {
    steps: ['roles / all token fields, read'],
    places: ['data.token_bound_cidrs.0'],
  },
  'An invalid range in `token_bound_cidrs` after a valid one': {
    steps: ['* / an address among others that is none', '* / none of them is there'],
    places: all,
  },
  'A list instead of a map, an object in a list': {
    steps: ['* / claims that are a list', '* / with policies that are an object'],
    places: text,
  },
  'The error for a token that is not a JWS': {
    steps: [
      '* / a token that is a number',
      '* / a token that is none',
      '* / a token of two parts',
      '* / a token of four parts',
      '* / a token without its signature',
      '* / a token that is not signed',
      '* / a token whose payload is no JSON',
    ],
    places: text,
  },
  'The name before `login failed`': {
    requests: ['GET auth/o/oidc/callback*'],
    places: text,
    words: ['Login failed.', 'OpenBao login failed.'],
  },
  'Why a code could not be exchanged': {
    steps: ['* / a code that the provider does not know'],
    places: text,
  },
  'An unknown error of the provider': { steps: ['* / an error that is none'], places: text },
  '`response_mode=form_post` in the sign-in URL': {
    steps: ['logins at a provider that posts its answer / begins'],
    places: ['data.auth_url'],
  },
  'An unexpected `form_post` response': {
    steps: ['logins at a provider / posting to the callback without form_post'],
    places: all,
  },
  'A `form_post` response with an invalid state': {
    steps: ['logins at a provider that posts its answer / a state that is none'],
    places: ['errors.0', ''],
  },
  'Custom token ids': {
    steps: ['creating tokens / with an id', '* / an id with a blank'],
    places: ['warnings*'],
  },
  '`bound_cidrs` of a token being created': {
    steps: ['* / for an address', '* / used from another address', '* / addresses that are none'],
    places: all,
  },
  'Name of the root token': {
    requests: ['* auth/token/lookup*'],
    places: ['data.display_name'],
    words: ['root', 'token'],
  },
  'Path of the root token': {
    requests: ['* auth/token/lookup*'],
    places: ['data.path'],
    words: ['auth/token/root', 'auth/token/create'],
  },
  'Order of a policy list at its older path': {
    requests: ['LIST sys/policy', 'GET sys/policy'],
    places: ['policies.*', 'data.policies.*'],
  },
  'A policy with a block without a path, or with broken JSON': {
    steps: ['* / a block without its path', '* / JSON that is none'],
    places: ['status', 'errors.0'],
  },
  'The error for an invalid policy text': {
    steps: [
      '* / capabilities as one text',
      '* / a brace that is missing',
      '* / a quote that is missing',
      '* / no HCL',
    ],
    places: text,
  },
  'Status of a request that names a missing token, role or member, or no one': {
    steps: [
      'capabilities / of nobody',
      'groups / members that are none',
      'groups / itself',
      'groups / a member group that is none',
      '* / with an empty user claim',
      'the life of logins / renewing without the role',
      'the life of logins / the same by its accessor',
    ],
    places: ['status'],
  },
  'Changing a part of a namespace’s metadata (`PATCH`)': {
    requests: ['PATCH sys/namespaces/*'],
    places: all,
  },
  'Emptied lists and maps': {
    requests: ['GET identity/group/*', 'GET identity/entity/*'],
    places: ['data.metadata', 'data.policies', 'data.member_entity_ids'],
  },
  '`modify_index` of a group whose members sign in': {
    steps: ['membership follows each login / the group has *'],
    places: ['data.modify_index'],
  },
};
export const differences = Object.entries(listed).map(([what, one]): Difference => ({ what, ...one }));

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

/** What is left of the places where two answers differ, without those that the list has by the request. */
export function unlisted(
  found: Map<string, [ours: unknown, real: unknown]>,
  { method, path }: Pick<Step, 'method' | 'path'>,
): Record<string, [ours: unknown, real: unknown]> {
  const step = { does: '', method, path };
  const isListed = (place: string, values: [unknown, unknown]) =>
    differences.some((one) => globsOf(one, { scenario: '', step, place }, values).length > 0);
  return Object.fromEntries([...found].filter(([place, values]) => !isListed(place, values)));
}

function matches(glob: string, text: string): boolean {
  const source = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, 's').test(text);
}
