import { z } from 'zod';
import { messageResourceName } from './custom-message.ts';

const name = z.string().toLowerCase().catch('');

/**
 * The parts of an environment that are checked against each other, read leniently: what is wrong in itself is
 * reported by the environment's schema, and must not hide what is wrong between the parts.
 */
const checkedParts = z.object({
  providers: z
    .array(
      z
        .object({
          kind: z.string().catch(''),
          name: z.string().catch(''),
          path: z.string().optional().catch(undefined),
          defaultRole: z.string().toLowerCase().optional().catch(undefined),
          roles: z.array(z.object({ name }).catch({ name: '' })).catch([]),
          groups: z
            .array(
              z
                .object({ name: z.string().catch(''), alias: z.string().catch('') })
                .catch({ name: '', alias: '' }),
            )
            .catch([]),
          application: z.unknown().optional(),
          directory: z.object({ serviceAccountFile: z.unknown().optional() }).optional().catch(undefined),
        })
        .catch({ kind: '', name: '', roles: [], groups: [], application: undefined }),
    )
    .catch([]),
  clientSecrets: z.array(z.string()).catch([]),
  serviceAccountKeys: z.array(z.string()).catch([]),
  policies: z.array(z.object({ name }).catch({ name: '' })).catch([]),
  messages: z.array(z.object({ title: name }).catch({ title: '' })).catch([]),
});

type CheckedProvider = z.output<typeof checkedParts>['providers'][number];

/** Which providers have a secret of each key. */
const takes = {
  clientSecrets: ({ kind, application }: CheckedProvider) =>
    kind !== 'container_orchestrator' && application === undefined,
  serviceAccountKeys: ({ directory }: CheckedProvider) => directory !== undefined,
};
const unused = {
  clientSecrets: 'a container orchestrator has none, and that of an application to create comes with it',
  serviceAccountKeys: 'the key is for a workspace suite’s directory, and there is none',
};

/** What does not hold between the parts of an environment, each by its path. */
export function environmentProblems(given: unknown): { path: (string | number)[]; message: string }[] {
  const { providers, clientSecrets, serviceAccountKeys, policies, messages } = checkedParts.parse(given);
  const problems: { path: (string | number)[]; message: string }[] = [];
  const report = (path: (string | number)[], message: string) => problems.push({ path, message });
  const once = (what: string) => {
    const seen = new Map<string, string>();
    return (key: string, path: (string | number)[]) => {
      if (key === '') return;
      const first = seen.get(key);
      const here = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
      if (first === undefined) seen.set(key, here);
      else report(path, `${what} ${JSON.stringify(key)} is there twice; first at ${first.slice(1)}`);
    };
  };

  const names = once('the provider name');
  const paths = once('the auth method path');
  const groups = once('the external group');
  const roleResources = once('the resource name <provider>-<role>');
  const groupResources = once('the resource name <provider>-<group>');
  providers.forEach((provider, index) => {
    const at = ['providers', index];
    names(provider.name, [...at, 'name']);
    paths(provider.path ?? provider.name, [...at, provider.path === undefined ? 'name' : 'path']);
    const roles = once('the role');
    provider.roles.forEach((role, position) => {
      roles(role.name, [...at, 'roles', position, 'name']);
    });
    const aliases = once('the group alias');
    provider.groups.forEach((group, position) => {
      // The service keeps names of groups and aliases without regard to case.
      groups(group.name.toLowerCase(), [...at, 'groups', position, 'name']);
      aliases(group.alias.toLowerCase(), [...at, 'groups', position, 'alias']);
    });
    // Resources are named `<provider>-<role>`: provider `a` with role `b-c` meets provider `a-b` with role `c`.
    for (const [part, resources] of [
      ['roles', roleResources],
      ['groups', groupResources],
    ] as const) {
      for (const inner of new Set(provider[part].map((entry) => entry.name))) {
        const position = provider[part].findIndex((entry) => entry.name === inner);
        if (inner !== '') resources(`${provider.name}-${inner}`, [...at, part, position, 'name']);
      }
    }
    if (
      provider.defaultRole !== undefined &&
      !provider.roles.some(({ name }) => name === provider.defaultRole)
    ) {
      report(
        [...at, 'defaultRole'],
        `no role of this provider is named ${JSON.stringify(provider.defaultRole)}`,
      );
    }
    if (takes.clientSecrets(provider) && provider.name !== '' && !clientSecrets.includes(provider.name)) {
      report(
        ['clientSecrets', provider.name],
        `the client secret is missing; set it with: pulumi config set --secret --path 'clientSecrets.${provider.name}'`,
      );
    }
    if (provider.directory !== undefined) {
      const hasKey = serviceAccountKeys.includes(provider.name);
      if (hasKey === (provider.directory.serviceAccountFile !== undefined)) {
        report(
          [...at, 'directory', 'serviceAccountFile'],
          'exactly one of serviceAccountFile and a key under gatehouse:serviceAccountKeys is needed',
        );
      }
    }
  });
  for (const [key, owners] of Object.entries({ clientSecrets, serviceAccountKeys })) {
    for (const owner of owners) {
      const provider = providers.find(({ name }) => name === owner);
      if (provider === undefined) report([key, owner], 'no provider has this name');
      else if (!takes[key as keyof typeof takes](provider)) {
        report([key, owner], `this provider takes no such secret: ${unused[key as keyof typeof unused]}`);
      }
    }
  }
  const policyNames = once('the policy');
  policies.forEach((policy, index) => {
    policyNames(policy.name, ['policies', index, 'name']);
  });
  const titles = once('the message title');
  messages.forEach((message, index) => {
    titles(messageResourceName(message.title), ['messages', index, 'title']);
  });
  return problems;
}
