import { relative, resolve } from 'node:path';
import type { Question } from '../../core/model/kinds/kind.ts';
import type { ProviderKind } from '../../core/model/kinds/kinds.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { ask, isInteractive, type Terminal } from '../rendering/terminal.ts';
import { type AddCommand, addCommand, type CommonOptions, print, secretFrom } from './command.ts';

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
  const command = addCommand(program, 'init', 'write the configuration of a new environment', [
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
  const { allInitQuestions, init, initQuestions, isForPeople, roleQuestions } = await import(
    '../../operations/init.ts'
  );
  const { kindTitle, providerKinds } = await import('../../core/model/kinds/kinds.ts');
  command.option(
    '--kind <kind>',
    `kind of the identity provider, or its product: ${providerKinds.map(kindTitle).join(', ')}`,
  );
  for (const { setting, asks, parts = ['value'] } of allInitQuestions()) {
    command.option(`--${toFlag(setting)} <${parts.join('/')}>`, asks);
  }

  command.action(async (stack: string, options: InitOptions) => {
    const missing: string[] = [];
    const answer = async (given: unknown, flag: string, question: string, preset = ''): Promise<string> => {
      if (typeof given === 'string') return given;
      const prompt = `${question}${preset && ` [${preset}]`}: `;
      const asked = isInteractive(terminal) ? await ask(terminal, prompt) : '';
      const text = asked || preset;
      if (text === '') missing.push(`--${flag}`);
      return text;
    };

    const address = await answer(options.address, 'address', 'Address of the secrets service');
    const kind = await askKind(options.kind, terminal);
    const name = await answer(options.name, 'name', 'Name of the provider', 'staff');
    const answers = async (questions: readonly Question[], whose: string) => {
      const settings: Record<string, string | string[]> = {};
      for (const question of questions) {
        const { setting, asks } = question;
        const text = await answer(options[setting], toFlag(setting), `${whose} ${asks}`);
        if (text !== '') Object.assign(settings, settingsFrom(question, text));
      }
      return settings;
    };
    const settings = await answers(initQuestions(kind), "Provider's");
    const role = await answer(options.role, 'role', 'Name of the first role', 'reader');
    const policies = splitList(await answer(options.policies, 'policies', 'Its policies', 'default'));
    const roleSettings = await answers(roleQuestions(kind), "Role's");
    let clientSecret: string | undefined;
    if (isForPeople(kind)) {
      clientSecret = await secretFrom(options.clientSecretFile, terminal, 'Client secret (not shown): ');
      if (!clientSecret) missing.push('--client-secret-file (or GATEHOUSE_CLIENT_SECRET)');
    }
    if (missing.length > 0) {
      throw new GatehouseError({
        code: 'answers_missing',
        what: 'Some settings of the environment are missing.',
        given: `no ${missing.join(', ')}`,
        fix: 'Give them as options, or run the command in a terminal to be asked.',
      });
    }
    const file = await init({
      ...{ stack, address, kind, name, settings, role, policies, roleSettings, clientSecret },
      directory: resolve(terminal.cwd, options.cwd),
      env: terminal.env,
    });
    print(terminal, options, { stack, file }, () => {
      return `Wrote ${relative(terminal.cwd, file)}.\nNext: gatehouse preview -s ${stack}\n`;
    });
  });
};

async function askKind(given: string | undefined, terminal: Terminal): Promise<ProviderKind> {
  const kinds = await import('../../core/model/kinds/kinds.ts');
  const choices = kinds.providerKinds.map(kinds.kindTitle).join('\n  ');
  const question = `Kind of the identity provider, or its product\n  ${choices}\nKind: `;
  const answer = given ?? (isInteractive(terminal) ? await ask(terminal, question) : undefined);
  const kind = kinds.kindNamed(answer);
  if (kind !== undefined) return kind;
  const unknown = kinds.unknownKind(answer);
  if (answer === undefined) {
    throw new GatehouseError({ ...unknown, code: 'answers_missing', what: 'No --kind was given.' });
  }
  throw new GatehouseError({ ...unknown, code: 'kind_unknown', given: answer });
}

/** The settings that an answer gives. */
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
