import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import type { ServiceClient } from '../../client/service-client.ts';
import type { DeploymentRequest } from '../../engine/engine.ts';

/** In the order in which they are made. */
export const recordings = [
  ...(['preview-create', 'noop', 'preview-update', 'up-update', 'preview-refresh-drift'] as const),
  ...(['refresh-drift', 'up-after-drift', 'preview-remount', 'up-remount', 'destroy', 'up-create'] as const),
];
export type Recording = (typeof recordings)[number];

/** The resources of the stack after `up-remount`, by `pulumi stack export`. */
export const exportedAfter = { recording: 'up-remount', file: 'after-remount.state.json' } as const;

export interface Run {
  /** Absent: only what comes next needs it. */
  recording?: Recording;
  verb: DeploymentRequest['verb'];
  refresh?: true;
  /** What becomes of the stack's file before. */
  edit?: (yaml: string) => string;
  /** What is done on the service by hand before. */
  byHand?: (client: ServiceClient) => Promise<void>;
}

/** The dev stack's file as it is, unless it is edited. */
export const runs: Run[] = [
  { recording: 'preview-create', verb: 'preview' },
  { verb: 'up' },
  { recording: 'noop', verb: 'preview' },
  { recording: 'preview-update', verb: 'preview', edit: longer },
  { recording: 'up-update', verb: 'up', edit: longer },
  { recording: 'preview-refresh-drift', verb: 'preview', refresh: true, edit: longer, byHand: drift },
  { recording: 'refresh-drift', verb: 'refresh', edit: longer },
  { recording: 'up-after-drift', verb: 'up', edit: longer },
  { recording: 'preview-remount', verb: 'preview', edit: remounted },
  { recording: 'up-remount', verb: 'up', edit: remounted },
  { recording: 'destroy', verb: 'destroy', edit: remounted },
  { recording: 'up-create', verb: 'up' },
];

/** Role `web` rewritten, role `backup` deleted. */
export async function drift(client: ServiceClient): Promise<void> {
  await client.put('auth/cluster/role/web', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['evil'],
    token_policies: ['secrets-admin'],
    bound_subject: 'system:serviceaccount:shop:web',
    token_ttl: 900,
  });
  await client.delete('auth/cluster/role/backup');
}

/** The tokens of both roles of provider `cluster` live longer. */
function longer(yaml: string): string {
  return edited(yaml, (cluster) => {
    const roles = cluster.get('roles');
    if (!isSeq(roles)) throw new Error('provider cluster has no roles');
    for (const role of roles.items) if (isMap(role)) role.set('ttl', '15m');
  });
}

/** The auth method of provider `cluster` gets another path. */
function remounted(yaml: string): string {
  return edited(yaml, (cluster) => cluster.set('path', 'kubernetes'));
}

function edited(yaml: string, edit: (cluster: YAMLMap) => void): string {
  const document = parseDocument(yaml);
  const providers = document.getIn(['config', 'gatehouse:providers']);
  const all = isSeq(providers) ? providers.items : [];
  const cluster = all.find((each) => isMap(each) && each.get('name') === 'cluster');
  if (!isMap(cluster)) throw new Error('the dev stack has no provider cluster');
  edit(cluster);
  return document.toString();
}
