import { z } from 'zod';

/** Splits text at commas (redirect URIs, chained PEM keys) and drops empty entries. */
export function splitTextList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A list of texts, or one text with commas (docs/inside/specification.md B1 and B2). */
export const textList = z.union([z.array(z.string()), z.string().transform(splitTextList)], {
  error: 'must be a list of texts, or one text with commas',
});

/** A list of texts that hold no comma: in a written list, each text is one value. */
export const separateTexts = textList.superRefine((texts, context) => {
  for (const [index, text] of texts.entries()) {
    if (!text.includes(',')) continue;
    context.addIssue({
      code: 'custom',
      path: [index],
      message: 'a text of a list holds no comma: make it several',
    });
  }
});
