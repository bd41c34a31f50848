import { isObject } from '../values/json.ts';

/** Paths that need `sudo` as well, as an OpenAPI document names them: `/sys/audit/{path}`. */
export type SudoPaths = readonly string[];

/**
 * Paths that need `sudo`, by server: what its own OpenAPI marks (`x-vault-sudo`). Of OpenBao as 2.7.2 answers it; of Vault as
 * its client has it from there (hashicorp/vault api/sudo_paths.go, November 2026).
 */
const servers: Readonly<Record<'openbao' | 'vault', string>> = {
  openbao: `/auth/token/accessors /sys/audit /sys/audit/{path} /sys/auth/{path} /sys/auth/{path}/tune
    /sys/config/auditing/request-headers /sys/config/auditing/request-headers/{header} /sys/config/cors
    /sys/config/ui/headers/{header} /sys/internal/inspect/request /sys/internal/inspect/router/{tag} /sys/leases
    /sys/leases/lookup/ /sys/leases/lookup/{prefix} /sys/leases/revoke-force/{prefix}
    /sys/leases/revoke-prefix/{prefix} /sys/plugins/catalog/{name} /sys/plugins/catalog/{type}
    /sys/plugins/catalog/{type}/{name} /sys/raw /sys/raw/{path} /sys/remount /sys/rotate /sys/rotate/keyring
    /sys/rotate/root`,
  vault: `/auth/token/accessors /auth/token/revoke-orphan /sys/audit /sys/audit/{path} /sys/auth/{path}
    /sys/auth/{path}/tune /sys/mounts/auth/{path}/tune /sys/config/auditing/request-headers
    /sys/config/auditing/request-headers/{header} /sys/config/cors /sys/config/ui/headers
    /sys/config/ui/headers/{header} /sys/internal/inspect/router/{tag} /sys/internal/counters/activity/export
    /sys/leases /sys/leases/lookup/{prefix} /sys/leases/revoke-force/{prefix} /sys/leases/revoke-prefix/{prefix}
    /sys/plugins/catalog/{name} /sys/plugins/catalog/{type} /sys/plugins/catalog/{type}/{name}
    /sys/plugins/runtimes/catalog /sys/plugins/runtimes/catalog/{type}/{name} /sys/raw /sys/raw/{path} /sys/remount
    /sys/rotate /identity/entity/merge /sys/replication/dr/primary/secondary-token
    /sys/replication/performance/primary/secondary-token /sys/replication/primary/secondary-token
    /sys/replication/reindex /sys/storage/raft/snapshot-auto/config /sys/storage/raft/snapshot-auto/config/{name}
    /sys/reporting/scan`,
};

/** What servers guard in the same way, and mark in no document (measured: OpenBao 2.7.2). */
const unmarked: SudoPaths = [
  '/auth/token/accessors/{accessor}',
  '/auth/token/revoke-orphan/{token}',
  '/sys/internal/inspect/request/{tag}',
  '/sys/revoke-prefix/{prefix}',
  '/sys/revoke-force/{prefix}',
  '/sys/seal',
  '/sys/step-down',
];

/** Below a secrets engine of type `pki`, wherever it is mounted. */
const ofPki = ['root', 'root/sign-self-issued'];

/** Where the path of a secrets engine is known, and where it is not. */
interface RequestedPath {
  /** Without a namespace. */
  path: string;
  /** Path of the secrets engine, where it is one of type `pki`. */
  pki?: string | undefined;
}

/** The paths that an OpenAPI document marks; undefined for what is no such document, or marks none. */
export function sudoPathsIn(document: unknown): SudoPaths | undefined {
  const paths = isObject(document) ? document['paths'] : undefined;
  if (!isObject(paths)) return undefined;
  const marked = Object.entries(paths).flatMap(([path, item]) =>
    isObject(item) && item['x-vault-sudo'] === true ? [path] : [],
  );
  return marked.length === 0 ? undefined : marked;
}

/**
 * Whether a path needs `sudo` in addition to what is asked.
 *
 * @param sudo what the server's own document marks; without it, `unknown` where known servers differ
 */
export function needsSudo({ path, pki }: RequestedPath, sudo?: SudoPaths): 'yes' | 'no' | 'unknown' {
  if (pki !== undefined && ofPki.some((below) => path === `${pki}/${below}`)) return 'yes';
  if (matcher(unmarked).test(path)) return 'yes';
  const answers = (sudo === undefined ? tables : [matcher(sudo)]).map((table) => table.test(path));
  if (answers.every((isGuarded) => isGuarded)) return 'yes';
  return answers.some((isGuarded) => isGuarded) ? 'unknown' : 'no';
}

const matchers = new WeakMap<SudoPaths, RegExp>();

/** A name at the end takes all that follows, also nothing: servers guard prefixes. */
function matcher(templates: SudoPaths): RegExp {
  const known = matchers.get(templates);
  if (known !== undefined) return known;
  const shapes = templates.map((template) =>
    template
      .replace(/^\//, '')
      .split(/(\{[^}]*\}$|\{[^}]*\})/)
      .map((part, at, all) => {
        if (!part.startsWith('{')) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
        return all.slice(at + 1).every((rest) => rest === '') ? '[^]*' : '[^]+';
      })
      .join(''),
  );
  const pattern = new RegExp(`^(?:${shapes.join('|')})$`);
  matchers.set(templates, pattern);
  return pattern;
}

const tables = Object.values(servers).map((rows) => matcher(rows.split(/\s+/)));
