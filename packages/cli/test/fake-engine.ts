import type {
  DeploymentEvent,
  DeploymentRequest,
  DeploymentResult,
  Engine,
  Step,
  StepOperation,
} from '../../engine/src/engine.ts';
import type { PropertyMap } from '../../engine/src/property-value.ts';
import type { ResourceState } from '../../engine/src/resource-state.ts';
import type { Stack } from '../../engine/src/stack.ts';
import { resource as anyResource } from '../../engine/test/arbitraries.ts';

export const rootUrn = 'urn:pulumi:dev::gatehouse::pulumi:pulumi:Stack::gatehouse-dev';

export const urnOf = (type: string, name: string) => `urn:pulumi:dev::gatehouse::${type}::${name}`;

export const roleType = 'vault:jwt/authBackendRole:AuthBackendRole';
export const policyType = 'vault:index/policy:Policy';

/** A resource's state with what a test is about; everything else is empty. */
export function resource(type: string, name: string, fields: Partial<ResourceState> = {}): ResourceState {
  return anyResource(urnOf(type, name), { type, parent: rootUrn, ...fields });
}

/** A step on one resource, with the states that its operation has. */
export function step(op: StepOperation, state: ResourceState, fields: Partial<Step> = {}): Step {
  const hasOld = !['create', 'create-replacement', 'import'].includes(op);
  const hasNew = !['delete', 'delete-replaced', 'discard'].includes(op);
  return {
    op,
    urn: state.urn,
    type: state.type,
    ...(hasOld ? { oldState: state } : {}),
    ...(hasNew ? { newState: state } : {}),
    ...fields,
  };
}

/** An update from one set of inputs to another; the outputs are the inputs of before. */
export function update(
  type: string,
  name: string,
  from: PropertyMap,
  to: PropertyMap,
  fields: Partial<Step> = {},
): Step {
  const oldState = resource(type, name, { inputs: from, outputs: from });
  return step('update', oldState, { newState: resource(type, name, { inputs: to, outputs: to }), ...fields });
}

export function result(steps: Step[], fields: Partial<DeploymentResult> = {}): DeploymentResult {
  const changes: DeploymentResult['changes'] = {};
  for (const { op } of steps) changes[op] = (changes[op] ?? 0) + 1;
  return { succeeded: true, steps, changes, outputs: {}, diagnostics: [], durationMs: 1234, ...fields };
}

export function stackNamed(name: string, config: Record<string, string> = {}): Stack {
  return {
    directory: '/nowhere',
    project: 'gatehouse',
    main: 'index.ts',
    name,
    config: new Map(Object.entries(config).map(([key, value]) => [key, { value, secret: false }])),
    home: '/nowhere/.gatehouse',
  };
}

/** Answers every run with the same result and keeps what it was asked. */
export class FakeEngine implements Engine {
  readonly requests: Omit<DeploymentRequest, 'stack' | 'onEvent'>[] = [];
  readonly #result: DeploymentResult | ((request: DeploymentRequest) => DeploymentResult);
  readonly #events: DeploymentEvent[];

  constructor(
    answer: DeploymentResult | ((request: DeploymentRequest) => DeploymentResult),
    events: DeploymentEvent[] = [],
  ) {
    this.#result = answer;
    this.#events = events;
  }

  async run(request: DeploymentRequest): Promise<DeploymentResult> {
    const { stack: _, onEvent, ...asked } = request;
    this.requests.push(asked);
    for (const event of this.#events) onEvent?.(event);
    return typeof this.#result === 'function' ? this.#result(request) : this.#result;
  }

  async exportState(): Promise<unknown> {
    return { version: 3, deployment: {} };
  }
}
