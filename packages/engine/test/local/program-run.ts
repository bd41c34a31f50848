import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programEnv } from '../../../../test/harness/program-env.ts';
import type { DeploymentRequest, DeploymentResult } from '../../src/engine.ts';
import { LocalEngine } from '../../src/local/local-engine.ts';
import type { ConfigValue, Stack } from '../../src/stack.ts';
import { stackOf } from '../stack-of.ts';
import { MemoryStateStore } from './memory-state-store.ts';
import { TestPlugin, TestService } from './test-plugin.ts';

export const env = { ...programEnv, PATH: process.env['PATH'], PULUMI_CONFIG_PASSPHRASE: 'open sesame' };
export const home = mkdtempSync(join(tmpdir(), 'gatehouse-local-engine-'));

/** A stack of one of the programs here. */
export function programOf(project: string, config: Record<string, string>, secrets: string[] = []): Stack {
  const values = Object.entries(config).map(([key, value]): [string, ConfigValue] => [
    `${project}:${key}`,
    { value, secret: secrets.includes(key) },
  ]);
  const directory = join(import.meta.dirname, 'programs', project);
  return stackOf({ directory, project, home, config: new Map(values) });
}

/** A program's stack over several runs, with its state and service in memory. */
export class Run {
  readonly store = new MemoryStateStore();
  readonly service = new TestService();
  readonly #engine = new LocalEngine({
    env,
    openStore: () => this.store,
    plugins: { test: async () => new TestPlugin(this.service) },
  });

  run(
    stack: Stack,
    verb: DeploymentRequest['verb'] = 'up',
    options: Partial<DeploymentRequest> = {},
  ): Promise<DeploymentResult> {
    this.store.changes.length = 0;
    return this.#engine.run({ verb, stack, dryRun: false, refresh: false, targets: [], ...options });
  }
}

export const simple = (config: Record<string, string> = {}) =>
  programOf('simple', { greeting: 'hi', password: 'hush', ...config }, ['password']);
