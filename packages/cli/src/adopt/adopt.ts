import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { declare, parseEnvironment, type ServiceSettings } from '@gatehouse/core/environment';
import {
  type Exception,
  type Graph,
  group,
  message,
  policy,
  subjectKey,
  subjectName,
  type Unreadable,
} from '@gatehouse/core/graph';
import { type AnsweredService, judgeGraph, ruleOptions } from '@gatehouse/core/review';
import { addAll, GatehouseError, isObject } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readStack } from '@gatehouse/engine/stack-files';
import { readLiveGraph, type ServiceClient } from '@gatehouse/service-client';
import { emailOf } from '../git/init.ts';
import { recordKnown } from '../open/known.ts';
import { openNamespaceClient } from '../open/open-client.ts';
import type { Declared } from '../open/open-environment.ts';
import { serviceGraphOf } from '../open/open-graph.ts';
import { writeTokenPolicies } from '../token-policy/token-policy.ts';
import { type AdoptedEnvironment, adoptedSecrets, environmentOf, leftWords } from './environment-of.ts';
import { readIds, readImportFile } from './import-file.ts';
import { knownLeft, leftByDrift, withField } from './known-of.ts';
import { prove } from './prove.ts';
import type { Left } from './provider-of.ts';
import { writeEnvironment, writeImport } from './write-environment.ts';

export interface AdoptRequest {
  /** The folder that holds `Pulumi.yaml`: its program is run for the proof. */
  directory: string;
  /** Where the files go. */
  output: string;
  stack: string;
  service: ServiceSettings;
  env: NodeJS.ProcessEnv;
}

export interface Adoption {
  /** Written files, relative to the output folder. */
  files: string[];
  /** How many resources the import takes over. */
  imported: number;
  /** Whether a preview after the import shows no change, both with the local engine. */
  isProven: boolean;
  problems: string[];
  /** What stays unmanaged, and why. */
  left: string[];
  /** Parts of the service that could not be read. */
  unreadable: string[];
  /** Secrets that have to be given: `clientSecrets.staff`. */
  secrets: string[];
  /** Errors of the service as it is now, which the stack file accepts for a while. */
  exceptions: Exception[];
}

/**
 * Reads the login set-up of a service, writes it as an environment with its policies and an import file, and proves
 * that importing it changes nothing. Nothing is written to the service.
 *
 * @throws GatehouseError `token_missing`, `file_exists`, `project_missing`, and what the client throws
 */
export async function adopt({ directory, output, stack, service, env }: AdoptRequest): Promise<Adoption> {
  const client = openNamespaceClient(service, env);
  try {
    const live = await readLiveGraph(client, { undeclared: true });
    const whole = await readLiveGraph(client, { undeclared: true, whole: true, messages: false });
    const { graph } = live;
    const unreadable = withoutRepeated([...live.unreadable, ...whole.unreadable]);
    // A service without messages says that there is no such path, or no such feature.
    const hasMessages = !unreadable.some(({ subject }) => subject.type === message.type);
    const environment = environmentOf(
      graph,
      { ...service, features: { messages: hasMessages && graph.messages.length > 0 } },
      await withMetadata(client, graph),
    );
    const declared = declaredByAdopted(environment);
    const owner = (await emailOf(resolve(directory), env)) || 'unassigned';
    const exceptions = exceptionsFor(declared, owner);
    const withoutKeys = serviceGraphOf(whole);
    const seen = { ...whole, ...withoutKeys, graph: { ...withoutKeys.graph, messages: graph.messages } };
    const answered = { declared: live, whole: seen };
    const known = knownLeft(declared, answered, environment.left);
    addAll(environment.left, leftUndeclared(declared, answered, environment));
    const ids = await readIds(client, graph);
    const folder = resolve(output);
    const files = await writeEnvironment(folder, stack, environment, { exceptions, known });
    if (known.length > 0) files.push(await recordKnown(folder, stack, known, seen));
    const written = await writtenStack(resolve(directory), folder, stack, environment, env);
    const { imported, isProven, problems } = await prove(written, ids, env, async (imports) => {
      const path = await writeImport(folder, stack, imports);
      files.push(path);
      return readImportFile(join(folder, path), written);
    });
    const left = leftWords(environment);
    addAll(files, await tokenPolicyFiles(folder, stack, declared, left));
    return {
      files,
      imported,
      isProven,
      problems,
      exceptions,
      left,
      unreadable: unreadable
        .filter(({ subject }) => subject.type !== message.type)
        .map(({ subject, why }) => `${subjectName(subject)}: ${why}`),
      secrets: adoptedSecrets.flatMap((key) => environment[key].map((name) => `${key}.${name}`)),
    };
  } finally {
    client.close();
  }
}

/** Parts of a service that could not be read, each once: the later reading counts. */
function withoutRepeated(parts: readonly Unreadable[]): Unreadable[] {
  return [...new Map(parts.map((part) => [subjectKey(part.subject), part])).values()];
}

/** Writes the policies of the stack's tokens. Policies that would reach more than the stack are not written, and `left` says so. */
async function tokenPolicyFiles(
  folder: string,
  stack: string,
  declared: Declared,
  left: string[],
): Promise<string[]> {
  try {
    const own = { ...declared, path: '', isMade: false };
    const { policies } = await writeTokenPolicies(folder, stack, [own]);
    return policies.map(({ file }) => file);
  } catch (error) {
    if (!(error instanceof GatehouseError) || error.code !== 'token_policy_broad') throw error;
    left.push(`policies of the tokens of this stack: ${error.parts.what} (${error.parts.given})`);
    return [];
  }
}

/** Names of the internal groups that have metadata. */
async function withMetadata(client: ServiceClient, { identities = [], groups }: Graph): Promise<string[]> {
  const external = new Set(groups.map(({ name }) => name));
  const internal = identities.filter(({ kind, name }) => kind === 'group' && !external.has(name));
  const described = await Promise.all(
    internal.map(async ({ name }) => {
      const metadata = (await client.read(`identity/group/name/${name}`))?.data['metadata'];
      return isObject(metadata) && Object.keys(metadata).length > 0 ? [name] : [];
    }),
  );
  return described.flat();
}

/**
 * What an environment leaves on the service, as drift will report it. Groups are left out, as the environment says why they
 * are left, and so are policies that nothing adopted gives.
 */
function leftUndeclared(declared: Declared, answered: AnsweredService, { left }: AdoptedEnvironment): Left[] {
  const named = new Set(left.map(({ subject }) => subjectKey(subject)));
  return leftByDrift(declared, answered)
    .filter(({ subject, kind }) => {
      const isSaidElsewhere =
        subject.type === group.type || (subject.type === policy.type && kind === 'unmanaged');
      return !isSaidElsewhere && !named.has(subjectKey(subject));
    })
    .map((difference) => ({ subject: withField(difference), why: difference.note ?? '' }));
}

/** An adopted environment and its graph, as its program will have them. */
function declaredByAdopted({ left: _, policies, ...config }: AdoptedEnvironment): Declared {
  const inline = policies.map(({ name, text }) => ({ name, policy: text }));
  const environment = parseEnvironment({ ...config, policies: inline });
  return { environment, graph: declare(environment) };
}

/** Days for which the service may stay as it was when it was adopted. */
const grace = 90;

/** The errors that the service has today, each accepted for a while: the program would not run. */
function exceptionsFor({ environment, graph }: Declared, owner: string): Exception[] {
  const errors = judgeGraph(graph, ruleOptions(environment)).filter(({ severity }) => severity === 'error');
  const until = new Date(Date.now() + grace * 86_400_000).toISOString().slice(0, 10);
  const because = 'was like this when adopted';
  const all = errors.map(({ rule, subject }) => ({
    rule,
    subject: subjectName(subject),
    because,
    owner,
    until,
  }));
  return [...new Map(all.map((exception) => [`${exception.rule} ${exception.subject}`, exception])).values()];
}

/** The stack as it was written. A service never returns its secrets, so stand-ins take their place. */
async function writtenStack(
  directory: string,
  folder: string,
  name: string,
  { clientSecrets, serviceAccountKeys }: AdoptedEnvironment,
  env: NodeJS.ProcessEnv,
): Promise<Stack> {
  const stack = await readStack(directory, name, env, folder);
  const policies = stack.config.get('gatehouse:policies');
  if (policies !== undefined && folder !== directory) {
    // The program reads no file outside its folder.
    const references = JSON.parse(policies.value) as { name: string; file: string }[];
    const keptAside = await Promise.all(
      references.map(async ({ name: policy, file }) => ({
        name: policy,
        policy: await readFile(join(folder, file), 'utf8'),
      })),
    );
    stack.config.set('gatehouse:policies', { ...policies, value: JSON.stringify(keptAside) });
  }
  const standIns = (names: string[]) =>
    JSON.stringify(Object.fromEntries(names.map((provider) => [provider, 'unknown'])));
  for (const [key, names] of Object.entries({ clientSecrets, serviceAccountKeys })) {
    if (names.length > 0) stack.config.set(`gatehouse:${key}`, { value: standIns(names), secret: true });
  }
  return stack;
}
