import { describe, expect, test } from '@jest/globals';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { review } from '../../src/review/review.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { entries, type PlanEntry } from '../worlds.ts';
import { now } from './graphs.ts';
import { terraform } from './plan/terraform.ts';
import { serviceBefore, type TerraformPlan } from './service-before.ts';

/** What the plan of each change has, unless the change says more of it. */
const service = entries(`
  method staff oidc oidc_client_id: secrets, oidc_discovery_url: https://id.example.com
  method ci bound_issuer: https://git.example.com, oidc_discovery_url: https://git.example.com
  role staff/reader reader role_type: oidc, groups_claim: groups, token_ttl: 3600,
    allowed_redirect_uris: ['http://localhost:8250/oidc/callback']
  role build reader,deploy bound_audiences: [https://secrets.example.com], bound_claims: {project_id: '42'}
  mount apps approle
  approle_auth_backend_role.web backend: apps, role_name: web, token_policies: [reader]
  mount people userpass
  generic_endpoint.jan path: auth/people/users/jan, data_json: '{"token_policies":["reader"]}'
  policy reader: secret/data/app/* read
  policy deploy: secret/data/deploy/* read,update
  policy own: secret/data/{{identity.entity.metadata.team}}/* read
  group admins deploy
  alias /admins staff admins
  entity ann -
  entity-alias ann staff ann
  internal ops deploy entity:ann`);

/** The plan of a change. */
function planOf(text: string): TerraformPlan {
  const all = new Map(service.map((planned) => [planned.address, planned]));
  for (const planned of entries(text)) all.set(planned.address, onTopOf(all.get(planned.address), planned));
  return JSON.parse(terraform([...all.values()]));
}

function onTopOf(known: PlanEntry | undefined, planned: PlanEntry): PlanEntry {
  const { change } = planned;
  const side = (of: 'before' | 'after') =>
    change[of] === null ? null : { ...known?.change.before, ...change[of] };
  return { ...planned, change: { ...change, before: side('before'), after: side('after') } };
}

const web = 'approle_auth_backend_role.web backend: apps, role_name: web, token_policies: [reader]';

/** Changes of a careful team, and whether anyone loses by them. */
const changes: Record<string, [text: string, losses: 'none' | 'some']> = {
  'a key more in the metadata of an entity': ['~ entity ann - → metadata: {floor: two}', 'none'],
  'a key more in the metadata of a group': ['~ group admins deploy → metadata: {cost: eight}', 'none'],
  'an entity less': [
    '- entity ann -\n - entity-alias ann staff ann\n ~ internal ops deploy entity:ann → member_entity_ids: []',
    'some',
  ],
  'a member less': ['~ internal ops deploy entity:ann → member_entity_ids: []', 'some'],
  'a policy taken off a role': ['~ role build reader,deploy → reader', 'some'],
  'a policy taken off everything and deleted': [
    '~ role build reader,deploy → reader\n ~ group admins deploy → -\n ~ internal ops deploy entity:ann → -\n - policy deploy: secret/data/deploy/* read,update',
    'some',
  ],
  'a group offboarded': ['- group admins deploy\n - alias /admins staff admins', 'some'],
  'a bound more': [
    `~ role build reader,deploy bound_claims: {project_id: '42'} → bound_claims: {project_id: '42', ref: main}`,
    'some',
  ],
  'an address range': ['~ role build reader,deploy → token_bound_cidrs: [10.0.0.0/8]', 'some'],
  'a shorter lifetime': ['~ role staff/reader reader token_ttl: 3600 → token_ttl: 600', 'none'],
  'a role less': ['- role build reader,deploy', 'some'],
  'fewer uses of secret ids': [`~ ${web} → secret_id_num_uses: 5`, 'none'],
  'an AppRole less': [`- ${web}`, 'some'],
  'a user less': [
    `- generic_endpoint.jan path: auth/people/users/jan, data_json: '{"token_policies":["reader"]}'`,
    'some',
  ],
  'a description': ['~ method ci → description: builds', 'none'],
  'a rule less': ['~ policy reader: secret/data/app/* read → -', 'some'],
  'a policy that no one has': ['+ policy later: secret/data/later/* read', 'none'],
  'a group that no policy reads gets another name': ['~ group admins deploy → name: owners', 'none'],
};

describe('a careful change', () => {
  test.each(Object.entries(changes))(
    '%s: with a snapshot, no one gains, and nothing is unknown',
    (_, [text, losses]) => {
      const plan = planOf(text);
      const found = review(readPlan(JSON.stringify(plan)), { now, live: serviceBefore(plan) });
      expect([found.gains, found.losses, found.missing.map(reasonWords)]).toEqual(['none', losses, []]);
    },
  );

  test.each(Object.entries(changes))('%s: by the plan alone, what would close it is named', (_, [text]) => {
    const found = review(readPlan(JSON.stringify(planOf(text))), { now });
    expect(found.gains).not.toBe('some');
    const reasons = [...found.missing, ...found.scope.missing].map(reasonWords);
    expect(found.gains === 'none').toBe(reasons.length === 0);
  });
});
