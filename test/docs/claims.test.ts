import { basename, dirname } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { projectFiles, read } from './markdown.ts';

/** Sources below a folder that match a pattern. */
function filesWith(folder: string, pattern: RegExp): string[] {
  return projectFiles(`${folder}/*.ts`).filter(
    (file) => !/(^|\/)test\//.test(file) && pattern.test(read(file)),
  );
}

describe('docs/inside/architecture.md', () => {
  test('says rightly that the core has no clock', () => {
    expect(
      filesWith(
        'packages/core/src',
        /\bDate\.now\(|new Date\(\)|performance\.now|\bset(?:Timeout|Interval)\(/,
      ),
    ).toEqual([]);
  });

  test('names the files of the command that print', () => {
    const prints =
      /\b(?:writeText|say|withProgress|tellSeveral|ask(?:YesOrNo|WithDetails|Secret))\(terminal|std(?:out|err)\.write\(|\bwriteText\(/;
    const isNamedForIt = (file: string) => /\/src\/terminal\/|-command\.ts$|\/src\/main\.ts$/.test(file);
    const printing = filesWith('packages/cli/src', prints).filter((file) => !isNamedForIt(file));
    const page = read('docs/inside/architecture.md');
    expect(
      printing.filter((file) => !page.includes(`\`${file}\``) && !page.includes(`\`${basename(file)}\``)),
    ).toEqual([]);
    expect(printing).not.toEqual([]);
  });

  test('names the files that send requests to another server', () => {
    const sends = /(?<![.\w])fetch\(|from 'undici'/;
    // The embedded identity provider signs people in at itself.
    const own = ['packages/secrets-service/src/identity-provider/sign-in.ts'];
    const senders = filesWith('packages', sends).filter(
      (file) => !/packages\/bench\//.test(file) && !own.includes(file),
    );
    expect(senders).toEqual(['packages/ci/code-host.ts', 'packages/service-client/src/exchange.ts']);
    for (const file of senders) expect(read('docs/inside/architecture.md')).toContain(`\`${file}\``);
  });
});

test('packages/cli/README.md names every folder that has no command', () => {
  const folders = Map.groupBy(projectFiles('packages/cli/src/*/*.ts'), (file) =>
    dirname(file).slice('packages/cli/'.length),
  );
  const shared = [...folders].filter(([, files]) => !files.some((file) => /-commands?\.ts$/.test(file)));
  const named = [...read('packages/cli/README.md').matchAll(/^\| `(src\/[\w-]+)\/` \|/gm)].map(
    ([, folder]) => folder,
  );
  expect(shared.map(([folder]) => folder).sort()).toEqual(named.sort());
});

const counts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const recipes = read('docs/inside/maintaining.md')
  .split(/^##+ /m)
  .flatMap((section) => {
    const [, title = '', count = ''] = /^(.*): (\w+) files$/m.exec(section) ?? [];
    return title === '' ? [] : [[title, count, section] as const];
  });

test.each(recipes)('the recipe of %s has %s files', (_, count, section) => {
  const steps = [...section.matchAll(/^\d+\. ([^:]*):/gm)].map(([, files = '']) => files);
  const files = steps.flatMap((step) => step.match(/`[^`]+`/g) ?? []);
  expect(files).toHaveLength(counts.indexOf(count) + 1);
});
