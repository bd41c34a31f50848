import { describe, expect, test } from '@jest/globals';
import type { ResourceState } from '../../../engine/src/resource-state.ts';
import { Progress } from '../../src/terminal/progress.ts';
import { resource, roleType, rootUrn, step, urnOf } from '../fake-engine.ts';
import { FakeTerminal } from '../fake-terminal.ts';

const stack = resource('pulumi:pulumi:Stack', 'gatehouse-dev', {
  urn: rootUrn,
  custom: false,
  parent: undefined,
});
const component = (name: string) =>
  resource('gatehouse:index:CloudDirectory', name, {
    custom: false,
    urn: urnOf('gatehouse:index:CloudDirectory', name),
  });
const role = (name: string, parent: ResourceState) =>
  resource(roleType, `${name}-role`, { parent: parent.urn, inputs: { roleName: name } });
const staff = component('staff');

/** What stands on the terminal after what was written. */
function screen(written: string): string[] {
  const lines = [''];
  let row = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  for (const [token] of written.matchAll(/\u001b\[(\d*)([A-Z])|\n|[^\u001b\n]+/g)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
    const [, count = '', command] = /^\u001b\[(\d*)([A-Z])$/.exec(token) ?? [];
    if (command === 'A') row -= Number(count);
    else if (command === 'J') lines.splice(row, lines.length, '');
    else if (command === undefined && token === '\n') lines[++row] = '';
    else if (command === undefined) lines[row] = (lines[row] ?? '') + token;
  }
  return lines;
}

function progressOn(columns = 80, now?: () => number) {
  const terminal = new FakeTerminal('/', []);
  terminal.stderr.columns = columns;
  const progress = new Progress(terminal, 0, now);
  const started = (...states: ResourceState[]) => {
    for (const state of states) progress.onEvent({ type: 'step-started', step: step('create', state) });
  };
  const done = (...states: ResourceState[]) => {
    for (const state of states) progress.onEvent({ type: 'step-done', step: step('create', state) });
  };
  return { terminal, progress, started, done, shown: () => screen(terminal.stderr.text) };
}

describe('Progress', () => {
  test('shows what is under way, under its components, with how much there is', () => {
    const { progress, started, done, shown } = progressOn();
    progress.begin('Applying');
    progress.onEvent({ type: 'expected', steps: 7 });
    started(stack, staff);
    done(stack, staff);
    const web = resource(roleType, 'web-role', { inputs: { roleName: 'web' } });
    started(web, role('reader', staff), role('admin', staff));
    expect(shown()).toEqual([
      'Applying: 2 of 7 …',
      '  role web',
      '  CloudDirectory staff',
      '    role reader',
      '    role admin',
    ]);
    done(role('reader', staff));
    expect(shown()).toEqual(['Applying: 3 of 7 …', '  role web', '  CloudDirectory staff', '    role admin']);
  });

  test('counts from zero when the plan is applied, out of what the plan had', () => {
    const { progress, started, done, shown } = progressOn();
    progress.begin('Planning');
    const roles = ['a', 'b', 'c'].map((name) => role(name, staff));
    started(...roles);
    done(...roles);
    expect(shown()).toEqual(['Planning: 3 …']);
    progress.begin('Applying');
    started(...roles.slice(0, 1));
    expect(shown()).toEqual(['Applying: 0 of 3 …', '  role a']);
  });

  test('shows one resource that is applied alone', () => {
    const { progress, started, done, shown } = progressOn();
    progress.begin('Applying');
    progress.onEvent({ type: 'expected', steps: 1 });
    started(role('reader', staff));
    expect(shown()).toEqual(['Applying: 0 of 1 …', '  role reader']);
    done(role('reader', staff));
    expect(shown()).toEqual(['Applying: 1 …']);
  });

  test('says how long the rest takes, once a second has passed', () => {
    let now = 0;
    const { progress, started, done, shown } = progressOn(80, () => now);
    progress.begin('Applying');
    progress.onEvent({ type: 'expected', steps: 4 });
    now = 999;
    done(role('a', staff));
    expect(shown()).toEqual(['Applying: 1 of 4 …']);
    now = 2_000;
    started(role('b', staff));
    expect(shown()).toEqual(['Applying: 1 of 4, 6s left …', '  role b']);
  });

  test.each([60, 80, 100, 120])('counts what is read of a service, on %d columns', (columns) => {
    let now = 5_000;
    const { progress, shown } = progressOn(columns, () => now);
    progress.onRead(1, 10);
    now = 6_280;
    progress.onRead(320, 1_000);
    expect(shown()).toEqual(['Reading the service: 320 of 1,000, 3s left …']);
  });

  test('counts a replacement, which is several steps, once', () => {
    const { progress, shown } = progressOn();
    progress.begin('Applying');
    progress.onEvent({ type: 'expected', steps: 2 });
    for (const op of ['create-replacement', 'replace', 'delete-replaced'] as const) {
      progress.onEvent({ type: 'step-done', step: step(op, role('a', staff)) });
    }
    expect(shown()).toEqual(['Applying: 1 of 2 …']);
  });

  test('names only so many', () => {
    const { progress, started, shown } = progressOn();
    progress.begin('Applying');
    started(...Array.from({ length: 20 }, (_, index) => role(`r${index}`, staff)));
    expect(shown()).toHaveLength(10);
    expect(shown().at(-1)).toBe('  and 12 more');
  });

  test('a line is never as wide as the terminal, which would break it', () => {
    const { progress, started, shown } = progressOn(60);
    progress.begin('Applying');
    started(role('x'.repeat(100), staff));
    expect(shown().map(({ length }) => length)).toEqual([13, 59]);
  });

  test('a name cannot write elsewhere on the terminal', () => {
    const { progress, started, shown } = progressOn();
    progress.begin('Applying');
    started(role('a\u001b[2J', staff));
    expect(shown().at(-1)).not.toContain('\u001b');
  });

  test('is removed', () => {
    const { progress, started, shown } = progressOn();
    progress.begin('Applying');
    started(role('a', staff), role('b', staff));
    progress.clear();
    expect(shown()).toEqual(['']);
  });

  test('draws at most so often, and not after it is removed', async () => {
    const terminal = new FakeTerminal('/', []);
    const progress = new Progress(terminal, 1);
    progress.begin('Applying');
    progress.onEvent({ type: 'expected', steps: 2 });
    expect(terminal.stderr.text).toBe('');
    progress.clear();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(terminal.stderr.text).toBe('');
  });

  test('is silent where stderr is no terminal', () => {
    const terminal = new FakeTerminal('/');
    const progress = new Progress(terminal, 0);
    progress.say('starting');
    progress.onEvent({ type: 'step-started', step: step('create', staff) });
    progress.onRead(1, 2);
    progress.clear();
    expect(terminal.stderr.text).toBe('');
  });
});
