import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { parse } from 'yaml';
import { z } from 'zod';
import type { ConnectionOptions } from './exchange.ts';

/** Which cluster is meant, and as whom. */
export interface KubeconfigSource {
  /** A kubeconfig, or its path. Defaults to the files in KUBECONFIG, then to `~/.kube/config`. */
  kubeconfig?: string;
  /** Defaults to the kubeconfig's current context. */
  context?: string;
}

/** How to reach a cluster and sign in to it. */
export interface ClusterAccess extends ConnectionOptions {
  context: string;
  /** Of the API server. */
  server: string;
  token?: string;
}

const cluster = z.looseObject({
  server: z.url({ protocol: /^https?$/ }),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
});
const user = z.looseObject({
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.string().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.string().optional(),
});
const context = z.looseObject({
  cluster: z.string(),
  user: z.string().default(''),
});
// An empty list is written as null.
const entries = z.array(z.looseObject({ name: z.string() })).nullish();
const kubeconfigFile = z.looseObject({
  'current-context': z.string().nullish(),
  contexts: entries,
  clusters: entries,
  users: entries,
});

/** What a file says of a context, cluster or user. */
interface Entry {
  value: unknown;
  /** For example `context prod`. */
  what: string;
  file: string;
  /** The folder that its paths are relative to. */
  folder: string;
}

/**
 * Reads a kubeconfig as kubectl does: of several files, the first that has an entry counts. Entries that would run a program,
 * and unsupported ones, are refused by name. Why no library does this: docs/adr/0021.
 *
 * @throws GatehouseError `kubeconfig_missing`, `kubeconfig_invalid`, `kubeconfig_context_unknown`, `kubeconfig_unsupported`
 */
export function readKubeconfig(source: KubeconfigSource, env: NodeJS.ProcessEnv): ClusterAccess {
  const files = filesOf(source, env).map((found) => ({ ...found, read: parsed(found.text, found.file) }));
  const entryOf = (kind: 'context' | 'cluster' | 'user', name: string): Entry | undefined => {
    for (const { read, file, folder } of files) {
      const found = read[`${kind}s`]?.find((entry) => entry.name === name);
      if (found !== undefined) return { value: found[kind] ?? {}, what: `${kind} ${name}`, file, folder };
    }
    return undefined;
  };
  const current = source.context || files.map(({ read }) => read['current-context']).find(Boolean);
  const chosen = current ? entryOf('context', current) : undefined;
  if (!current || chosen === undefined) {
    const names = files.flatMap(({ read }) => read.contexts ?? []).map(({ name }) => name);
    throw new GatehouseError(current ? 'kubeconfig_context_unknown' : 'kubeconfig_context_unknown.none', {
      given: current || undefined,
      allowed: [...new Set(names)].join(', ') || undefined,
    });
  }
  const { cluster: clusterName, user: userName } = checked(context, chosen);
  const reached = entryOf('cluster', clusterName);
  if (reached === undefined) {
    throw new GatehouseError('kubeconfig_invalid.cluster', {
      where: chosen.file,
      values: { context: current },
    });
  }
  const owner = entryOf('user', userName);
  return {
    context: current,
    ...serverOf(reached),
    ...(owner && credentialsOf(owner)),
  };
}

function serverOf(
  entry: Entry,
): Pick<ClusterAccess, 'server' | 'caPem' | 'serverName' | 'verifyCertificate'> {
  const given = checked(cluster, entry);
  refuse(given, ['proxy-url'], entry);
  return {
    server: given.server,
    caPem: textOf(entry, given['certificate-authority-data'], given['certificate-authority']),
    serverName: given['tls-server-name'],
    verifyCertificate: given['insecure-skip-tls-verify'] !== true,
  };
}

function credentialsOf(entry: Entry): Pick<ClusterAccess, 'token' | 'clientCertificate'> {
  const given = checked(user, entry);
  const otherCredentials = ['exec', 'auth-provider', 'username', 'password', 'as', 'as-uid', 'as-groups'];
  refuse(given, otherCredentials, entry);
  const certificate = textOf(entry, given['client-certificate-data'], given['client-certificate']);
  const key = textOf(entry, given['client-key-data'], given['client-key']);
  // As kubectl: a file counts before the token itself.
  const token = given.tokenFile ? textOf(entry, undefined, given.tokenFile)?.trim() : given.token;
  return {
    ...(token && { token }),
    ...(certificate !== undefined && key !== undefined && { clientCertificate: { certificate, key } }),
  };
}

/** The kubeconfig itself, or the files that are there. */
function filesOf({ kubeconfig }: KubeconfigSource, env: NodeJS.ProcessEnv) {
  if (kubeconfig && /[\n{]/.test(kubeconfig)) {
    return [{ text: kubeconfig, file: 'the kubeconfig', folder: process.cwd() }];
  }
  const home = env['HOME'] || homedir();
  const paths = (kubeconfig || env['KUBECONFIG'] || join(home, '.kube', 'config'))
    .split(delimiter)
    .filter(Boolean)
    .map((path) => resolve(path.replace(/^~(?=\/)/, home)));
  const there = paths.filter((path) => existsSync(path));
  if (there.length > 0) {
    return there.map((file) => ({ text: fileText(file), file, folder: dirname(file) }));
  }
  throw new GatehouseError('kubeconfig_missing', { given: paths.join(', ') });
}

function parsed(text: string, file: string): z.output<typeof kubeconfigFile> {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    // The parser's message quotes the text, which holds credentials.
    throw new GatehouseError('kubeconfig_invalid.yaml', { where: file });
  }
  return checked(kubeconfigFile, { value, file, what: 'the file' });
}

function checked<Shape extends z.ZodType>(
  shape: Shape,
  { value, file, what }: Omit<Entry, 'folder'>,
): z.output<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const problem = `${[what, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`;
  throw new GatehouseError('kubeconfig_invalid', { where: file, values: { problem } });
}

function refuse(given: Record<string, unknown>, names: string[], { what, file }: Entry): void {
  const found = names.find((name) => given[name] !== undefined && given[name] !== null);
  if (found === undefined) return;
  throw new GatehouseError('kubeconfig_unsupported', { where: file, values: { entry: what, field: found } });
}

/** A text of an entry: in base64 in the file, or in a file of its own. */
function textOf({ folder }: Entry, data: string | undefined, path: string | undefined): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString();
  return path ? fileText(resolve(folder, path)) : undefined;
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new GatehouseError('kubeconfig_invalid.unreadable', { where: path, cause });
  }
}
