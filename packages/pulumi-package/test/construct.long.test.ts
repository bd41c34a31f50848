import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../../test/harness/environment-under-test.ts';
import { programEnv } from '../../../test/harness/program-env.ts';
import { runExecutor, startInstantMonitor } from '../../bench/instant-monitor.ts';
import type { Stack } from '../../engine/src/stack.ts';
import { fromStruct, toStruct } from '../../engine/src/wire-value.ts';
import { components } from '../components.ts';
import { schema } from '../schema.ts';
import { cases, inputsOf, typeOf } from './cases.ts';
import { type PluginHost, Registered, startPluginHost } from './plugin-host.ts';

const urnOf = (component: string, name: string) =>
  `urn:pulumi:bench::gatehouse::${typeOf(component)}::${name}`;

let host: PluginHost;
const inProgram = new Registered();
const states = new Map<string, object>();

beforeAll(async () => {
  host = await startPluginHost();
  // All at once, as an engine asks.
  await Promise.all(
    cases.map(async ({ component, name, args }) => {
      const inputs = inputsOf({ component, args });
      const { state } = await host.construct({ type: typeOf(component), name, inputs });
      states.set(name, state);
    }),
  );
  const monitor = await startInstantMonitor({
    outputValues: true,
    onRegistration: (urn, request) => inProgram.resources.set(urn, request),
    onOutputs: (request) => inProgram.outputs.set(request.getUrn(), fromStruct(request.getOutputs())),
  });
  try {
    const directory = join(root, 'packages/pulumi-package/test/program');
    const stack: Stack = {
      directory,
      home: directory,
      project: 'gatehouse',
      main: '.',
      name: 'bench',
      config: new Map(),
    };
    await runExecutor(stack, monitor.address, {
      ...process.env,
      ...programEnv,
      COMPONENTS: JSON.stringify(cases),
    });
  } finally {
    monitor.close();
  }
});

afterAll(async () => host[Symbol.asyncDispose]());

test('there is a case of every component', () => {
  expect(new Set(cases.map(({ component }) => component))).toEqual(new Set(components.keys()));
  expect(Object.keys(schema.resources).sort()).toEqual([...components.keys()].map(typeOf).sort());
});

describe.each(cases)('$component $name, constructed for another language', ({ component, name, args }) => {
  const urn = urnOf(component, name);

  test('is made of what a program in TypeScript makes it of', () => {
    expect(host.registered.below(urn)).toEqual(inProgram.below(urn));
    expect(host.registered.below(urn).length).toBeGreaterThan(1);
    for (const one of inProgram.below(urn).filter((one) => one !== urn))
      expect(host.registered.of(one)).toEqual(inProgram.of(one));
    // Its own inputs are as the language gives them: a list where TypeScript may have one text.
    const inputs = fromStruct(toStruct(inputsOf({ component, args }), { keepSecrets: true }));
    expect(host.registered.of(urn)).toEqual({ ...inProgram.of(urn), inputs });
  });

  test('tells the outputs that its schema promises', () => {
    expect(Object.keys(states.get(name) ?? {}).sort()).toEqual([
      ...(schema.resources[typeOf(component)]?.required ?? []),
    ]);
    expect(states.get(name)).toEqual(inProgram.outputs.get(urn));
  });
});
