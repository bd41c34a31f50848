import { admin, type Hand, key, roleBody, rule, setUp, shop } from './hand.ts';

/** How a change is told: a part of the text, who gains or loses, and the exit code. */
interface Expected {
  line: string;
  gains?: 'some' | 'none' | 'unknown';
  life?: 'longer';
  losses?: 'some' | 'none';
  /** Who, in the rows of access. */
  who?: string;
  code?: 0 | 2;
}
/** Makes a change by hand; answers what undoes it. */
type Change = (hand: Hand) => Promise<() => Promise<unknown>>;

/** What people do by hand, how drift tells it, and to whom it gives what. */
export const changes: [name: string, Expected, Change][] = [
  [
    'a role on a managed method',
    { line: 'role ci/backdoor was added: gives admin', gains: 'some', who: 'role backdoor' },
    (hand) => hand.make('auth/ci/role/backdoor', roleBody(['admin'])),
  ],
  [
    'one more policy of a role',
    { line: 'role ci/build  policies', gains: 'some', who: 'role build' },
    (hand) => hand.change('auth/ci/role/build', { token_policies: ['shop', 'admin'] }),
  ],
  [
    'a bound of a role that is gone',
    { line: 'role ci/build  boundClaims', gains: 'some', who: 'role build' },
    (hand) => hand.change('auth/ci/role/build', { bound_claims: {} }),
  ],
  [
    'a longer life',
    {
      line: 'role ci/build  ttl: 10h, declared 1h',
      gains: 'none',
      life: 'longer',
      who: 'role build',
    },
    (hand) => hand.change('auth/ci/role/build', { token_ttl: '10h' }),
  ],
  [
    'a role that is gone',
    { line: 'role ci/build is missing', gains: 'none', losses: 'some', who: 'role build' },
    async (hand) => {
      const was = await hand.read('auth/ci/role/build');
      await hand.client.delete('auth/ci/role/build');
      return () => hand.write('auth/ci/role/build', was);
    },
  ],
  [
    'one more policy of a group',
    { line: 'group builders  policies', gains: 'some', who: 'builders' },
    async (hand) => {
      const { id } = await hand.group('builders');
      await hand.write(`identity/group/id/${id}`, { policies: ['team', 'admin'] });
      return () => hand.write(`identity/group/id/${id}`, { policies: ['team'] });
    },
  ],
  [
    'a group with an alias at a managed method',
    {
      line: 'alias ci//evil was added: for the group thieves, which gives admin',
      gains: 'some',
      who: '/evil',
    },
    async (hand) => {
      const { id, undo } = await hand.makeGroup({ name: 'thieves', type: 'external', policies: ['admin'] });
      const mount_accessor = await hand.accessor('ci');
      await hand.write('identity/group-alias', { name: '/evil', mount_accessor, canonical_id: id });
      return undo;
    },
  ],
  [
    'a group around a managed group',
    {
      line: 'group around was added: it has group builders in it, and gives admin',
      gains: 'some',
      who: 'builders',
    },
    async (hand) => {
      const member_group_ids = [(await hand.group('builders'))['id']];
      return (await hand.makeGroup({ name: 'around', policies: ['admin'], member_group_ids })).undo;
    },
  ],
  [
    'a group around a group around a managed group',
    { line: 'group outermost was added: it has group around in it', gains: 'some', who: 'builders' },
    async (hand) => {
      const member_group_ids = [(await hand.group('all'))['id']];
      const inner = await hand.makeGroup({ name: 'around', policies: [], member_group_ids });
      const outer = await hand.makeGroup({
        name: 'outermost',
        policies: ['admin'],
        member_group_ids: [inner.id],
      });
      return async () => [await inner.undo(), await outer.undo()];
    },
  ],
  [
    'a group with people of a managed method',
    {
      line: 'group friends was added: it has entity eve in it, and gives admin',
      gains: 'some',
      who: 'friends',
    },
    async (hand) => {
      const eve = await hand.makeEntity('eve', [], 'ci');
      const group = await hand.makeGroup({
        name: 'friends',
        policies: ['admin'],
        member_entity_ids: [eve.id],
      });
      return async () => [await group.undo(), await eve.undo()];
    },
  ],
  [
    'policies of a disabled person of a managed method',
    {
      line: 'entity eve was added: it is disabled; once enabled it signs in there and has admin',
      gains: 'none',
      losses: 'none',
    },
    async (hand) => {
      const eve = await hand.makeEntity('eve', ['admin'], 'ci');
      await hand.write(`identity/entity/id/${eve.id}`, { disabled: true });
      return eve.undo;
    },
  ],
  [
    'policies of a disabled person elsewhere',
    { line: 'entity eve is not declared (disabled; once enabled it has admin)', code: 0 },
    async (hand) => {
      const eve = await hand.makeEntity('eve', ['admin']);
      await hand.write(`identity/entity/id/${eve.id}`, { disabled: true });
      return eve.undo;
    },
  ],
  [
    'a person in a managed group of groups',
    { line: 'group all  members: not as declared', gains: 'some', who: 'eve' },
    async (hand) => {
      const eve = await hand.makeEntity('eve', [], 'ci');
      const { id } = await hand.group('all');
      await hand.write(`identity/group/id/${id}`, { member_entity_ids: [eve.id] });
      return async () => [
        await hand.write(`identity/group/id/${id}`, { member_entity_ids: [] }),
        await eve.undo(),
      ];
    },
  ],
  [
    'a group of nobody',
    { line: 'group idle is not declared (internal; gives admin; no members)', code: 0 },
    async (hand) => (await hand.makeGroup({ name: 'idle', policies: ['admin'] })).undo,
  ],
  [
    'a group that is gone',
    { line: 'group builders is missing', gains: 'none', losses: 'some', who: 'builders' },
    async (hand) => {
      const was = await hand.group('builders');
      await hand.client.delete(`identity/group/id/${was['id']}`);
      return () => hand.makeAgain(was);
    },
  ],
  [
    'a group that is made again as one of people',
    {
      line: 'group builders was added: it has entity eve in it, and gives admin',
      gains: 'some',
      losses: 'some',
      who: 'builders',
    },
    async (hand) => {
      const was = await hand.group('builders');
      const { id, name } = was;
      await hand.client.delete(`identity/group/id/${id}`);
      const eve = await hand.makeEntity('eve', [], 'ci');
      const inner = await hand.makeGroup({ name, policies: ['admin'], member_entity_ids: [eve.id] });
      return async () => {
        await inner.undo();
        await eve.undo();
        await hand.makeAgain(was);
      };
    },
  ],
  [
    'an alias at a method of someone else',
    {
      line: 'alias other/builders was added: for the group builders, which gives team',
      gains: 'some',
      who: 'builders',
    },
    async (hand) => {
      const method = await hand.make('sys/auth/other', { type: 'jwt' });
      await hand.write('auth/other/config', { jwt_validation_pubkeys: [key] });
      await hand.write('auth/other/role/x', roleBody([], undefined, 'groups'));
      const undo = await hand.alias('builders', { mount_accessor: await hand.accessor('other') });
      return async () => [await undo(), await method()];
    },
  ],
  [
    'an alias that another group has',
    { line: 'alias ci/builders  group: thieves, declared builders', gains: 'some', who: 'builders' },
    async (hand) => {
      const thieves = await hand.makeGroup({ name: 'thieves', type: 'external', policies: ['admin'] });
      const undo = await hand.alias('builders', { canonical_id: thieves.id });
      return async () => [await undo(), await thieves.undo()];
    },
  ],
  [
    'an alias of another name',
    { line: 'alias ci/everyone was added: for the group builders', gains: 'some', who: 'everyone' },
    (hand) => hand.alias('builders', { name: 'everyone' }),
  ],
  [
    'an alias that is gone',
    { line: 'alias ci/builders is missing', gains: 'none', losses: 'some', who: 'builders' },
    async (hand) => {
      const { id, alias } = await hand.group('builders');
      await hand.client.delete(`identity/group-alias/id/${alias.id}`);
      const { name, mount_accessor } = alias;
      return () => hand.write('identity/group-alias', { name, mount_accessor, canonical_id: id });
    },
  ],
  [
    'one more rule of a policy',
    { line: '+ path "*"', gains: 'some', who: 'role build' },
    (hand) => hand.change('sys/policies/acl/shop', { policy: `${shop}${admin}` }),
  ],
  [
    'a policy that no one has',
    { line: 'policy spare is not declared (nothing that was read gives it)', code: 0 },
    (hand) => hand.make('sys/policies/acl/spare', { policy: admin }),
  ],
  [
    'a policy that is gone',
    { line: 'policy shop is missing', gains: 'none', losses: 'some', who: 'role build' },
    async (hand) => {
      await hand.client.delete('sys/policies/acl/shop');
      return () => hand.write('sys/policies/acl/shop', { policy: shop });
    },
  ],
  [
    'one more rule of default',
    {
      line: 'policy default  text: it adds read on "secret/*"; compared with',
      gains: 'some',
      who: 'role build',
    },
    (hand) => hand.withDefault((text) => `${text}${rule('secret/*')}`),
  ],
  [
    'one rule less of default',
    {
      line: 'policy default  text: it leaves out read on "sys/internal/ui/resultant-acl"; compared with',
      gains: 'none',
      losses: 'some',
    },
    (hand) =>
      hand.withDefault((text) => text.replace('sys/internal/ui/resultant-acl', 'auth/token/lookup-self')),
  ],
  [
    'an empty default',
    { line: 'policy default  text: it is empty', gains: 'none', losses: 'some' },
    (hand) => hand.withDefault(() => '# nothing'),
  ],
  [
    'a mount elsewhere',
    { line: 'method other is not declared (of type jwt; 1 role or user gives admin)', code: 0 },
    async (hand) => {
      const undo = await hand.make('sys/auth/other', { type: 'jwt' });
      await hand.write('auth/other/config', { jwt_validation_pubkeys: [key] });
      await hand.write('auth/other/role/x', roleBody(['admin']));
      return undo;
    },
  ],
  [
    'another issuer of a mount',
    { line: 'method ci  boundIssuer' },
    (hand) => hand.change('auth/ci/config', { bound_issuer: '' }),
  ],
  [
    'the tuning of a mount',
    { line: 'method ci  tune.maxLeaseTtl' },
    async (hand) => {
      await hand.write('sys/auth/ci/tune', { max_lease_ttl: '2000h' });
      return () => hand.write('sys/auth/ci/tune', { max_lease_ttl: '0' });
    },
  ],
  [
    'a mount that is gone',
    { line: 'method ci is missing', gains: 'none', losses: 'some', who: 'role build' },
    async (hand) => {
      await hand.client.delete('sys/auth/ci');
      return async () => {
        const { id } = await hand.group('builders');
        await hand.client.delete(`identity/group/id/${id}`);
        await setUp(hand);
      };
    },
  ],
  [
    'a person with a policy',
    { line: 'entity mallory was added: it signs in there and has admin', gains: 'some', who: 'mallory' },
    async (hand) => (await hand.makeEntity('mallory', ['admin'], 'ci')).undo,
  ],
  [
    'a person of elsewhere',
    { line: 'entity ann is not declared (has admin)', code: 0 },
    async (hand) => (await hand.makeEntity('ann', ['admin'])).undo,
  ],
];
