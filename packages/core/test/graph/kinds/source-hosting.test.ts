import { describe, expect, test } from '@jest/globals';
import { sourceHosting } from '../../../src/graph/kinds/source-hosting.ts';
import { parsedProvider } from '../../environment/environment-fixture.ts';

describe('sourceHosting (docs/inside/specification.md B-2, fourth row)', () => {
  test('discovers at the service’s base URL, without its slash at the end', () => {
    const given = parsedProvider('source_hosting', { authority: 'https://git.example.com/' });
    expect(sourceHosting.config(given).oidcDiscoveryUrl).toBe('https://git.example.com');
  });
});
