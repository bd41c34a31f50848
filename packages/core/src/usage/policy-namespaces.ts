import type { AuditEntry } from './audit-line.ts';
import type { Lineages } from './lineage.ts';
import type { AskedRequest } from './logged-request.ts';

/** A request as the policies of the namespace that is asked about see it, and whether they decide it. */
export type SeenRequest = AskedRequest & { isOurs: boolean };

/**
 * Which namespace's policies decide a request of a log: those of the token, wherever it asks. One index of requests by namespace
 * comes of that: policies call a path below their namespace by the name of the namespace that it is in.
 */
export class PolicyNamespaces {
  readonly #ownNamespace: string;
  readonly #lineages: Lineages;
  /** Paths by the ids that a log has. */
  readonly #paths = new Map<string, string>([['root', '']]);

  constructor(ownNamespace: string, lineages: Lineages) {
    this.#ownNamespace = ownNamespace;
    this.#lineages = lineages;
  }

  seen(entry: AuditEntry): SeenRequest {
    const { namespace, namespaceId, operation, path, fields, wrapping, mount, mountType } = entry;
    if (namespaceId !== '' && !this.#paths.has(namespaceId)) this.#paths.set(namespaceId, namespace);
    const ownNamespace = this.#ownNamespace;
    const start = ownNamespace === '' ? '' : `${ownNamespace}/`;
    const below =
      namespace !== ownNamespace && namespace.startsWith(start) ? namespace.slice(start.length) : undefined;
    const within = (text: string) => (below === undefined ? text : `${below}/${text}`);
    const of = below === undefined ? ownNamespace : this.#policiesOf(entry);
    const isOurs =
      namespace === ownNamespace || (below !== undefined && (of === undefined || of === ownNamespace));
    const seen: SeenRequest = { operation, fields, path: within(path), isOurs };
    if (wrapping !== undefined) seen.wrapping = wrapping;
    if (below !== undefined) seen.below = below;
    if (mountType === 'pki') seen.pki = within(mount);
    return seen;
  }

  /** Whether other policies than those of the namespace that is asked about decide, or that is not known. */
  areElsewhere(entry: AuditEntry): boolean {
    // Without namespaces there is one.
    if (this.#paths.size === 1 && this.#ownNamespace === '' && entry.grantedIn.length < 2)
      return (entry.grantedIn[0]?.id ?? 'root') !== 'root';
    return this.#policiesOf(entry) !== this.#ownNamespace;
  }

  #policiesOf({ grantedIn, namespaceId, namespace, token, by }: AuditEntry): string | undefined {
    const [granting, ...rest] = grantedIn;
    if (rest.length > 0) return undefined;
    if (granting !== undefined) {
      const path = granting.id === namespaceId ? namespace : (granting.path ?? this.#paths.get(granting.id));
      if (path !== undefined && this.#lineages.of(token) === undefined)
        this.#lineages.noteNamespace(token, path);
      return path;
    }
    const known = this.#lineages.namespaceOf(token);
    if (known !== undefined || by === undefined || by.entity === '') return known;
    // Ids of entities end with that of their namespace, but for the root's.
    const id = /\.([^.]+)$/.exec(by.entity)?.[1] ?? 'root';
    return this.#paths.get(id);
  }
}
