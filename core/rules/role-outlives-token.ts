import { containerOrchestrator, mountedTokenSeconds } from '../model/kinds/container-orchestrator.ts';
import { roleSubject } from '../model/subject.ts';
import { formatDuration } from '../model/values/duration.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'role-outlives-token',
  severity: 'warning',
  about: 'Container orchestrator: a role whose tokens live longer than the workload’s own.',
  check: ({ roles }, { kindOf, tokenSecondsOf }) =>
    roles
      .filter(({ method, roleType }) => roleType === 'jwt' && kindOf(method) === containerOrchestrator.kind)
      .filter(({ method, ttl }) => ttl !== undefined && ttl > (tokenSecondsOf(method) ?? mountedTokenSeconds))
      .map((role) => ({
        subject: roleSubject(role, 'ttl'),
        message: `The role gives a token for ${formatDuration(role.ttl ?? 0)}, and the workload’s own lives ${formatDuration(tokenSecondsOf(role.method) ?? mountedTokenSeconds)}. The service never asks the cluster whether a token was revoked: a deleted workload keeps its access that much longer.`,
        fix: 'Lower ttl to the life of the mounted token or less.',
      })),
};
