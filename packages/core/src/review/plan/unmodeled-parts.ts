import { isDeepStrictEqual } from 'node:util';
import { isWriting } from '../../access/administration.ts';
import { trustsIdentityTokens } from '../../access/sign-in/identity-tokens.ts';
import { mayTrustSource, signsMore } from '../../access/sign-in/issued-certificates.ts';
import type { Change, UnmodeledPart } from '../../graph/change.ts';
import { type Graph, isComplete } from '../../graph/graph.ts';
import { namedIn } from '../../graph/nodes/bounds.ts';
import { entityOfNode, groupOfNode, identityOf, ofKind } from '../../graph/nodes/other-node.ts';
import { Acl } from '../../graph/policies/acl.ts';
import { type PathRule, readPolicy } from '../../graph/policies/parse-policy.ts';
import { type AuthMethod, method } from '../../graph/resources/auth-method.ts';
import {
  officialTypes,
  type Trusting,
  type Unmodeled,
  unmodeled,
  unmodeledElsewhere,
  unmodeledOf,
} from '../../graph/resources/unmodeled.ts';
import { cleaned, templatesOf } from '../../graph/resources/writes.ts';
import { shortened } from '../../graph/values/cut.ts';
import { isHiddenText } from '../../graph/values/hidden-text.ts';
import { isUnset } from '../../graph/values/json.ts';
import { textOf, trimmed } from '../../graph/values/loose-values.ts';
import { namespaceWithin, patternWithin } from '../../graph/values/namespace-path.ts';
import { partName } from '../../graph/values/visible.ts';
import { isSource, sourceOf, takesOpenOrders } from './credential-sources.ts';
import { namespaceOf, pathOf } from './identities.ts';
import type { CredentialFlow, PlannedResource, PlannedSide } from './planned-resource.ts';
import { nameOfType, typeInPlan } from './resource-types.ts';

/** A place with what the plan does to it there. */
interface PlacedResources {
  place: { server?: string; namespace?: string };
  change: Change;
  resources: readonly PlannedResource[];
}

/** Names that a line lists. */
const mostNamed = 3;

/**
 * What a plan touches that no answer works out, and by which a token could be gained: one list a place, in their order. All
 * places of a server count: a method may trust what another namespace signs.
 */
export function unmodeledParts(
  places: readonly PlacedResources[],
  flows: readonly CredentialFlow[],
): UnmodeledPart[][] {
  return places.map((place) => {
    const sameServer = places.filter((other) => other.place.server === place.place.server);
    const service = new Service(sameServer.map(({ change }) => change.after));
    const engines = enginesIn(sameServer.flatMap(({ resources }) => resources));
    return [
      ...ofTypes(place, service, engines),
      ...ofIdentities(place, service),
      ...ofFlows(place, flows),
      ...ofFirstSet(place),
      ...ofNamespaces(place, sameServer),
    ];
  });
}

/** The methods of a service, as far as they are known. */
class Service {
  readonly #graphs: readonly Graph[];
  /** Whether it has no methods but these. */
  readonly hasAllMethods: boolean;

  constructor(graphs: readonly Graph[]) {
    this.#graphs = graphs;
    this.hasAllMethods = graphs.every((graph) => isComplete(graph, 'methods') && isComplete(graph, 'others'));
  }

  /** Paths of the methods that may trust something. */
  trusting({ types, keysFrom, givenKeys }: Trusting): string[] {
    const paths = this.#graphs.flatMap(({ methods, others }) => [
      ...methods.flatMap((method) => (mayTrust(method, keysFrom, givenKeys) ? method.path : [])),
      ...ofKind(others, 'otherMethod', 'otherRole')
        .filter(({ type }) => types.includes(type))
        .map((node) => (node.kind === 'otherMethod' ? node.path : node.method)),
    ]);
    return [...new Set(paths)].sort();
  }
}

/** A method without any keys in sight may have those that were given to it: its configuration may not be readable. */
function mayTrust({ config }: AuthMethod, keysFrom: RegExp | undefined, givenKeys = false): boolean {
  const { oidcDiscoveryUrl, jwksUrl, jwksPairs = [], jwtValidationPubkeys: keys = [] } = config;
  const sources = [oidcDiscoveryUrl, jwksUrl, ...jwksPairs.flatMap(Object.values)].filter(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  if (givenKeys && (keys.length > 0 || sources.length === 0)) return true;
  return keysFrom !== undefined && sources.some((text) => isHiddenText(text) || keysFrom.test(text));
}

/** Types of secrets engines by server, namespace and path: `pki`. */
function enginesIn(resources: readonly PlannedResource[]): ReadonlyMap<string, string> {
  return new Map(
    resources.flatMap(({ of, before, after }): [string, string][] => {
      const side = after ?? before;
      const type = side && textOf(side.fields['type']);
      const path = side && textOf(side.fields['path']);
      if (of !== 'mount' || side === undefined || type === undefined || path === undefined) return [];
      return [[JSON.stringify([namespaceOf(side), trimmed(path)]), type]];
    }),
  );
}

/** A part of a plan that a row is about. */
interface Touched {
  row: Unmodeled;
  name: string;
  address: string;
  /** Edges say what it gives a credential for, where all that trusts it is known. */
  isModeled?: boolean;
}

/** Whether a PKI role stays and signs nothing that it did not before. */
function isNarrowed({ of, before, after, replaced }: PlannedResource): boolean {
  if (replaced !== undefined) return false;
  const sourceBefore = before && sourceOf(of, before);
  const sourceAfter = after && sourceOf(of, after);
  return (
    sourceBefore?.kind === 'pkiRole' &&
    sourceAfter?.kind === 'pkiRole' &&
    !signsMore(sourceBefore, sourceAfter)
  );
}

/**
 * Methods whose roles are all known: edges say which of them a credential signs in to. An engine may have other authorities than those
 * that a plan shows, so that a role that trusts none of these is not decided.
 */
function methodsDecided({ after }: Change): string[] {
  const { credentials = [], others } = after;
  const certificates = isComplete(after, 'others') ? ofKind(others, 'otherMethod') : [];
  const roles = ofKind(others, 'otherRole').filter(({ type }) => type === 'cert');
  const isTrusting = ({ path }: { path: string }) =>
    roles.every(
      (role) => role.method !== path || credentials.every((source) => mayTrustSource(source, role)),
    );
  return [
    ...after.methods.filter(
      (method) => trustsIdentityTokens(method) && isComplete(after, 'roles', method.path),
    ),
    ...certificates.filter((method) => method.type === 'cert' && !method.isOpaque && isTrusting(method)),
  ].map(({ path }) => path);
}

function ofTypes(
  { resources, change }: PlacedResources,
  service: Service,
  engines: ReadonlyMap<string, string>,
): UnmodeledPart[] {
  const touched = resources.flatMap((resource): Touched[] => {
    const { type, of, changes, before, after, address } = resource;
    // What goes lets no one in.
    if (type !== 'inert' || !changes || after === undefined) return [];
    if (of.startsWith('generic ')) {
      const rows = rowsAt(after, engines);
      // The shape of a path may be of several engines: what is in sight counts, and else one of them stands for all.
      const trusted = rows.filter(({ trusting }) => service.trusting(trusting).length > 0);
      return (trusted.length > 0 ? trusted : rows.slice(0, 1)).map((row) => ({
        row,
        name: `write to ${after.fields['path']}`,
        address,
      }));
    }
    const row = unmodeledOf(nameOfType(of));
    if (row === undefined || !decides(row, resource, before, after)) return [];
    if (row.isOpen && takesOpenOrders(after) !== undefined) return [];
    if (isNarrowed(resource)) return [];
    return [{ row, name: wordsOf(of, after), address, isModeled: isSource(of) }];
  });
  return [...Map.groupBy(touched, ({ row }) => row)].flatMap(([row, all]) => {
    const { by, trusting, closes, isOpen } = row;
    const decided = all.every(({ isModeled }) => isModeled) ? methodsDecided(change) : [];
    const methods = service.trusting(trusting).filter((path) => !decided.includes(path));
    const through = [...new Set(all.map(({ name }) => name))];
    const subject = { type: 'other' as const, name: shortened(through, mostNamed) };
    const addresses = all.map(({ address }) => address);
    const part = { subject, addresses, mayLose: true as const, closes };
    if (isOpen) return { ...part, isInSight: true, effect: { of: 'gains', by, through } };
    if (methods.length === 0 && service.hasAllMethods) return [];
    return { ...part, isInSight: methods.length > 0, effect: { of: 'sign-ins', by, through, methods } };
  });
}

/** Whether something decides who signs in by what it makes: not with only such fields changed as do not matter. */
function decides(
  { needs, only, apart = [] }: Unmodeled,
  { replaced }: PlannedResource,
  before: PlannedSide | undefined,
  after: PlannedSide,
): boolean {
  const isOff = needs !== undefined && isUnset(after.fields[needs]) && !after.unknown.includes(needs);
  if (isOff) return false;
  if (before === undefined || replaced !== undefined) return only === undefined;
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields), ...after.unknown]);
  const isChanged = (name: string) =>
    after.unknown.includes(name) || !isDeepStrictEqual(before.fields[name], after.fields[name]);
  return [...names].some(
    (name) => isChanged(name) && !apart.includes(name) && (only === undefined || only.includes(name)),
  );
}

/** `pki secret backend role pki/web` */
function wordsOf(of: string, { fields }: PlannedSide): string {
  const mount = textOf(fields['backend'] ?? fields['mount'] ?? fields['path']);
  const name = namedIn(fields).name ?? textOf(fields['common_name']);
  return mount === undefined && name === undefined ? of : partName(of, mount, name);
}

/** What a write to any path of a secrets engine may be: by the shape of the path, where its engine is not in sight. */
function rowsAt(side: PlannedSide, engines: ReadonlyMap<string, string>): Unmodeled[] {
  const path = cleaned(textOf(side.fields['path']) ?? '') ?? '';
  const segments = path.split('/');
  const known = segments.flatMap(
    (_, at) => engines.get(JSON.stringify([namespaceOf(side), segments.slice(0, at + 1).join('/')])) ?? [],
  );
  return unmodeled.filter(({ types }) =>
    shapesOf(types).some(({ engine, shape }) => shape.test(path) && known.every((type) => type === engine)),
  );
}

const shapes = new Map<string, { engine: string; shape: RegExp }[]>();

/** Paths that types write to, below a secrets engine that may be anywhere. */
function shapesOf(types: string) {
  const known = shapes.get(types);
  if (known !== undefined) return known;
  const ofTypes = officialTypes(types).flatMap((type) => {
    const engine = /^vault_(\w+?)_secret/.exec(type)?.[1] ?? '';
    return templatesOf(type)
      .filter((template) => /^\{\w+\}\/\w/.test(template))
      .map((template) => {
        const rest = template.replace(/^\{\w+\}/, '').replace(/\{[^}]+\}|:id/g, '[^/]+');
        return { engine, shape: new RegExp(`^.+${rest}$`, 's') };
      });
  });
  shapes.set(types, ofTypes);
  return ofTypes;
}

const ownTokens = { types: [], keysFrom: /(?:^|\/)identity\/oidc(?:\/|$)/ };

/** Templates of the service's own tokens may read each name, member and metadata of groups and entities. */
function ofIdentities({ change: { before, after } }: PlacedResources, service: Service): UnmodeledPart[] {
  const methods = service.trusting(ownTokens);
  if (methods.length === 0 || isDeepStrictEqual(identitiesIn(before), identitiesIn(after))) return [];
  return [
    {
      subject: { type: 'service', name: 'groups and entities' },
      addresses: [],
      isInSight: true,
      mayLose: true,
      effect: { of: 'identity-tokens', methods },
      closes: unmodeledElsewhere.identities.closes,
    },
  ];
}

/** All that a token of the service can say of groups and entities. */
function identitiesIn({ groups, aliases, identities = [], others }: Graph): unknown {
  return [
    groups.map(({ name, metadata }) => ({ name, metadata })),
    aliases,
    identities.map(({ policies: _, ...rest }) => rest),
    ofKind(others, 'entityAlias', 'otherAlias').map((node) => ({
      identity: identityOf(node),
      entity: entityOfNode(node),
      group: groupOfNode(node),
    })),
  ];
}

function ofFlows({ resources }: PlacedResources, flows: readonly CredentialFlow[]): UnmodeledPart[] {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  return flows.flatMap(({ of, field, to }): UnmodeledPart[] => {
    const credential = byAddress.get(of);
    if (credential === undefined) return [];
    const { fields = {} } = credential.after ?? credential.before ?? {};
    const path = textOf(fields['path']);
    const name = namedIn(fields).name;
    const kind = credential.of.replace(/ auth backend(?: role)?/, '');
    const credentialMade = typeInPlan(credential.type).isWrite
      ? { field: 'password', whose: { path: path ?? '' } }
      : { field: field ?? '', whose: { type: kind, name: name ?? of } };
    const keptAt = textOf(byAddress.get(to)?.after?.fields['path']) ?? to;
    return [
      {
        subject: { type: 'other', name: to },
        addresses: [to],
        isInSight: true,
        effect: { of: 'credential', ...credentialMade, keptAt },
        closes: unmodeledElsewhere.credential.closes,
      },
    ];
  });
}

function ofFirstSet({ resources }: PlacedResources): UnmodeledPart[] {
  return resources.flatMap(({ type, of, address, after, replaced, firstSet = [] }): UnmodeledPart[] => {
    const isAsking = ['configuration', 'backend', method.type].includes(type);
    if (!isAsking || after === undefined || replaced !== undefined || firstSet.length === 0) return [];
    const path = textOf(after.fields['backend']) ?? pathOf(after, of);
    return [
      {
        subject: { type: 'other', name: `configuration of method ${path}` },
        addresses: [address],
        isInSight: true,
        effect: { of: 'first-set', method: path ?? '', fields: firstSet },
        closes: unmodeledElsewhere.firstSet.closes,
      },
    ];
  });
}

function ofNamespaces(
  { place, resources }: PlacedResources,
  sameServer: readonly PlacedResources[],
): UnmodeledPart[] {
  const namespaces = resources.filter(
    ({ type, of, changes, before, after, replaced }) =>
      type === 'inert' &&
      of === 'namespace' &&
      changes &&
      after !== undefined &&
      (before === undefined ||
        replaced !== undefined ||
        !isDeepStrictEqual(before.fields['path'], after.fields['path'])),
  );
  const { namespace: own = '' } = place;
  return namespaces.flatMap(({ address, after }): UnmodeledPart[] => {
    const name = after && textOf(after.fields['path']);
    const path = trimmed(name ?? '');
    const above = sameServer.filter(
      ({ place: { namespace = '' } }) =>
        namespace === '' || own === namespace || own.startsWith(`${namespace}/`),
    );
    const reaching = above.flatMap(({ place: { namespace = '' }, change }) => {
      const below = [namespaceWithin(namespace, own), path].filter(Boolean).join('/');
      return change.after.policies.flatMap((policy) => (reachesInto(policy.text, below) ? policy.name : []));
    });
    const part = {
      subject: { type: 'other' as const, name: partName('namespace', path || address) },
      addresses: [address],
      closes: unmodeledElsewhere.namespace.closes,
    };
    const namespace = path || address;
    if (name === undefined || reaching.length > 0)
      return [{ ...part, isInSight: true, effect: { of: 'administration', namespace, policies: reaching } }];
    const isKnown =
      above.some(({ place: { namespace = '' } }) => namespace === own) &&
      above.every(({ change }) => isComplete(change.after, 'policies'));
    if (isKnown) return [];
    return [{ ...part, isInSight: false, effect: { of: 'policies-elsewhere', namespace } }];
  });
}

const administered = ['sys', 'auth', 'identity'];

/**
 * Whether a policy lets write what administers a namespace below, and not in its own. A text that cannot be read may.
 */
function reachesInto(text: string, namespace: string): boolean {
  const rules = readPolicy(text);
  if (rules === undefined) return true;
  // Rules that end do not make an administrator.
  const acl = new Acl([{ name: '', rules }], 2n ** 62n);
  if (acl.allows({ path: 'sys/policies/acl/x', capability: 'update' })) return false;
  return rules.some((rule) => isWritingRule(rule) && isAdministering(patternWithin(rule.path, namespace)));
}

function isWritingRule({ capabilities }: PathRule): boolean {
  return !capabilities.includes('deny') && capabilities.some(isWriting);
}

/** Whether a pattern inside a namespace may match paths that administer it. */
function isAdministering(pattern: string | undefined): boolean {
  if (pattern === undefined) return false;
  const [first = ''] = pattern.split('/');
  const isStart = first === pattern && first.endsWith('*');
  return administered.some(
    (name) => first === '+' || (isStart ? name.startsWith(first.slice(0, -1)) : first === name),
  );
}
