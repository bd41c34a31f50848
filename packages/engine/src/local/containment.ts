import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type ShownFiles, type Viewed, viewFor } from './program-view.ts';

/** The containment of an untrusted program. */
export interface Contained {
  /** Whether it reaches the network. */
  isOnline: boolean;
  /** The files of its repository that it may read. Defaults to its folder. */
  files?: ShownFiles | undefined;
  /** Whether it gets placeholders for the secrets of its stack. */
  withholdsSecrets: boolean;
  /** Origins of the services that may get the token. What the program declares at others gets none. */
  services: readonly string[];
}

/** How a program is isolated from its machine. */
export interface Apart {
  /** Whether the system can isolate it. */
  isApart: boolean;
  /** The command that starts the program, without the program. */
  command: readonly string[];
  /** The program's home and its folder for temporary files. */
  variables: NodeJS.ProcessEnv;
  remove(): void;
}

/**
 * Keeps a program apart: in namespaces of its own for users, processes, the network and files (unshare(1)), and without any
 * capability, also where this process is root's (setpriv(1)). It reaches no network but sockets that are files, and sees no
 * other process: the variables of its parents are in `/proc` (docs/adr/0029-planning-is-kept-apart-by-namespaces.md).
 */
export function keepApart({ isOnline }: Pick<Contained, 'isOnline'>, viewed: Viewed): Apart {
  if (whyNotContained() !== undefined)
    return { isApart: false, command: [], variables: {}, remove: () => {} };
  return apart(isOnline, viewed);
}

/**
 * Mounts the view, moves into it, lets go of all else, and gives up what it took to do so. `/proc` is there before: without it,
 * umount(8) finds nothing. Files that root could write to, even without capabilities, are read-only. The program is who it
 * was: Node.js keeps what it compiled by user.
 */
const script = `
mount --all --fstab "$1"
cd "$2"
pivot_root . old
cd /
umount -l old
mount -o remount,bind,ro /
for name in bus fs irq sys sysrq-trigger; do
  [ ! -e "/proc/$name" ] || mount -o bind,ro,nosuid,nodev,noexec "/proc/$name" "/proc/$name"
done
cd "$3"
user=$4 group=$5
shift 5
exec unshare --user --map-user="$user" --map-group="$group" -- \\
setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- "$@"`;

function apart(isOnline: boolean, viewed: Viewed): Apart {
  const { root, table, scratch, remove } = viewFor(viewed);
  const namespaces = [
    '--user',
    '--map-root-user',
    '--ipc',
    '--pid',
    '--mount',
    ...(isOnline ? [] : ['--net']),
  ];
  const command = [
    'unshare',
    ...namespaces,
    '--fork',
    '--kill-child',
    `--mount-proc=${join(root, 'proc')}`,
    '--',
    'sh',
    '-ec',
    script,
    'sh',
    table,
    root,
    viewed.directory,
    String(process.getuid?.()),
    String(process.getgid?.()),
  ];
  return { isApart: true, command, variables: { HOME: scratch, TMPDIR: scratch }, remove };
}

let why: string | undefined | null = null;

/** Why this machine cannot keep a program apart; undefined where it can. Tried once. */
export function whyNotContained(): string | undefined {
  if (why === null) why = tried();
  return why;
}

/**
 * @param patienceMs how long unshare(1) may take
 * @throws Error where it does not answer: that does not tell whether the machine can, and a program that could be kept apart must be
 */
export function tried(patienceMs = 60_000): string | undefined {
  if (process.platform !== 'linux') return `${process.platform} has no such namespaces`;
  const { command, remove } = apart(false, { directory: import.meta.dirname, sockets: [], compileCache: '' });
  const [unshare = '', ...args] = [...command, 'true'];
  const { status, error, stderr } = spawnSync(unshare, args, { encoding: 'utf8', timeout: patienceMs });
  remove();
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT')
    throw new Error(
      `unshare did not answer in ${patienceMs} ms: whether programs can be kept apart is not known`,
    );
  if (status === 0) return undefined;
  return (error?.message ?? stderr.trim().split('\n')[0]) || 'unshare does not work here';
}

/** Variables that a program may need and that hold no secret, by name or by how they begin. */
const harmless = [
  'PATH',
  'HOME',
  'USER',
  'SHELL',
  'PWD',
  'LANG',
  'LANGUAGE',
  'LC_',
  'TZ',
  'TERM',
  'TMPDIR',
  'NO_COLOR',
  'NODE_EXTRA_CA_CERTS',
  'NODE_V8_COVERAGE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GATEHOUSE_SERVICE_ADDRESS',
  'GATEHOUSE_IDENTITY_ADDRESS',
  'GATEHOUSE_TRACES',
  'VAULT_ADDR',
  'VAULT_NAMESPACE',
  'VAULT_CACERT',
  'VAULT_CAPATH',
  'VAULT_TLS_SERVER_NAME',
];

/** Names of further variables that a program needs, with commas between them. */
const namingMore = 'GATEHOUSE_PLAN_VARIABLES';

/** The variables that an untrusted program gets. */
export function harmlessVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const all = [
    ...harmless,
    ...(env[namingMore] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ];
  const isHarmless = (name: string) =>
    all.some((allowed) => name === allowed || (allowed.endsWith('_') && name.startsWith(allowed)));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isHarmless(name)));
}
