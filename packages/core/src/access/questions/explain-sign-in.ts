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
import type { Keys } from '../../login/signature.ts';
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
  request: PresentedSignIn,
  service: AskedService = {},
): Promise<Explanation> {
  const { role: roleName, method: path, source = 'declared', from, now } = request;
  const role = roleAsked(graph, roleName, path);
  const method = graph.methods.find((candidate) => candidate.path === role.method) ?? bare(role.method);
  const notes = notesOf(method, role, from);
  const asked: AskedSignIn = { graph, role, method, notes, from, now };
  const read = await readPresented(request, asked, service);
  for (const note of groupsLeftOut(role, method, read.claims)) notes.push(note);
  const base = { method: method.path, role: role.name, source, signature: read.signature, notes };
  const answer = await answerOf(request, asked, read, service);
  const rest =
    answer instanceof LoginRefused
      ? await whyRefused(asked, read, answer)
      : await whySignedIn(request, asked, answer, service);
  return { ...base, ...rest };
}

/** The role that is asked about, and what is noted on the way. */
interface AskedSignIn extends Pick<PresentedSignIn, 'from' | 'now'> {
  graph: Graph;
  role: Role;
  method: AuthMethod;
  notes: SignInNote[];
}

/** What is read of what is presented. */
interface ReadSignIn {
  claims: Claims;
  signature: Explanation['signature'];
  refused?: LoginRefused | undefined;
  /** What would let the token be read. */
  fixes: FieldChange[][];
  keys?: Keys | undefined;
}

type Outcome = Omit<Explanation, 'method' | 'role' | 'source' | 'signature' | 'notes'>;

/** A token is read with the keys of its method; claims get what every token has. */
async function readPresented(
  { presented }: PresentedSignIn,
  { role, method, notes, now }: AskedSignIn,
  { rules = 'server', publishedKeys }: AskedService,
): Promise<ReadSignIn> {
  if ('token' in presented) {
    const keys = keysOf(method, publishedKeys, rules);
    const { problem, ...read } = await readToken(presented.token, keys, method, rules);
    if (problem !== undefined) notes.push({ kind: 'unread-token', why: problem });
    return { ...read, keys };
  }
  const fresh = freshClaims(role, method, Number(now / 1_000_000_000n), presented.claims);
  const added = Object.keys(fresh).filter((name) => !Object.hasOwn(presented.claims, name));
  if (added.length > 0) notes.push({ kind: 'claims-added', claims: added });
  return { claims: { ...fresh, ...presented.claims }, signature: 'none', fixes: [] };
}

/** What the service answers. A token whose keys are known goes the service's own way, step by step. */
async function answerOf(
  { presented }: PresentedSignIn,
  asked: AskedSignIn,
  { claims, signature, refused, keys }: ReadSignIn,
  { rules = 'server' }: AskedService,
): Promise<SignedIn | LoginRefused> {
  const { role, method } = asked;
  const isWhole = signature !== 'not checked' && role.roleType === 'jwt';
  if ('token' in presented && isWhole && keys !== undefined)
    return signIn({ ...requestOf(asked, method.config, role), token: presented.token, keys, rules });
  return refused ?? judged(asked, role, method.config, claims);
}

function requestOf({ now, from }: AskedSignIn, config: LoginConfig, role: LoginRole) {
  return {
    config,
    roleName: role.name,
    role: () => role,
    now,
    addressAllowed: (cidrs: string[]) => from === undefined || isAddressIn(from, cidrs),
  };
}

function judged(asked: AskedSignIn, role: LoginRole, config: LoginConfig, claims: Claims) {
  return signInByClaims({ ...requestOf(asked, config, role), claims });
}

/** With which policies it signs in, unless the entity of it does not let it. */
async function whySignedIn(
  { presented }: PresentedSignIn,
  { graph, role, method, notes }: AskedSignIn,
  answer: SignedIn,
  { rules = 'server', entityOf, publishedKeys }: AskedService,
): Promise<Outcome> {
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
  const outcome = { signsIn: true, ...signedIn(graph, role, answer, entity) };
  if (!('token' in presented) || rules === 'own') return outcome;
  const ownKeys = keysOf(method, publishedKeys, 'own');
  const { refused } = await readToken(presented.token, ownKeys, method, 'own');
  if (refused === undefined) return outcome;
  return { ...outcome, stricter: { step: refused.step, message: refused.message } };
}

/** What would let it in: the smallest changes, and other roles of the method. */
async function whyRefused(asked: AskedSignIn, read: ReadSignIn, answer: LoginRefused): Promise<Outcome> {
  const { graph, role, method, notes } = asked;
  const { claims, signature, fixes: tokenFixes } = read;
  const isOfSubject =
    answer.claim === 'sub' || answer.claim === '/sub' || answer.reason === LoginReason.subject;
  const otherForm = isOfSubject ? otherFormOf(role, method, claims) : undefined;
  if (otherForm !== undefined) notes.push({ kind: 'other-form', ...otherForm });
  if (signature === 'refused') {
    const lets = !((await judged(asked, role, method.config, claims)) instanceof LoginRefused);
    return refusedAt(answer, lets ? tokenFixes : []);
  }
  const otherRoles = graph.roles.filter(({ method: at, name }) => at === role.method && name !== role.name);
  const answers = await Promise.all(otherRoles.map((other) => judged(asked, other, method.config, claims)));
  const fixes = await smallestFixes({ role, config: method.config, claims }, (fixed) =>
    judged(asked, fixed.role, fixed.config, fixed.claims),
  );
  const letIn = otherRoles.filter((_, at) => !(answers[at] instanceof LoginRefused));
  return refusedAt(
    answer,
    fixes,
    letIn.map(({ name }) => name),
  );
}

function refusedAt(
  { step, message }: Pick<LoginRefused, 'step' | 'message'>,
  fixes: FieldChange[][] = [],
  otherRoles: string[] = [],
): Outcome {
  return { signsIn: false, refused: { step, message }, fixes, otherRoles };
}

/** What every token of the provider has, so that claims may leave it out. */
function freshClaims(role: Role, { config }: AuthMethod, now: number, claims: Claims): Claims {
  if (role.roleType === 'oidc') {
    const { oidcDiscoveryUrl: iss, oidcClientId: aud } = config;
    return { iss, aud, exp: now + 60 };
  }
  return ['iat', 'nbf', 'exp'].some((name) => name in claims) ? {} : { iat: now };
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
  const candidates = rolesNamed({ roles }, name, path);
  const [role] = candidates;
  if (role === undefined) {
    const all = roles.map((other) => `${other.name} (--method ${other.method})`).join(', ');
    throw unknownRole(name, path, all);
  }
  if (candidates.length > 1) {
    throw new GatehouseError('role_ambiguous.methods', {
      given: name,
      values: { methods: candidates.map(({ method }) => method).join(', ') },
    });
  }
  return role;
}

function unknownRole(name: string, path: string | undefined, roles: string): GatehouseError {
  if (path === undefined)
    return new GatehouseError('role_unknown', { given: name, allowed: roles || 'none: there are no roles' });
  return new GatehouseError('role_unknown.method', {
    given: name,
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
