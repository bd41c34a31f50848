import { errorTexts, type Wording } from './error-texts.ts';

type Area = (typeof errorTexts)[keyof typeof errorTexts];
type KeysOf<Each> = Each extends unknown ? keyof Each & string : never;

/** A row of `errorTexts`. */
export type ErrorText = KeysOf<Area>;

/** The code of an error: of a row, the part before the dot. */
export type ErrorCode = ErrorText extends infer Text
  ? Text extends `${infer Code}.${string}`
    ? Code
    : Text
  : never;

/** What went wrong and how to fix it, for one row of the table of texts. */
type TextsOf<Text extends ErrorText, Each = Area> = Each extends Area
  ? Text extends keyof Each
    ? Each[Text]
    : never
  : never;

/** A value in a text. */
export const valuePattern = /\{(\w+)\}/g;

/** The names of the values in a text. */
type ValuesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends ` ${string}` ? never : Name) | ValuesIn<Rest>
  : never;

/** What an error says. */
export interface ErrorParts {
  /** Stable identifier, for example `duration_invalid`. */
  code: ErrorCode;
  /** What went wrong, in one sentence. Never contains a secret. */
  what: string;
  /** What was given, if that helps and is not secret. */
  given?: string;
  /** What is allowed instead. */
  allowed?: string;
  /** How to fix it. */
  fix?: string;
  /** Where: a path in the YAML, a URN, a file. */
  where?: string;
  cause?: unknown;
}

type Circumstances = Pick<ErrorParts, 'given' | 'allowed' | 'where' | 'cause'>;

type Value = string | number;

/** The values by their names. Where a value of the fix is missing, the error has no fix. */
type ValuesOf<Text extends ErrorText> = Record<ValuesIn<TextsOf<Text>[0]>, Value> &
  Record<Exclude<ValuesIn<TextsOf<Text>[1]>, ValuesIn<TextsOf<Text>[0]>>, Value | undefined>;

type Arguments<Text extends ErrorText> = [ValuesIn<TextsOf<Text>[0 | 1]>] extends [never]
  ? [circumstances?: Circumstances & { values?: never }]
  : [circumstances: Circumstances & { values: ValuesOf<Text> }];

type AnyCircumstances = Circumstances & { values?: Readonly<Record<string, Value | undefined>> };

/**
 * An error that the user can act on. Its message says what went wrong, what was given, what is allowed and how to fix
 * it; its `code` is stable. Commands print only the message, without a stack trace. The type parameter only checks the
 * values: a constructor has none of its own.
 */
export class GatehouseError<Text extends ErrorText = ErrorText> extends Error {
  readonly code: ErrorCode;
  readonly parts: ErrorParts;

  /** @param text a row of `errorTexts` */
  constructor(text: Text, ...circumstances: Arguments<Text>);
  /** @param parts of an error that has its texts already: of another one, a thread, a platform */
  constructor(parts: ErrorParts);
  constructor(text: ErrorText | ErrorParts, circumstances: AnyCircumstances = {}) {
    const parts = typeof text === 'string' ? partsOf(text, circumstances) : text;
    super(describe(parts), parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'GatehouseError';
    this.code = parts.code;
    this.parts = parts;
  }
}

const texts = Object.fromEntries(
  Object.values(errorTexts).flatMap((ofOne) => Object.entries(ofOne)),
) as Record<ErrorText, Wording>;

function partsOf(text: ErrorText, { values = {}, ...circumstances }: AnyCircumstances): ErrorParts {
  const [what, fix = ''] = texts[text];
  const filled = (template: string) => template.replace(valuePattern, (_, name) => String(values[name]));
  const isKnown = [...fix.matchAll(valuePattern)].every(([, name = '']) => values[name] !== undefined);
  return {
    code: text.split('.')[0] as ErrorCode,
    what: filled(what),
    ...circumstances,
    fix: fix !== '' && isKnown ? filled(fix) : undefined,
  };
}

function describe({ what, given, allowed, fix, where }: ErrorParts): string {
  return [
    where === undefined ? what : `${where}: ${what}`,
    given === undefined ? undefined : `given: ${given}`,
    allowed === undefined ? undefined : `allowed: ${allowed}`,
    fix,
  ]
    .filter((part) => part !== undefined)
    .join('\n  ');
}
