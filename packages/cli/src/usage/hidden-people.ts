import { createHmac, randomBytes } from 'node:crypto';
import { methodOf, namesPerson, ofKind, personSegments, type ServiceGraph } from '@gatehouse/core/graph';
import type { FoldedLog, LoggedPrincipal, Usage } from '@gatehouse/core/usage';

type LoggedAccess = Pick<FoldedLog, 'signIns' | 'requests'>;

/** Metadata that names a person. */
const personal = /^(?:user_?name|user|login|upn|e?-?mail|preferred_username|display_?name|full_?name)$/i;
/** Words of the service's own paths, and of reports: no name of a person hides them. */
const fixed = new Set(
  `auth sys identity token tokens entity entities group groups alias name id login logout users user role roles create
  create-orphan lookup lookup-self renew renew-self revoke revoke-self secret data metadata config policy policies acl
  read update delete list sudo root default cubbyhole wrapping the a of to in by and is what which whether requests`.split(
    /\s+/,
  ),
);
/** Paths that name a person who need not have signed in: of users, of entities, and of who was locked out. */
const namingPaths: readonly RegExp[] = [
  new RegExp(`(?:^|/)auth/[^/].*?/${personSegments}/([^/]+)`),
  /(?:^|\/)auth\/[^/].*?\/login\/([^/]+)/,
  /(?:^|\/)identity\/(?:entity|persona)\/(?:name|id)\/([^/]+)/,
  /(?:^|\/)identity\/(?:entity-alias|alias)\/id\/([^/]+)/,
  /(?:^|\/)sys\/locked-users\/[^/]+\/unlock\/([^/]+)/,
  /(?:^|\/)totp\/(?:keys|code)\/([^/]+)/,
];
/** Fields of a report that hold words of its own. */
const ownWords = new Set(['kind', 'used', 'operation', 'id', 'which']);

/**
 * Replaces people in a report by hashes that hold for it alone: in any case, and with anything before or behind them that is no
 * letter or digit. People are users, entities and those who signed in by other methods than those of workloads, whether they
 * are in the log or not.
 */
export function withoutPeople(
  usage: Usage,
  log: LoggedAccess,
  service: Pick<ServiceGraph, 'graph' | 'ids'>,
): Usage {
  const key = randomBytes(32);
  const people = peopleIn(log, service);
  const hide = (name: string) => `person-${createHmac('sha256', key).update(name).digest('hex').slice(0, 8)}`;
  const shown = (text: string) => text.replace(/[^/\s"]+/g, (part) => hidden(part, people, hide));
  const withoutNames = (value: unknown, field = ''): unknown => {
    if (typeof value === 'string') return ownWords.has(field) ? value : shown(value);
    if (Array.isArray(value)) return value.map((entry) => withoutNames(entry));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [name, withoutNames(entry, name)]),
    );
  };
  return withoutNames(usage) as Usage;
}

/** The longest name at each border within a part of a path. */
function hidden(part: string, people: ReadonlySet<string>, hide: (name: string) => string): string {
  const lower = part.toLowerCase();
  if (people.has(lower)) return hide(lower);
  const borders = [
    ...lower.matchAll(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])(?![\p{L}\p{N}])/gu),
  ].map(({ index }) => index);
  let [text, from] = ['', 0];
  for (const start of borders) {
    if (start < from) continue;
    const end = borders.findLast((border) => border > start && people.has(lower.slice(start, border)));
    if (end === undefined) continue;
    text += part.slice(from, start) + hide(lower.slice(start, end));
    from = end;
  }
  return text + part.slice(from);
}

function peopleIn(
  { signIns, requests }: LoggedAccess,
  { graph, ids }: Pick<ServiceGraph, 'graph' | 'ids'>,
): Set<string> {
  const methods = new Set([
    ...graph.methods.map(({ path }) => path),
    ...(graph.others ?? []).flatMap((node) => methodOf(node) ?? []),
  ]);
  const principals = new Set<LoggedPrincipal>([
    ...signIns.map(({ who }) => who),
    ...requests.map(({ by }) => by),
  ]);
  const signedIn = [...principals].flatMap(({ name, entity, metadata, lineage }) => {
    if (lineage?.isOfWorkloads) return [entity];
    const fields = Object.entries(metadata).flatMap(([field, value]) => (personal.test(field) ? value : []));
    const users =
      lineage?.making === undefined
        ? aliasesIn(name, lineage === undefined ? methods : [lineage.method])
        : [];
    return [entity, ...fields, ...users];
  });
  const declared = [
    ...(graph.identities ?? []).flatMap(({ kind, name }) => (kind === 'entity' ? name : [])),
    ...Object.entries(ids.entity).flat(),
    ...ofKind(graph.others, 'entityAlias', 'otherRole').flatMap((node) =>
      node.kind === 'entityAlias' || namesPerson(node.noun) ? node.name : [],
    ),
  ];
  const forms = [...namingPaths, ...templatesIn(graph)];
  const paths = new Set(requests.map(({ path }) => path));
  const inPaths = [...paths].flatMap((path) => forms.flatMap((form) => form.exec(path)?.slice(1) ?? []));
  const names = [...signedIn, ...declared, ...inPaths].map((name) => name.toLowerCase());
  // What stands before an at sign names the person as well.
  const all = names.flatMap((name) => [name, name.replace(/@.*$/s, '')]);
  return new Set(all.filter((name) => name.length > 1 && !fixed.has(name)));
}

/** Patterns of policies that a name of a person fills in, or an id: `secret/data/{{identity.entity.name}}/*`. */
function templatesIn({ policies }: ServiceGraph['graph']): RegExp[] {
  const patterns = policies.flatMap(({ text }) =>
    [...text.matchAll(/"([^"\n]*\{\{\s*identity\.entity\.[^"\n]*)"/g)].map(([, pattern = '']) => pattern),
  );
  return [...new Set(patterns)].map((pattern) => {
    const parts = pattern.split(/(\{\{.*?\}\}|\+|\*$)/).map((part) => {
      if (/^\{\{\s*identity\.entity\./.test(part)) return '([^/]+)';
      if (part === '*') return '';
      return part === '+' || part.startsWith('{{') ? '[^/]*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    });
    // The rest of the pattern names no one.
    return new RegExp(`^${parts.slice(0, parts.lastIndexOf('([^/]+)') + 1).join('')}`);
  });
}

/** `staff-ann` is ann of staff: which hyphen is the border, the method says. */
function aliasesIn(name: string, methods: Iterable<string>): string[] {
  return [...methods].flatMap((method) => {
    const start = `${method.replaceAll('/', '-')}-`;
    const at = name.indexOf(start);
    return at === -1 ? [] : [name.slice(at + start.length)];
  });
}
