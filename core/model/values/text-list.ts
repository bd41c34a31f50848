import { z } from 'zod';

/** Splits what samples write with commas (redirect URIs, chained PEM keys) and drops blanks. */
export function splitTextList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A list of texts: a list, or one text with commas between its entries (interface.md B1 and B2). */
export const textList = z.union([z.array(z.string()), z.string().transform(splitTextList)], {
  error: 'a list of texts is needed, or one text with commas between its entries',
});
