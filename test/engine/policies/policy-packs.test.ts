import { expect, test } from '@jest/globals';
import type { PolicyResource, Violation } from '../../../engine/policies/policy-pack.ts';
import type { Judge } from '../../../engine/policies/policy-packs.ts';
import { Unknown } from '../../../engine/property-value.ts';
import { Bed, bedWith, goal, type Outcome, thingType, urn } from '../local/registrations.ts';

/**
 * A double of a policy pack: it notes what it is asked, corrects "rude" and objects to "HI" and to more than two
 * things.
 */
class PackDouble implements Judge {
  readonly asked: string[] = [];
  readonly shown: PolicyResource[] = [];
  isClosed = false;

  async remediate(resource: PolicyResource) {
    if (resource.properties['text'] !== 'rude') return [];
    return [{ policy: 'polite', properties: { ...resource.properties, text: 'kind' } }];
  }

  async analyze({ urn: of, type, properties }: PolicyResource): Promise<Violation[]> {
    if (type === thingType) this.asked.push(`${of.split('::').at(-1)} ${String(properties['text'])}`);
    return properties['text'] === 'HI'
      ? [{ policy: 'no-shouting', level: 'mandatory', message: 'loud' }]
      : [];
  }

  async analyzeStack(resources: PolicyResource[]): Promise<Violation[]> {
    this.shown.push(...resources);
    const things = resources.filter(({ type }) => type === thingType);
    return things.length > 2 ? [{ policy: 'few', level: 'mandatory', message: 'too many' }] : [];
  }

  async close() {
    this.isClosed = true;
  }
}

async function judged(bed: Bed, texts: string[], { dryRun = false } = {}) {
  const pack = new PackDouble();
  const outcome = await bed.deploy({ dryRun }, async (deployment) => {
    deployment.judgeBy([pack]);
    const goals = texts.map((text, index) => goal(`thing-${index}`, { text }));
    const registered = [];
    for (const each of goals) registered.push(await deployment.register(each).catch(() => undefined));
    const isWhole = registered.every((one) => one?.result === 'done');
    await deployment.finish(isWhole);
    await deployment.judgeStack(isWhole);
    return registered.filter((one) => one !== undefined);
  });
  return { pack, outcome };
}

const codes = ({ diagnostics }: Outcome) =>
  diagnostics.filter(({ severity }) => severity === 'error').map(({ code, message }) => code ?? message);

test('each resource is judged before its step, and the stack at the end, with what came of it', async () => {
  const { pack, outcome } = await judged(new Bed(), ['a', 'b']);
  expect([outcome.succeeded, pack.asked, pack.isClosed]).toEqual([true, ['thing-0 a', 'thing-1 b'], true]);
  const [made] = pack.shown.filter(({ urn: of }) => of === urn('thing-0'));
  expect(made?.properties).toMatchObject({ text: 'a', computed: expect.stringMatching(/^made/) });
  expect(made?.provider?.urn).toMatch(/::pulumi:providers:test::default_1_2_3$/);
});

test('what is objected to is not made, and what comes after it is not begun', async () => {
  const bed = new Bed();
  const { outcome } = await judged(bed, ['a', 'HI', 'b']);
  expect(codes(outcome)).toEqual(['policy no-shouting: loud', 'policy_violated']);
  expect(outcome.taken).toEqual(['create thing-0']);
  expect(outcome.succeeded).toBe(false);
});

test('a preview goes on, with what is not known as unknown, and fails', async () => {
  const { pack, outcome } = await judged(new Bed(), ['HI', 'a', 'b'], { dryRun: true });
  expect(codes(outcome)).toEqual(['policy no-shouting: loud', 'policy few: too many']);
  expect([outcome.succeeded, outcome.changes]).toEqual([false, { create: 3 }]);
  expect(pack.shown.find(({ urn: of }) => of === urn('thing-0'))?.properties['computed']).toBe(Unknown.value);
});

test('an objection at the end fails what is applied', async () => {
  const bed = new Bed();
  const { outcome } = await judged(bed, ['a', 'b', 'c']);
  expect([outcome.succeeded, codes(outcome)]).toEqual([false, ['policy few: too many']]);
  expect(bed.store.names()).toHaveLength(3);
});

test('what is corrected is judged, made and kept as corrected, and is the same the next time', async () => {
  const bed = new Bed();
  const { pack } = await judged(bed, ['rude']);
  expect(pack.asked).toEqual(['thing-0 kind']);
  expect(bed.store.row('thing-0').inputs['text']).toBe('kind');
  expect((await judged(bed, ['rude'])).outcome.changes).toEqual({ same: 1 });
});

test('what is corrected stays so when it is replaced', async () => {
  const bed = await bedWith([goal('thing', { text: 'a', kind: 'one' })]);
  const pack = new PackDouble();
  await bed.deploy({}, async (deployment) => {
    deployment.judgeBy([pack]);
    const registered = await deployment.register(goal('thing', { text: 'rude', kind: 'two' }));
    await deployment.finish(true);
    return [registered];
  });
  expect(bed.store.row('thing').inputs).toMatchObject({ text: 'kind', kind: 'two' });
});
