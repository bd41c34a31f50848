import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { longTest, someOf } from '../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import type { Operation } from '../src/protocol/path.ts';
import { secretsPaths } from '../src/service/service.ts';
import { codeFor, startIssuer } from './conformance/issuer.ts';
import { scenarios } from './conformance/scenarios.ts';
import { Session } from './conformance/session.ts';
import { by, get, keep, list, post, remove, type Scenario, type Step } from './conformance/step.ts';
import { pem } from './conformance/tokens.ts';

const messages = 'sys/config/ui/custom-messages';
const message = { title: 't', message: 'YQ==', start_time: '2020-01-01T00:00:00Z', authenticated: false };

/** What no other server is asked: packages/secrets-service/test/conformance does not have it. */
const ofThisService: Scenario[] = [
  {
    name: 'form_post, after the logins',
    steps: [
      keep(
        { state: 'data.auth_url?state', nonce: 'data.auth_url?nonce' },
        by(
          '',
          post('begins', 'auth/o/oidc/auth_url', {
            role: 'r',
            redirect_uri: 'http://localhost:8250/oidc/callback',
          }),
        ),
      ),
      by('', post('posts', 'auth/o/oidc/callback', { state: '{state}', code: codeFor({ sub: 'ann' }) })),
      by('', get('ends', 'auth/o/oidc/callback?state={state}&code=no_code')),
    ],
  },
  {
    name: 'messages',
    steps: [
      keep('message', post('one', messages, message)),
      post('one with everything', messages, {
        ...message,
        authenticated: true,
        type: 'modal',
        end_time: '2099-01-01T00:00:00Z',
        link: { a: 'https://example.com' },
        options: { a: [1] },
      }),
      list('listing them', messages),
      get('reading one', `${messages}/{message}`),
      post('changing it', `${messages}/{message}`, { ...message, title: 'u' }),
      by('', get('before sign-in', 'sys/internal/ui/unauthenticated-messages')),
      get('after sign-in', 'sys/internal/ui/authenticated-messages'),
      remove('deleting it', `${messages}/{message}`),
      get('reading one that is gone', `${messages}/{message}`),
      post('one without a text', messages, { title: 't' }),
    ],
  },
  {
    name: 'audit, metrics and documents',
    steps: [
      get('reading the devices', 'sys/audit'),
      list('listing the devices', 'sys/audit'),
      post('enabling a device', 'sys/audit/file', { type: 'file' }),
      remove('disabling a device', 'sys/audit/file'),
      remove('disabling one that is none', 'sys/audit/none'),
      post('a hash', 'sys/audit-hash/file', { input: 'x' }),
      get('metrics', 'sys/metrics?format=prometheus'),
      get('metrics in another format', 'sys/metrics?format=x'),
      get('the document', 'sys/internal/specs/openapi'),
      list('accessors', 'auth/token/accessors'),
      list('token roles', 'auth/token/roles'),
      list('auth methods', 'sys/auth'),
      remove('a namespace again', 'sys/namespaces/n-two'),
    ],
  },
];

describe('answers are what the OpenAPI document says', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
  /** Operations that were accepted, with a body as the document has it. */
  const accepted = new Set<string>();
  const ends: (() => Promise<void>)[] = [];
  let session: Session;
  let document: any;

  beforeAll(async () => {
    const issuer = await startIssuer();
    const server = await startEmbeddedService({ auditFile: join(temporaryFolder(), 'audit.log') });
    ends.push(issuer.close, server.close);
    session = new Session(server.address, { issuer: issuer.address, pem, root: server.token });
    document = await (await fetch(`${server.address}/v1/sys/internal/specs/openapi`)).json();
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  const patterns = secretsPaths({}).map(({ pattern, operations, unauthenticated }) => {
    const source = pattern.replace(/\{mount\}|:\w+(\+?)/g, (_, isLong) => (isLong ? '.+' : '[^/]+'));
    return { pattern, operations, unauthenticated, expression: new RegExp(`^${source}$`) };
  });

  /** The path of an operation in the document: `sys/policies/acl/:name+` is `/sys/policies/acl/{name}`. */
  function documented(pattern: string, operation: Operation): string {
    return `/${pattern.replace(/:(\w+)\+?/g, '{$1}')}${operation === 'list' ? '/' : ''}`;
  }

  /** The operation that a step asks for; undefined for one that there is none for. */
  function operationOf({ method, path }: Step): { operation: Operation; pattern: string } | undefined {
    const [plain = ''] = path.split('?');
    const isList = method === 'LIST' || path.includes('?list=true');
    const operation = isList
      ? 'list'
      : (({ GET: 'read', DELETE: 'delete' } as const)[method as 'GET'] ?? 'update');
    const found = patterns.find(({ expression }) => expression.test(plain.replace(/\/$/, '')));
    return found && operation in found.operations ? { operation, pattern: found.pattern } : undefined;
  }

  function problems({ content }: any, value: unknown): string | undefined {
    const { schema } = content[typeof value === 'string' ? 'text/plain' : 'application/json'];
    const check = ajv.compile(schema);
    return check(value) ? undefined : `${ajv.errorsText(check.errors)}: ${JSON.stringify(value)}`;
  }

  describe.each(someOf(4, [...scenarios, ...ofThisService]))('$name', ({ steps }) => {
    test('in every step', async () => {
      for (const step of steps) {
        const { status, body } = await session.send(step);
        const asked = operationOf(step);
        if (asked === undefined) continue;
        const { operation, pattern } = asked;
        const method = { read: 'get', list: 'get', update: 'post', delete: 'delete' }[operation];
        const { responses, requestBody } = document.paths[documented(pattern, operation)][method];
        const described = responses[status >= 400 ? '4XX' : status];
        const found = body === undefined || described === undefined ? undefined : problems(described, body);
        expect([step.does, status, described === undefined, found]).toEqual([
          step.does,
          status,
          false,
          undefined,
        ]);
        // Handlers accept more than the document has, such as a number for a text.
        const sent = typeof step.body === 'object' ? step.body : {};
        const isDescribed = !requestBody || problems(requestBody, sent) === undefined;
        if (status < 300 && isDescribed) accepted.add(`${operation} ${pattern}`);
      }
    });
  });

  test('it is OpenAPI 3.1, and every schema of it is one', () => {
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', expect.stringContaining('+ent')]);
    const schemas: unknown[] = [];
    const visit = (value: any) => {
      if (typeof value !== 'object' || value === null) return;
      if ('schema' in value) schemas.push(value.schema);
      for (const inner of Object.values(value)) visit(inner);
    };
    visit(document.paths);
    for (const schema of schemas) {
      expect(ajv.validateSchema(schema as object)).toBe(true);
    }
    const ids = Object.values<any>(document.paths).flatMap((item) =>
      ['get', 'post', 'delete'].flatMap((method) => item[method]?.operationId ?? []),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('it has the parameters of each path, and marks of real servers on those that need no token or sudo', () => {
    for (const [path, item] of Object.entries<any>(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [] } of [item.get, item.post, item.delete].filter(Boolean))
        expect(parameters.filter((one: any) => one.in === 'path').map((one: any) => one.name)).toEqual(names);
    }
    const marked = (mark: string) => Object.keys(document.paths).filter((path) => document.paths[path][mark]);
    expect(marked('x-vault-unauthenticated')).toEqual(
      patterns
        .filter(({ unauthenticated }) => unauthenticated)
        .flatMap(({ pattern, operations }) =>
          Object.keys(operations).map((one) => documented(pattern, one as Operation)),
        )
        .filter((path, at, all) => all.indexOf(path) === at),
    );
    expect(marked('x-vault-sudo')).toEqual([
      '/auth/token/revoke-orphan',
      '/sys/auth/{path}',
      '/sys/remount',
      '/sys/audit',
      '/sys/audit/',
      '/sys/audit/{path}',
    ]);
  });

  longTest('every operation was accepted with a body that is described', () => {
    // Always refused, or a list of nothing: there are no token roles, and the audit log is set at startup.
    const never = ['list auth/token/roles', 'update auth/token/create/:role', 'update sys/audit/:path+'];
    const all = patterns.flatMap(({ pattern, operations }) =>
      Object.keys(operations).map((operation) => `${operation} ${pattern}`),
    );
    expect(all.filter((one) => !accepted.has(one)).sort()).toEqual(never);
  });
});
