import { spawnSync } from 'node:child_process';

/**
 * What runs a program apart from its machine: in namespaces of its own for users, processes and the network (unshare(1)), and
 * without any capability, also where this process is root's (setpriv(1)). It reaches no network but sockets that are files, and
 * sees no other process: the variables of its parents are in `/proc` (docs/adr/0029-planning-is-kept-apart-by-namespaces.md).
 */
const container = [
  ...['unshare', '--user', '--map-current-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ...['--', 'setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--'],
];

/** Whether a program that is not trusted reaches the network. */
export type Contained = 'online' | 'offline';

let why: string | undefined | null = null;

/** Why this machine cannot keep a program apart; undefined where it can. Tried once. */
export function whyNotContained(): string | undefined {
  if (why === null) why = tried();
  return why;
}

/** What a program is started with. Empty where the system cannot keep it apart. */
export function containing(contained: Contained): readonly string[] {
  if (whyNotContained() !== undefined) return [];
  return contained === 'offline' ? container : container.filter((one) => one !== '--net');
}

function tried(): string | undefined {
  if (process.platform !== 'linux') return `${process.platform} has no such namespaces`;
  const [command = '', ...args] = [...container, 'true'];
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 5_000 });
  if (status === 0) return undefined;
  return (error?.message ?? stderr.trim().split('\n')[0]) || 'unshare does not work here';
}

/** Variables that a program may need and that hold no secret, by name or by how they begin. */
const harmless = [
  ...['PATH', 'HOME', 'USER', 'SHELL', 'PWD', 'LANG', 'LANGUAGE', 'LC_', 'TZ', 'TERM', 'TMPDIR', 'NO_COLOR'],
  ...['NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'NODE_V8_COVERAGE', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['GATEHOUSE_SERVICE_ADDRESS', 'GATEHOUSE_IDENTITY_ADDRESS', 'GATEHOUSE_TRACES'],
  ...['VAULT_ADDR', 'VAULT_NAMESPACE', 'VAULT_CACERT', 'VAULT_CAPATH', 'VAULT_TLS_SERVER_NAME'],
];

/** Names of further variables that a program needs, with commas between them. */
const namingMore = 'GATEHOUSE_PLAN_VARIABLES';

/** What is left of an environment for a program that is not trusted. */
export function harmlessVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const all = [
    ...harmless,
    ...(env[namingMore] ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  ];
  const isHarmless = (name: string) =>
    all.some((one) => name === one || (one.endsWith('_') && name.startsWith(one)));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isHarmless(name)));
}
