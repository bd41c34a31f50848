/** A stack as its files say: the project (`Pulumi.yaml`) and its configuration (`Pulumi.<stack>.yaml`). */
export interface Stack {
  /** Absolute path of the folder that holds `Pulumi.yaml`. */
  directory: string;
  project: string;
  /** The program's entry, relative to `directory`: `main` of Pulumi.yaml, else ".". */
  main: string;
  name: string;
  /** Full key (`project:key`) → value, decrypted; objects and lists as JSON text. */
  config: Map<string, ConfigValue>;
  /** `encryptionsalt` of the stack file; absent when it has no secrets yet. */
  encryptionSalt?: string;
  /** Absolute path of the folder for local state: `<directory>/.gatehouse` unless `GATEHOUSE_HOME` says otherwise. */
  home: string;
}

export interface ConfigValue {
  value: string;
  /** True when the value, or any part of it, is encrypted in the file. */
  secret: boolean;
}
