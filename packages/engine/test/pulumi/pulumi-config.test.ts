import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readPulumiConfig } from '../../src/pulumi/pulumi-config.ts';
import { stackOf } from '../stack-of.ts';
import { installPulumiCliDouble } from './pulumi-cli-double.ts';

const directory = temporaryFolder();
const kms = stackOf({
  directory,
  secretsProvider: { name: 'awskms://alias/a', where: 'Pulumi.dev.yaml:1:1' },
});
const importing = stackOf({ directory, importsAt: 'Pulumi.dev.yaml:1:1' });
const onStack = ['--stack', 'dev', '--non-interactive', '--color', 'never'];
/** As `FprintJSON` of pulumi/pulumi `pkg/cmd/pulumi/config/config.go` writes it. */
const printed = JSON.stringify(
  {
    'gatehouse:clientSecrets': {
      value: '{"staff":"hush"}',
      objectValue: { staff: 'hush' },
      secret: true,
    },
    'gatehouse:title': { value: 'a', secret: false },
  },
  undefined,
  2,
);

async function readWith(
  answer: Parameters<typeof installPulumiCliDouble>[0],
  stack: Parameters<typeof readPulumiConfig>[0] = kms,
) {
  const cli = await installPulumiCliDouble(answer);
  const config = await readPulumiConfig(stack, cli.env);
  return { config, calls: (await cli.calls()).map(({ argv }) => argv) };
}

describe('the configuration by the CLI', () => {
  test('has every value, and which are secret', async () => {
    const { config, calls } = await readWith({ stdout: printed });
    expect(Object.fromEntries(config)).toEqual({
      'gatehouse:clientSecrets': { value: '{"staff":"hush"}', secret: true },
      'gatehouse:title': { value: 'a', secret: false },
    });
    expect(calls).toEqual([['config', '--show-secrets', '--json', ...onStack]]);
  });

  test('is asked first whether environments open, without a secret', async () => {
    const stdout = { 'config --open': 'KEY  VALUE\na    b\n', 'config --show-secrets': printed };
    const { calls } = await readWith({ stdout }, importing);
    expect(calls).toEqual([
      ['config', '--open', ...onStack],
      ['config', '--show-secrets', '--json', ...onStack],
    ]);
  });

  test('is not taken where an environment does not open, which the CLI ends well with', async () => {
    const opened = 'KEY  VALUE\n\nEnvironment diagnostics:\nenvironment acme/shared not found\n';
    const stdout = { 'config --open': opened, 'config --show-secrets': printed };
    await expect(readWith({ stdout }, importing)).rejects.toMatchObject({
      code: 'pulumi_cli_failed',
      message: expect.stringContaining('environment acme/shared not found'),
    });
  });

  test('is an error with the words of the CLI where the key cannot be reached', async () => {
    const stderr = 'error: could not decrypt configuration value: AccessDeniedException: kms:Decrypt';
    await expect(readWith({ stderr, stdout: printed, exitCode: 1 })).rejects.toMatchObject({
      code: 'pulumi_cli_failed',
      message: expect.stringMatching(/^(?!.*hush)[\s\S]*AccessDeniedException/),
    });
  });

  test.each([
    ['no JSON', 'hush'],
    ['a list', '["hush"]'],
    ['a value that is left out', '{"gatehouse:a":{"secret":true}}'],
    ['a value that is no text', '{"gatehouse:a":{"value":{"b":"hush"},"secret":true}}'],
    ['a value that is not known', '{"gatehouse:a":{"value":"[unknown]","secret":false}}'],
    [
      'one in an object',
      '{"gatehouse:a":{"value":"{\\"a\\":\\"[unknown]\\",\\"b\\":\\"hush\\"}","secret":true}}',
    ],
    ['nothing of whether it is secret', '{"gatehouse:a":{"value":"hush"}}'],
  ])('is not taken with %s, and no error shows a secret', async (_, stdout) => {
    await expect(readWith({ stdout })).rejects.toMatchObject({
      code: 'pulumi_cli_failed',
      message: expect.not.stringContaining('hush'),
    });
  });

  test('needs the CLI', async () => {
    await expect(readPulumiConfig(kms, { PATH: directory })).rejects.toMatchObject({
      code: 'pulumi_cli_missing',
    });
  });
});
