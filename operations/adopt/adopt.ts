import { resolve } from 'node:path';
import { readLiveState } from '../../client/live-state.ts';
import { declare } from '../../core/model/declared.ts';
import { parseEnvironment, type Service } from '../../core/model/environment.ts';
import { subjectText } from '../../core/model/subject.ts';
import { ruleOptions } from '../../core/rules/rule-options.ts';
import { judgeState } from '../../core/rules/rules.ts';
import type { ConfigValue, Stack } from '../../engine/stack.ts';
import { readProject } from '../../engine/stack-files/project-file.ts';
import { openNamespaceClient } from '../open-client.ts';
import { type AdoptedEnvironment, environmentOf, leftWords } from './environment-of.ts';
import { readIds } from './import-file.ts';
import { prove } from './prove.ts';
import { writeEnvironment } from './write-environment.ts';

export interface AdoptRequest {
  /** The folder that holds `Pulumi.yaml`: its program is run for the proof. */
  directory: string;
  /** Where the files go. */
  output: string;
  /** Name of the stack to write. */
  stack: string;
  service: Service;
  env: NodeJS.ProcessEnv;
}

export interface Adoption {
  /** Written files, relative to the output folder. */
  files: string[];
  /** How many resources the import takes over. */
  imported: number;
  /** Whether a preview after the import shows no change. */
  isProven: boolean;
  problems: string[];
  /** What stays unmanaged, and why. */
  left: string[];
  /** Parts of the service that could not be read. */
  unreadable: string[];
  /** Providers whose secrets have to be given. */
  secrets: string[];
  /** Rules with errors as it is now: they are turned off in the stack file, to be looked at. */
  rulesOff: string[];
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
    const { state, unreadable } = await readLiveState(client);
    // A service without messages says that there is no such path, or no such feature.
    const hasMessages = !unreadable.some(({ subject }) => subject.type === 'message');
    const environment = environmentOf(state, {
      ...service,
      features: { messages: hasMessages && state.messages.length > 0 },
    });
    const rulesOff = failingRules(environment);
    const ids = await readIds(client, state);
    const { imports, isProven, problems } = await prove(
      await proofStack(directory, stack, environment, rulesOff),
      ids,
      { ...env, VAULT_TOKEN: env['VAULT_TOKEN'] },
    );
    const files = await writeEnvironment(resolve(output), stack, environment, imports, rulesOff);
    return {
      files,
      imported: imports.resources.filter(({ id }) => id !== undefined).length,
      isProven,
      problems,
      left: leftWords(environment),
      unreadable: unreadable
        .filter(({ subject }) => subject.type !== 'message')
        .map(({ subject, why }) => `${subjectText(subject)}: ${why}`),
      secrets: [...new Set([...environment.clientSecrets, ...environment.serviceAccountKeys])],
      rulesOff,
    };
  } finally {
    client.close();
  }
}

/** The keys of the environment's configuration, policies inline, with the names of its secrets. */
function configOf(environment: AdoptedEnvironment, rulesOff: string[]) {
  const { service, providers, policies, messages, clientSecrets, serviceAccountKeys } = environment;
  return {
    service,
    providers,
    policies: policies.map(({ name, text }) => ({ name, policy: text })),
    messages,
    clientSecrets,
    serviceAccountKeys,
    rules: { off: Object.fromEntries(rulesOff.map((id) => [id, 'was already like this when adopted'])) },
  };
}

function failingRules(environment: AdoptedEnvironment): string[] {
  const parsed = parseEnvironment(configOf(environment, []));
  const findings = judgeState(declare(parsed), ruleOptions(parsed));
  return [...new Set(findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule))];
}

/** The environment as a stack in memory. No service tells its secrets, so others stand in for them. */
async function proofStack(
  directory: string,
  name: string,
  environment: AdoptedEnvironment,
  rulesOff: string[],
): Promise<Stack> {
  const project = await readProject(resolve(directory));
  const { clientSecrets, serviceAccountKeys, ...plain } = configOf(environment, rulesOff);
  const standIns = (names: string[]) =>
    JSON.stringify(Object.fromEntries(names.map((one) => [one, 'unknown'])));
  const config = new Map<string, ConfigValue>(
    Object.entries(plain).map(([key, value]) => [
      `gatehouse:${key}`,
      { value: JSON.stringify(value), secret: false },
    ]),
  );
  if (clientSecrets.length > 0)
    config.set('gatehouse:clientSecrets', { value: standIns(clientSecrets), secret: true });
  if (serviceAccountKeys.length > 0) {
    config.set('gatehouse:serviceAccountKeys', { value: standIns(serviceAccountKeys), secret: true });
  }
  return { directory: resolve(directory), project: project.name, main: project.main, name, config, home: '' };
}
