import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { isIn } from '../harness/long-run.ts';
import { describeWithOpenBao } from '../harness/openbao.ts';
import { startOpenBao } from '../harness/openbao-server.ts';
import { packedOnce } from '../harness/packed.ts';
import { lastingPort } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { describeOnEmbeddedService, type TestedServer } from '../harness/two-servers.ts';
import { blocksOf } from './markdown.ts';

/** The commands of the page in their order, each with what is shown of its output. */
interface Part {
  line: number;
  commands: string;
  exits: number;
  shown: string;
  /** The embedded service has no other auth methods. */
  isForOpenBao: boolean;
}

const parts: Part[] = [];
for (const { info, text, line } of blocksOf('docs/first-apply.md')) {
  const [, exits = '0'] = /^sh tutorial(?: openbao)?(?: exits (\d))?$/.exec(info) ?? [];
  if (info.startsWith('sh tutorial'))
    parts.push({
      line,
      commands: text,
      exits: Number(exits),
      shown: '',
      isForOpenBao: info.includes('openbao'),
    });
  else if (info === 'text tutorial') Object.assign(parts.at(-1) ?? {}, { shown: text });
}

const folder = temporaryFolder();
const tools = join(folder, 'tools');
/** Of this machine, without what would change how Gatehouse runs; npm asks its registry only for what it does not have. */
const machine = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(GATEHOUSE|VAULT|PULUMI)_|^(DATABASE_URL|CI)$/.test(name),
    ),
  ),
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};
const run = promisify(execFile);
const auditLog = join(folder, 'audit.log');

const [server] = blocksOf('docs/first-apply.md').filter(({ info }) => info === 'sh server');
/** What the page has the server started with; its folder is that of the tests. */
const [, config = ''] = /<<'END'\n(.*?)END\n/s.exec(server?.text ?? '') ?? [];
const serverConfig = config.replace('"audit.log"', JSON.stringify(auditLog));

beforeAll(async () => {
  const { gatehouse } = await packedOnce();
  mkdirSync(tools);
  writeFileSync(join(tools, 'package.json'), '{}');
  await run('npm', ['install', gatehouse], { cwd: tools, env: machine });
  // Outside a repository, npx would fetch what is published: here it takes the packed file.
  writeFileSync(
    join(tools, 'npx'),
    `#!/bin/sh
[ -e node_modules/.bin/gatehouse ] && shift && exec node_modules/.bin/gatehouse "$@"
shift
command=$1
shift
exec '${tools}/node_modules/.bin/gatehouse' "$command" --package '${gatehouse}' "$@"
`,
  );
  chmodSync(join(tools, 'npx'), 0o755);
}, 900_000);

/** Runs all of the page in one shell; what each part printed. After one that ends otherwise than the page says, there are no more. */
async function follow({ address, token, kind }: TestedServer, parts: Part[]): Promise<string[]> {
  const cwd = join(folder, kind);
  mkdirSync(cwd);
  const port = await lastingPort();
  const script = parts.map(({ commands, exits }) => {
    const own = commands
      .replaceAll('127.0.0.1:8300', `127.0.0.1:${port}`)
      .replaceAll('gatehouse serve', `gatehouse serve --port ${port}`);
    // Any command that fails ends a part; one that shows an exit code is one command at its end.
    const lines =
      exits === 0 ? own : own.replace(/\n?([^\n]+)\n$/, `\ncode=0; $1 || code=$?; [ $code = ${exits} ]\n`);
    return `printf '\\0'\n${lines}`;
  });
  const env: NodeJS.ProcessEnv = {
    ...machine,
    NO_COLOR: '1',
    VAULT_ADDR: address,
    VAULT_TOKEN: token,
    AUDIT_LOG: auditLog,
    PATH: [tools, dirname(process.execPath), process.env['PATH']].join(delimiter),
    GATEHOUSE_PLATFORM_ADDRESS: `http://127.0.0.1:${port}`,
    GIT_AUTHOR_NAME: 'Alice',
    GIT_AUTHOR_EMAIL: 'alice@example.com',
    GIT_COMMITTER_NAME: 'Alice',
    GIT_COMMITTER_EMAIL: 'alice@example.com',
  };
  // What the shell leaves running ends with it, whatever happens.
  const whole = `set -e\nexec 2>&1\ntrap 'code=$?; kill $(jobs -p) 2>/dev/null; exit $code' EXIT\n${script.join('\n')}`;
  const printed = await run('bash', ['-c', whole], { cwd, env, maxBuffer: 1e8 }).then(
    ({ stdout }) => stdout,
    (error) => `${error.stdout}\nended with ${error.code}`,
  );
  return printed.split('\0').slice(1);
}

/** Whether the lines shown stand in an output in this order; `…` stands for anything. */
function pattern(shown: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(shown.trimEnd().split('…').map(literal).join('[^]*'));
}

function theTutorial(server: () => TestedServer, own: Part[]): void {
  let printed: string[];
  beforeAll(async () => {
    printed = await follow(server(), own);
  }, 900_000);

  test.each(own.map((part, index) => ({ ...part, index })))(
    'docs/first-apply.md:$line does and prints what the page says',
    ({ shown, index }) => {
      const output = printed[index] ?? 'an earlier part failed';
      expect(output).not.toMatch(/an earlier part failed|\nended with/);
      expect(output).toMatch(pattern(shown));
    },
  );
}

if (isIn('npm test'))
  describeOnEmbeddedService('the tutorial (embedded service)', (server) =>
    theTutorial(
      server,
      parts.filter(({ isForOpenBao }) => !isForOpenBao),
    ),
  );
if (isIn('test:long'))
  describeWithOpenBao(
    'the tutorial (OpenBao)',
    (openbao) =>
      theTutorial(() => ({ address: openbao().address, token: openbao().token, kind: 'openbao' }), parts),
    () => startOpenBao(join(temporaryFolder({ 'audit.hcl': serverConfig }), 'audit.hcl')),
  );
