import { kindNamed, productOf, secretsOf } from '../graph/kinds/kinds.ts';
import { type SecretKey, secretKeys, setSecretCommand } from '../graph/values/secret-keys.ts';
import { addAll } from '../graph/values/sequences.ts';

/** The parts of an environment that its secrets depend on, which need not be valid. */
interface SecretParts {
  providers: { kind: string; name: string }[];
  runTasks: { name: string }[];
}

/** A part of an environment that can have a secret, and the key of that secret. */
export interface SecretOwner {
  key: SecretKey;
  name: string;
  /** Whether the environment is not valid without it. */
  needed: boolean;
}

export function secretOwners({ providers, runTasks }: SecretParts): SecretOwner[] {
  const all = providers.flatMap((provider): SecretOwner[] => {
    const { name } = provider;
    const kind = kindNamed(provider.kind);
    // Most kinds need a client secret, so a misspelled kind does not hide that it is missing.
    if (kind === undefined) {
      return [
        { key: 'clientSecrets', name, needed: true },
        { key: 'serviceAccountKeys', name, needed: false },
      ];
    }
    return secretsOf(kind, provider).map((key) => ({ key, name, needed: true }));
  });
  addAll(
    all,
    runTasks.map(({ name }): SecretOwner => ({ key: 'runTaskKeys', name, needed: false })),
  );
  return all.filter(({ name }) => name !== '');
}

/**
 * What is wrong with the names of an environment's secrets.
 *
 * @param stack for the commands that fix a problem
 */
export function checkSecrets(
  parts: SecretParts & Record<SecretKey, string[]>,
  stack: string | undefined,
  report: (path: string[], message: string) => void,
): void {
  const owners = secretOwners(parts);
  for (const { key, name, needed } of owners) {
    if (!needed || parts[key].includes(name)) continue;
    const { word, ...rest } = secretKeys[key];
    const instead = 'instead' in rest ? `, ${rest.instead}` : '';
    report(
      [key, name],
      `the ${word} is missing; set it with: ${setSecretCommand(key, name, stack)}${instead}`,
    );
  }
  for (const [key, { owner, word }] of Object.entries(secretKeys)) {
    for (const name of parts[key as SecretKey]) {
      if (owners.some((candidate) => candidate.key === key && candidate.name === name)) continue;
      const kind =
        owner === 'provider' ? parts.providers.find((provider) => provider.name === name)?.kind : undefined;
      const providerKind = kindNamed(kind);
      report(
        [key, name],
        providerKind === undefined
          ? `no ${owner} has this name`
          : `${productOf(providerKind)} needs no ${word} with these settings; remove it`,
      );
    }
  }
}
