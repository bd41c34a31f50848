import type { ServiceSettings } from '@gatehouse/core/environment';
import { openClient } from '../open/open-client.ts';

/** A token that another one made. It is a secret. */
interface ChildToken {
  token: string;
  /** How long it lives. */
  seconds: number;
  /** Revokes it if the service answers; otherwise it ends by itself. */
  revoke(): Promise<void>;
}

/**
 * Makes a child of the gate's own token, in the namespace of a service. It is not renewable.
 *
 * @param env with the gate's token
 * @param fields of `auth/token/create`
 */
export async function makeChildToken(
  service: ServiceSettings,
  env: NodeJS.ProcessEnv,
  fields: { policies: string[]; ttl: string; display_name: string; [field: string]: unknown },
): Promise<ChildToken> {
  const asking = async <Answer>(ask: (client: ReturnType<typeof openClient>) => Promise<Answer>) => {
    const client = openClient(service, env);
    try {
      return await ask(client.with({ namespace: service.namespace }));
    } finally {
      client.close();
    }
  };
  const { auth } = await asking((client) =>
    client.post('auth/token/create', { ...fields, renewable: false }),
  );
  const token = String(auth?.['client_token']);
  return {
    token,
    seconds: Number(auth?.['lease_duration']),
    revoke: async () => {
      await asking((client) => client.with({ token }).post('auth/token/revoke-self', {})).catch(() => {});
    },
  };
}
