import { generateKeyPairSync } from 'node:crypto';

export interface LargeEnvironmentArgs {
  roles: number;
  groups: number;
  /** Name of the auth method, and prefix of the groups' names. */
  name?: string;
}

/** Receives no requests: the method has the public key. */
const issuer = 'https://cluster.example.com';

/**
 * An environment with a JWT auth method, many roles, and external groups with aliases, as the content of a
 * `gatehouse:file`. Both programs read it.
 */
export function largeEnvironment({ roles, groups, name = 'cluster' }: LargeEnvironmentArgs) {
  const { publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    service: { address: 'http://127.0.0.1:8200', features: { messages: false } },
    policies: [{ name: `${name}-read`, policy: 'path "secret/data/*" { capabilities = ["read"] }\n' }],
    providers: [
      {
        kind: 'container_orchestrator',
        name,
        issuer,
        publicKeys: [publicKey],
        roles: Array.from({ length: roles }, (_, index) => ({
          name: `role-${index}`,
          namespace: 'bench',
          serviceAccount: `account-${index}`,
          groupsClaim: 'groups',
          policies: [`${name}-read`],
          ttl: '1h',
        })),
        groups: Array.from({ length: groups }, (_, index) => ({
          name: `${name}-group-${index}`,
          policies: [`${name}-read`],
          alias: `team-${index}`,
        })),
      },
    ],
  };
}
