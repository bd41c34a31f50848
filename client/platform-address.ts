import { GatehouseError } from '../core/model/values/errors.ts';

/**
 * The address of a platform as it is used: without slashes at its end.
 *
 * @throws GatehouseError `address_invalid`; it shows no password
 */
export function platformAddress(given: string): string {
  const url = URL.parse(given);
  if (url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password) {
    return given.replace(/\/+$/, '');
  }
  throw new GatehouseError({
    code: 'address_invalid',
    what: 'Platform address is not a valid URL.',
    given: url === null ? given : url.origin,
    allowed: 'an http or https URL without user and password',
    fix: 'Check --address and GATEHOUSE_PLATFORM_ADDRESS.',
  });
}
