import { beforeAll, expect, it } from '@jest/globals';
import { type DevConfig, EnvironmentUnderTest } from '../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../test/harness/openbao.ts';
import { reviewStack } from '../../../test/harness/review-stack.ts';
import { started } from '../../../test/harness/started.ts';
import { until } from '../../../test/harness/until.ts';
import { LocalEngine } from '../../engine/src/local/local-engine.ts';
import { drift } from '../src/drift/drift.ts';
import { reviewSettings } from '../src/review/review-stack.ts';

const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const path = 'sys/policies/acl/written';
const text = `path "${path}" { capabilities = ["update"] } # by the policy itself`;

describeWithOpenBao('until, on OpenBao', (server) => {
  /** A stack with a policy whose rule ends, or a role that should. */
  const stack = (days: { rule?: number; role?: number }, off = {}) =>
    environment().stack((config: DevConfig) => {
      config['service'].features = { messages: false, expiration: true };
      const ends = days.rule !== undefined && { until: { [path]: dayFromNow(days.rule) } };
      config['policies'].push({ name: 'ending', policy: text, ...ends });
      if (days.role !== undefined) config['providers'].at(-1).roles[0].until = dayFromNow(days.role);
      config['rules'] = { disabled: { ...config['rules']?.disabled, ...off } };
    });
  const up = async (...given: Parameters<typeof stack>) => {
    const { succeeded, diagnostics } = await environment().run('up', stack(...given));
    return { succeeded, messages: diagnostics.map(({ message }) => message).join('\n') };
  };
  const lookAt = (...given: Parameters<typeof stack>) =>
    drift({ stack: stack(...given), env: environment().env, unmanaged: false });
  /** The status of a write with a token that has the policy alone. */
  const written = async () => {
    const issued = (await environment().client.post('auth/token/create', { policies: ['ending'] })) as any;
    const { status } = await fetch(`${server().address}/v1/${path}`, {
      method: 'PUT',
      headers: { 'X-Vault-Token': issued.auth.client_token },
      body: JSON.stringify({ policy: 'path "a" { capabilities = ["read"] }' }),
    });
    return status;
  };

  const environment = started(() => EnvironmentUnderTest.start({ ...server(), kind: 'openbao' }));
  beforeAll(async () => {
    expect(await up({})).toMatchObject({ succeeded: true });
  });

  it('the service refuses a rule after its last day, without drift', async () => {
    expect(await written()).toBe(204);
    const ending = await up({ rule: 1 });
    expect(ending).toMatchObject({
      succeeded: true,
      messages: expect.stringContaining(`The rule for "${path}" ends in 1 day, on ${dayFromNow(1)}.`),
    });
    expect(await written()).toBe(204);
    expect(await up({ rule: -1 })).toMatchObject({ succeeded: true });
    expect(await written()).toBe(403);
    expect(await lookAt({ rule: -1 })).toMatchObject({ differences: [], ended: [] });
    expect(await up({})).toMatchObject({ succeeded: true });
    expect(await written()).toBe(204);
  });

  it('the service refuses it to the second', async () => {
    const second = Math.floor(Date.now() / 1000) + 6;
    const instant = new Date(second * 1000).toISOString().replace('.000Z', 'Z');
    const policy = text.replace('{', `{\n  expiration = "${instant}"`);
    await environment().client.put('sys/policies/acl/ending', { policy });
    const before = await written();
    expect(Date.now()).toBeLessThan(second * 1000);
    expect(before).toBe(204);
    await until(() => Date.now() >= second * 1000);
    expect(await written()).toBe(403);
    expect((await lookAt({})).differences).toMatchObject([{ subject: { name: 'ending' }, field: 'text' }]);
    await environment().client.put('sys/policies/acl/ending', { policy: text });
  });

  it('a role that goes on after its last day is drift, and stops a deployment', async () => {
    const message = `It should have ended on ${dayFromNow(-1)}; the service does not enforce it.`;
    const { ended, differences } = await lookAt({ role: -1 });
    expect({ differences, ended }).toMatchObject({
      differences: [],
      ended: [{ subject: { type: 'role', name: 'web', method: 'cluster' }, message }],
    });
    expect(await up({ role: -1 })).toMatchObject({
      succeeded: false,
      messages: expect.stringContaining(message),
    });
    expect((await lookAt({ role: -1 }, { ended: 'it is needed' })).ended).toEqual([]);
  });

  it('a plan that alters a role tells until when it lasts', async () => {
    const changed = stack({ role: 100 });
    const config = JSON.parse(changed.config.get('gatehouse:providers')?.value ?? '');
    config.at(-1).roles[0].ttl = '5m';
    changed.config.set('gatehouse:providers', { value: JSON.stringify(config), secret: false });
    const { options } = await reviewSettings(changed, environment().env);
    const engine = new LocalEngine({ env: environment().env });
    const { findings } = await reviewStack(changed, engine, options, environment().env);
    expect(findings.filter(({ rule }) => rule.startsWith('until'))).toMatchObject([
      { rule: 'until-set', message: expect.stringContaining('It should end in 100 days, on ') },
    ]);
  });
});
