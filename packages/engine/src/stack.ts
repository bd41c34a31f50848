/** A stack, from the project (`Pulumi.yaml`) and its configuration (`Pulumi.<stack>.yaml`). */
export interface Stack {
  /** Absolute path of the folder that holds `Pulumi.yaml`. */
  directory: string;
  project: string;
  /** The program's entry, relative to `directory`: `main` of Pulumi.yaml, else ".". */
  main: string;
  name: string;
  /** Only parts of its environment in this namespace are looked at. Defaults to all. */
  namespace?: string | undefined;
  /** Full key (`project:key`) → value; objects and lists as JSON text. */
  config: Map<string, ConfigValue>;
  /** An earlier version of the files, used only to compare: a secret in clear there is already exposed. Defaults to false. */
  isPast?: true;
  /** Each secret in `config` is still its ciphertext. Defaults to false: decrypted. */
  isSealed?: true;
  /** `encryptionsalt` of the stack file; absent if it has no secrets yet. */
  encryptionSalt?: string;
  /** Who encrypts its secrets, and where the file says so; absent for a passphrase. */
  secretsProvider?: { name: string; where: string };
  /** Where the file imports Pulumi ESC environments, whose values are part of its configuration; absent if it imports none. */
  importsAt?: string;
  /** Absolute path of the folder for local state: `GATEHOUSE_HOME`, or `<directory>/.gatehouse`. */
  home: string;
}

export interface ConfigValue {
  value: string;
  /** True if any part of the value is encrypted in the file. */
  secret: boolean;
  /** The parts that are encrypted in the file, decrypted. Default to the whole value, if it is secret. */
  secrets?: string[];
  /** The names whose values are not encrypted in the file, for a map with an encrypted part. Default to none. */
  clear?: string[];
}

/** The texts that are encrypted in the stack's file, decrypted. */
export function secretsIn({ config }: Pick<Stack, 'config'>): string[] {
  return [...config.values()].flatMap(({ value, secret, secrets = [value] }) => (secret ? secrets : []));
}
