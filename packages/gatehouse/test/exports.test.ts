import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { providers } from '../../../providers/providers.ts';
import { getOrMake } from '../../core/src/graph/values/get-or-make.ts';

const folder = new URL('../', import.meta.url);

interface Imported {
  names: string[];
  loaded: string[];
}

const importedModules = new Map<string, Imported>();

/** What a program finds when it imports a module: its names, and every module that was loaded for it. */
function imported(module: string): Imported {
  return getOrMake(importedModules, module, () => importAnew(module));
}

function importAnew(module: string): Imported {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const names = Object.keys(await import(${JSON.stringify(module)}));
    console.log(JSON.stringify({ names, loaded }));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' }),
  );
}

const pure = {
  './access.ts': [
    'GatehouseError',
    'LoginReason',
    'LoginRefused',
    'LoginStep',
    'Reach',
    'decideAccess',
    'declare',
    'emptyGraph',
    'giverWords',
    'groupsOf',
    'keysFromJwks',
    'reachOf',
    'readEnvironment',
    'reasonWords',
    'ruleOptions',
    'signIn',
    'signInByClaims',
  ],
  './review.ts': [
    'AccessKind',
    'Answer',
    'GatehouseError',
    'Severity',
    'giverWords',
    'hasFindingsAt',
    'jsonReport',
    'judgeGraph',
    'markdownReport',
    'planResources',
    'readPlan',
    'reasonWords',
    'review',
    'ruleIds',
    'sarifReport',
  ],
  './run-task.ts': [
    'ResultStatus',
    'Stage',
    'TagLevel',
    'acceptsOutcomes',
    'hasPlan',
    'isFinal',
    'isSigned',
    'isVerification',
    'largestBody',
    'limits',
    'outcomeToWire',
    'parsePayload',
    'parseResult',
    'payloadVersion',
    'planDigest',
    'resultContentType',
    'resultToWire',
    'severityOutcome',
    'sign',
    'signatureHeaders',
    'verificationToken',
  ],
};

/** Modules with which one reaches the world outside the process. */
const outward =
  /@pulumi\/|^node:(?:child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|sqlite|tls|worker_threads)\b/;

describe.each(Object.entries(pure))('%s', (module, names) => {
  test('exports exactly these names, and loads neither Pulumi nor anything that reads or sends', () => {
    const found = imported(module);
    expect(found.names).toEqual(names);
    expect(found.loaded.filter((url) => outward.test(url))).toEqual([]);
  });
});

test('gatehouse exports the component of every kind, and exactly these names in addition', () => {
  const expected = [
    'AuthMethod',
    'CustomMessage',
    'ExternalGroup',
    'GatehouseError',
    'InternalGroup',
    'Namespace',
    'Policy',
  ];
  expected.push('Role', 'buildEnvironment', 'projectedToken');
  const kinds = Object.values(providers).map(({ name }) => name);
  expect(imported('./gatehouse.ts').names).toEqual([...kinds, ...expected].sort());
});

test('what loads Pulumi or a file system is seen', () => {
  expect(imported('./gatehouse.ts').loaded.some((url) => outward.test(url))).toBe(true);
  expect(imported('fastify').loaded).toContain('node:http');
});
