import { type EdgeRow, edges } from '../access/edges.ts';
import { type Influence, type InfluencedRest, influences } from '../access/influence.ts';

const restWords: Record<InfluencedRest, string> = {
  identity:
    'groups around it, policies attached to it, policies that it fills in, second factors that it is asked for',
  former: 'the identity that people had before they got this one',
  claim: 'groups that the claim leads to',
  mount: 'what hangs on its accessor',
  templates: 'policies that it fills in',
};

/** The lines of a server's source that show a row. */
const oracles: Readonly<Record<string, string>> = {
  'mount policies':
    'vault builtin/credential/ldap/path_login.go, github/path_login.go: `TokenPolicies` of the configuration',
};

const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;

/** The table of edges for documentation: a line of Markdown a row. */
export function edgesTable(): string[] {
  const rows = Object.entries(edges).flatMap(([kind, list]) =>
    list.map(({ attribute, how, to, source }: Omit<EdgeRow<never>, 'ends'>) => {
      const shownBy = source === undefined ? 'OpenBao' : `${source.file}, \`${source.symbol}\``;
      return row(kind, `\`${attribute}\``, how, to, shownBy);
    }),
  );
  return [row('From', 'By', 'How', 'To', 'Shown by'), row('---', '---', '---', '---', '---'), ...rows];
}

/** The table of influence for documentation: a line of Markdown a row. */
export function influenceTable(): string[] {
  const shownBy = ({ of, attribute, oracle }: Influence) =>
    oracle === undefined ? 'OpenBao' : (oracles[`${of} ${attribute}`] ?? '');
  return [
    row('Of', 'Attribute', 'Decides', 'May lead elsewhere to', 'Shown by'),
    row('---', '---', '---', '---', '---'),
    ...influences.map((influence) => {
      const { of, attribute, decides, rest } = influence;
      const leads = rest === undefined ? '–' : restWords[rest];
      return row(of, `\`${attribute}\``, decides.join(', '), leads, shownBy(influence));
    }),
  ];
}
