import { getOrMake } from '../values/get-or-make.ts';

/**
 * How an issuer writes the subject of a token: pieces, with a separator between them. Any piece may stand anywhere, so that
 * this covers all that it issues, and more.
 */
export interface SubjectForm {
  separator: string;
  /** What a piece looks like, with its fields in angle brackets: `repo:<owner>/<repository>`. */
  pieces: readonly string[];
  /** Field → the characters of its values, as in a regular expression's class. Defaults to all but the separator. */
  characters: Readonly<Record<string, string>>;
  /** The fields that tell whose token it is. */
  whose: readonly string[];
  /** The claim that names the same for good, whatever the form. */
  id?: string;
}

/** What a text says by a piece: the values that are complete in it. */
interface SubjectReading {
  piece: string;
  values: Record<string, string>;
  /** Where the piece ends; absent where the text ends within it, and may go on in any way. */
  end?: number;
}

/** A subject that a role binds: exact, or a pattern. */
export interface BoundSubject {
  text: string;
  /** What stands before the first `*` of a pattern; of an exact one, all of it. */
  start: string;
  isExact: boolean;
}

/** @param isGlob whether a `*` stands for any text */
export function boundSubject(text: string, isGlob: boolean): BoundSubject {
  const star = isGlob ? text.indexOf('*') : -1;
  return { text, start: star < 0 ? text : text.slice(0, star), isExact: star < 0 };
}

/**
 * Whether all tokens with such a subject are of one owner. Of a pattern only what stands before its first `*` counts: the star
 * may stand for separators too, and others can write what follows into the name of a branch. A value counts once the
 * character after it has come: `repo:acme` also begins the subjects of an owner `acme-evil`.
 *
 * An exact text of no form is in no token.
 */
export function tellsWhoseSubject(form: SubjectForm, bound: BoundSubject): boolean {
  const { start, isExact } = bound;
  let isTold = false;
  const places = new Set([0]);
  for (const place of places) {
    for (const { values, end } of readingsAt(form, bound, place)) {
      if (form.whose.some((field) => Object.hasOwn(values, field))) isTold = true;
      else if (end === undefined || end === start.length) return false;
      else places.add(end + form.separator.length);
    }
  }
  return isTold || (isExact && places.size === 1);
}

/**
 * The form of a presented subject, and another form in which a role binds the same owner and names; undefined where the role
 * binds something else, or that very form.
 */
export function otherForm(
  form: SubjectForm,
  bound: readonly BoundSubject[],
  presented: string,
): { bound: string; presented: string } | undefined {
  const [presentedReading] = readingsAt(form, boundSubject(presented, false), 0);
  if (presentedReading === undefined) return undefined;
  const readings = bound.flatMap((subject) => readingsAt(form, subject, 0));
  const boundReading = readings.find(
    (reading) =>
      headOf(reading.piece) === headOf(presentedReading.piece) && isOfSame(reading, presentedReading),
  );
  if (boundReading === undefined || readings.some(({ piece }) => piece === presentedReading.piece))
    return undefined;
  return { bound: boundReading.piece, presented: presentedReading.piece };
}

/** The forms of the pieces that a subject may begin with, as people read them. */
export function formsOf({ pieces, whose }: SubjectForm, { start }: BoundSubject): string[] {
  const telling = pieces.filter((piece) => whose.some((field) => piece.includes(`<${field}>`)));
  const begins = telling.filter((piece) => start !== '' && start.startsWith(headOf(piece)));
  return begins.length > 0 ? begins : telling.filter((piece) => headOf(piece) === headOf(telling[0] ?? ''));
}

/** What comes before the first field. */
function headOf(piece: string): string {
  return piece.slice(0, piece.indexOf('<'));
}

/** Whether two readings say the same of the fields that both have, and have one. */
function isOfSame(left: SubjectReading, right: SubjectReading): boolean {
  const shared = Object.keys(left.values).filter((field) => Object.hasOwn(right.values, field));
  return shared.length > 0 && shared.every((field) => left.values[field] === right.values[field]);
}

/** What may be read at a place: the pieces that a subject has there, or may have once it goes on. */
function readingsAt(form: SubjectForm, bound: BoundSubject, place: number): SubjectReading[] {
  return form.pieces.flatMap((piece) => readPiece(form, piece, bound, place) ?? []);
}

function readPiece(
  form: SubjectForm,
  piece: string,
  { start: text, isExact }: BoundSubject,
  place: number,
): SubjectReading | undefined {
  const values: Record<string, string> = {};
  let at = place;
  for (const { literal, field } of partsOf(piece)) {
    if (text.startsWith(literal, at)) at += literal.length;
    else return !isExact && literal.startsWith(text.slice(at)) ? { piece, values } : undefined;
    if (field === undefined) continue;
    const value = runFrom(text, at, form.characters[field] ?? `^${form.separator}`);
    at += value.length;
    if (!isExact && at === text.length) return { piece, values };
    if (value === '') return undefined;
    values[field] = value;
  }
  if (at === text.length) return isExact ? { piece, values, end: at } : { piece, values };
  return text.startsWith(form.separator, at) ? { piece, values, end: at } : undefined;
}

/** The characters of a class from a place on. */
function runFrom(text: string, at: number, characters: string): string {
  const run = new RegExp(`[${characters}]*`, 'y');
  run.lastIndex = at;
  return run.exec(text)?.[0] ?? '';
}

/** A piece as texts, each with the field that follows it. */
function partsOf(piece: string): { literal: string; field?: string }[] {
  return getOrMake(parts, piece, () =>
    [...piece.matchAll(/([^<]*)(?:<([^>]*)>)?/g)]
      .filter(([all]) => all !== '')
      .map(([, literal = '', field]) => (field === undefined ? { literal } : { literal, field })),
  );
}
const parts = new Map<string, { literal: string; field?: string }[]>();
