import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { write } from '../../../../test/harness/ask.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { Callers } from '../../src/platform/callers.ts';

const namespaces = ['', 'team', 'team/a'];

describeOnBothServers(
  'people of one namespace alone are known, though the service answers for all',
  (server) => {
    const tokens = new Map<string, string>();
    const clients: ServiceClient[] = [];
    beforeAll(async () => {
      await write(server(), 'sys/namespaces/team', {});
      await write(server(), 'sys/namespaces/a', {}, 'team');
      for (const namespace of namespaces) {
        const body = { policies: ['gatehouse-deploy'] };
        const { auth } = await write(server(), 'auth/token/create', body, namespace || undefined);
        tokens.set(namespace, auth.client_token);
      }
    });
    afterAll(() => {
      for (const client of clients) client.close();
    });

    const callersIn = (namespace: string) => {
      const { address } = server();
      const client = new ServiceClient({ address, namespace: namespace || undefined, maxRetries: 0 });
      clients.push(client);
      return new Callers({ clientOf: (token) => client.with({ token }), namespace });
    };
    const pairs = namespaces.flatMap((own) =>
      namespaces.map((of) => [own || 'root', of || 'root', own, of] as const),
    );

    test.each(pairs)('people of %s, a token of %s', async (_own, _of, own, of) => {
      const asked = callersIn(own).of(tokens.get(of) ?? '');
      if (own === of) await expect(asked).resolves.toMatchObject({ mayAct: true });
      else await expect(asked).rejects.toMatchObject({ code: 'caller_of_other_namespace' });
    });
  },
);
