import { generateKeyPairSync } from 'node:crypto';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootToken } from '../../../../test/harness/embedded-service.ts';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { projectFolder, runCommand, wordsOf } from '../running-command.ts';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** A public key, as YAML has it in one line. */
export const publicKeyText = JSON.stringify(publicKey.export({ type: 'spki', format: 'pem' }));
const role = (name: string) =>
  `        - { name: ${name}, namespace: shop, serviceAccount: ${name}, audience: secrets, policies: [reading], ttl: 10m }\n`;

/** A project with one auth method, `teams/ci`, that needs no issuer, and a policy, `reading`. */
export class CheckedProject {
  readonly folder = projectFolder({ 'package.json': JSON.stringify({ type: 'module', main: 'main.mjs' }) });
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
    writeFileSync(
      join(this.folder, 'main.mjs'),
      `export * from ${JSON.stringify(join(root, 'main.mjs'))};\n`,
    );
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    this.write(['web', 'worker']);
  }

  /** @param keys further ones of the stack file; `{ namespace }` is that of the method and the policy */
  readonly write = (roles: readonly string[], keys = '', namespace = '', providers = ''): void => {
    const inside = namespace === '' ? '' : `namespace: ${namespace}`;
    writeFileSync(
      join(this.folder, 'Pulumi.dev.yaml'),
      `config:
  gatehouse:service: { address: "${this.#address}", features: { messages: false } }
  gatehouse:providers:
    - kind: container_orchestrator
      name: ci
      path: teams/ci
      ${inside}
      publicKeys: [${publicKeyText}]
      roles:
${roles.map(role).join('')}${providers}
  gatehouse:policies: [{ name: reading, ${inside && `${inside}, `}policy: 'path "secret/data/x" { capabilities = ["read"] }' }]
${keys}`,
    );
  };

  readonly gatehouse = async (line: string, token = rootToken) => {
    const env = { ...process.env, PULUMI_CONFIG_PASSPHRASE: 'x', VAULT_TOKEN: token };
    return await runCommand(wordsOf(line), env, this.folder);
  };
}
