import type { Graph } from '../../graph/graph.ts';
import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { GatehouseError } from '../../graph/values/errors.ts';
import { metadataProblem } from '../../graph/values/metadata.ts';
import { type Claims, claim, own } from '../../login/claims.ts';
import type { TokenRules } from '../../login/compact-token.ts';
import type { SignedIn } from '../../login/identify.ts';
import { LoginReason, LoginRefused, LoginStep } from '../../login/login-refused.ts';
import type { LoginConfig, LoginRole } from '../../login/login-role.ts';
import {
  type GivenPolicy,
  type KnownEntity,
  matchedGroups,
  policiesGiven,
} from '../../login/policies-given.ts';
import { keysOf, type ReadPublishedKeys, readToken } from '../../login/read-token.ts';
import { signIn, signInByClaims } from '../../login/sign-in.ts';
import { type FieldChange, smallestFixes } from '../../login/smallest-fixes.ts';
import { isAddressIn } from '../sign-in/address-ranges.ts';
import { otherFormOf, type SubjectForms } from '../sign-in/bound-subjects.ts';

/** What signs in to a role. */
export interface PresentedSignIn {
  role: string;
  /** Path of the auth method; needed where several have a role of this name. */
  method?: string | undefined;
  /** What is presented: a token, or claims alone. */
  presented: { token: string } | { claims: Claims };
  /** Whose state it is judged by. Defaults to `declared`. */
  source?: Explanation['source'];
  /** Address that the sign-in comes from. Defaults to one that the role allows. */
  from?: string | undefined;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/** Why a person signs in, or does not. */
export interface Explanation {
  method: string;
  role: string;
  /** Whose state was judged by. */
  source: 'declared' | 'live';
  signsIn: boolean;
  /** Of a token: whether its signature was checked. Claims have none. */
  signature: 'verified' | 'refused' | 'not checked' | 'none';
  /** Who signs in. */
  name?: string;
  metadata?: Record<string, string>;
  policies?: GivenPolicy[];
  /** The groups that the token names, and the external groups that they lead to. */
  groups?: { name: string; group?: string }[];
  /** The step at which it ends, and the service's words. */
  refused?: { step: string; message: string };
  /** The smallest changes that would let it in, each proved by signing in again. */
  fixes?: FieldChange[][];
  /** Values that the embedded service, stricter on purpose, refuses and this service accepts. */
  stricter?: { step: string; message: string };
  /** Other roles of the method that let it in as it is. */
  otherRoles?: string[];
  /** What was taken for granted, and what decides and is not the token's. */
  notes: SignInNote[];
}

/**
 * - `unread-token`: what a token could not be read for. - `claims-added`: claims that were taken as of a token of this moment.
 * - `metadata-of-new`: the service checks the metadata of a new alias alone. - `other-form`: of a subject.
 * - `groups-left-out`: by the provider; `isFetched`: the service asks the directory for them.
 * - `entity-not-read`: its own policies and groups. - `address-assumed`: that the sign-in comes from one of these.
 * - `unsafe-number`: a bound number that no token meets. - `groups-asked`: at sign-in, by the service.
 */
export type SignInNote =
  | { kind: 'unread-token'; why: string }
  | { kind: 'claims-added'; claims: string[] }
  | { kind: 'entity-disabled'; name: string }
  | { kind: 'metadata-of-new' }
  | ({ kind: 'other-form' } & SubjectForms)
  | { kind: 'groups-left-out'; by: '_claim_names' | 'hasgroups'; groupsClaim: string; isFetched: boolean }
  | { kind: 'entity-not-read'; why: string }
  | { kind: 'address-assumed'; ranges: string[] }
  | { kind: 'unsafe-number' }
  | { kind: 'groups-asked' };

/** How the service that is asked judges, what it keeps, and who asks its issuers. */
export interface AskedService {
  /** By whose rules a token is read. Defaults to those of real servers. */
  rules?: TokenRules;
  /** What is kept of who signs in to a method by a name. Defaults to nothing. */
  entityOf?: (method: string, name: string) => Promise<KnownEntity | undefined>;
  /** Defaults to not at all: then only keys of the configuration are known. */
  publishedKeys?: ReadPublishedKeys | undefined;
}

/**
 * Says whether a token or claims sign in to a role, and with which policies. Or at which step it ends, and what would let it
 * in.
 *
 * @throws GatehouseError `role_unknown`, `role_ambiguous`
 */
export async function explainSignIn(
  graph: Graph,
  { role: roleName, method: path, presented, source = 'declared', from, now }: PresentedSignIn,
  { rules = 'server', entityOf, publishedKeys }: AskedService = {},
): Promise<Explanation> {
  const role = roleAsked(graph, roleName, path);
  const method = graph.methods.find((one) => one.path === role.method) ?? bare(role.method);
  const notes = notesOf(method, role, from);
  const keys = 'token' in presented ? keysOf(method, publishedKeys, rules) : undefined;

  let signature: Explanation['signature'] = 'none';
  let answer: SignedIn | LoginRefused | undefined;
  let claims: Claims = {};
  let tokenFixes: FieldChange[][] = [];
  if ('token' in presented) {
    const read = await readToken(presented.token, keys, method, rules);
    signature = read.signature;
    if (read.problem !== undefined) notes.push({ kind: 'unread-token', why: read.problem });
    if (read.refused !== undefined) answer = read.refused;
    claims = read.claims;
    tokenFixes = read.fixes;
  } else {
    const fresh = freshClaims(role, method, Number(now / 1_000_000_000n), presented.claims);
    const missing = Object.keys(fresh).filter((name) => !Object.hasOwn(presented.claims, name));
    claims = { ...fresh, ...presented.claims };
    if (missing.length > 0) {
      notes.push({ kind: 'claims-added', claims: missing });
    }
  }

  for (const note of groupsLeftOut(role, method, claims)) notes.push(note);

  const asked = (config: LoginConfig, candidate: LoginRole) => ({
    config,
    roleName: candidate.name,
    role: () => candidate,
    now,
    addressAllowed: (cidrs: string[]) => from === undefined || isAddressIn(from, cidrs),
  });
  const judge = (candidate: LoginRole, config: LoginConfig, given: Claims) =>
    signInByClaims({ ...asked(config, candidate), claims: given });
  const isWhole = signature !== 'not checked' && role.roleType === 'jwt' && 'token' in presented;
  // The token as it is goes the service's own way, step by step.
  if (isWhole && keys !== undefined)
    answer = await signIn({ ...asked(method.config, role), token: presented.token, keys, rules });
  answer ??= await judge(role, method.config, claims);

  const base = {
    method: method.path,
    role: role.name,
    source,
    signature,
    notes,
  } as const;
  const refusedAt = (
    { step, message }: Pick<LoginRefused, 'step' | 'message'>,
    fixes: FieldChange[][] = [],
    otherRoles: string[] = [],
  ): Explanation => ({ ...base, signsIn: false, refused: { step, message }, fixes, otherRoles });
  if (!(answer instanceof LoginRefused)) {
    const entity = await known(entityOf, role.method, answer.name, notes);
    if (entity?.isDisabled) {
      notes.push({ kind: 'entity-disabled', name: entity.name });
      return refusedAt({ step: LoginStep.session, message: 'permission denied' });
    }
    const problem = entity === undefined ? metadataProblem('alias', answer.metadata) : undefined;
    if (problem !== undefined) {
      notes.push({ kind: 'metadata-of-new' });
      return refusedAt({ step: LoginStep.session, message: problem });
    }
    const signedInWith = { ...base, signsIn: true, ...signedIn(graph, role, answer, entity) };
    if (!('token' in presented) || rules === 'own') return signedInWith;
    const ownKeys = keysOf(method, publishedKeys, 'own');
    const own = (await readToken(presented.token, ownKeys, method, 'own')).refused;
    return own === undefined
      ? signedInWith
      : { ...signedInWith, stricter: { step: own.step, message: own.message } };
  }
  const isOfSubject =
    answer.claim === 'sub' || answer.claim === '/sub' || answer.reason === LoginReason.subject;
  const otherForm = isOfSubject ? otherFormOf(role, method, claims) : undefined;
  if (otherForm !== undefined) notes.push({ kind: 'other-form', ...otherForm });
  if (signature === 'refused') {
    const lets = !((await judge(role, method.config, claims)) instanceof LoginRefused);
    return refusedAt(answer, lets ? tokenFixes : []);
  }
  const otherRoles = graph.roles.filter((one) => one.method === role.method && one.name !== role.name);
  const answers = await Promise.all(otherRoles.map((other) => judge(other, method.config, claims)));
  const fixes = await smallestFixes({ role, config: method.config, claims }, (one) =>
    judge(one.role, one.config, one.claims),
  );
  const letIn = otherRoles.filter((_, index) => !(answers[index] instanceof LoginRefused));
  return refusedAt(
    answer,
    fixes,
    letIn.map(({ name }) => name),
  );
}

/** What every token of the provider has, so that claims may leave it out. */
function freshClaims(role: Role, { config }: AuthMethod, now: number, given: Claims): Claims {
  if (role.roleType === 'oidc') {
    const { oidcDiscoveryUrl: iss, oidcClientId: aud } = config;
    return { iss, aud, exp: now + 60 };
  }
  return ['iat', 'nbf', 'exp'].some((name) => name in given) ? {} : { iat: now };
}

/**
 * Entra names no groups of people who are in more than 200: the token says where they are, or that there are some
 * (docs/inside/specification.md B3; OpenID Connect Core, 5.6.2).
 */
function groupsLeftOut({ groupsClaim = '' }: Role, { config }: AuthMethod, claims: Claims): SignInNote[] {
  if (groupsClaim === '' || claim(claims, groupsClaim) !== undefined) return [];
  const isNamed = claim(claims, `/_claim_names/${groupsClaim}`) !== undefined;
  if (!isNamed && String(own(claims, 'hasgroups')) !== 'true') return [];
  const isFetched = config.providerConfig?.provider === 'cloud_directory';
  const by = isNamed ? '_claim_names' : 'hasgroups';
  return [{ kind: 'groups-left-out', by, groupsClaim, isFetched }];
}

/** What is kept of who signs in; what may not be read is noted. */
async function known(
  entityOf: AskedService['entityOf'],
  method: string,
  name: string,
  notes: SignInNote[],
): Promise<KnownEntity | undefined> {
  try {
    return await entityOf?.(method, name);
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    notes.push({ kind: 'entity-not-read', why: error.parts.what });
    return undefined;
  }
}

function signedIn(graph: Graph, role: Role, answer: SignedIn, entity: KnownEntity | undefined) {
  return {
    name: answer.name,
    metadata: answer.metadata,
    policies: policiesGiven(graph, role, answer, entity),
    groups: answer.groups.map((name) => {
      const [match] = matchedGroups(graph, role.method, [name]);
      return { name, ...(match === undefined ? {} : { group: match.group }) };
    }),
  };
}

/** Roles that are called so: of all methods, or of one. */
export function rolesNamed({ roles }: Pick<Graph, 'roles'>, name: string, path: string | undefined): Role[] {
  return roles.filter(
    (role) => role.name.toLowerCase() === name.toLowerCase() && (path === undefined || role.method === path),
  );
}

/**
 * The role that is asked about.
 *
 * @throws GatehouseError `role_unknown`, `role_ambiguous`
 */
export function roleAsked({ roles }: Graph, name: string, path: string | undefined): Role {
  const found = rolesNamed({ roles }, name, path);
  const [role] = found;
  if (role === undefined) {
    const all = roles.map((one) => `${one.name} (--method ${one.method})`).join(', ');
    throw unknownRole(name, path, all);
  }
  if (found.length > 1) {
    throw new GatehouseError('role_ambiguous.methods', {
      given: name,
      values: { methods: found.map(({ method }) => method).join(', ') },
    });
  }
  return role;
}

function unknownRole(given: string, path: string | undefined, roles: string): GatehouseError {
  if (path === undefined)
    return new GatehouseError('role_unknown', { given, allowed: roles || 'none: there are no roles' });
  return new GatehouseError('role_unknown.method', {
    given,
    allowed: roles || 'none: there are no roles',
    values: { path },
  });
}

function bare(path: string): AuthMethod {
  return { path, type: 'jwt', config: {} };
}

/** What decides a sign-in and cannot be seen from here. */
function notesOf(
  { config }: AuthMethod,
  { tokenBoundCidrs, groupsClaim, boundClaims = {} }: Role,
  from: string | undefined,
): SignInNote[] {
  const ranges = from === undefined ? (tokenBoundCidrs ?? []) : [];
  const hasLarge = Object.values(boundClaims)
    .flat()
    .some((value: unknown) => typeof value === 'number' && !Number.isSafeInteger(value));
  return [
    ...(ranges.length > 0 ? [{ kind: 'address-assumed', ranges } as const] : []),
    ...(hasLarge ? [{ kind: 'unsafe-number' } as const] : []),
    ...(groupsClaim && config.providerConfig !== undefined ? [{ kind: 'groups-asked' } as const] : []),
  ];
}
