import { execFileSync, spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { tofu, whyNoTofu } from '../../../../test/harness/opentofu/programs.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { keys } from '../../../core/test/statement/reviewed.ts';
import { runCommand } from '../running-command.ts';

const whyNot = await whyNoTofu();
if (whyNot !== undefined) console.warn(`Tests with OpenTofu are skipped. ${whyNot}`);
const describeWithTofu = whyNot === undefined ? describe : describe.skip;

/** A resource that OpenTofu has itself: no registry has the provider of Vault as a program. */
const main = `variable "input" {}
resource "terraform_data" "shop" { input = var.input }
`;

describeWithTofu('a plan file of OpenTofu itself', () => {
  const folder = temporaryFolder({
    'Pulumi.yaml': 'name: sign-in\nruntime: nodejs\n',
    'main.tf': main,
    'alice.pem': keys.alice.pem,
    'alice.pub': keys.alice.publicPem,
  });
  const env = {
    PATH: [dirname(tofu), process.env['PATH']].join(delimiter),
    HOME: folder,
    // A file that is not there: each command warns of it on standard output.
    TF_CLI_CONFIG_FILE: join(folder, 'none.tfrc'),
  };
  const at = { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' } as const;
  const plan = (file: string, input: string) =>
    execFileSync(tofu, ['plan', '-input=false', '-no-color', '-var', `input=${input}`, '-out', file], at);
  const apply = (file: string) => {
    const { status, stdout, stderr } = spawnSync(tofu, ['apply', '-input=false', '-no-color', file], at);
    return { code: status, text: stdout + stderr };
  };
  const verify = (file: string) =>
    runCommand(['verify-review', file, 'review.sigstore.json', '--key', 'alice.pub'], env, folder);

  beforeAll(async () => {
    execFileSync(tofu, ['init', '-input=false'], at);
    plan('tf plan', 'one');
    plan('other', 'two');
    // Before the JSON, on the same stream.
    expect(execFileSync(tofu, ['show', '-json', 'tf plan'], at)).toContain('Warning: Unable to open CLI');
    const { err } = await runCommand(['review', 'tf plan', '--sign', 'alice.pem'], env, folder);
    expect(err).toBe('');
  });

  test('that was not reviewed is refused before it would be applied', async () => {
    const { code, out } = await verify('other');
    expect([code, out]).toEqual([2, expect.stringContaining('it is about another plan')]);
  });

  test('is applied once it was reviewed; then it is stale, which OpenTofu sees', async () => {
    expect(await verify('tf plan')).toMatchObject({ code: 0, err: '' });
    expect(apply('tf plan')).toEqual({ code: 0, text: expect.stringContaining('1 added') });
    expect((await verify('tf plan')).code).toBe(0);
    expect(apply('tf plan')).toEqual({ code: 1, text: expect.stringContaining('Saved plan is stale') });
    expect(apply('other')).toEqual({ code: 1, text: expect.stringContaining('Saved plan is stale') });
  });
});
