import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';

const run = promisify(execFile);
const sdk = createRequire(import.meta.url).resolve('@pulumi/pulumi/package.json');
const preload = new URL('../../src/local/lean-executor.ts', import.meta.url).href;

/** Runs a script that has the SDK's `require`, as the executor has it; answers what it printed. */
async function withPreload(script: string): Promise<unknown> {
  const file = join(await mkdtemp(join(tmpdir(), 'gatehouse-lean-')), 'executor.cjs');
  const head = `const sdk = require("node:module").createRequire(${JSON.stringify(sdk)});`;
  await writeFile(file, head + script);
  // The executor is found from its own place, where the SDK is.
  const { stdout } = await run(process.execPath, [
    `--import=data:text/javascript,process.argv[1]=${encodeURIComponent(JSON.stringify(sdk))}`,
    `--import=${preload}`,
    file,
  ]);
  return JSON.parse(stdout);
}

describe('what the SDK loads for what few programs do', () => {
  test('is not loaded with it', async () => {
    const script = `sdk('@pulumi/pulumi');
      sdk('@pulumi/pulumi/cmd/run/tracing.js');
      const unneeded = /[/]node_modules[/](typescript|@npmcli[/]arborist|@opentelemetry[/]sdk-trace-(?:base|node))[/]/;
      console.log(JSON.stringify(Object.keys(sdk.cache).filter((path) => unneeded.test(path)).length));`;
    // Those four that stand for the packages.
    await expect(withPreload(script)).resolves.toBe(4);
  });

  test('is loaded when a function is turned into text', async () => {
    const script = `const pulumi = sdk('@pulumi/pulumi');
      pulumi.runtime.serializeFunction(() => 42).then(({ text }) => console.log(JSON.stringify(text)));`;
    await expect(withPreload(script)).resolves.toContain('() => 42');
  });

  test('is loaded when the SDK traces itself', async () => {
    const script = `const tracing = sdk('@pulumi/pulumi/cmd/run/tracing.js');
      tracing.start('http://127.0.0.1:1/');
      console.log(JSON.stringify(tracing.newSpan('one').isRecording()));
      process.exit();`;
    await expect(withPreload(script)).resolves.toBe(true);
  });

  test('is the package itself to a program that asks for it', async () => {
    const script = `const ts = sdk('typescript');
      const { Arborist } = sdk('@npmcli/arborist');
      const { LocalWorkspace } = sdk('@pulumi/pulumi').automation;
      const types = [ts.version, Arborist, LocalWorkspace.create].map((value) => typeof value);
      console.log(JSON.stringify([...types, 'transpileModule' in ts, Object.keys(ts).length > 100]));`;
    await expect(withPreload(script)).resolves.toEqual(['string', 'function', 'function', true, true]);
  });
});
