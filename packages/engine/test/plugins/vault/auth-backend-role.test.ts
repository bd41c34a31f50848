import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { stickyFields } from '../../../../core/src/graph/resources/role.ts';
import type { PropertyMap } from '../../../src/property-value.ts';
import { describeResource, publicKey, ResourceSession, testLifecycle, types } from './resource-session.ts';

describeResource(
  'AuthBackendRole (terraform-provider-vault vault/resource_jwt_auth_backend_role.go)',
  types.role,
  (bed) => {
    const { session } = bed;
    let count = 0;
    let base: PropertyMap = {};
    beforeAll(async () => {
      await bed.service.post('sys/auth/team/jwt', { type: 'jwt' });
      await bed.service.put('auth/team/jwt/config', { jwt_validation_pubkeys: [publicKey] });
    });
    beforeEach(() => {
      const roleName = `role${++count}`;
      base = { backend: 'team/jwt', roleName, roleType: 'jwt', userClaim: 'sub', boundAudiences: ['b', 'a'] };
    });
    const path = () => `auth/team/jwt/role/${String(base['roleName'])}`;
    const stored = async () => (await bed.service.read(path()))?.data ?? {};

    /** Each field with a value that is not its default, and what the service says once it is gone. */
    const fields: [string, PropertyMap, PropertyMap][] = [
      ['boundSubject', { boundSubject: 's' }, { bound_subject: '' }],
      ['boundClaims', { boundClaims: { group: 'a, b' } }, { bound_claims: {} }],
      ['claimMappings', { claimMappings: { '/a/b': 'c' } }, { claim_mappings: {} }],
      ['groupsClaim', { groupsClaim: 'groups' }, { groups_claim: '' }],
      ['oidcScopes', { oidcScopes: ['profile'] }, { oidc_scopes: [] }],
      ['allowedRedirectUris', { allowedRedirectUris: ['http://localhost/'] }, { allowed_redirect_uris: [] }],
      ['maxAge', { maxAge: 60 }, { max_age: 0 }],
      ['tokenTtl', { tokenTtl: 60 }, { token_ttl: 0 }],
      ['tokenMaxTtl', { tokenMaxTtl: 60 }, { token_max_ttl: 0 }],
      ['tokenExplicitMaxTtl', { tokenExplicitMaxTtl: 60 }, { token_explicit_max_ttl: 0 }],
      ['tokenPeriod', { tokenPeriod: 60 }, { token_period: 0 }],
      ['tokenPolicies', { tokenPolicies: ['p'] }, { token_policies: [] }],
      ['tokenBoundCidrs', { tokenBoundCidrs: ['10.0.0.1/32', '10.2.0.0/16'] }, { token_bound_cidrs: [] }],
      ['tokenNoDefaultPolicy', { tokenNoDefaultPolicy: true }, { token_no_default_policy: false }],
      ['tokenNumUses', { tokenNumUses: 3 }, { token_num_uses: 0 }],
      ['tokenType', { tokenType: 'batch' }, { token_type: 'default' }],
      ['clockSkewLeeway', { clockSkewLeeway: -1 }, { clock_skew_leeway: 0 }],
      ['expirationLeeway', { expirationLeeway: 10 }, { expiration_leeway: 0 }],
      ['notBeforeLeeway', { notBeforeLeeway: 10 }, { not_before_leeway: 0 }],
      ['verboseOidcLogging', { verboseOidcLogging: true }, { verbose_oidc_logging: false }],
      [
        'userClaimJsonPointer',
        { userClaimJsonPointer: true, userClaim: '/sub' },
        { user_claim_json_pointer: false },
      ],
      ['boundClaimsType', { boundClaimsType: 'glob', boundClaims: { a: 'b*' } }, { bound_claims: {} }],
    ];

    test.each(fields)('%s: made, it does not differ', async (_, field) => {
      const role = await session().create({ ...base, ...field });
      expect(role.state).toMatchObject(field);
      await role.refresh();
      await expect(role.differences({ ...base, ...field })).resolves.toEqual({});
    });

    const isKept = (name: string) => stickyFields.includes(name as (typeof stickyFields)[number]);
    const [kept, emptied] = [
      fields.filter(([name]) => isKept(name)),
      fields.filter(([name]) => !isKept(name)),
    ];

    test.each(emptied)(
      '%s: gone from the program, it is cleared on the service',
      async (_, field, cleared) => {
        const role = await session().create({ ...base, ...field });
        await role.update(base);
        await expect(stored()).resolves.toMatchObject(cleared);
        await expect(role.differences(base)).resolves.toEqual({});
      },
    );

    test.each(emptied)('%s: set by hand, it is a difference and is cleared', async (name, field, cleared) => {
      const role = await session().create(base);
      await session().create({ ...base, ...field });
      await role.refresh();
      const { diffs } = await role.diff(base);
      // The claims' type is computed: left to the service, it is no difference. What it goes with is.
      expect(diffs).toContain(name === 'boundClaimsType' ? 'boundClaims' : name);
      await role.update(base);
      await expect(stored()).resolves.toMatchObject(cleared);
    });

    test.each(kept)('%s: an update leaves it, and says that it differs', async (name, field) => {
      const role = await session().create({ ...base, ...field });
      const before = await stored();
      await role.update(base);
      await expect(stored()).resolves.toEqual(before);
      expect((await role.diff(base)).diffs).toEqual([name]);
    });

    test.each(kept)('%s: an empty value is left out, too', async (name, field) => {
      const role = await session().create({ ...base, ...field });
      const before = await stored();
      const empty = Array.isArray(field[name]) ? [] : typeof field[name] === 'number' ? 0 : {};
      await role.update({ ...base, [name]: empty });
      await expect(stored()).resolves.toEqual(before);
    });

    test('the claims’ type stays as it is where the program does not say it', async () => {
      const role = await session().create({ ...base, boundClaimsType: 'glob' });
      await role.update({ ...base, tokenTtl: 5 });
      await expect(stored()).resolves.toMatchObject({ bound_claims_type: 'glob', token_ttl: 5 });
    });

    test('the state of a write to its path, of a later schema, is refused in the official plugin’s words', async () => {
      const body = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['a'], bound_claims: { a: true } };
      const endpoint = new ResourceSession(bed.plugin, types.endpoint);
      await endpoint.create({ path: path(), dataJson: JSON.stringify(body) });
      const role = session();
      Object.assign(role, { id: endpoint.id, state: endpoint.state });
      const words =
        'State version 1 is greater than schema version 0 for resource vault_jwt_auth_backend_role. ' +
        'Please upgrade the provider to work with this resource.';
      await expect(role.diff(base)).rejects.toThrow(words);
      await expect(role.update(base)).rejects.toThrow(words);
      await expect(role.refresh()).rejects.toThrow(words);
    });

    testLifecycle(bed, () => ({ ...base, tokenTtl: 60 }), { boundClaimsType: 'string' });

    test('its id is its path, without slashes around the mount', async () => {
      const role = await session().create({ ...base, backend: '/team/jwt/' });
      expect(role.id).toBe(path());
      expect(role.state).toMatchObject({ id: path(), backend: 'team/jwt' });
    });

    test('bound claims are written as lists, split at commas', async () => {
      await session().create({ ...base, boundClaims: { group: 'red, green', one: 'x' } });
      await expect(stored()).resolves.toMatchObject({
        bound_claims: { group: ['red', 'green'], one: ['x'] },
      });
    });

    test('bound claims are not split when that is disabled', async () => {
      const news = { ...base, boundClaims: { group: 'red, green' }, disableBoundClaimsParsing: true };
      const role = await session().create(news);
      await expect(stored()).resolves.toMatchObject({ bound_claims: { group: ['red, green'] } });
      await expect(role.differences(news)).resolves.toEqual({});
    });

    test('a bound claim that is no text on the service is an error with the way out', async () => {
      const role = await session().create(base);
      await bed.service.put(path(), { ...(await stored()), bound_claims: { admin: true } });
      await expect(role.refresh()).rejects.toThrow(/"admin".*vault\.generic\.Endpoint/s);
    });

    test('an update keeps the role’s type when the program does not say it', async () => {
      const role = await session().create(base);
      const { roleType: _, ...rest } = base;
      await role.update({ ...rest, tokenTtl: 5 });
      await expect(stored()).resolves.toMatchObject({ role_type: 'jwt', token_ttl: 5 });
    });

    test('sets keep the declared order in the state', async () => {
      const role = await session().create({ ...base, boundAudiences: ['z', 'a', 'm'] });
      await role.refresh();
      expect(role.state['boundAudiences']).toEqual(['z', 'a', 'm']);
    });

    test('the service’s own refusal is told', async () => {
      const { boundAudiences: _, ...loose } = base;
      await expect(session().create(loose)).rejects.toThrow(/must have at least one bound constraint/);
    });

    test('an id that is no path to a role is refused', async () => {
      await expect(session().import('reader')).rejects.toThrow(/auth\/<method>\/role\/<name>/);
    });
  },
);
