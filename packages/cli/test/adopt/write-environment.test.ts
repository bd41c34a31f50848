import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { emptyGraph } from '../../../core/src/graph/graph.ts';
import { keyPem as pem } from '../../../core/test/pems.ts';
import { environmentOf } from '../../src/adopt/environment-of.ts';
import { writeEnvironment } from '../../src/adopt/write-environment.ts';
import { service } from './redeclared.ts';

test('writes keys line by line, durations with their unit, and the strict preset of rules', async () => {
  const environment = environmentOf(
    {
      ...emptyGraph(),
      methods: [{ path: 'ci', type: 'jwt', config: { jwtValidationPubkeys: [pem], boundIssuer: 'c' } }],
      roles: [
        { method: 'ci', name: 'build', roleType: 'jwt', userClaim: 'sub', boundAudiences: ['x'], ttl: 3600 },
      ],
    },
    service,
  );
  const folder = temporaryFolder();
  await writeEnvironment(folder, 'prod', environment, { exceptions: [], known: [] });
  const text = readFileSync(join(folder, 'Pulumi.prod.yaml'), 'utf8');
  expect(text).toMatch(/-----BEGIN PUBLIC KEY-----\n +MFkw\S+\n +\S+\n +-----END PUBLIC KEY-----\n/);
  expect(text).toMatch(/ ttl: "?1h"?\n/);
  expect(parse(text).config).toMatchObject({
    'gatehouse:providers': [{ publicKeys: [pem] }],
    'gatehouse:rules': { preset: 'strict' },
  });
});
