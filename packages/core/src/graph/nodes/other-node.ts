import type { ByName } from '../resources/field.ts';
import { nameKey } from '../values/name-key.ts';
import { partName, plainName } from '../values/visible.ts';
import type { Disabling, Guard } from './guard.ts';
import type { EntityAlias, OtherAlias } from './other-alias.ts';
import type { MethodConfiguration, OtherMethod } from './other-method.ts';
import {
  type AppRoleSecretId,
  type OtherRole,
  type OtherRoleAt,
  ownAlias,
  type ProgramRole,
  picksPolicies,
  secretIdName,
} from './other-role.ts';
import type { PathWrite } from './path-write.ts';
import type { IssuedTokens, PlannedToken } from './tokens.ts';

/** Whatever no stack declares and that decides who signs in, or with what: a closed set of kinds. */
export type OtherNode =
  | OtherMethod
  | MethodConfiguration
  | OtherRole
  | ProgramRole
  | AppRoleSecretId
  | EntityAlias
  | OtherAlias
  | IssuedTokens
  | PlannedToken
  | Guard
  | Disabling
  | PathWrite;
export type OtherKind = OtherNode['kind'];
/** The node of one kind. */
export type OtherNodeOf<Kind extends OtherKind> = Extract<OtherNode, { kind: Kind }>;

/** The nodes of some kinds, in their order. */
export function ofKind<Kind extends OtherKind>(
  nodes: readonly OtherNode[] | undefined,
  ...kinds: Kind[]
): OtherNodeOf<Kind>[] {
  const isOf = (node: OtherNode): node is OtherNodeOf<Kind> => kinds.some((kind) => kind === node.kind);
  return (nodes ?? []).filter(isOf);
}

/** What a node is on the service: two of one identity are one. */
export interface ResourceKey {
  /** What others refer to it as, or else its type. */
  type: string;
  /** Path of the mount that it is in. */
  mount?: string | undefined;
  name: string;
}

/** The place of a node on its service. A method of another type at the same path takes its place. */
export function identityOf(node: OtherNode): ResourceKey {
  switch (node.kind) {
    case 'otherMethod':
      return { type: 'mount', name: node.path };
    case 'otherRole':
      return { type: node.kind, mount: node.method, name: `${node.noun} ${nameKey(node.name)}` };
    case 'program':
      return { type: node.kind, mount: node.method, name: node.name };
    case 'configuration':
      return { type: node.kind, mount: node.method, name: node.part };
    case 'secretId':
      // In the place of one for another role, it is another one.
      return { type: node.kind, mount: node.method, name: `${nameKey(node.role)} ${node.address}` };
    case 'token':
      return { type: node.kind, name: node.address };
    case 'entityAlias':
      return { type: node.kind, mount: node.method, name: nameKey(node.name) };
    case 'otherAlias':
      return { type: 'alias', mount: node.method, name: nameKey(node.name) };
    case 'issuedTokens':
      return { type: node.kind, name: nameKey(wordsOf(node)) };
    case 'guard':
      return { type: node.kind, name: `${node.type} ${node.name}` };
    case 'disabling':
      return { type: node.kind, name: `${node.of} ${nameKey(node.name)}` };
    case 'write':
      return { type: 'endpoint', name: node.path };
  }
}

/** A key that is equal for every spelling of a name, and that tells methods of different types apart. */
export function keyOfNode(node: OtherNode): string {
  const { type, mount, name } = identityOf(node);
  return JSON.stringify([type, typeOfMethod(node) ?? null, mount ?? null, name]);
}

/**
 * What a node is, in words that name it: `user jan of userpass`, `role web of apps (approle)`. Reports, exceptions and known
 * things have these names, and nothing takes them apart again.
 */
export function wordsOf(node: OtherNode): string {
  switch (node.kind) {
    case 'otherMethod':
      return `method ${mountWords(node.path, node.type)}`;
    case 'otherRole':
      return roleWords(node);
    case 'program':
      return `${partName('role', node.name)} of ${plainName(node.method)} (a program)`;
    case 'configuration':
      return `${node.part} of method ${mountWords(node.method, node.type)}`;
    case 'secretId': {
      const role = roleWords({ type: 'approle', noun: 'role', method: node.method, name: node.role });
      return `${partName('secret id', secretIdName(node))} of ${role}`;
    }
    case 'entityAlias':
      return `${partName('alias', node.name)} of ${plainName(node.method)} for ${partName('entity', node.entity)}`;
    case 'otherAlias': {
      const mount = mountWords(node.method, node.type);
      return `${partName('alias', node.name)} of ${mount} for ${partName('group', node.group)}`;
    }
    case 'issuedTokens': {
      const held = node.policies.length === 0 ? 'without policies' : `with ${node.policies.join(', ')}`;
      return `tokens ${held}${node.entity === undefined ? '' : ` of ${partName('entity', node.entity)}`}`;
    }
    case 'token':
      return `token ${JSON.stringify(node.name)}`;
    case 'guard':
      return `${node.type} ${JSON.stringify(node.name)}`;
    case 'disabling':
      return `disabling of ${partName(node.of, node.name)}`;
    case 'write':
      return `write to ${node.path}`;
  }
}

/** A role, user, group or team after its own name; token roles have one mount, which no one names. */
function roleWords({ type, noun, method, name }: OtherRoleAt): string {
  const role = partName(noun, name);
  return type === 'token' ? `token ${role}` : `${role} of ${mountWords(method, type)}`;
}

/** The path of a mount, with its type where the path does not say it: `userpass`, `team/ldap`, `apps (approle)`. */
function mountWords(path: string, type: string): string {
  const isSaid = path === type || path.endsWith(`/${type}`);
  return `${plainName(path)}${isSaid ? '' : ` (${type})`}`;
}

/** Whether a node gives access, takes it, or may do either. */
export function effectOf(node: OtherNode): 'gives' | 'takes' | 'either' {
  switch (node.kind) {
    case 'guard':
    case 'disabling':
      return 'takes';
    case 'write':
      return node.effect;
    case 'entityAlias':
    case 'issuedTokens':
      return node.isOfDisabled ? 'either' : 'gives';
    default:
      return 'gives';
  }
}

/** Whether what a node gives is not known, or not all of it. */
export function isOpaque(node: OtherNode): boolean {
  return node.kind === 'program' || ('isOpaque' in node && node.isOpaque === true);
}

/** Policies that a node gives by itself, as they are written. */
export function policiesOfNode(node: OtherNode): readonly string[] {
  return 'policies' in node ? node.policies : [];
}

/** The path of the auth method that a node is, or is of. */
export function methodOf(node: OtherNode): string | undefined {
  if (node.kind === 'otherMethod') return node.path;
  return 'method' in node ? node.method : undefined;
}

/** The path of the method whose sign-ins have what a node gives; none are by a setting, a credential or a method that gives nothing. */
export function signedInAt(node: OtherNode): string | undefined {
  if (node.kind === 'configuration' || node.kind === 'secretId') return undefined;
  return node.kind === 'otherMethod' && node.policies.length === 0 ? undefined : methodOf(node);
}

/** The type of the auth method that a node is, or is of, where it is known. */
export function typeOfMethod(node: OtherNode): string | undefined {
  switch (node.kind) {
    case 'otherMethod':
    case 'otherRole':
    case 'configuration':
    case 'otherAlias':
      return node.type;
    case 'secretId':
      return 'approle';
    default:
      return undefined;
  }
}

/** Whether a token has some of its policies: those that are asked for, or of the groups that a person is in. */
export function picks(node: OtherNode): boolean {
  return node.kind === 'otherRole' ? picksPolicies(node) : node.kind === 'otherMethod' && node.picks === true;
}

/** The alias that a sign-in has by a node, or that it is, in lower case; undefined where any may be. */
export function aliasOfNode(node: OtherNode): string | undefined {
  if (node.kind === 'entityAlias') return nameKey(node.name);
  return node.kind === 'otherRole' ? ownAlias(node) : undefined;
}

/** Everything that decides who gets what a node gives, by names on the wire. */
export function boundsOfNode(node: OtherNode): ByName {
  return 'bounds' in node ? node.bounds : {};
}

/** What decides how long its tokens live; undefined for nothing. */
export function lifetimeOfNode(node: OtherNode): ByName | undefined {
  return 'lifetime' in node ? node.lifetime : undefined;
}

/** What a sign-in by a node says of itself, which fills templates in; undefined for nothing. */
export function metadataOfNode(node: OtherNode): Readonly<Record<string, string>> | undefined {
  return 'metadata' in node ? node.metadata : undefined;
}

/** The entity whose policies a node gives as well. */
export function entityOfNode(node: OtherNode): string | undefined {
  return 'entity' in node ? node.entity : undefined;
}

/** The group whose policies a node gives as well. */
export function groupOfNode(node: OtherNode): string | undefined {
  return node.kind === 'otherAlias' ? node.group : undefined;
}

/** A node of a method that has moved to another path. */
export function atMethod(node: OtherNode, path: string): OtherNode {
  if (node.kind === 'otherMethod') return { ...node, path };
  return 'method' in node ? { ...node, method: path } : node;
}
