import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { stringify } from 'yaml';
import type { EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import { type TestKey, testKey } from '../../../core/test/statement/reviewed.ts';
import { type EndedCommand, runCommand } from '../running-command.ts';

export const keys = { alice: testKey(), bob: testKey('ec'), mallory: testKey() };

/** As a stack names a signer. */
export const signer = (name: keyof typeof keys, key: TestKey = keys[name]) => ({
  name,
  key: key.publicPem,
  until: '2999-12-31',
});

/** What the stack declares: one policy, and whose reviews count. */
export const declared = (path: string, reviews?: object) => ({
  'gatehouse:policies': [{ name: 'shop', policy: `path "secret/${path}" { capabilities = ["read"] }` }],
  ...(reviews && { 'gatehouse:reviews': reviews }),
});

/** A stack of one policy in a repository, with what people do to it. */
export class ReviewedStack {
  readonly folder: string;
  readonly #environment: EnvironmentUnderTest;

  private constructor(folder: string, environment: EnvironmentUnderTest) {
    this.folder = folder;
    this.#environment = environment;
  }

  /** @param config that is merged */
  static async start(environment: EnvironmentUnderTest, config: object): Promise<ReviewedStack> {
    const stack = new ReviewedStack(await environment.writeProject(), environment);
    writeFileSync(join(stack.folder, '.gitignore'), '*.pem\n*.sigstore.json\n.gatehouse\n');
    stack.#git('init', '--quiet');
    stack.declare(config);
    stack.#git('add', '--all');
    stack.#git('commit', '--quiet', '--message', 'x');
    return stack;
  }

  #git(...args: string[]): string {
    const named = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    return execFileSync('git', [...named, ...args], { cwd: this.folder, encoding: 'utf8' });
  }

  /** Changes what is declared. */
  declare(config: object): void {
    const service = {
      address: this.#environment.env['GATEHOUSE_SERVICE_ADDRESS'],
      features: { messages: false },
    };
    const text = stringify({ config: { 'gatehouse:service': service, ...config } });
    writeFileSync(join(this.folder, 'Pulumi.dev.yaml'), text);
  }

  /** @param env in place of the variables of a person who may do everything */
  run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<EndedCommand> {
    return runCommand([...args, '-C', this.folder], { ...this.#environment.env, ...env }, this.folder);
  }

  /** @returns the file with the statement */
  async sign(name: keyof typeof keys, ...args: string[]): Promise<string> {
    const file = join(this.folder, `${name}.sigstore.json`);
    writeFileSync(join(this.folder, `${name}.pem`), keys[name].pem);
    const signing = ['--sign', join(this.folder, `${name}.pem`), '--statement', file];
    const { code, err } = await this.run(['review', '-s', 'dev', ...signing, ...args]);
    expect([code, err]).toEqual([0, '']);
    return file;
  }

  up(statements: string[], env: NodeJS.ProcessEnv = {}): Promise<EndedCommand> {
    const reviewed = statements.flatMap((file) => ['--require-review', file]);
    return this.run(['up', '-s', 'dev', '--yes', ...reviewed], env);
  }

  /** The path of the policy that the service has. */
  async shop(): Promise<string | undefined> {
    const answer = await this.#environment.client.read('sys/policies/acl/shop');
    return /secret\/(\w+)/.exec(JSON.stringify(answer?.data ?? ''))?.[1];
  }
}
