import { beforeAll, expect, test } from '@jest/globals';
import { ask, write as writeTo } from '../../../../test/harness/ask.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { breaks, broken, pairs } from '../../../core/test/login/sign-in-breaks.ts';

// docs/inside/measured/sign-in.md#jwt-login-in-this-order; openbao/openbao builtin/credential/jwt/path_login.go.
describeOnBothServers('the checks of a login are made in this order', (server) => {
  const call = (path: string, body: object) => ask(server(), { method: 'POST', path, body });
  const write = (path: string, body: object) => writeTo(server(), path, body);

  let count = 0;
  async function answerTo(...given: string[]) {
    const { config, role, login } = await broken(...given);
    // A new mount, without leftovers of the previous one.
    const mount = `m${count++}`;
    await write(`sys/auth/${mount}`, { type: 'jwt' });
    if (config !== undefined) await write(`auth/${mount}/config`, config);
    if (role !== undefined) await write(`auth/${mount}/role/reader`, role);
    const { status, body } = await call(`auth/${mount}/login`, login);
    return { status, errors: body.errors };
  }
  const refusalOf = (name: string) => {
    const { step, message } = breaks[name] as (typeof breaks)[string];
    return { status: step === 'source_address' ? 403 : 400, errors: [message] };
  };

  beforeAll(async () => {
    expect(await answerTo()).toEqual({ status: 200 });
  });

  test.each(Object.keys(breaks))('%s is refused', async (name) => {
    expect(await answerTo(name)).toEqual(refusalOf(name));
  });

  test.each(pairs)('%s before %s', async (first, second) => {
    expect(await answerTo(first, second)).toEqual(refusalOf(first));
  });
});
