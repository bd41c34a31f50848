import { relative } from 'node:path';
import type { Question } from '../../core/model/kinds/kind.ts';
import type { ProviderKind } from '../../core/model/kinds/kinds.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { styleFor } from '../rendering/style.ts';
import { ask, isInteractive, type Terminal } from '../rendering/terminal.ts';
import { type AddCommand, type CommonOptions, print, secretFrom } from './command.ts';

interface InitOptions extends CommonOptions {
  address?: string;
  kind?: string;
  name?: string;
  clientSecretFile?: string;
  role?: string;
  policies?: string;
  /** The kinds' settings, each by its name in the YAML. */
  [setting: string]: unknown;
}

export const addInit: AddCommand = async (program, { terminal, argv }) => {
  const command = program
    .add('init', 'write the configuration of a new environment', [
      'gatehouse init staging',
      'gatehouse init staging --address https://secrets.example.com:8200 --kind keycloak --name staff \\\n' +
        '      --authority https://id.example.com --realm main --client-id gatehouse --client-secret-file secret.txt',
    ])
    .argument('<stack>', 'name of the environment; its file is Pulumi.<stack>.yaml')
    .option('--address <url>', 'address of the secrets service')
    .option('--name <name>', 'name of the provider, and path of its auth method')
    .option('--client-secret-file <file>', 'file that holds the client secret (or $GATEHOUSE_CLIENT_SECRET)')
    .option('--role <name>', 'name of the first role (default: reader)')
    .option('--policies <names>', 'policies of that role, separated by commas (default: default)');
  // The kinds' schemas take long to load, and only this command needs their questions.
  if (!argv.includes('init')) return;
  const operations = await import('../../operations/init.ts');
  const { allInitQuestions, init, initQuestions, isForPeople, roleQuestions } = operations;
  const { kindTitle, providerKinds } = await import('../../core/model/kinds/kinds.ts');
  command.option(
    '--kind <kind>',
    `kind of the identity provider, or its product: ${providerKinds.map(kindTitle).join(', ')}`,
  );
  for (const { setting, asks, parts = ['value'] } of allInitQuestions()) {
    command.option(`--${toFlag(setting)} <${parts.join('/')}>`, asks);
  }

  command.action(async (stack: string, options: InitOptions) => {
    const { stderr, env } = terminal;
    const directory = options.cwd;
    await operations.checkNewStack(directory, stack, env);
    const asks = isInteractive(terminal);
    const missing: string[] = [];
    const warn = (text: string) => stderr.write(`  ${styleFor(stderr, env).changed('warning:')} ${text}\n`);
    /** Asks again while the answer is wrong. What an option gives is checked at the end, all at once. */
    const answer = async (
      given: unknown,
      flag: string,
      question: string,
      { preset = '', check }: { preset?: string; check?: (text: string) => string | undefined } = {},
    ): Promise<string> => {
      if (typeof given === 'string') return given;
      while (asks) {
        const text = (await ask(terminal, `${question}${preset && ` [${preset}]`}: `)) || preset;
        const problem = text === '' ? undefined : check?.(text);
        if (problem === undefined) {
          if (text === '') missing.push(`--${flag}`);
          return text;
        }
        stderr.write(`  ${problem}\n`);
      }
      if (preset === '') missing.push(`--${flag}`);
      return preset;
    };

    const address = await answer(options.address, 'address', 'Address of the secrets service', {
      check: operations.addressProblem,
    });
    if (asks && address !== '') {
      const { askService } = await import('../../operations/ask-service.ts');
      const { reachable, says } = await askService(address, env);
      if (!reachable) warn(`no secrets service answers there yet (${says})`);
    }
    const kind = await askKind(options.kind, terminal);
    const name = await answer(options.name, 'name', 'Name of the provider', {
      preset: 'staff',
      check: (text) => operations.settingProblem({ kind, name: text }, ['name']),
    });
    const answers = async (questions: readonly Question[], whose: string, role?: object) => {
      const settings: Record<string, string | string[]> = {};
      for (const question of questions) {
        const { setting, asks: what } = question;
        const check = (text: string) => {
          try {
            const own = settingsFrom(question, text);
            const all = { ...settings, ...own };
            const drafted = role === undefined ? { kind, name, ...all } : { kind, role: { ...role, ...all } };
            return operations.settingProblem(drafted, Object.keys(own));
          } catch (error) {
            return (error as Error).message;
          }
        };
        const text = await answer(options[setting], toFlag(setting), `${whose} ${what}`, { check });
        if (text !== '') Object.assign(settings, settingsFrom(question, text));
      }
      return settings;
    };
    const settings = await answers(initQuestions(kind), "Provider's");
    if (asks) {
      const problem = await operations.discoveryProblem(kind, settings);
      if (problem !== undefined) warn(`its issuer cannot be discovered from here: ${problem}`);
    }
    const role = await answer(options.role, 'role', 'Name of the first role', {
      preset: 'reader',
      check: (text) => operations.settingProblem({ kind, role: { name: text } }, ['name']),
    });
    const listed = await answer(options.policies, 'policies', 'Its policies', {
      preset: 'default',
      check: (text) => operations.settingProblem({ kind, role: { policies: splitList(text) } }, ['policies']),
    });
    const policies = splitList(listed);
    const roleSettings = await answers(roleQuestions(kind), "Role's", { name: role, policies });
    let clientSecret: string | undefined;
    if (isForPeople(kind)) {
      const question = 'Client secret (not shown; leave it empty to set it later): ';
      clientSecret = await secretFrom(options.clientSecretFile, terminal, question);
      if (!clientSecret && !asks) missing.push('--client-secret-file (or GATEHOUSE_CLIENT_SECRET)');
    }
    if (missing.length > 0) {
      throw new GatehouseError({
        code: 'answers_missing',
        what: 'Some settings of the environment are missing.',
        given: `no ${missing.join(', ')}`,
        fix: 'Give them as options, or run the command in a terminal to be asked.',
      });
    }
    const written = await init({
      ...{ stack, address, kind, name, settings, role, policies, roleSettings, clientSecret },
      ...{ directory, env },
    });
    const { file, redirectUris, next } = written;
    print(terminal, options, { stack, file, redirectUris, next }, () =>
      [
        `Wrote ${relative(terminal.cwd, file)}.`,
        ...(redirectUris.length === 0 ? [] : ['Register these redirect URIs with the identity provider:']),
        ...redirectUris.map((uri) => `  ${uri}`),
        'Next:',
        ...next.map((line) => `  ${line}`),
        '',
      ].join('\n'),
    );
  });
};

/** Asks for a kind by its product; a number in the list does, too. */
async function askKind(given: string | undefined, terminal: Terminal): Promise<ProviderKind> {
  const { kindNamed, productOf, providerKinds, unknownKind } = await import(
    '../../core/model/kinds/kinds.ts'
  );
  const asks = given === undefined && isInteractive(terminal);
  if (asks) {
    const lines = providerKinds.map((kind, at) => `  ${String(at + 1).padStart(2)}  ${productOf(kind)}\n`);
    terminal.stderr.write(`Identity providers:\n${lines.join('')}`);
  }
  for (;;) {
    const answer = asks ? (await ask(terminal, 'Which one, by number or name: ')) || undefined : given;
    const kind = kindNamed(answer) ?? (asks ? providerKinds[Number(answer) - 1] : undefined);
    if (kind !== undefined) return kind;
    const { what, allowed, fix } = unknownKind(answer);
    if (answer === undefined) {
      throw new GatehouseError({ allowed, code: 'answers_missing', what: 'No --kind was given.' });
    }
    if (!asks) throw new GatehouseError({ what, allowed, fix, code: 'kind_unknown', given: answer });
    terminal.stderr.write(`  ${fix ?? what}\n`);
  }
}

function settingsFrom({ setting, list, parts }: Question, text: string): Record<string, string | string[]> {
  if (parts === undefined) return { [setting]: list ? splitList(text) : text };
  const values = text.split('/');
  if (values.length === parts.length && values.every(Boolean))
    return Object.fromEntries(parts.map((part, at) => [part, values[at] ?? '']));
  throw new GatehouseError({
    code: 'setting_invalid',
    what: `Not an answer to --${toFlag(setting)}.`,
    given: text,
    allowed: parts.map(toFlag).join('/'),
  });
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function toFlag(setting: string): string {
  return setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
