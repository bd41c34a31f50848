import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { randomFrom } from '../../../../../test/harness/random-policies.ts';
import { policyProblems } from '../../../src/graph/policies/policy-problems.ts';

const paths = [
  '"a"',
  '"secret/*"',
  '"a/+/b"',
  '"e/+*"',
  '"x/{{identity.entity.id}}"',
  '"x/{{a"',
  '"a}}"',
  'b',
  '""',
  '"a\\"b"',
  '"a\\qb"',
  '"\x24{x}"',
  '"é"',
  "'a'",
  '"a\\u0041"',
  '"a" "b"',
  '<<E\na\nE\n',
];
const names = [
  'capabilities',
  'capabilities',
  'capabilities',
  'policy',
  'allowed_parameters',
  'denied_parameters',
  'required_parameters',
  'min_wrapping_ttl',
  'max_wrapping_ttl',
  'expiration',
  'mfa_methods',
  'comment',
  'pagination_limit',
  'list_scan_response_keys_filter_path',
  'capabilites',
  'Capabilities',
  '"policy"',
];
const values = [
  '["read"]',
  '["list"]',
  '["reed"]',
  '["deny", "x"]',
  '["x", "deny"]',
  '[]',
  '["read",,"list"]',
  '[1]',
  '["read" "list"]',
  '[true]',
  '[["a"]]',
  '"read"',
  '"write"',
  '"deny"',
  '"admin"',
  '""',
  '"{{ .key }}"',
  '5',
  '"5"',
  '1.5',
  '-5',
  '400',
  '200',
  'true',
  'null',
  'nix',
  '"1h"',
  '"1x"',
  '"2h30m"',
  '"-1h"',
  '"1d"',
  '{ x = [] }',
  '{ x = ["a", 1, true] "*" = [] }',
  '{ x = 5 }',
  '{ x = [{ a = 1 }] }',
  '<<E\nx\nE\n',
  '"2040-01-01T00:00:00Z"',
  '"2020-01-01T00:00:00Z"',
  '"2040-01-01"',
  '"soon"',
];
const inJson = [['read'], ['reed'], [], 'read', 5, null, { x: [] }, [{ x: [] }], { x: 'y' }, '1h', 'admin'];
const blanks = ['\n', '\t', '\r\n', ' # c\n', ' // c\n', ' /* c\n */ ', '\u00a0', '\f', '\ufeff'];

/** Texts that are nearly policies: most have a mistake or two. */
function policyTexts(seed: number, count: number): string[] {
  const next = randomFrom(seed);
  const one = <Of>(of: readonly Of[]) => of[next(of.length)] as Of;
  const blank = () => (next(12) === 0 ? one(blanks) : ' ');
  const rarely = (usual: string, ...other: string[]) => (next(14) === 0 ? one(other) : usual);
  // Each attribute once: what a server makes of two is its own (docs/environment.md).
  const attributes = () =>
    [...new Set(Array.from({ length: next(4) }, () => one(names)))].map(
      (name) =>
        `${name}${blank()}${rarely('=', '', ':', '{')}${blank()}${one(values)}${blank()}${rarely('', ',')}`,
    );
  const rule = () =>
    [rarely('path', 'paths', 'Path', '"path"', 'name'), one(paths), rarely('{', '= {', ''), ...attributes()]
      .map((part) => part + blank())
      .join('') + rarely('}', '', '}}', ']');
  const json = () => {
    const body = Object.fromEntries(
      Array.from({ length: next(3) }, () => [one(names).replaceAll('"', ''), one(inJson)]),
    );
    const inside = { [one(['a', 'e/+*', 'x/{{a'])]: one([body, body, [body]]) };
    return JSON.stringify({ [rarely('path', 'paths')]: one([inside, inside, [inside]]) });
  };
  return Array.from({ length: count }, () =>
    next(7) === 0 ? json() : Array.from({ length: 1 + next(2) }, rule).join(blank()),
  );
}

/** What OpenBao takes and Gatehouse refuses (docs/environment.md, "What is checked"). */
const stricter = /^`capabilities` must be a list of texts$/;

describeWithOpenBao('texts of policies', (server) => {
  test('that are refused are those that OpenBao refuses', async () => {
    const { address, token } = server();
    const wrong: { text: string; refused: boolean; ours: string[] }[] = [];
    const counts = { taken: 0, refused: 0 };
    for (const text of policyTexts(Number(process.env['GATEHOUSE_POLICIES_SEED'] ?? 1), 800)) {
      const { status } = await fetch(`${address}/v1/sys/policies/acl/tried`, {
        method: 'PUT',
        headers: { 'X-Vault-Token': token },
        body: JSON.stringify({ policy: text }),
      });
      const refused = status === 400;
      counts[refused ? 'refused' : 'taken'] += 1;
      const ours = policyProblems(text, 'openbao', BigInt(Date.now()) * 1_000_000n);
      if (refused === ours.length > 0) continue;
      const messages = ours.map(({ message }) => message.replace(/^(line \d+: )?(path "[^"]*": )?/, ''));
      if (!refused && messages.every((message) => stricter.test(message))) continue;
      wrong.push({ text, refused, ours: messages });
    }
    expect(wrong).toEqual([]);
    expect(counts.taken).toBeGreaterThan(70);
    expect(counts.refused).toBeGreaterThan(300);
  });
});
