import type { DeploymentEvent, DeploymentResult } from '../../src/engine.ts';
import { Deployment, DeploymentCanceled, type LocalDeploymentOptions } from '../../src/local/deployment.ts';
import type { Goal, Registered } from '../../src/local/goal.ts';
import type { PropertyMap } from '../../src/property-value.ts';
import { MemoryStateStore } from './memory-state-store.ts';
import { TestPlugin, TestService } from './test-plugin.ts';

export const thingType = 'test:index:Thing';

/** A registration of a resource of the test plugin; `options` says what differs from the plainest one. */
export function goal(name: string, inputs: PropertyMap = {}, options: Partial<Goal> = {}): Goal {
  return {
    type: thingType,
    name,
    custom: true,
    inputs,
    dependencies: [],
    propertyDependencies: {},
    version: '1.2.3',
    replaceOnChanges: [],
    additionalSecretOutputs: [],
    aliases: [],
    ...options,
  };
}

/** A component of the test program. */
export function component(name: string, options: Partial<Goal> = {}): Goal {
  return goal(name, {}, { type: 'test:index:Component', custom: false, ...options });
}

/** A registration whose input `text` is taken from another resource's output. */
export function using(
  name: string,
  source: string,
  inputs: PropertyMap = {},
  options: Partial<Goal> = {},
): Goal {
  const dependency = urn(source);
  return goal(name, inputs, {
    dependencies: [dependency],
    propertyDependencies: Object.fromEntries(Object.keys(inputs).map((key) => [key, [dependency]])),
    ...options,
  });
}

export function urn(name: string, type = thingType): string {
  return `urn:pulumi:dev::project::${type}::${name}`;
}

export interface Outcome extends DeploymentResult {
  /** `<operation> <name>` of each step, in order. */
  taken: string[];
  registered: Registered[];
  events: DeploymentEvent[];
}

/** A stack without a program: its state, its service, and deployments that are fed their registrations. */
export class Bed {
  readonly store = new MemoryStateStore();
  readonly service = new TestService();

  /** Feeds registrations one after the other, as a program does that awaits each and ends when it is told to. */
  up(goals: Goal[], options: Partial<LocalDeploymentOptions> = {}): Promise<Outcome> {
    return this.deploy(options, async (deployment) => {
      const registered: Registered[] = [];
      for (const each of goals) {
        const result = await orStopped(deployment.register(each));
        if (result === undefined) break;
        registered.push(result);
      }
      await deployment.finish(registered.length === goals.length);
      return registered;
    });
  }

  preview(goals: Goal[], options: Partial<LocalDeploymentOptions> = {}): Promise<Outcome> {
    return this.up(goals, { ...options, dryRun: true });
  }

  refresh(options: Partial<LocalDeploymentOptions> = {}): Promise<Outcome> {
    return this.deploy(options, async (deployment) => {
      await deployment.refresh();
      return [];
    });
  }

  destroy(options: Partial<LocalDeploymentOptions> = {}): Promise<Outcome> {
    return this.deploy(options, async (deployment) => {
      await deployment.destroy();
      return [];
    });
  }

  async deploy(
    options: Partial<LocalDeploymentOptions>,
    work: (deployment: Deployment) => Promise<Registered[]>,
  ): Promise<Outcome> {
    this.service.calls.length = 0;
    this.store.changes.length = 0;
    const events: DeploymentEvent[] = [];
    const deployment = new Deployment({
      project: 'project',
      stack: 'dev',
      store: this.store,
      plugins: { test: async () => new TestPlugin(this.service) },
      dryRun: false,
      onEvent: (event) => events.push(event),
      ...options,
    });
    try {
      await deployment.resolvePending();
      const registered = await work(deployment);
      const result = deployment.result();
      const taken = result.steps.map((step) => `${step.op} ${step.urn.split('::').slice(3).join('::')}`);
      return { ...result, taken, registered, events };
    } finally {
      await deployment.close();
    }
  }
}

/** A stack whose program was applied. */
export async function bedWith(goals: Goal[], options: Partial<LocalDeploymentOptions> = {}): Promise<Bed> {
  const bed = new Bed();
  await bed.up(goals, options);
  return bed;
}

/** The answer to a registration; undefined once nothing new may start. */
export async function orStopped(registration: Promise<Registered>): Promise<Registered | undefined> {
  try {
    return await registration;
  } catch (error) {
    if (error instanceof DeploymentCanceled) return undefined;
    throw error;
  }
}

/** Codes of the errors in a result. */
export function codes(result: DeploymentResult): (string | undefined)[] {
  return result.diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
}
