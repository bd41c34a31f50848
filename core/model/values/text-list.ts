import { z } from 'zod';

/** Splits text at commas (redirect URIs, chained PEM keys) and drops empty entries. */
export function splitTextList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A list of texts, or one text with commas (interface.md B1 and B2). */
export const textList = z.union([z.array(z.string()), z.string().transform(splitTextList)], {
  error: 'must be a list of texts, or one text with commas',
});
