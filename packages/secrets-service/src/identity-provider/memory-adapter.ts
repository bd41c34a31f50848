import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** Most entries of one issuer; the oldest are dropped first. A sign-in creates about five. */
const capacity = 5_000;

interface AdapterEntry {
  payload: AdapterPayload;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** The state of one issuer's sign-ins, in memory: sessions, interactions, codes, tokens, grants. */
export function createMemoryAdapter(): AdapterFactory {
  const entries = new Map<string, AdapterEntry>();

  function live(key: string): AdapterPayload | undefined {
    const entry = entries.get(key);
    if (entry !== undefined && entry.expiresAt <= Date.now()) entries.delete(key);
    return entries.get(key)?.payload;
  }

  return (model): Adapter => ({
    async upsert(id, payload, expiresIn) {
      const key = `${model}:${id}`;
      // Deleted first: the map stays in the order of the last writes.
      entries.delete(key);
      entries.set(key, {
        payload,
        expiresAt: expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiresIn * 1000,
      });
      for (const oldest of entries.keys()) {
        if (entries.size <= capacity) break;
        entries.delete(oldest);
      }
    },
    async find(id) {
      return live(`${model}:${id}`);
    },
    async findByUid(uid) {
      for (const [key, { payload }] of entries) {
        if (payload.uid === uid && key.startsWith(`${model}:`)) return live(key);
      }
      return undefined;
    },
    // Only the device flow has user codes, and it is off.
    async findByUserCode() {
      return undefined;
    },
    async consume(id) {
      const payload = live(`${model}:${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      entries.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of entries) {
        // Entries of other models stay: a sign-in in progress knows the grant of the previous one.
        if (payload.grantId === grantId && key.startsWith(`${model}:`)) entries.delete(key);
      }
    },
  });
}
