import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unlisted } from '../../packages/secrets-service/test/conformance/differences.ts';
import { differing } from '../../packages/secrets-service/test/conformance/differing.ts';
import type { Step } from '../../packages/secrets-service/test/conformance/step.ts';
import { startIssuers } from '../harness/doubles/issuers.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { goProgram, runProgram } from '../harness/go-program.ts';
import { describeWithOpenBao } from '../harness/openbao.ts';

/** A call of HashiCorp's Go client, as test/clients/vault-api prints it. */
interface Call {
  resource: string;
  what: string;
  requests: { method: Step['method']; path: string; status: number; answer?: object }[];
  /** What the client makes of the answer. */
  value?: object;
  error?: string;
}

type Secret = { data?: object } | undefined;

const program = await goProgram('vault-api');
const resources = [
  'provider',
  'policy',
  'auth method',
  'role',
  'generic endpoint',
  'group',
  'group alias',
  'namespace',
];

(program === undefined ? describe.skip : describe)('the calls of the official resources', () => {
  let service: Awaited<ReturnType<typeof startEmbeddedService>>;
  let issuers: Awaited<ReturnType<typeof startIssuers>>;
  beforeAll(async () => {
    [service, issuers] = [await startEmbeddedService(), await startIssuers()];
  });
  afterAll(async () => {
    await service.close();
    await issuers.close();
  });

  /** Makes them all, at a service. */
  function calls({ address, token }: { address: string; token: string }, messages = false): Promise<Call[]> {
    return runProgram(program, { address, token, issuer: issuers.address, messages });
  }

  describeWithOpenBao('by its client, at OpenBao and the embedded service', (openbao) => {
    let both: [ours: Call, real: Call][];
    let differ = 0;
    beforeAll(async () => {
      const [ours, real] = [await calls(service), await calls(openbao())];
      expect(ours.map(nameOf)).toEqual(real.map(nameOf));
      both = ours.map((call, at) => [call, real[at] as Call]);
    });
    afterAll(() => {
      const requests = both.flatMap(([, { requests }]) => requests).length;
      console.log(
        `vault/api: ${both.length} calls, ${requests} requests, ${differ} fields that differ, all of them listed.`,
      );
    });

    test.each(resources)('%s', (resource) => {
      const compared = both.filter(([, real]) => real.resource === resource);
      expect(compared.length).toBeGreaterThan(4);
      const found = compared.map(([ours, real]) => {
        const places = between(ours, real, { ours: root(service), real: root(openbao()) });
        differ += places.count;
        return [real.what, places.differences];
      });
      expect(found.filter(([, differing]) => Object.keys(differing as object).length > 0)).toEqual([]);
    });
  });

  test('a custom message is made, read, changed and deleted', async () => {
    const own = await startEmbeddedService();
    const created = (await calls(own, true)).filter(({ resource }) => resource === 'custom message');
    await own.close();
    const banner = {
      id: expect.any(String),
      active: false,
      authenticated: false,
      type: 'banner',
      start_time: '2026-12-01T00:00:00Z',
      end_time: '2026-12-02T00:00:00Z',
    };
    const whole = { ...banner, title: 'Maintenance', message: 'Q2xvc2Vk', link: null, options: null };
    const changed = {
      ...whole,
      title: 'For ever',
      type: 'modal',
      end_time: null,
      link: { More: 'https://example.com' },
    };
    expect(created.map(({ what, value, error }) => [what, error ?? (value as Secret)?.data])).toEqual([
      ['is made', banner],
      ['is read', whole],
      ['is changed', undefined],
      ['is read again', changed],
      ['is refused for its type', expect.stringContaining('unrecognized message type')],
      ['is deleted', undefined],
      ['is gone', expect.stringContaining('404')],
    ]);
  });
});

const root = ({ token }: { token: string }) => new Map([['root token', token]]);
const nameOf = ({ resource, what }: Call) => `${resource} ${what}`;

/** Where two calls differ: how many places there are, and those that are not listed. */
function between(
  ours: Call,
  real: Call,
  tokens: { ours: Map<string, string>; real: Map<string, string> },
): { count: number; differences: Record<string, unknown> } {
  const found = [sent(ours), sent(real)];
  if (JSON.stringify(found[0]) !== JSON.stringify(found[1]))
    return { count: 1, differences: { requests: found } };
  const pairs = real.requests.map((request, at) => ({
    request,
    one: { status: ours.requests[at]?.status ?? 0, body: ours.requests[at]?.answer },
    other: { status: request.status, body: request.answer },
  }));
  const last = real.requests.at(-1);
  // What the client makes of the last answer has the answer's own names.
  if (last !== undefined) {
    const [one, other] = [ours, real].map(({ value, error }) => ({
      status: error === undefined ? 0 : 1,
      body: value,
    }));
    pairs.push({ request: last, one, other } as (typeof pairs)[number]);
  }
  let count = 0;
  const differences = pairs.map(({ request, one, other }) => {
    const places = differing({ answer: one, kept: tokens.ours }, { answer: other, kept: tokens.real });
    count += places.size;
    return unlisted(places, request);
  });
  return { count, differences: Object.assign({}, ...differences) };
}

/** What was sent, without the ids that a service makes up. */
function sent({ requests }: Call): string[] {
  return requests.map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}(\.\w+)?$/, '<id>')}`);
}
