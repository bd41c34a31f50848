import { isAddressIn } from '@gatehouse/core/access';
import { type AuthMethod, type Graph, policy, type Role } from '@gatehouse/core/graph';
import {
  type Claims,
  type FieldChange,
  type GivenPolicy,
  type KnownEntity,
  type LoginConfig,
  LoginRefused,
  type LoginRole,
  LoginStep,
  matchedGroups,
  policiesGiven,
  type SignedIn,
  signIn,
  signInByClaims,
  smallestFixes,
  type TokenRules,
} from '@gatehouse/core/login';
import { GatehouseError, metadataProblem } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readLiveGraph, type ServiceClient } from '@gatehouse/service-client';
import { openNamespaceClient } from '../open/open-client.ts';
import { type Declared, openNamespaces } from '../open/open-environment.ts';
import { keysOf, readToken } from './explain-token.ts';

export interface ExplainRequest {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  role: string;
  /** Path of the auth method; needed where several have a role of this name. */
  method?: string;
  /** What is presented: a token, or claims alone. */
  presented: { token: string } | { claims: Claims };
  /** Judge by what the service holds instead of what is declared, and fetch its issuers' keys. */
  live: boolean;
  /** Address that the sign-in comes from. Defaults to one that the role allows. */
  from?: string;
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
  /** Where the embedded service, stricter on purpose, refuses what the service that was asked takes. */
  stricter?: { step: string; message: string };
  /** Other roles of the method that let it in as it is. */
  otherRoles?: string[];
  /** What was taken for granted. */
  notes: string[];
}

/**
 * Says whether a token or claims sign in to a role, with which policies and from where; or at which step it ends, and
 * what would let it in.
 *
 * @throws GatehouseError `role_unknown`, `role_ambiguous`, and what `openDeclared` and the client throw
 */
export async function explain(request: ExplainRequest): Promise<Explanation> {
  const { environment, graph } = await declaredFor(request);
  if (!request.live) return explainIn(graph, request);
  const client = openNamespaceClient(environment.service, request.env);
  try {
    const live = await readService(client, request);
    return await explainIn(live.state, request, live);
  } finally {
    client.close();
  }
}

/** What is declared for the namespace with the role: the stack's own, unless only another one has it. */
async function declaredFor({ stack, env, role, method }: ExplainRequest): Promise<Declared> {
  const all = await openNamespaces(stack, env);
  const having = all.filter(({ graph }) => rolesNamed(graph, role, method).length > 0);
  requireOneNamespace(having.map(({ path }) => path));
  return having[0] ?? all[0];
}

/** @throws GatehouseError `role_ambiguous` for more than one */
export function requireOneNamespace(paths: readonly string[]): void {
  if (paths.length < 2) return;
  throw new GatehouseError('role_ambiguous.namespace', {
    given: paths.map((path) => path || `'' (that of the service)`).join(', '),
  });
}

/** How the service that is asked judges, and what it keeps. */
interface Asked {
  /** By whose rules a token is read. Defaults to those of real servers. */
  rules?: TokenRules;
  /** What is kept of who signs in to a method by a name. Defaults to nothing. */
  entityOf?: (method: string, name: string) => Promise<KnownEntity | undefined>;
}

async function readService(
  client: ServiceClient,
  { method }: ExplainRequest,
): Promise<Asked & { state: Graph }> {
  // No other service keeps its data so; one that does not say is a real one.
  const status = await client
    .with({ namespace: '' })
    .read('sys/seal-status')
    .catch(() => undefined);
  const { graph, unreadable, ids } = await readLiveGraph(client, {
    messages: false,
    ...(method === undefined ? {} : { methods: [method] }),
  });
  const [first] = unreadable.filter(({ subject }) => subject.type !== policy.type);
  if (first !== undefined) {
    throw new GatehouseError('live_state_incomplete', { values: { reason: first.why } });
  }
  return {
    state: graph,
    rules: status?.data['storage_type'] === 'gatehouse' ? 'own' : 'server',
    async entityOf(path, name) {
      const { data } = await client.post('identity/lookup/entity', {
        alias_name: name,
        alias_mount_accessor: Object.keys(ids.mount).find((accessor) => ids.mount[accessor] === path) ?? '',
      });
      const { id, name: entity, policies, disabled } = data;
      if (typeof id !== 'string') return undefined;
      const own = Array.isArray(policies) ? policies.map(String) : [];
      return { id, name: String(entity), policies: own, isDisabled: disabled === true };
    },
  };
}

/** The same within a state. */
export async function explainIn(
  graph: Graph,
  { role: roleName, method: path, presented, live, from, now }: Omit<ExplainRequest, 'stack' | 'env'>,
  { rules = 'server', entityOf }: Asked = {},
): Promise<Explanation> {
  const role = findRole(graph, roleName, path);
  const method = graph.methods.find((one) => one.path === role.method) ?? bare(role.method);
  const notes = notesOf(method, role, from);
  const keys = 'token' in presented ? keysOf(method, live, rules) : undefined;

  let signature: Explanation['signature'] = 'none';
  let answer: SignedIn | LoginRefused | undefined;
  let claims: Claims = {};
  let tokenFixes: FieldChange[][] = [];
  if ('token' in presented) {
    const read = await readToken(presented.token, keys, method, rules);
    signature = read.signature;
    if (read.problem !== undefined) notes.push(read.problem);
    if (read.refused !== undefined) answer = read.refused;
    claims = read.claims;
    tokenFixes = read.fixes;
  } else {
    const fresh = freshClaims(role, method, Number(now / 1_000_000_000n), presented.claims);
    const missing = Object.keys(fresh).filter((name) => !Object.hasOwn(presented.claims, name));
    claims = { ...fresh, ...presented.claims };
    if (missing.length > 0) {
      notes.push(`The claims lack ${missing.join(', ')}: taken as in a token that the provider issues now.`);
    }
  }

  const asked = (config: LoginConfig, candidate: LoginRole) => ({
    ...{ config, roleName: candidate.name, role: () => candidate, now },
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
    source: live ? 'live' : 'declared',
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
      notes.push(`The entity ${JSON.stringify(entity.name)} is disabled: no one signs in as it.`);
      return refusedAt({ step: LoginStep.session, message: 'permission denied' });
    }
    const problem = entity === undefined ? metadataProblem('alias', answer.metadata) : undefined;
    if (problem !== undefined) {
      notes.push(
        'Who signed in before by this name still signs in: the service checks the metadata of a new alias alone.',
      );
      return refusedAt({ step: LoginStep.session, message: problem });
    }
    const signedInWith = { ...base, signsIn: true, ...signedIn(graph, role, answer, entity) };
    if (!('token' in presented) || rules === 'own') return signedInWith;
    const ownKeys = keysOf(method, live, 'own');
    const own = (await readToken(presented.token, ownKeys, method, 'own')).refused;
    return own === undefined
      ? signedInWith
      : { ...signedInWith, stricter: { step: own.step, message: own.message } };
  }
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

/** What is kept of who signs in; what may not be read is noted. */
async function known(
  entityOf: Asked['entityOf'],
  method: string,
  name: string,
  notes: string[],
): Promise<KnownEntity | undefined> {
  try {
    return await entityOf?.(method, name);
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    notes.push(`Policies and groups of the entity itself are not known: ${error.parts.what}`);
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

export function rolesNamed({ roles }: Pick<Graph, 'roles'>, name: string, path: string | undefined): Role[] {
  return roles.filter(
    (role) => role.name.toLowerCase() === name.toLowerCase() && (path === undefined || role.method === path),
  );
}

/** @throws GatehouseError `role_unknown`, `role_ambiguous` */
export function findRole({ roles }: Graph, name: string, path: string | undefined): Role {
  const found = rolesNamed({ roles }, name, path);
  const [role] = found;
  if (role === undefined) {
    const all = roles.map((one) => `${one.name} (--method ${one.method})`).join(', ');
    const circumstances = { given: name, allowed: all || 'none: there are no roles' };
    if (path === undefined) throw new GatehouseError('role_unknown', circumstances);
    throw new GatehouseError('role_unknown.method', { ...circumstances, values: { path } });
  }
  if (found.length > 1) {
    throw new GatehouseError('role_ambiguous.methods', {
      given: name,
      values: { methods: found.map(({ method }) => method).join(', ') },
    });
  }
  return role;
}

function bare(path: string): AuthMethod {
  return { path, type: 'jwt', config: {} };
}

/** What decides a sign-in and cannot be seen from here. */
function notesOf(
  { config }: AuthMethod,
  { tokenBoundCidrs, groupsClaim, boundClaims = {} }: Role,
  from: string | undefined,
): string[] {
  const cidrs = from === undefined ? tokenBoundCidrs?.join(', ') : undefined;
  const hasLarge = Object.values(boundClaims)
    .flat()
    .some((value: unknown) => typeof value === 'number' && !Number.isSafeInteger(value));
  return [
    ...(cidrs
      ? [`It must come from one of these addresses: ${cidrs}. That was taken as given; --from says it.`]
      : []),
    ...(hasLarge
      ? ['A bound number that is not whole, or 2^53 and more, is taken for one that no token meets.']
      : []),
    ...(groupsClaim && config.providerConfig !== undefined
      ? ['The service asks the provider for the groups at sign-in. Those of the claims were taken instead.']
      : []),
  ];
}
