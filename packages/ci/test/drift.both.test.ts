import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { write } from '../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { isIn } from '../../../test/harness/long-run.ts';
import { started } from '../../../test/harness/started.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { hosts } from './hosts.ts';
import { inProcess } from './in-process.ts';
import { jobsAt } from './jobs.ts';

/** A stack that declares one policy, and its service. */
const service = started(startEmbeddedService);
const folder = temporaryFolder({ 'Pulumi.yaml': 'name: sign-in\nruntime: nodejs\n' });
const declared = 'path "secret/data/*" { capabilities = ["read"] }';

beforeAll(() => {
  const config = {
    'gatehouse:service': { address: service().address, features: { messages: false } },
    'gatehouse:providers': [],
    'gatehouse:policies': [{ name: 'reading', policy: declared }],
  };
  writeFileSync(join(folder, 'Pulumi.live.yaml'), JSON.stringify({ config }));
});

const live = (policy: string) => write(service(), 'sys/policies/acl/reading', { policy });

describe.each(isIn('test:long') ? hosts : hosts.map(inProcess))('drift at $name', (at) => {
  const jobs = jobsAt(at, folder);

  test('opens one issue, which stays one, and is closed when it is over', async () => {
    const drift = (run: number) =>
      jobs.run(['drift', '--stack', 'live'], { at: run, env: { VAULT_TOKEN: service().token } });
    const seen = () => jobs.host.issues.map(({ title, isOpen }) => ({ title, isOpen }));

    await live('path "*" { capabilities = ["sudo"] }');
    expect(await drift(1)).toEqual({ code: 2, output: 'Issue: made.' });
    expect(await drift(2)).toEqual({ code: 2, output: 'Issue: updated.' });
    expect(seen()).toEqual([{ title: 'Sign-in drift: live', isOpen: true }]);
    expect(jobs.host.issues[0]?.body).toContain('policy reading  text: not as declared');
    expect(jobs.host.issues[0]?.body).toContain('+ path "*"');

    await live(declared);
    expect(await drift(3)).toEqual({ code: 0, output: 'No drift. Issues closed: 1.' });
    expect(await drift(4)).toEqual({ code: 0, output: 'No drift. Issues closed: 0.' });
    expect(seen()).toEqual([{ title: 'Sign-in drift: live', isOpen: false }]);

    await live('path "*" { capabilities = ["sudo"] }');
    expect((await drift(5)).output).toBe('Issue: made.');
    expect(seen()).toHaveLength(2);
  });
});
