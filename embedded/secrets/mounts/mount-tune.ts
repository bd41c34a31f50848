import { durationField } from '../protocol/duration-field.ts';
import { FieldRefusal, type Fields, listField, textField } from '../protocol/fields.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Json } from '../storage/storage.ts';
import { type Mount, type MountConfig, systemTtl } from './mount.ts';

const tokenTypes = ['default-service', 'default-batch', 'service', 'batch'];
const lists = [
  'passthrough_request_headers',
  'allowed_response_headers',
  'audit_non_hmac_request_keys',
  'audit_non_hmac_response_keys',
] as const;

export const untuned: MountConfig = { default_lease_ttl: 0, max_lease_ttl: 0, token_type: 'default-service' };

/** What real servers say of times when a mount is made, and otherwise when it is tuned. */
export interface TuneTexts {
  unreadable(which: string, given: Json): string;
  tooLong(byDefault: number, longest: number): string;
}

const tuneTexts: TuneTexts = {
  unreadable: () => '',
  tooLong: (byDefault, longest) =>
    `backend max lease TTL of ${longest} would be less than backend default lease TTL of ${byDefault}`,
};

/**
 * A mount's config with what a request changes of it; what it leaves out stays.
 *
 * @throws Refusal 400
 */
export function tuned(config: MountConfig, fields: Fields, texts = tuneTexts): MountConfig {
  const changed = { ...config };
  const seconds = (name: 'default_lease_ttl' | 'max_lease_ttl') => {
    // Words of older clients for the service's own.
    if (fields[name] === 'system') return 0;
    try {
      return durationField(fields, name) ?? config[name];
    } catch (error) {
      if (!(error instanceof FieldRefusal)) throw error;
      const which = name === 'max_lease_ttl' ? 'max' : 'default';
      throw new Refusal(400, `${texts.unreadable(which, fields[name] ?? null)}${error.problem}`);
    }
  };
  changed.default_lease_ttl = seconds('default_lease_ttl');
  changed.max_lease_ttl = seconds('max_lease_ttl');
  const { default_lease_ttl: byDefault, max_lease_ttl: longest } = changed;
  if (byDefault > (longest || systemTtl)) {
    throw new Refusal(400, texts.tooLong(byDefault, longest || systemTtl));
  }
  changed.token_type = textField(fields, 'token_type') || config.token_type;
  if (!tokenTypes.includes(changed.token_type)) throw new Refusal(400, "invalid value for 'token_type'");
  const visibility = textField(fields, 'listing_visibility');
  if (visibility !== undefined) {
    if (!['', 'hidden', 'unauth'].includes(visibility)) {
      throw new Refusal(400, `invalid listing_visibility ${visibility}`);
    }
    changed.listing_visibility = visibility;
  }
  for (const name of lists) {
    const value = listField(fields, name);
    if (value !== undefined) changed[name] = value.filter((one) => one !== '');
  }
  return changed;
}

/** What a read of the tune answers: times that hold, the service's own where the mount has none. */
export function tuneData({ config, description }: Mount): Record<string, unknown> {
  return {
    ...config,
    default_lease_ttl: config.default_lease_ttl || systemTtl,
    max_lease_ttl: config.max_lease_ttl || systemTtl,
    description,
    force_no_cache: false,
  };
}
