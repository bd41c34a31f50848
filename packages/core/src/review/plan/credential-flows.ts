import {
  credentialGiven,
  credentialsMade,
  isOfOfficialProvider,
  keepsForOthers,
} from '../../graph/resources/credentials.ts';
import { isEqualData } from '../../graph/values/equal-data.ts';
import { isObject, isUnset, objectIn } from '../../graph/values/json.ts';
import { toCamelCase, toSnakeCase } from '../../graph/values/wire.ts';
import { hasMark } from './hidden-values.ts';
import type { CredentialFlow } from './planned-resource.ts';
import type { TerraformResourceChange } from './terraform-plan.ts';
import type { Source, TerraformReferences } from './terraform-references.ts';

/** One value, and the resource that has it. */
interface Credential {
  address: string;
  field: string;
  /** The resource that people sign in by. */
  of: string;
}

/**
 * Resources that newly hold a credential which another resource of the plan makes, or that a user's password is: by the
 * plan's configuration, or by the values themselves. What held the one before in the same place holds nothing new.
 */
export function credentialFlows(
  managed: readonly TerraformResourceChange[],
  references: TerraformReferences,
): CredentialFlow[] {
  const byAddress = new Map(managed.map((entry) => [entry.address, entry]));
  const credentials = managed.flatMap((entry) => credentialsOf(entry, references));
  const keepers = managed.filter(
    ({ type, change }) =>
      change.actions.some((action) => action === 'create' || action === 'update') &&
      keepsForOthers(type, textIn(change.after, 'path')),
  );
  return keepers.flatMap((keeper) => {
    const literals = literalsIn(keeper.change).map((literal) => ({
      of: keeper.address,
      ...literal,
      to: keeper.address,
    }));
    if (credentials.length === 0) return literals;
    const sources = references.sources(keeper.address);
    const flows = credentials.flatMap((credential): CredentialFlow[] => {
      const { address, field, of } = credential;
      if ([address, of].includes(keeper.address)) return [];
      const isKept =
        sources.some((source) => isOf(source, credential)) ||
        (sources.some(({ type }) => type === 'local') && areUnknown(keeper, byAddress.get(address), field)) ||
        holds(keeper.change.after, valueIn(byAddress, credential, 'after'));
      if (!isKept || isReplacedInPlace(keeper, credential, byAddress)) return [];
      return [{ of, field, to: keeper.address }];
    });
    return [...literals, ...flows];
  });
}

/** How tokens of Vault and OpenBao are written. */
const tokenForm = /(?:^|[^\w.])(?:hv[sbr]\.[\w-]{20,}|[sb]\.[A-Za-z0-9]{24,})/;

/** What is written as a literal where something changes, and has the form of a credential of the service. */
function literalsIn({
  before,
  after,
}: TerraformResourceChange['change']): Pick<CredentialFlow, 'field' | 'user'>[] {
  if (isEqualData(before, after)) return [];
  const texts = textsBelow(after);
  const hasKeys = ['role_id', 'secret_id'].every((key) => texts.some((text) => text.includes(`"${key}"`)));
  const known = new Set(passwordsIn(before).map((one) => JSON.stringify(one)));
  return [
    ...(texts.some((text) => tokenForm.test(text)) ? [{ field: 'a token' }] : []),
    ...(hasKeys ? [{ field: 'a role id and a secret id' }] : []),
    ...passwordsIn(after)
      .filter((one) => !known.has(JSON.stringify(one)))
      .map(({ user }) => ({ field: 'a name and a password', user })),
  ];
}

const isUserKey = (key: string) => /^(?:user(?:[_-]?(?:name|id))?|login|name)$/i.test(key);
const isPasswordKey = (key: string) => /(?:^|[_-])(?:pass|password|passwd|passphrase|pw|pwd)$/i.test(key);

/** Names that stand next to a password, in maps of a value and in JSON that it has. */
function passwordsIn(value: unknown): { user: string; password: string }[] {
  if (typeof value === 'string') return passwordsIn(objectIn(value));
  if (typeof value !== 'object' || value === null) return [];
  const textsWith = (isMeant: (key: string) => boolean) =>
    Object.entries(value).flatMap(([key, text]) =>
      isMeant(key) && typeof text === 'string' && text !== '' ? [text] : [],
    );
  const passwords = textsWith(isPasswordKey);
  return [
    ...textsWith(isUserKey).flatMap((user) => passwords.map((password) => ({ user, password }))),
    ...Object.values(value).flatMap(passwordsIn),
  ];
}

/** All texts of a value, and its maps as JSON. */
function textsBelow(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return [
    ...Object.keys(value).map((key) => JSON.stringify(key)),
    ...Object.values(value).flatMap(textsBelow),
  ];
}

/** A resource of a Pulumi preview, and the resources that its properties come from. */
export interface DependingResource {
  urn: string;
  /** As Terraform has it. */
  type: string;
  /** Where it writes, if it is known. */
  path: string | undefined;
  /** Whether the preview makes or changes it. */
  isWritten: boolean;
  /** Whether who signs in with what it makes is the same before and after. */
  isOfSameSignIn: boolean;
  /** URNs by property; of before, only where it stays in its place. */
  before: Readonly<Record<string, readonly string[]>>;
  after: Readonly<Record<string, readonly string[]>>;
}

/** The same of a Pulumi preview: it says which resources a property comes from, and not which of their values. */
export function flowsOfPreview(all: readonly DependingResource[]): CredentialFlow[] {
  const typeOf = new Map(all.map(({ urn, type }) => [urn, type]));
  const isOwn = (urn: string) => isOfOfficialProvider(typeOf.get(urn) ?? '');
  const credentials = all.flatMap(({ urn, type, path = '', after }) => {
    const created = credentialsMade[type]
      ? [{ from: urn, of: urn, field: credentialsMade[type][0] ?? '' }]
      : [];
    const given = after[toCamelCase(credentialGiven(type, path) ?? '')] ?? [];
    const passwords = given
      .filter((from) => !isOwn(from))
      .map((from) => ({ from, of: urn, field: 'password' }));
    return [...created, ...passwords];
  });
  const keepers = all.filter(({ type, path, isWritten }) => isWritten && keepsForOthers(type, path));
  const ofOthers = new Set(all.flatMap(({ urn, isOfSameSignIn }) => (isOfSameSignIn ? [] : urn)));
  return keepers.flatMap(({ urn, before, after }) => {
    const held = new Set(Object.values(before).flat());
    const kept = new Set(Object.values(after).flat());
    return credentials.flatMap(({ from, of, field }) =>
      urn !== of && urn !== from && kept.has(from) && (!held.has(from) || ofOthers.has(of))
        ? [{ of, field, to: urn }]
        : [],
    );
  });
}

function credentialsOf(
  { address, type, change }: TerraformResourceChange,
  references: TerraformReferences,
): Credential[] {
  const created = (credentialsMade[type] ?? []).map((field) => ({ address, field, of: address }));
  const password = credentialGiven(type, textIn(change.after, 'path'));
  if (password === undefined) return created;
  const sources = references
    .sources(address, password)
    .filter((source) => !isOfOfficialProvider(source.type));
  return [
    ...created,
    ...sources.map((source) => ({ address: source.address, field: source.attribute ?? '', of: address })),
  ];
}

/** A source without an attribute is the whole resource. */
function isOf({ address, attribute }: Source, credential: Credential): boolean {
  if (address !== credential.address) return false;
  return attribute === undefined || credential.field === '' || attribute === credential.field;
}

/** What a local value comes from, no plan tells: where both are known only after apply, one may be the other. */
function areUnknown(
  keeper: TerraformResourceChange,
  source: TerraformResourceChange | undefined,
  field: string,
): boolean {
  const { after_unknown: unknown } = source?.change ?? {};
  return hasMark(keeper.change.after_unknown) && isObject(unknown) && hasMark(unknown[field]);
}

/** The value of a credential on one side; undefined where it is not known, or too short to be told from others. */
function valueIn(
  byAddress: ReadonlyMap<string, TerraformResourceChange>,
  { address, field }: Credential,
  side: 'before' | 'after',
): string | undefined {
  const value = textIn(byAddress.get(address)?.change[side], field);
  return value !== undefined && value.length >= 8 ? value : undefined;
}

/** Whether the place is the same, and held the credential before that this one replaces: of the same sign-in. */
function isReplacedInPlace(
  { change: { actions, before, after } }: TerraformResourceChange,
  credential: Credential,
  byAddress: ReadonlyMap<string, TerraformResourceChange>,
): boolean {
  if (!isObject(before) || !isObject(after) || actions.join() !== 'update') return false;
  const valueBefore = valueIn(byAddress, credential, 'before');
  if (valueBefore === undefined) return false;
  const isSamePlace = Object.entries(before).every(
    ([name, value]) =>
      holds(value, valueBefore) || isUnset(value) || isEqualData(value, after[name]) || !isPlace(name),
  );
  return holds(before, valueBefore) && isSamePlace && isOfSameSignIn(byAddress.get(credential.of)?.change);
}

/** Whether who signs in with a credential of a resource is the same before and after. */
export function isOfSameSignIn({ before, after, after_unknown: unknown }: Sides = {}): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  const names = [
    ...Object.keys(before),
    ...Object.keys(after),
    ...(isObject(unknown) ? Object.keys(unknown) : []),
  ];
  const isSame = (name: string) =>
    isEqualData(before[name] ?? null, after[name] ?? null) && !(isObject(unknown) && hasMark(unknown[name]));
  return names.filter((name) => saysWho.test(toSnakeCase(name))).every(isSame);
}

type Sides = Partial<Pick<TerraformResourceChange['change'], 'before' | 'after' | 'after_unknown'>>;

/** Fields that say who signs in with what a resource makes. */
const saysWho =
  /^(?:namespace|path|backend|name|role_name|username|policies|common_name|alt_names|\w+_sans|user_ids)$/;

const isPlace = (name: string) =>
  /^(?:path|name|mount|namespace|repository|organization|environment|filename)$/.test(name);

function textIn(fields: unknown, name: string): string | undefined {
  const value = isObject(fields) ? fields[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a text is in a value, however deep. */
function holds(value: unknown, text: string | undefined): boolean {
  if (text === undefined) return false;
  if (typeof value === 'string') return value.includes(text);
  return (
    typeof value === 'object' && value !== null && Object.values(value).some((part) => holds(part, text))
  );
}
