import { boundsOfNode, isOpaque, lifetimeOfNode, type OtherNode } from '../graph/nodes/other-node.ts';
import { credentials } from '../graph/resources/credentials.ts';
import { isSame } from '../graph/resources/field.ts';
import { bearingOfField, trustByField } from '../graph/resources/trust.ts';
import { isObject, isTexts } from '../graph/values/json.ts';
import { defined } from '../graph/values/loose-values.ts';
import type { Also } from './access-change.ts';
import { answersOf } from './other-bounds.ts';
import type { SettingValue } from './reasons/also-change.ts';

type OtherFields = Record<string, unknown>;

/** What changes of another method or of its role, user or group, for who stays: one for each field that decides something. */
export function settingChanges(old: OtherNode, wanted: OtherNode): Also[] {
  const bounds = fieldChanges(boundsOfNode(old), boundsOfNode(wanted)).map(
    ({ answers, ...setting }): Also => ({
      about: 'bounds',
      ...answers,
      what: { kind: 'setting', ...setting },
    }),
  );
  // Tokens that live longer are what more is gained by.
  const lives = fieldChanges(lifetimeOfNode(old), lifetimeOfNode(wanted)).map(
    ({ answers, ...setting }): Also => ({
      about: 'lifetime',
      gains: 'none',
      losses: 'none',
      life: answers.gains === 'some' ? 'longer' : 'shorter',
      what: { kind: 'setting', ...setting },
    }),
  );
  const isAfter = isOpaque(wanted);
  const opacity: Also[] =
    isAfter === isOpaque(old)
      ? []
      : [{ about: 'bounds', gains: 'some', losses: 'some', what: { kind: 'opacity', isAfter } }];
  return [...bounds, ...opacity, ...lives];
}

interface SettingChange {
  of: 'other';
  field: string;
  before?: SettingValue;
  after?: SettingValue;
  answers: Record<'gains' | 'losses', Also['gains']>;
}

function fieldChanges(old: OtherFields = {}, wanted: OtherFields = {}): SettingChange[] {
  return Object.keys({ ...old, ...wanted })
    .sort()
    .flatMap((field): SettingChange[] => {
      const answers = answersOf(field, old[field], wanted[field]);
      if (answers === undefined) return [];
      return settingsIn(field, old[field], wanted[field]).map((setting) => ({
        of: 'other',
        answers,
        ...setting,
      }));
    });
}

/** The settings of a field: of a block those that differ, by their own names. */
function settingsIn(field: string, before: unknown, after: unknown): Omit<SettingChange, 'of' | 'answers'>[] {
  const isBlock = (value: unknown) => value === undefined || isObject(value);
  if (field !== 'tune' || !isBlock(before) || !isBlock(after))
    return [
      { field, ...defined({ before: settingValue(field, before), after: settingValue(field, after) }) },
    ];
  const blockBefore: OtherFields = isObject(before) ? before : {};
  const blockAfter: OtherFields = isObject(after) ? after : {};
  return Object.keys({ ...blockBefore, ...blockAfter })
    .filter((name) => !isSame(blockBefore[name], blockAfter[name]))
    .map((name) => ({
      field: `${field}.${name}`,
      ...defined({
        before: settingValue(field, blockBefore[name]),
        after: settingValue(field, blockAfter[name]),
      }),
    }));
}

/** A secret, or half of one, among fields that decide who signs in. */
const secrets: ReadonlySet<string> = new Set([...credentials, 'keytab', 'settings_file_base64', 'role_id']);
/** Characters of a value that people read: a longer one is a key or a program. */
const mostShown = 100;

/** A field without a row in any table may hold a secret. */
function isShown(field: string): boolean {
  const bearing = bearingOfField(field) ?? '';
  return (
    !secrets.has(field) && (['access', 'identity', 'lifetime'].includes(bearing) || trustByField.has(field))
  );
}

function settingValue(field: string, value: unknown): SettingValue | undefined {
  if (value === undefined) return undefined;
  const isShort = (text: string) => text.length <= mostShown && !text.includes('\n');
  const isReadable =
    typeof value === 'string'
      ? isShort(value)
      : isTexts(value)
        ? value.every(isShort)
        : typeof value !== 'object';
  if (!isShown(field) || !isReadable) return { hidden: true };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return { value };
  return isTexts(value) ? { value } : { hidden: true };
}
