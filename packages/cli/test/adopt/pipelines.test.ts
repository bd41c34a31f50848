import { describe, expect, test } from '@jest/globals';
import { declare } from '../../../core/src/environment/declared.ts';
import { parseEnvironment } from '../../../core/src/environment/environment.ts';
import { kindById, type ProviderKind } from '../../../core/src/graph/kinds/kinds.ts';
import type { Role } from '../../../core/src/graph/resources/role.ts';
import { givenEnvironment, givenProvider } from '../../../core/test/environment/environment-fixture.ts';
import { type PipelineCase, pipelineCases } from '../../../core/test/graph/kinds/pipeline-kinds.ts';
import { adoptedWhole } from './redeclared.ts';

describe('a method for pipelines is adopted with the settings of its kind', () => {
  const cases = Object.entries(pipelineCases) as [ProviderKind, PipelineCase][];
  const isToldByRoles = (kind: ProviderKind, roles: readonly Role[]) =>
    kindById(kind).recognizes?.({ type: 'jwt', issuers: [], roles }) === true;

  test('wherever it is hosted, but for what only its issuer tells', () => {
    const recognized = cases.filter(([kind, { role }]) => {
      const given = givenEnvironment([givenProvider(kind, { roles: [{ name: 'deploy', ...role }] })]);
      return isToldByRoles(kind, declare(parseEnvironment(given)).roles);
    });
    expect(recognized.map(([kind]) => kind)).toEqual(
      expect.arrayContaining([
        'github_actions',
        'gitlab_ci',
        'hcp_terraform',
        'circleci',
        'bitbucket_pipelines',
      ]),
    );
  });

  test.each(cases)('%s, public and self-hosted', (kind, { role }) => {
    for (const own of [{}, { issuer: 'https://ci.example.com', config: { boundIssuer: '' } }]) {
      const settings = {
        roles: [
          { name: 'deploy', ...role },
          { name: 'one', ...role, boundSubject: 'x' },
        ],
      };
      const graph = declare(
        parseEnvironment(givenEnvironment([givenProvider(kind, { ...own, ...settings })])),
      );
      const provider = adoptedWhole(graph);
      const isTelling = !('issuer' in own) || isToldByRoles(kind, graph.roles);
      expect(provider?.kind).toBe(isTelling ? kind : 'jwt');
      if (isTelling) expect(provider?.roles?.[0]).not.toHaveProperty('boundClaims');
    }
  });
});
