import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { Acl } from '../../../src/graph/policies/acl.ts';
import { parsePolicy } from '../../../src/graph/policies/parse-policy.ts';

describeWithOpenBao('names of fields in a write', (server) => {
  const ask = async (path: string, body: object, token = server().token) => {
    const headers = { 'X-Vault-Token': token };
    const url = `${server().address}/v1/${path}`;
    return await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
  };

  test('are told apart by case for required parameters only', async () => {
    await ask('sys/mounts/kv', { type: 'kv', options: { version: '1' } });
    const limits = ['required_parameters = ["NAME"]', 'allowed_parameters = { "NAME" = [] }'];
    limits.push('denied_parameters = { "NAME" = [] }', limits.slice(0, 2).join(' '));
    const bodies = [{ name: 'x' }, { NAME: 'x' }, { Name: 'x' }, { name: 'x', NAME: 'x' }];
    const answers: string[] = [];
    const expected: string[] = [];
    for (const limit of limits) {
      const text = `path "kv/a" { capabilities = ["create", "update"] ${limit} }`;
      await ask('sys/policies/acl/limited', { policy: text });
      const issued = await ask('auth/token/create', { policies: ['limited'] });
      const { auth } = (await issued.json()) as { auth: { client_token: string } };
      const acl = new Acl([{ name: 'limited', rules: parsePolicy(text) }], 0n);
      for (const parameters of bodies) {
        const question = `${limit} ${JSON.stringify(parameters)}`;
        const { status } = await ask('kv/a', parameters, auth.client_token);
        answers.push(`${question}: ${status}`);
        const isAllowed = acl.allows({ path: 'kv/a', capability: 'update', parameters });
        expected.push(`${question}: ${isAllowed ? 204 : 403}`);
      }
    }
    expect(expected).toEqual(answers);
    expect(answers.filter((answer) => answer.endsWith('204'))).toHaveLength(8);
  });
});
