/** A stack, from the project (`Pulumi.yaml`) and its configuration (`Pulumi.<stack>.yaml`). */
export interface Stack {
  /** Absolute path of the folder that holds `Pulumi.yaml`. */
  directory: string;
  project: string;
  /** The program's entry, relative to `directory`: `main` of Pulumi.yaml, else ".". */
  main: string;
  name: string;
  /** Full key (`project:key`) → value, decrypted; objects and lists as JSON text. */
  config: Map<string, ConfigValue>;
  /** `encryptionsalt` of the stack file; absent if it has no secrets yet. */
  encryptionSalt?: string;
  /** Absolute path of the folder for local state: `GATEHOUSE_HOME`, or `<directory>/.gatehouse`. */
  home: string;
}

export interface ConfigValue {
  value: string;
  /** True if any part of the value is encrypted in the file. */
  secret: boolean;
}
