import { describe, expect, test } from '@jest/globals';
import { names } from '../../core/model/values/wire.ts';
import { named, register, secret } from '../harness/pulumi-mocks.ts';
import { make, plainArgs } from '../providers/provider-fixture.ts';

describe('Authentication', () => {
  test('Authentication 3: the header X-Secrets-Token carries the client token', () => {
    expect(names.neutral.tokenHeader).toBe('X-Secrets-Token');
  });

  test('B-1 header: X-Secrets-Request', () => {
    expect(names.neutral.requestHeader).toBe('X-Secrets-Request');
  });

  test('Authentication 4: claims are checked against bound_audiences and bound_subject, which are sent', async () => {
    const registered = await register(() => make('container_orchestrator', plainArgs.container_orchestrator));
    expect(named(registered, 'it-web').inputs).toMatchObject({
      boundAudiences: ['secrets'],
      boundSubject: 'system:serviceaccount:shop:web',
    });
  });

  test('Authentication 5: the OIDC method uses the client credentials that the provider issued', async () => {
    const registered = await register(() => make('source_hosting', plainArgs.source_hosting));
    expect(named(registered, 'it-mount').inputs).toMatchObject({
      oidcClientId: 'client',
      oidcClientSecret: secret('hunter2'),
    });
  });
});
