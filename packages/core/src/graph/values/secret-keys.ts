interface SecretKind {
  /** Whose secrets they are: each stands below the name of its owner. */
  owner: 'provider' | 'run task';
  /** The noun for one secret of this kind. */
  word: string;
  description: string;
  /** The setting that may be given instead of the secret. */
  instead?: string;
}

/** The keys of an environment whose values are secrets. An environment knows only the names of these. */
export const secretKeys = {
  clientSecrets: {
    owner: 'provider',
    word: 'client secret',
    description: 'Client secrets by provider name.',
  },
  serviceAccountKeys: {
    owner: 'provider',
    word: 'service account key',
    description: 'Service account keys by provider name.',
    instead: 'or give the path of its file: directory.serviceAccountFile',
  },
  runTaskKeys: {
    owner: 'run task',
    word: 'key',
    description: 'Keys that sign the requests of run tasks, by the task’s name.',
  },
} as const satisfies Record<string, SecretKind>;
/** A configuration key whose entries are secrets. */
export type SecretKey = keyof typeof secretKeys;

/** Whether a configuration key is one of a secret. */
export function isSecretKey(key: string): key is SecretKey {
  return Object.hasOwn(secretKeys, key);
}

/** The command that seals a secret in a stack file. */
export function setSecretCommand(key: SecretKey, name: string, stack?: string): string {
  return `gatehouse secret set${stack === undefined ? '' : ` -s ${stack}`} ${key}.${name}`;
}
