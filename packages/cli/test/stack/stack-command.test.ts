import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { LocalEngine } from '../../../engine/src/local/local-engine.ts';
import { openStateStore, statePath } from '../../../engine/src/local/state-store.ts';
import { Secret } from '../../../engine/src/property-value.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { openStackCrypter } from '../../../engine/src/stack-files/write-stack.ts';
import { resource } from '../fake-engine.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const passphrase = { PULUMI_CONFIG_PASSPHRASE: 'only a test' };

let folder: string;
beforeEach(() => {
  folder = projectFolder();
});

const run = (line: string, env: NodeJS.ProcessEnv = passphrase) =>
  runCommand(line.split(' '), env, folder, {
    openEngine: async () => ({ engine: new LocalEngine({ env }) }),
  });

const write = (name: string, address: string) =>
  writeFileSync(
    join(folder, `Pulumi.${name}.yaml`),
    `config:\n  gatehouse:service: { address: "${address}" }\n  x:key: { secure: "v1:x:y" }\n`,
  );

/** A state as a deployment leaves it. */
async function apply(name: string, outputs: object): Promise<void> {
  const stack = await readStack(folder, name, passphrase);
  const store = openStateStore(statePath(stack), await openStackCrypter(stack, passphrase));
  const own = resource('pulumi:pulumi:Stack', `gatehouse-${name}`, {});
  store.record({
    put: [{ ...own, outputs: outputs as typeof own.outputs, modified: '2026-11-01T12:00:00.000Z' }],
  });
  store.close();
}

test('gatehouse stack ls shows the address that commands use', async () => {
  write('dev', 'http://127.0.0.1:8200');
  const { out } = await run('stack ls', { GATEHOUSE_SERVICE_ADDRESS: 'http://127.0.0.1:1' });
  expect(out).toContain('http://127.0.0.1:1 ');
});

describe('gatehouse stack init', () => {
  test('writes a file with a salt alone, that the passphrase opens', async () => {
    const { code, out } = await run('stack init staging');
    expect({ code, out }).toEqual({ code: 0, out: 'Wrote Pulumi.staging.yaml.\n' });
    expect(readFileSync(join(folder, 'Pulumi.staging.yaml'), 'utf8')).toMatch(/^encryptionsalt: v1:\S+\n$/);
    const stack = await readStack(folder, 'staging', passphrase);
    await expect(openStackCrypter(stack, { PULUMI_CONFIG_PASSPHRASE: 'another' })).rejects.toMatchObject({
      code: 'passphrase_wrong',
    });
  });

  test('leaves a stack that exists as it is', async () => {
    write('prod', 'https://secrets.example.com');
    const before = readFileSync(join(folder, 'Pulumi.prod.yaml'), 'utf8');
    expect(await run('stack init prod')).toMatchObject(failed('stack_exists'));
    expect(readFileSync(join(folder, 'Pulumi.prod.yaml'), 'utf8')).toBe(before);
  });

  test('without a passphrase writes nothing', async () => {
    expect((await run('stack init staging', {})).err).toContain('(passphrase_missing)');
    expect(existsSync(join(folder, 'Pulumi.staging.yaml'))).toBe(false);
  });
});

describe('gatehouse stack ls', () => {
  test('lists addresses and the last change, without a passphrase, and says what cannot be read', async () => {
    await run('stack init applied');
    await apply('applied', {});
    write('prod', 'https://secrets.example.com:8200');
    writeFileSync(join(folder, 'Pulumi.broken.yaml'), 'config: [');
    const { code, out } = await run('stack ls', {});
    expect(code).toBe(0);
    expect(out).toMatch(/^applied {2}no address +changed 2026-11-01T12:00:00.000Z\n/);
    expect(out).toMatch(/\nbroken {3}no address +Pulumi.broken.yaml:1:\d+: This is not valid YAML/);
    expect(out).toMatch(/\nprod {5}https:\/\/secrets.example.com:8200 +not applied here\n$/);
  });

  test('makes no state', async () => {
    write('prod', 'https://secrets.example.com');
    await run('stack ls');
    expect(existsSync(join(folder, '.gatehouse'))).toBe(false);
  });

  test('says so where there are none', async () => {
    expect((await run('stack ls')).out).toBe(
      'There are no stacks. Make one with: gatehouse stack init NAME\n',
    );
  });
});

describe('gatehouse stack output', () => {
  beforeEach(async () => {
    await run('stack init dev');
    await apply('dev', {
      address: 'https://a',
      key: new Secret('hush-hush'),
      methods: { staff: { roles: ['r'] } },
    });
  });

  test('prints all, secrets masked', async () => {
    const { out } = await run('stack output -s dev');
    expect(out).toBe('address: "https://a"\nkey: [secret]\nmethods: { staff: { roles: ["r"] } }\n');
    expect(JSON.parse((await run('stack output -s dev --json')).out)).toEqual({
      address: 'https://a',
      key: '[secret]',
      methods: { staff: { roles: ['r'] } },
    });
  });

  test('prints one bare, and as JSON', async () => {
    expect((await run('stack output -s dev address')).out).toBe('https://a\n');
    expect((await run('stack output -s dev methods --json')).out).toBe('{"staff":{"roles":["r"]}}\n');
  });

  test('prints secrets only when asked to', async () => {
    expect((await run('stack output -s dev key')).out).toBe('[secret]\n');
    expect((await run('stack output -s dev key --show-secrets')).out).toBe('hush-hush\n');
  });

  test('refuses a name that is none, and says which there are', async () => {
    const { code, err } = await run('stack output -s dev nothing');
    expect(code).toBe(1);
    expect(err).toContain('allowed: address, key, methods\n');
    expect(err).toContain('(output_unknown)');
  });

  test('says that a stack was never applied', async () => {
    await run('stack init other');
    expect((await run('stack output -s other')).err).toContain('(stack_not_applied)');
  });
});

describe('gatehouse about', () => {
  test('says whether the service of each stack answers, and shows no secret', async () => {
    const service = await startEmbeddedService();
    try {
      write('dev', service.address);
      // A port that nothing can listen on.
      write('prod', 'http://127.0.0.1:1');
      mkdirSync(join(folder, 'home/plugins/resource-vault-v7.8.0'), { recursive: true });
      const env = { VAULT_TOKEN: 'hush-hush', PULUMI_HOME: join(folder, 'home'), PATH: folder };
      const { code, out } = await run('about --json', env);
      expect(code).toBe(0);
      expect(out).not.toContain('hush');
      expect(JSON.parse(out)).toMatchObject({
        gatehouse: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        node: process.version,
        packages: { '@pulumi/vault': expect.stringMatching(/^\d/) },
        plugins: ['vault 7.8.0'],
        folder,
        stacks: [{ name: 'dev', address: service.address }, { name: 'prod' }],
        services: [
          { address: service.address, reachable: true, says: expect.stringContaining('version 1.') },
          { address: 'http://127.0.0.1:1', reachable: false, says: 'service_unreachable' },
        ],
      });
      expect(JSON.parse(out)).not.toHaveProperty('pulumi');
      const text = (await run('about', env)).out;
      expect(text).toMatch(/\nPulumi CLI +not on PATH\n/);
      expect(text).toContain('not reachable (service_unreachable)');
    } finally {
      await service.close();
    }
  });

  test('works in a folder without a project', async () => {
    rmSync(join(folder, 'Pulumi.yaml'));
    const { code, out } = await run('about');
    expect(code).toBe(0);
    expect(out).toMatch(/\nstacks +There is no Pulumi.yaml here/);
  });
});
